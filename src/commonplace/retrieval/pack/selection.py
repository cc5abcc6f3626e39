"""Select lines for a draft by usefulness per token, with needed neighbours and one line that contradicts each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from math import prod

from msgspec import Struct, structs

from commonplace.language.text import ends_in_question_mark, fold_name
from commonplace.model import Form, Hit, Record
from commonplace.retrieval.pack.draft import CUT_BY_BUDGET, PackCandidate, PackDraft, content_of, duplicate_reason
from commonplace.retrieval.pack.lines import (
    FEW_WORDS,
    MAX_SENTENCE_CHARS,
    QueryTokens,
    last_sentences,
    make_pack_line,
    shorter_forms,
)
from commonplace.retrieval.pack.policy import PackOptions, dissent_refusal_reason, refusal_reason
from commonplace.retrieval.recall import FACTOR_SIGN, source_ids
from commonplace.retrieval.shares import HALF, TENTH
from commonplace.storage.workspace import QUEUE_PATH
from commonplace.truth import LineContext, read_statements

# A hit of half the best score answers one eleventh as often (LoCoMo and LongMemEval, dev halves).
PROMISE_EXPONENT = 3.5
# Tokens added to every cost, so that a short line does not beat a better one by its shortness alone.
COST_FLOOR_TOKENS = 15
COVERAGE_BONUS = HALF  # what a line is worth more that has all words of the question which no line has yet
REPEATED_SOURCE_FACTOR = TENTH  # of what a line promises is left where the captures that it rests on are told


class LineOffer(Struct, frozen=True):
    """A form of a line that may be added: the position of its hit, its file, its promise (0..1), the query tokens and
    captures that it covers, and the longer form that may replace it later."""

    hit_position: int
    source: str
    promise: float
    query_tokens: frozenset[str] = frozenset()
    capture_ids: frozenset[str] = frozenset()
    body: str = ""
    longer_form: LineOffer | None = None


def choose_offers(
    offers: Sequence[LineOffer],
    query_tokens: frozenset[str],
    cost: Callable[[LineOffer], int],
    accept: Callable[[LineOffer], bool],
    *,
    following_offers: Callable[[LineOffer], Sequence[LineOffer]] = lambda _offer: (),
) -> None:
    """Offer lines to `accept` one after another: the best hit first, then always the one with the most value per cost.

    `cost` is what an offer would add now, which only lines of the same source change; `accept` returns whether it was
    added; `following_offers` returns what may be offered once one was added, beside its longer form.
    """
    open_offers = {one.hit_position: one for one in offers}  # a hit has one at a time
    values: dict[int, tuple[float, int]] = {}  # for their costs; those that may have changed are not in it
    uncovered_tokens, packed_capture_ids = set(query_tokens), set[str]()
    best = offers[0] if offers else None
    while best:
        del open_offers[best.hit_position]
        values.pop(best.hit_position, None)
        if accept(best):
            covered_tokens = best.query_tokens & uncovered_tokens
            uncovered_tokens -= covered_tokens
            packed_capture_ids |= best.capture_ids
            for position, one in open_offers.items():  # the same source costs less; words and grounds are new no longer
                if one.source == best.source or not (
                    covered_tokens.isdisjoint(one.query_tokens) and best.capture_ids.isdisjoint(one.capture_ids)
                ):
                    values.pop(position, None)
            longer = (best.longer_form,) if best.longer_form else ()
            open_offers |= {one.hit_position: one for one in (*longer, *following_offers(best))}
        for position in open_offers.keys() - values.keys():
            one = open_offers[position]
            fresh = len(one.query_tokens & uncovered_tokens) / max(len(query_tokens), 1)
            is_repeated = one.capture_ids and one.capture_ids <= packed_capture_ids
            value = one.promise * (REPEATED_SOURCE_FACTOR if is_repeated else 1.0) * (1 + COVERAGE_BONUS * fresh)
            values[position] = value / (max(cost(one), 0) + COST_FLOOR_TOKENS), -position
        best = open_offers[max(values, key=values.__getitem__)] if values else None


FACT_FORMS: tuple[Form, ...] = ("retain", "keyvalue", "row", "item", "paragraph")  # what is merely said states nothing
TRANSIENT_PATHS = ("memory/episodes/", "memory/working-buffer.md", QUEUE_PATH)


def is_contradiction(record: Record, other_record: Record) -> bool:
    """Whether two records state different values of a single-valued attribute of one thing, at one time."""
    if record.id == other_record.id or record.scope != other_record.scope:
        return False
    ended = record.valid_to and other_record.valid_from and record.valid_to < other_record.valid_from
    ended = ended or (other_record.valid_to and record.valid_from and other_record.valid_to < record.valid_from)
    if ended or not (_can_state_fact(record) and _can_state_fact(other_record)):
        return False
    own_values, other_values = _stated_values(record), _stated_values(other_record)
    pairs = ((own_values[key], other_values[key]) for key in own_values.keys() & other_values.keys())
    # One that says more (`bern`, `bern in switzerland`) is the same.
    return any(value not in other and other not in value for value, other in pairs)


def _can_state_fact(record: Record) -> bool:
    is_home = not record.source.path.startswith(TRANSIENT_PATHS)
    return not record.is_evidence and record.form in FACT_FORMS and is_home and len(record.text) <= MAX_SENTENCE_CHARS


@lru_cache
def _stated_values(record: Record) -> dict[tuple[str, str], str]:
    """The values that a record states, by subject and key, of keys that have one value at a time."""
    context = LineContext(speaker=record.speaker, entities=record.entities, heading=record.heading)
    statements = read_statements(record.text, context)
    return {(one.subject, one.key): fold_name(one.value) for one in statements if one.is_single_valued}


DISSENT_LABEL = "against the line above"
BELOW_FLOOR = "below the floor"
CONTEXT_FORMS: tuple[Form, ...] = ("dialogue", "capture", "paragraph")  # other lines are written to stand alone


def find_neighbour(draft: PackDraft, host: PackCandidate) -> tuple[PackCandidate, str] | None:
    """The line right before a hit that cannot be understood without it, reduced to what is needed.

    None for a line that tells what it is about, and where the line before may not enter or is shown.
    """
    from commonplace.extract.clarity import is_unclear

    record = host.hit.record
    if record.form not in CONTEXT_FORMS:
        return None
    needs_context = is_unclear(record.text, (record.speaker,) if record.speaker else ())
    may_be_reply = needs_context or len(record.text.split()) <= FEW_WORDS  # a line so short must be an answer
    before = draft.options.previous_line(record) if may_be_reply else None
    if before is None:
        return None
    is_of_other = (before.speaker, before.actor) != (record.speaker, record.actor)
    is_needed = needs_context or (is_of_other and ends_in_question_mark(before.text))
    if not is_needed or refusal_reason(before, draft.options, "neighbour" if is_of_other else "recall"):
        return None
    candidate = next((one for one in draft.candidates if one.hit.record.id == before.id), None)
    if candidate is None or candidate.refusal == BELOW_FLOOR:
        if candidate is not None:
            draft.candidates.remove(candidate)
        candidate = draft.consider(Hit(before, 0.0), "neighbour")
        candidate.host = host
    return None if candidate.form or not candidate.line.body else (candidate, last_sentences(candidate.line))


def add_dissent(draft: PackDraft, host: PackCandidate, query_tokens: QueryTokens, max_tokens: int) -> None:
    """Take a line that contradicts one just taken, below it, if it fits; where it is in the core, that one names it."""
    if host.hit.later or any(one.part == "dissent" for one in draft.accepted):
        return
    shown = {one.hit.record.id for one in draft.accepted}
    for candidate in _dissent_candidates(draft, host):
        if candidate.form:
            return
        if candidate.hit.record.id in shown:
            _relabel_line(draft, host, f"against {candidate.hit.record.source.citation}", max_tokens)
            return
        before = candidate.part, candidate.line, candidate.host, candidate.refusal
        candidate.part, candidate.host = "dissent", host
        candidate.line = make_pack_line(candidate.hit, draft.options, DISSENT_LABEL)
        if draft.offer(candidate, max_tokens, query_tokens, *shorter_forms(candidate.line, query_tokens)[:1]):
            return
        if before[0] == "recall":
            candidate.part, candidate.line, candidate.host, candidate.refusal = before


def _relabel_line(draft: PackDraft, candidate: PackCandidate, label: str, max_tokens: int) -> None:
    """Give a line that was taken a label, if there is room for it."""
    before, body = candidate.line, candidate.form.body if candidate.form else ""
    draft.drop(candidate)
    candidate.line = make_pack_line(candidate.hit, draft.options, label)
    if draft.add(candidate, body, max_tokens) is None:
        candidate.line = before
        draft.add(candidate, body, max_tokens)


def _dissent_candidates(draft: PackDraft, host: PackCandidate) -> Iterator[PackCandidate]:
    """The records that the index knows to contradict a line, then the best hits that do, if they are admitted."""
    for record in draft.options.disputing_lines(host.hit.record):
        candidate = next((one for one in draft.candidates if one.hit.record.id == record.id), None)
        refusal = dissent_refusal_reason(record, host.hit.record, draft.options)
        if candidate is None:
            candidate = PackCandidate(Hit(record, 0.0), "dissent", refusal, content=content_of(record), host=host)
            draft.candidates.append(candidate)
        if not refusal:
            yield candidate
    states = _can_state_fact(host.hit.record) and _stated_values(host.hit.record)
    hits = [one for one in draft.candidates if one.part == "recall"] if states else ()
    for one in hits:
        refusal = dissent_refusal_reason(one.hit.record, host.hit.record, draft.options)
        if not (refusal or one.hit.later) and is_contradiction(host.hit.record, one.hit.record):
            yield one


MAX_HIT_SHARE = HALF  # of what the core leaves: a long hit must not starve those behind it …
MIN_HIT_TOKENS = 200  # … but this many tokens it may always take
GIST_PROMISE = 1 - TENTH  # of what a line promises its gist keeps
CONTEXT_SHARE = TENTH  # of what time and context add to a score, in the comparison with the floor
CONTEXT_REASONS = ("time", "event", "session", "near")
NEIGHBOUR_PROMISE = TENTH  # of what a line promises hangs on the line before it, if it is not understood without that


class DraftFilling(Struct, frozen=True):
    """A page, what is looked for, the hits that may enter, and the most that one of them may take."""

    draft: PackDraft
    query_tokens: QueryTokens
    pool: list[PackCandidate]
    max_tokens: int


def add_hits(draft: PackDraft, judged_hits: Sequence[tuple[Hit, str]], query_tokens: QueryTokens) -> None:
    """The hits worth most for their cost; then, as far as there is room, twins of what did not fit."""
    threshold = draft.options.near_duplicate
    contents = [candidate.content for candidate in draft.accepted if candidate.content]
    pool: list[PackCandidate] = []
    twins: list[PackCandidate] = []
    for hit, refusal in judged_hits:
        candidate = draft.consider(hit, "recall", refusal)
        if candidate.content:
            candidate.refusal = duplicate_reason(candidate.content, contents, threshold)
            contents.append(candidate.content)
            (twins if candidate.refusal else pool).append(candidate)
    max_tokens = max(int(draft.room_tokens * MAX_HIT_SHARE), MIN_HIT_TOKENS)
    _fill_draft(DraftFilling(draft, query_tokens, pool, max_tokens if len(pool) > 1 else draft.room_tokens))
    for candidate in twins:
        contents = [one.content for one in draft.accepted if one.content]
        if candidate.content and not duplicate_reason(candidate.content, contents, threshold):
            _fill_draft(DraftFilling(draft, query_tokens, [candidate], max_tokens))


def judge_hits(hits: tuple[Hit, ...], options: PackOptions) -> list[tuple[Hit, str]]:
    """The hits, each with the reason why it is refused; empty for one that is admitted, as is what is newer than it.
    A record that says all that a capture does stands in its place."""
    refusals = [refusal_reason(hit.record, options) for hit in hits]
    scores = [comparable_relevance(hit) for hit in hits]
    bar = options.floor * max((score for score, why in zip(scores, refusals, strict=True) if not why), default=0.0)
    low = [score < bar for score in scores]
    newer = {hit.earlier_than for hit, is_below in zip(hits, low, strict=True) if not is_below} - {""}
    judged: list[tuple[Hit, str]] = []
    for hit, is_below, refusal in zip(hits, low, refusals, strict=True):
        is_low = is_below and newer.isdisjoint((hit.record.id, *hit.repeated))
        retelling = None if refusal or is_low else options.find_retelling(hit)
        if retelling is not None and not refusal_reason(retelling, options):
            judged.append((structs.replace(hit, record=retelling), ""))
        else:
            judged.append((hit, refusal or (BELOW_FLOOR if is_low else "")))
    return judged


def comparable_relevance(hit: Hit) -> float:
    """The score of a hit as it is compared with the floor: the time that is meant and the session around it count
    `CONTEXT_SHARE`, because they narrow what else is relevant; no part counts more than the words at their best."""
    if not hit.reasons:
        return hit.score
    factors = prod(reason.value for reason in hit.reasons if reason.name.endswith(FACTOR_SIGN))
    added = (reason for reason in hit.reasons if not reason.name.endswith(FACTOR_SIGN))
    is_context = CONTEXT_REASONS.__contains__
    return factors * sum(CONTEXT_SHARE * one.value if is_context(one.name) else min(one.value, 1.0) for one in added)


def refill_draft(draft: PackDraft, query_tokens: QueryTokens) -> None:
    """Give what room is left to lines that were cut; then to the rest of lines of which a part is shown."""
    hits = [candidate for candidate in draft.candidates if candidate.part == "recall"]
    cut = [candidate for candidate in hits if candidate.refusal == CUT_BY_BUDGET]
    pool = [*cut[:1], *filter(draft.has_room, cut[1:])]  # the best is tried whatever it costs, as in any choice
    _fill_draft(DraftFilling(draft, query_tokens, pool, draft.room_tokens))
    for candidate in hits:
        draft.lengthen(candidate, query_tokens)


def _fill_draft(filling: DraftFilling) -> None:
    draft, pool = filling.draft, filling.pool
    best = max((candidate.hit.score for candidate in draft.candidates), default=0.0)
    scores = (max(candidate.hit.score / best, 0.0) if best > 0 else 1.0 for candidate in pool)
    promises = {position: score**PROMISE_EXPONENT for position, score in enumerate(scores)}
    hits = len(pool)

    def cost(offer: LineOffer) -> int:
        return draft.added_cost(pool[offer.hit_position], offer.body)

    def take(offer: LineOffer) -> bool:
        candidate = pool[offer.hit_position]
        if candidate.form:
            return draft.lengthen_to(candidate, offer.body)
        if offer.hit_position >= hits:
            return draft.add(candidate, offer.body, filling.max_tokens) is not None
        if sum(one.part == "recall" for one in draft.accepted) >= draft.options.max_items:
            candidate.refusal = f"more than {draft.options.max_items} lines"
            return False
        if candidate.hit.earlier_than and not _place_newer_above(filling, candidate):
            return False
        gist = offer.body if offer.longer_form else ""
        if draft.offer(candidate, filling.max_tokens, filling.query_tokens, gist) is None:
            return False
        add_dissent(draft, candidate, filling.query_tokens, filling.max_tokens)
        return True

    def after(offer: LineOffer) -> list[LineOffer]:
        """The line before one that was just taken, if that promises enough and is not understood without it."""
        promise = promises.pop(offer.hit_position, 0.0)
        if promise < NEIGHBOUR_PROMISE or (found := find_neighbour(draft, pool[offer.hit_position])) is None:
            return []
        pool.append(found[0])
        return [LineOffer(len(pool) - 1, found[0].line.path, promise * NEIGHBOUR_PROMISE, body=found[1])]

    offers = [_make_offer(filling, position, promises[position]) for position in range(len(pool))]
    choose_offers(offers, filling.query_tokens.tokens, cost, take, following_offers=after)


def _place_newer_above(filling: DraftFilling, candidate: PackCandidate) -> bool:
    """Whether the newer value is in the pack, or could be added, so that the older one may stand below it."""
    draft, newer_id, newer = filling.draft, candidate.hit.earlier_than, None
    for one in draft.candidates:
        if one.part == "recall" and newer_id in (one.hit.record.id, *one.hit.repeated) and one is not candidate:
            newer = one if newer is None or one.hit.record.id == newer_id else newer
    candidate.refusal = f"older than {newer_id}, which is not in the pack"
    if newer is None or not (newer.line.body and newer.hit.day and candidate.hit.day):
        return False
    if newer.hit.earlier_than and not newer.form and not _place_newer_above(filling, newer):
        return False
    if not newer.form and not draft.offer(newer, filling.max_tokens, filling.query_tokens):
        return False
    candidate.newer, candidate.host = newer, newer.host or newer
    return True


def _make_offer(filling: DraftFilling, hit_position: int, promise: float) -> LineOffer:
    """A line as it may be taken: of a long one first its gist, then more of it if what that adds is worth its cost."""
    candidate, query_tokens = filling.pool[hit_position], filling.query_tokens
    if not candidate.content:
        return LineOffer(hit_position, "", 0.0)
    source, body = candidate.line.path, candidate.line.body
    holds, rests_on = query_tokens.tokens & candidate.content.tokens, frozenset(source_ids(candidate.hit.record))
    forms = shorter_forms(candidate.line, query_tokens)
    # What only asks or exclaims promises nothing.
    shares = (GIST_PROMISE, 1 - GIST_PROMISE, 0.0) if forms else (1.0,)
    gist, *longer = forms if candidate.line.is_truncated and forms else (*forms, body)
    offer: LineOffer | None = None
    for text, share in reversed(list(zip(longer, shares[1:], strict=False))):
        offer = LineOffer(hit_position, source, promise * share, body=text, longer_form=offer)
    return LineOffer(hit_position, source, promise * shares[0], holds, rests_on, gist, offer)
