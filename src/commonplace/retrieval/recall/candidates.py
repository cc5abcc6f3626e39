"""The candidate set: combine what the lanes found, and select by bounds which records are scored in full."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from heapq import heappush, heappushpop
from itertools import groupby, repeat
from math import prod
from operator import itemgetter

from msgspec import Struct, structs

from commonplace.index import Index, IndexedRecord, session_name
from commonplace.language.text import ends_in_question_mark, is_only_addressed
from commonplace.model import Record
from commonplace.retrieval.recall.dialogue import DialogueScores
from commonplace.retrieval.recall.lane_input import EVENT_SHARE, MIN_SCORED, Signals, Strengths
from commonplace.retrieval.recall.lanes import TURN_PARTS, host_rows
from commonplace.retrieval.recall.query import ParsedQuery
from commonplace.retrieval.recall.question_analysis import matches_intent, may_contain_answer
from commonplace.retrieval.recall.score_bounds import EPSILON
from commonplace.retrieval.recall.scoring import (
    MAX_PRIOR_PRODUCT,
    PROXIMITY_WEIGHT,
    SCORE_PARTS,
    TIME_WEIGHT,
    UNMATCHED_WEIGHT,
    ScoreFormula,
    enabled_parts,
    is_by_agent,
    length_share,
    log_length,
    max_feature_product,
    unanswered_share,
)
from commonplace.retrieval.recall.time_lanes import time_proximity

Coverage = Callable[[int], float]  # the share of the question's weight that a row has


def source_ids(record: Record) -> tuple[str, ...]:
    """The captures that a record rests on: itself, or those that it was made of."""
    return (record.id,) if record.is_evidence else record.sources


NO_SIGNALS = Signals()
RECORD_PARTS = ("kind", "time")  # parts that are also fed by a record once it is read
BOUND_MARGIN = EPSILON  # a bound is raised by so much, for it is reckoned in another order than what it bounds


class LaneSignals(Struct, frozen=True):
    """The signals of rows that the lanes give by themselves, and the parts of relevance that these can feed."""

    signals_by_row: dict[int, Signals]
    parts: tuple[str, ...]


def combine_lanes(row_ids: Iterable[int], strengths_by_part: dict[str, Strengths]) -> LaneSignals:
    """The signals of the rows by the strengths of the lanes; rows with equal strengths share one value."""
    parts = {part: strengths for part, strengths in strengths_by_part.items() if strengths}
    if not parts:
        return LaneSignals(dict.fromkeys(row_ids, NO_SIGNALS), ())
    order = list(row_ids)
    values = list(zip(*(map(strengths.get, order, repeat(0.0)) for strengths in parts.values()), strict=True))
    # thousands of lines of a month are alike
    made = {value: Signals(**dict(zip(parts, value, strict=True))) for value in set(values)}
    return LaneSignals(dict(zip(order, map(made.__getitem__, values), strict=True)), tuple(parts))


class CandidateSet(Mapping[int, Signals]):
    """The rows that lanes found, with the signals of each, which are put together when they are asked for."""

    def __init__(
        self,
        parsed: ParsedQuery,
        lane_signals: LaneSignals,
        *,
        dialogue_scores: DialogueScores,
        proximity: Strengths,
        speaker_rows: set[int],
    ) -> None:
        self.parsed, self.lane_signals, self.dialogue_scores = parsed, lane_signals, dialogue_scores
        self.proximity, self.speaker_rows = proximity, speaker_rows
        # What is not measured by it yet is measured by the best match.
        self.best_match = max(dialogue_scores.matches().values(), default=0.0) or 1.0
        self.formula = ScoreFormula(parsed, (*lane_signals.parts, *TURN_PARTS, *RECORD_PARTS))
        self.known_signals: dict[int, Signals] = {}
        self._query_forms = frozenset(form for term in parsed.terms for form in term.forms)
        self._may_answer: dict[int, bool] = {}

    def __getitem__(self, row_id: int) -> Signals:
        if row_id not in self.known_signals:
            if row_id not in self:
                raise KeyError(row_id)
            self.known_signals[row_id] = self._compute_signals(row_id)
        return self.known_signals[row_id]

    def __contains__(self, row: object) -> bool:
        return row in self.lane_signals.signals_by_row or row in self.dialogue_scores.positions

    def __iter__(self) -> Iterator[int]:
        return iter(self.lane_signals.signals_by_row.keys() | self.dialogue_scores.positions.keys())

    def __len__(self) -> int:
        return len(self.lane_signals.signals_by_row.keys() | self.dialogue_scores.positions.keys())

    def complete(self, indexed_record: IndexedRecord) -> Signals:
        """The signals of a candidate, with all that is known of it once it is read."""
        signals, record, parsed = self[indexed_record.row_id], indexed_record.record, self.parsed
        if signals.stands:
            return signals
        time = 0.0
        if parsed.sessions.names and session_name(record) in parsed.sessions.names:
            is_sure = not (parsed.sessions.is_from_end and parsed.terms)
            time = 1.0 if is_sure else min(signals.lexical * parsed.sessions.is_on_topic + UNMATCHED_WEIGHT, 1.0)
        elif parsed.time_windows:
            time = time_proximity(record, parsed.time_windows)
        kind = float(matches_intent(record, parsed.intent))
        if signals.length:  # a turn, of which all else is known
            is_same = signals.time == time and signals.kind == kind
            return signals if is_same else structs.replace(signals, time=time, kind=kind)
        return structs.replace(
            signals,
            time=time,
            kind=kind,
            speaks=float(indexed_record.row_id in self.speaker_rows),
            length=log_length(indexed_record.token_count),
            by_agent=float(is_by_agent(record.speaker, record.actor)),
            holds=float(may_contain_answer(record.text, parsed.answer_type)),
        )

    def context_bounds(self, row_ids: Iterable[int]) -> dict[int, float]:
        """What the relevance of turns gains, at the most, by what is not in `lane_signals`."""
        turns, close, best = list(row_ids), self.proximity, self.best_match
        lent = zip(turns, self.dialogue_scores.context_scores(turns), strict=True)
        return {row_id: (more + PROXIMITY_WEIGHT * close.get(row_id, 0)) / best + BOUND_MARGIN for row_id, more in lent}

    def _compute_signals(self, row_id: int) -> Signals:
        signals = self.lane_signals.signals_by_row.get(row_id, NO_SIGNALS)
        if row_id not in self.dialogue_scores.positions:
            return signals
        turn_scores = self.dialogue_scores[row_id]
        turn, is_talk = turn_scores.turn, turn_scores.is_between_people
        speaks = row_id in self.speaker_rows
        forms = self._query_forms if is_talk and speaks and signals.lexical else frozenset[str]()
        return structs.replace(
            signals,
            session=turn_scores.session / self.best_match,
            near=turn_scores.nearby_lines / self.best_match,
            answers=turn_scores.after_question / self.best_match,
            close=self.proximity.get(row_id, 0.0) / self.best_match,
            speaks=float(speaks),
            length=log_length(turn.token_count),
            asks=float(is_talk and signals.vector > 0 and ends_in_question_mark(turn.text)),
            addresses=float(bool(forms) and is_only_addressed(turn.text, turn.tokens.split(), forms)),
            by_agent=float(is_by_agent(turn.speaker, turn.actor)),
            holds=float(self.may_answer(row_id)),
        )

    def may_answer(self, row_id: int) -> bool:
        """Whether a turn has what may be such an answer as the question asks for."""
        if (known := self._may_answer.get(row_id)) is None:
            text = self.dialogue_scores.turn(row_id).text
            known = self._may_answer[row_id] = may_contain_answer(text, self.parsed.answer_type)
        return known


def adjust_for_captures(
    index: Index, candidates: CandidateSet, rows_by_id: dict[int, IndexedRecord], coverage: Coverage
) -> None:
    """Mark the records whose captures are candidates too, and let a record that covers as much of the question replace
    a capture with a higher score."""
    parsed = candidates.parsed
    if "retells" in parsed.disabled:
        return
    rows = rows_by_id.values()
    captures = {row.record.id: row for row in rows if row.record.is_evidence}
    # Those that any of the records was made of and that are candidates.
    others = {source for row in rows if not row.record.is_evidence for source in row.record.sources} - captures.keys()
    row_ids = [row_id for row_id in index.rows_with_ids(others) if row_id in candidates] if others else []
    captures |= {row.record.id: row for row in index.fetch(row_ids).values() if row.record.is_evidence}
    changed: dict[int, Signals] = {}
    for row_id, indexed_record in rows_by_id.items():
        record = indexed_record.record
        for capture in [captures[source] for source in source_ids(record) if source in captures]:
            if record.is_evidence:
                continue
            may_be = [changed.get(row_id) or structs.replace(candidates.complete(indexed_record), retells=1.0)]
            # Equal shares of none are enough only where no word is asked.
            least = coverage(capture.row_id)
            if coverage(row_id) >= least and (least > 0 or parsed.has_only_cues):
                may_be.append(structs.replace(candidates.complete(capture), stands=1.0))
            changed[row_id] = max(may_be, key=lambda signals: candidates.formula.score(record, signals)[0])
    candidates.known_signals |= changed


LaneStrength = tuple[float, float]  # of a row: without the requested time, and by that time before the factors


class _StrengthEstimator:
    """The strength of candidates: their relevance times the features of their lines, before any record is read; of the
    rows of a host's files as if their priors were the highest."""

    def __init__(self, candidates: CandidateSet, host_rows: frozenset[int]) -> None:
        self.host_rows = host_rows
        self._candidates, self._parsed, self._formula = candidates, candidates.parsed, candidates.formula
        parts = enabled_parts(SCORE_PARTS, self._parsed)
        self._unanswered = unanswered_share(self._parsed)
        self._lane_parts = [part for name, part in parts.items() if name in candidates.lane_signals.parts]

    def lane_strengths(self) -> dict[int, LaneStrength]:
        """The strength of every row by what the lanes say alone, without features."""
        signals_by_row = self._candidates.lane_signals.signals_by_row
        made: dict[int, LaneStrength] = {}  # by identity: of many rows the lanes say the same
        for signals in dict(zip(map(id, signals_by_row.values()), signals_by_row.values(), strict=True)).values():
            by_time = max(signals.time, EVENT_SHARE * signals.event)
            strength = sum([part(signals, self._parsed) for part in self._lane_parts])
            made[id(signals)] = strength - TIME_WEIGHT * by_time, by_time
        return dict(zip(signals_by_row, map(made.__getitem__, map(id, signals_by_row.values())), strict=True))

    def prior(self, row_id: int) -> float:
        """What the priors of a row come to at the most, where it must be known before it is read."""
        return MAX_PRIOR_PRODUCT if row_id in self.host_rows else 1.0

    def bound_share(self, row_id: int) -> float:
        """What is left of the most that a turn can be worth, by its length and whether it may hold the answer."""
        share = length_share(self._parsed, self._candidates.dialogue_scores.turn(row_id).token_count)
        return share if self._candidates.may_answer(row_id) else share * self._unanswered

    def strength(self, row_id: int, *, timed: bool = True) -> float:
        """The strength of a row, with the time that is meant or without."""
        signals = self._candidates[row_id]
        relevance = self._formula.relevance(signals)
        by_time = 0.0 if timed else TIME_WEIGHT * max(signals.time, EVENT_SHARE * signals.event)
        features = prod(relevance.features) * self.prior(row_id)
        return sum(relevance.parts) * features - by_time * features


