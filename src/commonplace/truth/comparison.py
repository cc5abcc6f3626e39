"""Compare a new statement with an old one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from commonplace.language.text import fold_name
from commonplace.truth.signatures import slot_end, text_signature
from commonplace.truth.statements import SlotType, Statement, Token
from commonplace.truth.tokens import SIGNATURE_MASK

Verdict = Literal["same", "enriches", "replaces", "twins", "conflicts", "independent"]
MAX_SLOT_TOKENS = 9
MIN_ENRICHED = 3  # content words of a statement that another enriches
_UNREAL = frozenset(("question", "quotation", "hypothesis", "wish", "role play", "report"))


class Comparison(Struct, frozen=True):
    """The relation of a new statement to an old one, the reason for it, and the two spans that differ."""

    verdict: Verdict
    reason: str
    new_span: str = ""
    old_span: str = ""
    slot: SlotType | Literal[""] = ""


class _Slot(Struct, frozen=True):
    type: SlotType
    new: tuple[Token, ...]
    old: tuple[Token, ...]


def compare_statements(new: Statement, old: Statement) -> Comparison:
    """The relation of the new statement to the old one."""
    if new.guard or old.guard:
        return Comparison("independent", f"guard:{new.guard or old.guard}")
    if not new.tokens or not old.tokens or not _have_one_subject(new, old):
        return Comparison("independent", "subject")
    if new.is_retraction or (new.is_negated and not old.is_negated):
        return _compare_negation(new, old)
    given_up = _find_given_up_value(new, old)
    if given_up:
        return given_up
    if new.key and new.key == old.key and new.value and old.value and fold_name(new.value) != fold_name(old.value):
        return _end_or_order(new, old, Comparison("twins", f"key:{new.key}", new.value, old.value, "name"))
    if new.is_negated == old.is_negated:
        slot = _find_slot(new, old)
        if slot:
            twins = Comparison("twins", f"slot:{slot.type}", _text_of(slot.new), _text_of(slot.old), slot.type)
            return _end_or_order(new, old, twins, is_measured=_is_measured(slot))
        return _compare_content(new, old)
    return Comparison("independent", "negation")


def _have_one_subject(new: Statement, old: Statement) -> bool:
    """Whether both may be about one thing: what the key says, else who begins them."""
    if new.key and new.key == old.key:
        return new.subject == old.subject
    if not new.frame.has_subject or not old.frame.has_subject:
        return True
    return new.tokens[0].key == old.tokens[0].key


def _end_or_order(new: Statement, old: Statement, twins: Comparison, *, is_measured: bool = False) -> Comparison:
    """Twins, or a replacement where a cue or the key says so; in talk only for a number with its unit."""
    is_keyed = bool(new.key) and new.key == old.key
    has_cue = new.has_cue and not new.is_event and not new.is_additive
    ends = has_cue or (is_keyed and not new.is_event)
    if is_keyed and not new.is_single_valued:
        ends = False
    if new.is_talk:
        ends = has_cue and is_measured
    return replace(twins, verdict="replaces") if ends else twins


def _is_measured(slot: _Slot) -> bool:
    return slot.type == "number" and bool(slot.new[0].unit) and slot.new[0].unit == slot.old[0].unit


def _compare_negation(new: Statement, old: Statement) -> Comparison:
    """A retraction of what the old one says, or its contrary."""
    if old.is_negated or new.is_additive:
        return Comparison("independent", "negation")
    new_keys, old_keys = {token.key for token in new.tokens}, {token.key for token in old.tokens}
    if len(new_keys) < 2 or not (new_keys <= old_keys or (old_keys <= new_keys and len(new_keys - old_keys) <= 2)):
        return Comparison("independent", "negation")
    value = _text_of(old.tokens[1:])
    if not new.has_cue:
        return Comparison("conflicts", "negation", "", value)
    return Comparison("twins" if new.is_talk else "replaces", "retraction", "", value)


def _find_given_up_value(new: Statement, old: Statement) -> Comparison | None:
    """The replacement of a value that the new statement names as over, if the old one has it and shares the rest."""
    if not new.given_up or new.is_talk or new.is_event or new.is_negated or new.is_additive:
        return None
    given_up = set(new.given_up)
    old_stems = {token.stem: token for token in old.tokens}
    if not given_up & old_stems.keys():
        names = {part for token in old.tokens if token.type == "name" for part in token.stem.split()}
        if not given_up <= names:
            return None
    shared = {token.stem for token in new.tokens}
    rest = [token.stem for token in old.tokens if token.stem not in given_up and not set(token.stem.split()) & given_up]
    if not rest or 2 * len(shared.intersection(rest)) < len(rest):
        return None
    slot = tuple(token for token in old.tokens if token.stem in given_up or set(token.stem.split()) & given_up)
    fresh = tuple(token for token in new.tokens if token.stem not in old_stems)
    return Comparison("replaces", "given up", _text_of(fresh), _text_of(slot), slot[0].type or "word")


def _find_slot(new: Statement, old: Statement) -> _Slot | None:
    return _find_typed_slot(new, old) or _find_text_slot(new, old)


def _find_typed_slot(new: Statement, old: Statement) -> _Slot | None:
    """The number or date that differs while all else is the same, whatever its order."""
    for at, token in enumerate(new.tokens):
        if token.type not in ("number", "date") or at < new.frame.copula_at:
            continue
        for old_at, other in enumerate(old.tokens):
            if other.type != token.type or other.key == token.key or old_at < old.frame.copula_at:
                continue
            if _is_same_around(new, at, old, old_at):
                return _Slot("number" if token.type == "number" else "date", (token,), (other,))
    return None


def _is_same_around(new: Statement, at: int, old: Statement, old_at: int) -> bool:
    bags = [
        [(line.frame.sums[-1] - line.tokens[n].key) & SIGNATURE_MASK, len(line.tokens) - 1]
        for line, n in ((new, at), (old, old_at))
    ]
    if bags[0][0] == bags[1][0]:
        return bags[0][1] > 1 or (bags[0][1] == 1 and new.frame.copula_at >= 0 and old.frame.copula_at >= 0)
    for (bag, size), other, line, n in ((bags[0], bags[1], new, at), (bags[1], bags[0], old, old_at)):
        least = 4 if new.is_talk else 2 if line.frame.copula_at < 0 or other[1] < 1 else 1
        is_noun = n > 1 and size > least and line.tokens[n - 1].type == "word"
        if is_noun and (bag - line.tokens[n - 1].key) & SIGNATURE_MASK == other[0]:
            return True
    return False


def _find_text_slot(new: Statement, old: Statement) -> _Slot | None:
    """The words that differ behind a common beginning, if they are one slot of one kind."""
    at = _common_beginning(new, old)
    longer = new if len(new.tokens) > at else old
    if at > 1 and at == min(len(new.tokens), len(old.tokens)) < len(longer.tokens) and not longer.tokens[at].lead:
        at -= 1  # the value itself grew: "rugby", "rugby union"
    if at < 1 or at == len(new.tokens) or at == len(old.tokens) or at < max(new.frame.copula_at, old.frame.copula_at):
        return None
    signature = text_signature(new.frame, at)
    if not signature or signature != text_signature(old.frame, at):
        return None
    ends = slot_end(new.frame, at), slot_end(old.frame, at)
    new_slot, old_slot = new.tokens[at : ends[0]], old.tokens[at : ends[1]]
    new_tail, old_tail = new.tokens[ends[0] :], old.tokens[ends[1] :]
    types = _text_type(new_slot), _text_type(old_slot)
    if not types[0] or not types[1] or max(len(new_slot), len(old_slot)) > MAX_SLOT_TOKENS:
        return None
    if not _are_tails_compatible(new_tail, old_tail, at):
        return None
    if not _is_introduced_alike(new, old, at):
        return None
    are_names = types == ("name", "name")
    if new_tail and old_tail and not are_names and not (new_slot[0].lead and new_slot[0].lead not in ("of", "von")):
        return None
    if not _has_weight_before(new, old, at, are_names=are_names, has_tail=bool(new_tail or old_tail)):
        return None
    return _Slot("name" if are_names else "word", new_slot, old_slot)


def _common_beginning(new: Statement, old: Statement) -> int:
    """The greatest number of first tokens that are the same in both, in whatever order."""
    for at in range(min(len(new.tokens), len(old.tokens)), 0, -1):
        if new.frame.sums[at] == old.frame.sums[at]:
            return at
    return 0


def _text_type(slot: Sequence[Token]) -> SlotType | Literal[""]:
    types = {token.type for token in slot}
    if types & {"number", "date"}:
        return "word" if len(slot) > 1 and slot[0].type == "name" else ""
    return "name" if types == {"name"} else "word"


def _are_tails_compatible(new_tail: Sequence[Token], old_tail: Sequence[Token], shared: int) -> bool:
    new_keys, old_keys = {token.key for token in new_tail}, {token.key for token in old_tail}
    if new_keys == old_keys:
        return True
    return (not new_keys or not old_keys) and len(new_keys or old_keys) <= shared


def _is_introduced_alike(new: Statement, old: Statement, at: int) -> bool:
    """Whether both slots stand behind the same preposition and, unless names, the same kind of article."""
    one, other = new.tokens[at], old.tokens[at]
    if one.lead != other.lead and not (new.frame.copula_at == at and new.has_cue and not one.lead):
        return False
    return one.article == other.article or "name" in (one.type, other.type)


def _has_weight_before(new: Statement, old: Statement, at: int, *, are_names: bool, has_tail: bool) -> bool:
    if at == 1:
        if has_tail or min(new.frame.copula_at, old.frame.copula_at) < 0:
            return has_tail
        return are_names or "definite" in (new.tokens[0].article, old.tokens[0].article)
    slot = new.tokens[at]
    if are_names or slot.lead or slot.article or at >= 3 or new.frame.copula_at == at:
        return True
    return bool(new.subject or old.subject)


def _compare_content(new: Statement, old: Statement) -> Comparison:
    """The same content, or more of it: then every word of the old one stands in the new one."""
    if new.frame.sums[-1] == old.frame.sums[-1] and len(new.tokens) == len(old.tokens):
        return Comparison("same", "content")
    new_keys, old_keys = {token.key for token in new.tokens}, {token.key for token in old.tokens}
    added = [token for token in new.tokens if token.key not in old_keys]
    if not old_keys <= new_keys or not added or len(old_keys) < MIN_ENRICHED:
        return Comparison("independent", "content")
    if new.has_cue or new.is_negated or any(token.type in ("number", "date") for token in added):
        return Comparison("independent", "content")
    return Comparison("enriches", "contains", _text_of(added))


def _text_of(tokens: Sequence[Token]) -> str:
    return " ".join(token.text for token in tokens)
