"""The candidate set: combine what the lanes found, and select by bounds which records are scored in full."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import copy
from heapq import heappush, heappushpop
from itertools import repeat
from math import prod

from msgspec import Struct, structs

from commonplace.index import Index, IndexedRecord, session_name
from commonplace.language.text import ends_in_question_mark, is_only_addressed
from commonplace.retrieval.recall import lanes
from commonplace.retrieval.recall.dialogue import DIALOGUE_PARTS as LENT
from commonplace.retrieval.recall.dialogue import DialogueScores, TurnScores
from commonplace.retrieval.recall.lanes import Lane
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import matches_intent, may_contain_answer
from commonplace.retrieval.recall.scoring import (
    EVENT_SHARE,
    PROXIMITY_WEIGHT,
    SCORE_PARTS,
    TIME_WEIGHT,
    ScoreFormula,
    Signals,
    enabled_parts,
    is_by_agent,
    length_share,
    log_length,
    max_feature_product,
)

Coverage = Callable[[int], float]  # the share of the question's weight that a row has


def rows_by_named_speakers(parsed: ParsedQuery) -> set[int]:
    """The rows that were said by somebody the question names."""
    return {
        row_id
        for row_id, key, role in parsed.mentions
        if role == "speaker" and parsed.entity_names[key] in parsed.speakers
    }


def complete_signals(
    indexed_record: IndexedRecord, signals: Signals, parsed: ParsedQuery, speaker_rows: set[int]
) -> Signals:
    """What the lanes say of a record, with all that is known of it once it is read."""
    if signals.stands:
        return signals
    record = indexed_record.record
    is_of_session = bool(parsed.sessions.names) and session_name(record) in parsed.sessions.names
    time = 1.0 if is_of_session else lanes.time_proximity(record, parsed.time_windows) if parsed.time_windows else 0.0
    kind = float(matches_intent(record, parsed.intent))
    if signals.length:  # a turn, of which all else is known
        known = signals.time == time and signals.kind == kind
        return signals if known else structs.replace(signals, time=time, kind=kind)
    return structs.replace(
        signals,
        time=time,
        kind=kind,
        speaks=float(indexed_record.row_id in speaker_rows),
        length=log_length(indexed_record.token_count),
        by_agent=float(is_by_agent(record.speaker, record.actor)),
        holds=float(may_contain_answer(record.text, parsed.answer_type)),
    )


def adjust_for_captures(
    index: Index,
    signals_by_row: Mapping[int, Signals],
    rows_by_id: dict[int, IndexedRecord],
    *,
    formula: ScoreFormula,
    coverage: Coverage,
) -> dict[int, Signals]:
    """What the lanes say otherwise of those of the rows whose captures were found too."""
    parsed = formula.parsed
    if "retells" in parsed.disabled:
        return {}
    captures = _candidate_captures(index, rows_by_id, signals_by_row)
    by_the_named = rows_by_named_speakers(parsed)
    changed: dict[int, Signals] = {}
    for row_id, source in _rows_with_captures(rows_by_id, captures):
        own = structs.replace(
            complete_signals(rows_by_id[row_id], signals_by_row[row_id], parsed, by_the_named), retells=1.0
        )
        may = [changed.get(row_id, own)]
        if _covers_as_much(parsed, coverage(row_id), coverage(source.row_id)):
            may.append(
                structs.replace(
                    complete_signals(source, signals_by_row[source.row_id], parsed, by_the_named), stands=1.0
                )
            )
        changed[row_id] = max(may, key=lambda strengths: formula.score(rows_by_id[row_id].record, strengths)[0])
    return changed


def _covers_as_much(parsed: ParsedQuery, record_coverage: float, capture_coverage: float) -> bool:
    """Whether what was kept has as much of the question as its capture; none is enough only where no word is asked."""
    return record_coverage >= capture_coverage and (capture_coverage > 0 or parsed.has_only_cues)


def _rows_with_captures(
    rows_by_id: dict[int, IndexedRecord], captures: dict[str, IndexedRecord]
) -> Iterator[tuple[int, IndexedRecord]]:
    """Rows with the captures that were found and that they were kept of."""
    for row_id, indexed_record in rows_by_id.items():
        for source in () if indexed_record.record.is_evidence else indexed_record.record.sources:
            if source in captures:
                yield row_id, captures[source]


def _candidate_captures(
    index: Index, rows_by_id: dict[int, IndexedRecord], signals_by_row: Mapping[int, Signals]
) -> dict[str, IndexedRecord]:
    """The captures, by id, that any of the records was kept of, as far as they were found."""
    known = {
        indexed_record.record.id: indexed_record
        for indexed_record in rows_by_id.values()
        if indexed_record.record.is_evidence
    }
    kept_of = {
        source
        for indexed_record in rows_by_id.values()
        if not indexed_record.record.is_evidence
        for source in indexed_record.record.sources
    }
    wanted = kept_of - known.keys()
    there = [row_id for row_id in index.rows_with_ids(wanted) if row_id in signals_by_row] if wanted else []
    return known | {
        indexed_record.record.id: indexed_record
        for indexed_record in index.fetch(there).values()
        if indexed_record.record.is_evidence
    }


NO_SIGNALS = Signals()
TURN_PARTS = (*LENT, "close")  # parts that are fed by what is known of turns only
RECORD_PARTS = ("kind", "time")  # and those that are fed by a record once it is read
BOUND_MARGIN = 1e-9  # a bound is raised by so much, for it is reckoned in another order than what it bounds


class LaneSignals(Struct, frozen=True):
    """What the lanes say of rows by themselves, and which parts of relevance that can feed."""

    signals_by_row: dict[int, Signals]
    parts: tuple[str, ...]


def combine_lanes(row_ids: Iterable[int], lanes_by_name: dict[str, Lane]) -> LaneSignals:
    """What the lanes say of the rows; there is one value for all rows of which they say the same."""
    telling = {name: lane for name, lane in lanes_by_name.items() if lane}
    if not telling:
        return LaneSignals(dict.fromkeys(row_ids, NO_SIGNALS), ())
    order = list(row_ids)
    strengths = list(zip(*(map(lane.get, order, repeat(0.0)) for lane in telling.values()), strict=True))
    # thousands of lines of a month are alike
    made = {said: Signals(**dict(zip(telling, said, strict=True))) for said in set(strengths)}
    return LaneSignals(dict(zip(order, map(made.__getitem__, strengths), strict=True)), tuple(telling))


class CandidateSet(Mapping[int, Signals]):
    """By row what is said of it by the lanes (`lane_signals`), by the dialogue of a turn (`dialogue_scores`), and by
    words that stand together in it (`proximity`)."""

    def __init__(
        self, parsed: ParsedQuery, lane_signals: LaneSignals, dialogue_scores: DialogueScores, proximity: Lane
    ) -> None:
        self.parsed, self.lane_signals, self.dialogue_scores, self.proximity = (
            parsed,
            lane_signals,
            dialogue_scores,
            proximity,
        )
        self.best_match = (
            max(dialogue_scores.matches().values(), default=0.0) or 1.0
        )  # by which the lexical lane is measured
        self.speaker_rows = rows_by_named_speakers(parsed)
        self.formula = ScoreFormula(parsed, (*lane_signals.parts, *TURN_PARTS, *RECORD_PARTS))
        self._signals_cache: dict[int, Signals] = {}
        self._query_forms = {form for term in parsed.terms for form in term.forms}

    def __getitem__(self, row_id: int) -> Signals:
        if row_id not in self._signals_cache:
            if row_id not in self:
                raise KeyError(row_id)
            self._signals_cache[row_id] = self._compute_signals(row_id)
        return self._signals_cache[row_id]

    def __contains__(self, row: object) -> bool:
        return row in self.lane_signals.signals_by_row or row in self.dialogue_scores.positions

    def __iter__(self) -> Iterator[int]:
        return iter(self.lane_signals.signals_by_row.keys() | self.dialogue_scores.positions.keys())

    def __len__(self) -> int:
        return len(self.lane_signals.signals_by_row.keys() | self.dialogue_scores.positions.keys())

    def __or__(self, changed_signals: dict[int, Signals]) -> CandidateSet:
        """The same, but for these rows."""
        other = copy(self)
        other._signals_cache = self._signals_cache | changed_signals
        return other

    def context_bounds(self, row_ids: Iterable[int]) -> dict[int, float]:
        """What the relevance of turns gains, at the most, by what is not in `lane_signals`."""
        turns, close, best = list(row_ids), self.proximity, self.best_match
        lent = zip(turns, self.dialogue_scores.context_scores(turns), strict=True)
        return {
            row_id: (more + PROXIMITY_WEIGHT * close.get(row_id, 0.0)) / best + BOUND_MARGIN for row_id, more in lent
        }

    def _compute_signals(self, row_id: int) -> Signals:
        signals = self.lane_signals.signals_by_row.get(row_id, NO_SIGNALS)
        if row_id not in self.dialogue_scores.positions:
            return signals
        turn_scores = self.dialogue_scores[row_id]
        turn, speaks = turn_scores.turn, row_id in self.speaker_rows
        return structs.replace(
            signals,
            session=turn_scores.session / self.best_match,
            near=turn_scores.nearby_lines / self.best_match,
            window=turn_scores.window / self.best_match,
            answers=turn_scores.after_question / self.best_match,
            close=self.proximity.get(row_id, 0.0) / self.best_match,
            speaks=float(speaks),
            length=log_length(turn.token_count),
            absent=turn_scores.absent_share,
            addresses=float(speaks and self._is_addressed_to_other(turn_scores)),
            asks=float(turn_scores.is_between_people and ends_in_question_mark(turn.text)),
            by_agent=float(is_by_agent(turn.speaker, turn.actor)),
            holds=float(self.parsed.answer_type != "any" and may_contain_answer(turn.text, self.parsed.answer_type)),
        )

    def _is_addressed_to_other(self, turn_scores: TurnScores) -> bool:
        """Whether a turn in talk between people has of the question but what it says to another, unasked for."""
        if self.parsed.asks_about_advice or not (turn_scores.is_between_people and turn_scores.is_match):
            return False
        return is_only_addressed(turn_scores.turn.text, turn_scores.turn.tokens.split(), self._query_forms)


class _RowStrength(Struct, frozen=True, gc=False):
    """How strong a row is: in all, by the time that is meant before the factors, and without that."""

    strength: float
    time_strength: float
    untimed_strength: float


ZERO_STRENGTH = _RowStrength(0.0, 0.0, 0.0)


class _StrengthEstimator:
    """Weighs what is said of rows."""

    def __init__(self, parsed: ParsedQuery, candidates: CandidateSet) -> None:
        self._parsed, self._candidates, self._formula = parsed, candidates, candidates.formula
        self._lane_parts = [
            part for name, part in enabled_parts(SCORE_PARTS, parsed).items() if name in candidates.lane_signals.parts
        ]

    def lane_strengths(self, signals_by_row: dict[int, Signals]) -> dict[int, _RowStrength]:
        """The worth of what the lanes say by themselves, which no factor touches."""
        made: dict[int, _RowStrength] = {}  # by identity: of many rows the lanes say the same
        for signals in dict(zip(map(id, signals_by_row.values()), signals_by_row.values(), strict=True)).values():
            by_time = max(signals.time, EVENT_SHARE * signals.event)
            strength = sum([part(signals, self._parsed) for part in self._lane_parts])
            made[id(signals)] = _RowStrength(strength, by_time, strength - TIME_WEIGHT * by_time)
        return dict(zip(signals_by_row, map(made.__getitem__, map(id, signals_by_row.values())), strict=True))

    def length_share(self, row_id: int) -> float:
        """What is left of the most that a turn can be worth, when its length is known."""
        return length_share(self._parsed, self._candidates.dialogue_scores.turn(row_id).token_count)

    def strength(self, row_id: int) -> float:
        """The worth of a row."""
        return self._weigh_signals(self._candidates[row_id])[0]

    def untimed_strength(self, row_id: int) -> float:
        """The worth of a row without the time that is meant."""
        signals = self._candidates[row_id]
        strength, fits = self._weigh_signals(signals)
        return strength - TIME_WEIGHT * max(signals.time, EVENT_SHARE * signals.event) * fits

    def _weigh_signals(self, signals: Signals) -> tuple[float, float]:
        relevance = self._formula.relevance(signals)
        fits = prod(relevance.features)
        return sum(relevance.parts) * fits, fits


def select_candidates(index: Index, parsed: ParsedQuery, candidates: CandidateSet, depth: int) -> set[int]:
    """The rows to be scored in full: the strongest, and the strongest of the time that is meant.

    What a dialogue can add to its turns is asked of all of them at once, before turns that nothing else tells of are
    looked at one by one.
    """
    scale = _StrengthEstimator(parsed, candidates)
    untimed, timed = (
        _BoundedTopRows(depth, exact, scale.length_share) for exact in (scale.untimed_strength, scale.strength)
    )
    worths, there, named = (
        scale.lane_strengths(candidates.lane_signals.signals_by_row),
        candidates.dialogue_scores.positions,
        candidates.speaker_rows,
    )
    untimed.strengths = {row_id: worth.untimed_strength for row_id, worth in worths.items() if row_id not in there}
    timed.strengths = {
        row_id: worth.strength for row_id, worth in worths.items() if worth.time_strength and row_id not in there
    }
    factors = [max_feature_product(parsed, speaks=speaks) for speaks in (False, True)]
    told = worths.keys() | candidates.proximity.keys()
    for row_id, added in candidates.context_bounds(told & there.keys()).items():
        factor, worth = factors[row_id in named], worths.get(row_id, ZERO_STRENGTH)
        untimed.bounds[row_id] = bound = (worth.untimed_strength + added) * factor
        if worth.time_strength:
            timed.bounds[row_id] = bound + TIME_WEIGHT * worth.time_strength * factor
    bar = untimed.resolve_bounds()
    for added, row_ids in candidates.dialogue_scores.bounds_by_dialogue():
        if (added / candidates.best_match + BOUND_MARGIN) * factors[not named.isdisjoint(row_ids)] >= bar:
            others = candidates.context_bounds(row_id for row_id in row_ids if row_id in there and row_id not in told)
            untimed.bounds |= {row_id: more * factors[row_id in named] for row_id, more in others.items()}
    return untimed.strongest(index) | timed.strongest(index)


class _BoundedTopRows:
    """Rows of which it is known how strong they are, and others of which it is known how strong they are at most."""

    def __init__(
        self, depth: int, exact_strength: Callable[[int], float], length_share: Callable[[int], float]
    ) -> None:
        self.strengths: dict[int, float] = {}
        self.bounds: dict[int, float] = {}
        self._depth, self._exact_strength, self._length_share = depth, exact_strength, length_share

    def strongest(self, index: Index) -> set[int]:
        """The `depth` strongest rows; where equals are cut, the newest stay, so that row numbers decide nothing."""
        bar = self.resolve_bounds()
        if len(self.strengths) <= self._depth:
            return set(self.strengths)
        above = {row_id for row_id, strength in self.strengths.items() if strength > bar}
        equal = [row_id for row_id, strength in self.strengths.items() if strength == bar]
        room = self._depth - len(above)
        return above | set(equal if len(equal) <= room else index.newest_of_rows(equal, room))

    def resolve_bounds(self) -> float:
        """Make exact what may be among the strongest; how strong the last of these is, 0 as long as there are fewer."""
        best = sorted(self.strengths.values())[-self._depth :]  # a heap, for it ascends
        bounds, self.bounds = self.bounds, {}
        for row_id in sorted(bounds, key=bounds.__getitem__, reverse=True):
            if len(best) == self._depth and (bound := bounds[row_id]) * self._length_share(row_id) < best[0]:
                if bound < best[0]:
                    break
                continue
            self.strengths[row_id] = strength = self._exact_strength(row_id)
            if len(best) < self._depth:
                heappush(best, strength)
            else:
                heappushpop(best, strength)
        return best[0] if len(best) == self._depth else 0.0