def select_candidates(
    index: Index, candidates: CandidateSet, depth: int, excluded_rows: Collection[int] = ()
) -> dict[int, int]:
    """The rows to be scored in full, each with its level: the strongest, and the strongest of the time that the query
    means. The first `MIN_SCORED` of each are of level 0. Turns that no lane favours are examined one by one only where
    the bound of their dialogue reaches the threshold."""
    estimator = _StrengthEstimator(candidates, frozenset(host_rows(index, candidates.parsed)))
    untimed = _BoundedTopRows(depth, partial(estimator.strength, timed=False), estimator.bound_share)
    timed = _BoundedTopRows(depth, estimator.strength, estimator.bound_share)
    strengths, speaker_rows = estimator.lane_strengths(), candidates.speaker_rows
    turns = candidates.dialogue_scores.positions
    untimed.strengths = {row_id: strength for row_id, (strength, _time) in strengths.items() if row_id not in turns}
    for row_id in untimed.strengths.keys() & estimator.host_rows:
        untimed.strengths[row_id] *= MAX_PRIOR_PRODUCT
    timed.strengths = {
        row: strength + TIME_WEIGHT * time for row, (strength, time) in strengths.items() if time and row not in turns
    }
    features = [max_feature_product(candidates.parsed, speaks=speaks) for speaks in (False, True)]
    favoured = strengths.keys() | candidates.proximity.keys()
    for row_id, added in candidates.context_bounds(favoured & turns.keys()).items():
        most = features[row_id in speaker_rows] * estimator.prior(row_id)
        strength, time = strengths.get(row_id, (0.0, 0.0))
        untimed.bounds[row_id] = bound = (strength + added) * most
        if time:
            timed.bounds[row_id] = bound + TIME_WEIGHT * time * most
    threshold = untimed.resolve_bounds()
    for added, row_ids in candidates.dialogue_scores.bounds_by_dialogue():
        most = features[not speaker_rows.isdisjoint(row_ids)]
        if (added / candidates.best_match + BOUND_MARGIN) * most >= threshold:
            others = candidates.context_bounds(row for row in row_ids if row in turns and row not in favoured)
            untimed.bounds |= {
                row_id: more * features[row_id in speaker_rows] * estimator.prior(row_id)
                for row_id, more in others.items()
            }
    levels = untimed.levels(index, excluded_rows)
    for row_id, level in timed.levels(index, excluded_rows).items():
        levels[row_id] = min(level, levels.get(row_id, level))
    return levels


