"""Compare a new statement with an old one, and the wording of two sentences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from commonplace.language.text import match_phrases, name_key
from commonplace.truth.change_words import UNSPACED_LANGUAGES
from commonplace.truth.signatures import (
    GENITIVES,
    SIGNATURE_MASK,
    SlotType,
    Statement,
    Token,
    slot_end,
    text_signature,
    typed_signatures,
)

Verdict = Literal["same", "enriches", "replaces", "twins", "conflicts", "independent"]
MAX_SLOT_TOKENS = 9
MIN_ENRICHED_TOKENS = 3  # of a statement that another enriches
MAX_ADDED_TOKENS = 2  # of a retraction, beside what it retracts
MIN_TOKENS_IN_TALK = 5  # of a message whose number may stand behind another word
Tokens = Sequence[Token]


class Comparison(Struct, frozen=True):
    """The relation of a new statement to an old one, the reason for it, and the two spans that differ."""

    verdict: Verdict
    reason: str
    new_span: str = ""
    old_span: str = ""
    is_measured: bool = False  # both spans are numbers of one unit


def compare_statements(new: Statement, old: Statement) -> Comparison:
    """The relation of the new statement to the old one: the first that fits of a retraction, a value given up, one slot
    or value that differs, the same content, more content. What was said in talk, or was made of it, ends something only
    where a number of the same unit differs and its own clause says that something changed; all else orders at most."""
    if new.guard or old.guard:
        return Comparison("independent", f"guard:{new.guard or old.guard}")
    if not new.tokens or not old.tokens or not _have_one_subject(new, old):
        return Comparison("independent", "subject")
    if new.is_past and not old.is_past:
        return Comparison("independent", "past")  # what is over is not the newer value
    if new.is_negated != old.is_negated:
        compared = _compare_negated(new, old)
    else:
        value = None if new.is_negated else _find_value(new, old)  # what does not hold is no value
        compared = _find_given_up_value(new, old) or value or _compare_content(new, old)
    may_end = not new.is_talk or (compared.is_measured and new.has_cue and not new.is_additive)
    return compared if compared.verdict != "replaces" or may_end else replace(compared, verdict="twins")


def compare_all(new: Sequence[Statement], old: Sequence[Statement]) -> Comparison:
    """The comparison of lines: that of the statements that differ in a value, else `same` if every statement is."""
    pairs = [[compare_statements(one, other) for other in old] for one in new]
    compared = [comparison for row in pairs for comparison in row]
    for verdict in ("replaces", "conflicts", "twins"):
        if first := next((one for one in compared if one.verdict == verdict), None):
            return first
    repeated = [next((one for one in row if one.verdict == "same"), None) for row in pairs]
    if repeated and len(new) == len(old) and repeated[0] and all(repeated):
        return repeated[0]
    fuller = next((one for one in compared if one.verdict == "enriches"), None) or next(filter(None, repeated), None)
    if fuller is None or len(new) < len(old):
        return Comparison("independent", fuller.reason if fuller else "")
    return Comparison("enriches", fuller.reason)


def _have_one_subject(new: Statement, old: Statement) -> bool:
    """Whether both may be about one thing: what the key says, else who begins them."""
    if new.key and new.key == old.key:
        return new.subject == old.subject
    return not (new.has_subject and old.has_subject) or new.tokens[0].key == old.tokens[0].key


def _compare_negated(new: Statement, old: Statement) -> Comparison:
    """A retraction of what the old one says, or its contrary."""
    new_keys, old_keys = _keys_of(new.tokens), _keys_of(old.tokens)
    covers = new_keys <= old_keys or (old_keys <= new_keys and len(new_keys) - len(old_keys) <= MAX_ADDED_TOKENS)
    if old.is_negated or new.is_additive or len(new_keys) < 2 or not covers:
        return Comparison("independent", "negation")
    value = old.value or _text_of(old.tokens[1:])
    if not new.has_cue:  # messages are full of "no worries"
        is_contrary = not new.is_talk or (new_keys == old_keys and len(new_keys) >= MIN_ENRICHED_TOKENS)
        return Comparison("conflicts" if is_contrary else "independent", "negation", "", value)
    return Comparison("replaces", "retraction", "", value)


def _find_given_up_value(new: Statement, old: Statement) -> Comparison | None:
    """The replacement of a value that the new statement says is over, if the old one has it and shares the rest."""
    given_up = set(new.given_up)
    slot = [token for token in old.tokens if token.stem in given_up or given_up.issuperset(token.stem.split())]
    slot = slot or [token for token in old.tokens if not given_up.isdisjoint(token.stem.split())]
    rest = {token.key for token in old.tokens[old.has_subject and not new.has_subject :] if token not in slot}
    shared = rest & _keys_of(new.tokens)
    if not slot or not rest or 2 * len(shared) < len(rest) or new.is_event or new.is_additive:
        return None
    fresh = [token for token in new.tokens if token.key not in _keys_of(old.tokens)]
    units = {token.unit for token in fresh if token.type == "number"} - {""}
    typed = [token for token in slot if token.type]  # not the word for a unit
    is_measured = len(typed) == 1 and typed[0].unit in units and shared == rest
    return Comparison("replaces", "given up", _text_of(fresh), _text_of(slot), is_measured)


def _find_value(new: Statement, old: Statement) -> Comparison | None:
    """Twins or a replacement, where one slot differs, or the value of one key."""
    is_keyed = bool(new.key) and new.key == old.key
    twins = _find_typed_slot(new, old) or _find_text_slot(new, old)
    if is_keyed and name_key(new.value) != name_key(old.value) and not (new.is_talk and twins):
        twins = Comparison("twins", f"key:{new.key}", new.value, old.value)
    has_cue = new.has_cue and not new.is_additive
    if not twins or new.is_event or not (has_cue or (is_keyed and new.is_single_valued)):
        return twins
    has_many = any(line.key and not line.is_single_valued for line in (new, old))
    return twins if has_many or twins.reason == "slot:mixed" else replace(twins, verdict="replaces")


def _find_typed_slot(new: Statement, old: Statement) -> Comparison | None:
    """The number or date that differs while all else is the same, whatever its order."""
    for at, token in enumerate(new.tokens):
        if token.type not in ("number", "date"):
            continue
        for old_at, other in enumerate(old.tokens):
            is_measured = bool(token.unit) and token.unit == other.unit
            if new.is_talk and token.type == "number" and not is_measured:
                continue
            if other.type != token.type or other.key == token.key:
                continue
            if _is_same_around(new, at, old, old_at) or _changes_verb(new, at, old, old_at):
                return Comparison("twins", f"slot:{token.type}", token.text, other.text, is_measured)
    return None


def _is_same_around(new: Statement, at: int, old: Statement, old_at: int) -> bool:
    """Whether two slots share a signature; not both without the word before them, and in talk only with enough else."""
    signatures, others = typed_signatures(new, at), typed_signatures(old, old_at)
    if signatures[:1] == others[:1]:
        return bool(signatures)
    if new.is_talk and min(len(new.tokens), len(old.tokens)) < MIN_TOKENS_IN_TALK:
        return False
    return signatures[1:] == others[:1] != () or signatures[:1] == others[1:] != ()


def _changes_verb(new: Statement, at: int, old: Statement, old_at: int) -> bool:
    """Whether all else is the same but for the verb of the old one, where the new one says that something changed or
    what it is now (`runs on port 6431`, `moved to port 6432`)."""
    verb_at = new.copula_at
    if not new.has_cue or old.copula_at >= 0 or not 0 < verb_at < old_at or new.sums[verb_at] != old.sums[verb_at]:
        return False
    verb, rest = old.tokens[verb_at], new.sums[-1] - new.tokens[at].key
    if verb.lead or verb.article or verb.type != "word":
        return False
    return (rest - (old.sums[-1] - old.tokens[old_at].key - verb.key)) & SIGNATURE_MASK == 0


def _find_text_slot(new: Statement, old: Statement) -> Comparison | None:
    """The words that differ behind a common beginning, if they are one slot."""
    at = _common_beginning(new, old)
    if not 0 < at < min(len(new.tokens), len(old.tokens)) or at < max(new.copula_at, old.copula_at):
        return None
    if text_signature(new, at) != text_signature(old, at) or not text_signature(new, at):
        return None
    new_end, old_end = slot_end(new, at), slot_end(old, at)
    if new.tokens[at].type == old.tokens[at].type == "name":  # each is a unit: what is behind it is no part of it
        new_end, old_end = at + 1, at + 1
    slot, old_slot, tails = new.tokens[at:new_end], old.tokens[at:old_end], (new.tokens[new_end:], old.tokens[old_end:])
    kinds = _text_type(slot), _text_type(old_slot)
    are_names = kinds == ("name", "name")
    if not kinds[0] or not kinds[1] or max(len(slot), len(old_slot)) > MAX_SLOT_TOKENS:
        return None
    new_keys, old_keys = map(_keys_of, tails)
    is_led = bool(slot[0].lead) and slot[0].lead not in GENITIVES
    if new_keys and old_keys and (new_keys != old_keys or not (are_names or is_led)):
        return None
    if len(new_keys ^ old_keys) > at:  # more is said behind the value than before it
        return None
    one, other = new.tokens[at], old.tokens[at]  # which need the same preposition and, unless names, kind of article
    is_changed = new.copula_at == at and new.has_cue and not one.lead
    is_alike = (one.lead == other.lead or is_changed) and (
        one.article == other.article or "name" in (one.type, other.type)
    )
    if not is_alike or not _has_weight_before(new, old, at, are_names=are_names):
        return None
    reason = f"slot:{kinds[0]}" if kinds[0] == kinds[1] else "slot:mixed"
    return Comparison("twins", reason, _text_of(slot), _text_of(old_slot))


def _common_beginning(new: Statement, old: Statement) -> int:
    """The greatest number of first tokens that are the same in both, in whatever order, before a value that differs."""
    sizes = len(new.tokens), len(old.tokens)
    at = next((at for at in range(min(sizes), 0, -1) if new.sums[at] == old.sums[at]), 0)
    if 1 < at == min(sizes) < max(sizes) and not new.is_additive:
        longer = new if sizes[0] > at else old
        return at if longer.tokens[at].lead else at - 1  # the value itself grew: "rugby", "rugby union"
    return at


def _text_type(slot: Tokens) -> SlotType | Literal[""]:
    types = {token.type for token in slot}
    if types & {"number", "date"}:
        return "word" if len(slot) > 1 and slot[0].type == "name" else ""
    return "name" if types == {"name"} else "word"


def _has_weight_before(new: Statement, old: Statement, at: int, *, are_names: bool) -> bool:
    """Whether what stands before a slot is enough to tell what it is the value of."""
    if at == 1:
        has_tail = bool(slot_end(new, at) < len(new.tokens) or slot_end(old, at) < len(old.tokens))
        if has_tail or min(new.copula_at, old.copula_at) < 0:
            return has_tail
        is_unspaced = new.language in UNSPACED_LANGUAGES and len(new.tokens) == len(old.tokens) == 2
        return are_names or is_unspaced or "definite" in (new.tokens[0].article, old.tokens[0].article)
    slot = new.tokens[at]
    is_behind = bool(slot.lead or slot.article) or new.copula_at == at
    return are_names or is_behind or at > 2 or new.has_subject or old.has_subject


def _compare_content(new: Statement, old: Statement) -> Comparison:
    """The same content, or more of it: then every word of the old one stands in the new one."""
    if new.sums[-1] == old.sums[-1] and len(new.tokens) == len(old.tokens):
        is_same = is_worded_alike(new.text, old.text, new.language) and _are_arranged_alike(new, old)
        return Comparison("same" if is_same else "independent", "content")
    new_keys, old_keys = _keys_of(new.tokens), _keys_of(old.tokens)
    added = [token for token in new.tokens if token.key not in old_keys]
    adds_value = new.has_cue or new.is_negated or any(token.type in ("number", "date") for token in added)
    if not old_keys < new_keys or adds_value or len(old_keys) < MIN_ENRICHED_TOKENS:
        return Comparison("independent", "content")
    return Comparison("enriches", "contains", _text_of(added))


def _are_arranged_alike(new: Statement, old: Statement) -> bool:
    """Whether the same words stand in one order, numbers and dates among themselves, behind the same prepositions."""
    arranged = (sorted(one.tokens, key=lambda token: token.type in ("number", "date")) for one in (new, old))
    is_keyed = bool(new.key) and new.key == old.key
    return all(
        one.key == other.key and (is_keyed or one.lead == other.lead or not (one.lead and other.lead))
        for one, other in zip(*arranged, strict=True)
    )


def _keys_of(tokens: Tokens) -> set[int]:
    return {token.key for token in tokens}


def _text_of(tokens: Tokens) -> str:
    return " ".join(token.text for token in tokens)


def is_worded_alike(sentence: str, other_sentence: str, language: str) -> bool:
    """Whether two sentences have the same restrictions, and take no opposite sides."""
    (strict, sides), (other_strict, others) = (_read_wording(one, language) for one in (sentence, other_sentence))
    return strict == other_strict and all(side == others.get(group, side) for group, side in sides.items())


@lru_cache(4096)
def _read_wording(sentence: str, language: str) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The restrictions of a sentence (`only`, `never`), and by group of opposites (on, off; I, she; before, after) the
    sides that it takes, without immediate repeats."""
    labels = [mark.label for mark in match_phrases(sentence, language)]
    sides = [tuple(label.split(" ")[1:]) for label in labels if label.startswith("pole ")]
    polarity = {
        group: tuple(side for side, _ in groupby(side for other, side in sides if other == group))
        for group in dict.fromkeys(group for group, _ in sides)
    }
    return tuple(label for label in labels if label.startswith("strict")), polarity