class _BoundedTopRows:
    """Rows of which it is known how strong they are, and others of which it is known how strong they are at most."""

    def __init__(self, depth: int, exact_strength: Callable[[int], float], bound_share: Callable[[int], float]) -> None:
        self.strengths: dict[int, float] = {}
        self.bounds: dict[int, float] = {}
        self._depth, self._exact_strength, self._bound_share = depth, exact_strength, bound_share

    def levels(self, index: Index, excluded_rows: Collection[int]) -> dict[int, int]:
        """The `depth` strongest rows with the level of each; where equals are cut, the newest come first, so that row
        numbers decide nothing."""
        bar = self.resolve_bounds()
        strongest = [item for item in self.strengths.items() if item[1] >= bar and item[0] not in excluded_rows]
        strongest.sort(key=itemgetter(1), reverse=True)
        levels: dict[int, int] = {}
        for _strength, items in groupby(strongest, key=itemgetter(1)):
            rows, place = [row_id for row_id, _strength in items], len(levels)
            if place >= self._depth:
                break
            if place + len(rows) > min(self._depth, (place // MIN_SCORED + 1) * MIN_SCORED):
                rows = index.newest_of_rows(rows, self._depth - place)
            levels |= {row_id: (place + number) // MIN_SCORED for number, row_id in enumerate(rows)}
        return levels

    def resolve_bounds(self) -> float:
        """Make exact what may be among the strongest; how strong the last of these is, 0 as long as there are fewer."""
        best = sorted(self.strengths.values())[-self._depth :]  # a heap, for it ascends
        bounds, self.bounds = self.bounds, {}
        for row_id in sorted(bounds, key=bounds.__getitem__, reverse=True):
            if len(best) == self._depth and (bound := bounds[row_id]) * self._bound_share(row_id) < best[0]:
                if bound < best[0]:
                    break
                continue
            self.strengths[row_id] = strength = self._exact_strength(row_id)
            if len(best) < self._depth:
                heappush(best, strength)
            else:
                heappushpop(best, strength)
        return best[0] if len(best) == self._depth else 0.0
