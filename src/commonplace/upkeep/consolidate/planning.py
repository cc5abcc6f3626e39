"""Decide, as data, what a run would write: claims kept, queued or skipped, and interactions made episodes."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from msgspec import Struct, structs

from commonplace.model import TRUSTS, Capture, Record, least_trusted
from commonplace.upkeep.consolidate.candidates import SimilarRecord
from commonplace.upkeep.consolidate.claims import DEFAULT_OWNER, RecordDraft, draft_records
from commonplace.upkeep.consolidate.episodes import Episode, Interaction, build_episode, select_salient_sentences
from commonplace.upkeep.consolidate.existing_records import (
    ConflictResolution,
    ExistingRecords,
    StatedValue,
    resolve_conflict,
)
from commonplace.upkeep.consolidate.file_edits import Destination, ReviewItem, choose_destination
from commonplace.upkeep.consolidate.gate import GATE_REASON_SENTENCES, judge_candidate
from commonplace.upkeep.consolidate.history import (
    LedgerHistory,
    LedgerStatement,
    RecentPacks,
    statement_key,
    value_key,
    words_key,
)

MIN_CONFIDENCE = 0.6  # of a claim's confidence; what is less sure waits for a person
DEAD_ENDS_HEADING = "Dead ends"  # what was tried and failed stands apart: it warns, and is no advice

SKIP_REASON_SENTENCES: dict[str, str] = {
    **dict(GATE_REASON_SENTENCES.items()),
    "rejected": "says what a person rejected",
    "taken": "an agent took it from what cannot be trusted",
    "known": "states what is known",
    "past": "states what held before, and is known",
    "waiting": "waits for review already",
}

FindRetellings = Callable[[StatedValue, Iterable[str]], tuple[str, ...]]


class SkippedClaim(Struct, frozen=True):
    """A claim that is not kept: which, why, and the record that says it already, if that is why."""

    draft: RecordDraft
    reason: str
    duplicate_of: str = ""

    @property
    def why(self) -> str:
        """The reason in a sentence for people."""
        return SKIP_REASON_SENTENCES[self.reason]


class PlannedLine(Struct, frozen=True):
    """A line to be written, where it goes, and the statements that it replaces.

    One that `is_over` holds no more: it came in late, or a later one of the same run replaces it. `states` is what
    the ledger is told of it, where the draft does not know.
    """

    draft: RecordDraft
    home: Destination
    replaces: tuple[StatedValue, ...] = ()
    is_over: bool = False
    states: LedgerStatement | None = None


class LateSupersession(Struct, frozen=True):
    """Records and captures that a line on disk is to say it replaces, for they came in after it."""

    newer: StatedValue
    ids: tuple[str, ...]


class ClaimSorter:
    """The claims of one run by what becomes of them."""

    def __init__(
        self,
        existing: ExistingRecords,
        history: LedgerHistory,
        recent_packs: RecentPacks,
        *,
        queued_items: tuple[ReviewItem, ...] = (),
        recent_since: str = "",
    ) -> None:
        self._existing, self._history, self._recent_packs, self._recent_since = (
            existing,
            history,
            recent_packs,
            recent_since,
        )
        self._queued_items = {_queue_key(item.text, item.scope): item for item in queued_items}
        self._planned_lines: dict[str, PlannedLine] = {}
        self._new_items: dict[str, ReviewItem] = {}
        self._repeating_captures: dict[str, list[str]] = {}
        self._late_statements: list[tuple[StatedValue, StatedValue]] = []
        self.skipped: list[SkippedClaim] = []
        self.settled: list[ReviewItem] = []

    @property
    def pending(self) -> tuple[ReviewItem, ...]:
        """What waits for review from now on."""
        return tuple(self._new_items.values())

    def sort_claim(self, draft: RecordDraft) -> bool:
        """Put a draft where it belongs; whether it is kept."""
        if words_key(draft.text) in self._history.rejected_words:
            return self._skip(draft, "rejected")
        if draft.actor == "agent" and self._existing.is_copied_from_untrusted(draft.text):
            return self._skip(draft, "taken")
        near = self._existing.find_similar(draft)
        verdict = judge_candidate(draft.candidate, near, self._recent_packs.blocked_digests(draft))
        resolution = resolve_conflict(draft, self._existing.find_conflicts(draft), self._recent_since)
        if not verdict.keep and not (verdict.reason == "duplicate" and resolution.outcome == "newer"):
            return self._skip(draft, verdict.reason, verdict.duplicate_of)
        if resolution.outcome == "same":
            return self._skip(draft, "known", resolution.statements[0].id)
        draft = structs.replace(_with_start_date(draft), importance=round(verdict.importance.score, 2))
        if resolution.outcome == "older" and (known := self._existing.find_ended_value(draft)):
            self._late_statements.append(
                (_stated_value_from_draft(structs.replace(draft, id=known)), resolution.statements[0])
            )
            return self._skip(draft, "past", known)
        if why := _find_review_cause(draft, resolution):
            return self._queue_for_review(draft, resolution, why)
        return self._plan_line(
            draft, resolution, self._find_less_trusted(draft, near) if resolution.outcome == "new" else ()
        )

    def finish(self, find_retellings: FindRetellings) -> tuple[tuple[PlannedLine, ...], tuple[LateSupersession, ...]]:
        """What is kept, each line with all that it supersedes; and what lines on disk supersede besides.

        `find_retellings` finds what else tells a statement: captures, what was made of them, and of more captures.
        """
        late: dict[str, LateSupersession] = {}
        for stated_value, by in self._late_statements:
            kept = self._planned_lines.get(by.id)
            if kept is not None:
                self._planned_lines[by.id] = structs.replace(kept, replaces=(*kept.replaces, stated_value))
            else:
                ids = (
                    stated_value.id,
                    *find_retellings(stated_value, self._repeating_captures.get(stated_value.id, ())),
                )
                late[by.id] = LateSupersession(by, (*late[by.id].ids, *ids) if by.id in late else ids)
        return tuple(
            self._with_superseded(planned_line, find_retellings) for planned_line in self._planned_lines.values()
        ), tuple(late.values())

    def _with_superseded(self, planned_line: PlannedLine, find_retellings: FindRetellings) -> PlannedLine:
        ids = [
            found
            for one in planned_line.replaces
            for found in (one.id, *find_retellings(one, self._repeating_captures.get(one.id, ())))
        ]
        return structs.replace(
            planned_line, draft=structs.replace(planned_line.draft, supersedes=tuple(dict.fromkeys(ids)))
        )

    def _skip(self, draft: RecordDraft, reason: str, duplicate_of: str = "") -> bool:
        self.skipped.append(SkippedClaim(draft, reason, duplicate_of))
        if duplicate_of:
            self._repeating_captures.setdefault(duplicate_of, []).extend(draft.sources)
        return False

    def _find_less_trusted(
        self, draft: RecordDraft, similar_records: Iterable[SimilarRecord]
    ) -> tuple[StatedValue, ...]:
        """The line that says the same and is trusted less, which the draft replaces."""
        below = [one for one in similar_records if TRUSTS.index(one.trust) < TRUSTS.index(draft.trust)]
        raised = [structs.replace(one, trust=draft.trust) for one in below]
        same = (
            judge_candidate(draft.candidate, raised, self._recent_packs.blocked_digests(draft)).duplicate_of
            if below
            else ""
        )
        if same in self._planned_lines:
            return (_stated_value_from_draft(self._planned_lines[same].draft),)
        record = self._existing.find(same)
        return (self._existing.stated_value(record),) if record is not None else ()

    def _queue_for_review(self, draft: RecordDraft, resolution: ConflictResolution, cause: str) -> bool:
        """Queue a draft for review; one that waits already and is said again, independently and by somebody who is
        trusted, is kept instead."""
        if self._existing.is_written(draft):  # a run that was stopped kept it
            return self._plan_line(draft, resolution)
        words = _queue_key(draft.text, draft.scope)
        twin = self._new_items.get(words) or self._queued_items.get(words)
        if twin is None:
            self._new_items[words] = _make_review_item(draft, resolution, cause)
            return False
        if twin.id == draft.id:  # a run that was stopped queued it
            return False
        if resolution.outcome == "conflict" or draft.trust != "trusted" or not self._is_independent(draft, twin):
            return self._skip(draft, "waiting", twin.id)
        sources = tuple(dict.fromkeys((*twin.sources, *draft.sources)))
        trust = least_trusted(draft.trust, twin.trust)
        return self._plan_line(
            structs.replace(draft, sources=sources, trust=trust, confidence=MIN_CONFIDENCE), resolution
        )

    def _is_independent(self, draft: RecordDraft, queued_item: ReviewItem) -> bool:
        """Whether a draft was said in another session than what waits, or on another day."""
        heard = [self._existing.find(source) for source in queued_item.sources]
        return bool(heard) and all(
            one is not None and (one.session != draft.session or one.time[:10] != draft.time[:10]) for one in heard
        )

    def _plan_line(
        self, draft: RecordDraft, resolution: ConflictResolution, less_trusted: tuple[StatedValue, ...] = ()
    ) -> bool:
        self._settle_queued_item(draft)
        destination = choose_destination(draft.category, draft.entity, draft.time, self._existing.find_entity_page)
        if draft.sort == "dead_end" and draft.category == "lesson":
            destination = structs.replace(destination, heading=DEAD_ENDS_HEADING)
        self._existing.add(draft)
        if resolution.outcome == "older":
            self._planned_lines[draft.id] = _end_line(PlannedLine(draft, destination), resolution.statements[0].time)
            self._existing.remove(draft.id)
            self._late_statements.append((_stated_value_from_draft(draft), resolution.statements[0]))
            return True
        replaced = resolution.statements if resolution.outcome == "newer" else less_trusted
        for other in replaced:
            self._existing.remove(other.id)
            if other.id in self._planned_lines:
                self._planned_lines[other.id] = _end_line(self._planned_lines[other.id], draft.time)
        self._planned_lines[draft.id] = PlannedLine(draft, destination, replaced)
        return True

    def _settle_queued_item(self, draft: RecordDraft) -> None:
        """What is kept needs no review any more."""
        words = _queue_key(draft.text, draft.scope)
        self._new_items.pop(words, None)
        if item := self._queued_items.pop(words, None):
            self.settled.append(item)


def _with_start_date(draft: RecordDraft) -> RecordDraft:
    """What has one value at a time holds from the day on which it was said, if it does not say from when."""
    undated = draft.is_single_valued and not draft.valid_from
    return structs.replace(draft, valid_from=draft.time[:10]) if undated else draft


def _find_review_cause(draft: RecordDraft, resolution: ConflictResolution) -> str:
    """Why a person should look at it first; empty if nobody has to."""
    if resolution.outcome == "conflict":
        others = ", ".join(other.id for other in resolution.statements)
        stronger = all(TRUSTS.index(other.trust) > TRUSTS.index(draft.trust) for other in resolution.statements)
        return f"contradicts {'what is trusted more' if stronger else 'a line without a date'}: {others}"
    return f"not sure: {draft.confidence:.2f}" if draft.confidence < MIN_CONFIDENCE else ""


def _make_review_item(draft: RecordDraft, resolution: ConflictResolution, cause: str) -> ReviewItem:
    conflict = resolution.outcome == "conflict"
    return ReviewItem(
        id=draft.id,
        text=draft.text,
        category=draft.category,
        reason="conflict" if conflict else "doubt",
        why=cause,
        entity=draft.entity,
        sources=draft.sources,
        against=tuple(other.id for other in resolution.statements) if conflict else (),
        trust=draft.trust,
        scope=draft.scope,
        importance=draft.importance,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        states=statement_from_draft(draft),
    )


def statement_from_draft(draft: RecordDraft) -> LedgerStatement:
    """What the ledger is told of a draft."""
    key = statement_key(draft.entity, draft.attribute)
    return LedgerStatement(draft.id, words_key(draft.text), key, value_key(draft.value) if key else "", draft.time)


def _end_line(planned_line: PlannedLine, end: str) -> PlannedLine:
    """A line that held until a day."""
    start = min(planned_line.draft.valid_from or planned_line.draft.time, end)[:10]
    return structs.replace(
        planned_line, draft=structs.replace(planned_line.draft, valid_from=start, valid_to=end[:10]), is_over=True
    )


def _stated_value_from_draft(draft: RecordDraft) -> StatedValue:
    return StatedValue(draft.id, draft.text, value_key(draft.value), draft.time, draft.trust, draft.sources)


def _queue_key(text: str, scope: str) -> str:
    return f"{words_key(text)} {scope}"


class PlanningContext(Struct, frozen=True):
    """What planning looks things up in: what is kept, what was done before, what packs gave out, the frozen vocabulary,
    the queue. `owner` is the name of who speaks where captures name nobody; what was said since `recent_since` (an ISO
    time) is newer than any line without a date."""

    existing: ExistingRecords
    history: LedgerHistory
    recent_packs: RecentPacks
    tag_vocabulary: Container[str] = ()
    queued_items: tuple[ReviewItem, ...] = ()
    owner: str = DEFAULT_OWNER
    recent_since: str = ""


class ConsolidationPlan(Struct, frozen=True):
    """What one run would do with some interactions.

    `settled` are items of the queue that need no review any more; `late_supersessions` says which lines on disk replace
    statements that came in after them.
    """

    interactions: tuple[Interaction, ...] = ()
    episodes: tuple[Episode, ...] = ()
    lines: tuple[PlannedLine, ...] = ()
    pending: tuple[ReviewItem, ...] = ()
    skipped: tuple[SkippedClaim, ...] = ()
    settled: tuple[ReviewItem, ...] = ()
    late_supersessions: tuple[LateSupersession, ...] = ()

    @property
    def capture_count(self) -> int:
        """How many captures it takes in."""
        return sum(len(interaction.captures) for interaction in self.interactions)


def plan_consolidation(interactions: Iterable[Interaction], planning_context: PlanningContext) -> ConsolidationPlan:
    """What would be written for these interactions; nothing is."""
    found = tuple(_with_source_trust(interaction, planning_context.existing) for interaction in interactions)
    sorter = ClaimSorter(
        planning_context.existing,
        planning_context.history,
        planning_context.recent_packs,
        queued_items=planning_context.queued_items,
        recent_since=planning_context.recent_since,
    )
    episodes = tuple(
        episode
        for interaction in found
        if (episode := _plan_episode(interaction, planning_context, sorter)) is not None
    )
    made_of: dict[str, list[Record]] = {}
    for record in (record for episode in episodes for record in episode.records):
        for source in record.sources:
            made_of.setdefault(source, []).append(record)
    kept, late = sorter.finish(lambda stated, more: planning_context.existing.find_retellings(stated, more, made_of))
    skipped, settled = tuple(sorter.skipped), tuple(sorter.settled)
    return ConsolidationPlan(found, episodes, kept, sorter.pending, skipped, settled, late)


def _with_source_trust(interaction: Interaction, existing: ExistingRecords) -> Interaction:
    """The interaction, each of its captures trusted no further than what it rests on."""
    captures = tuple(structs.replace(one, origin=existing.capture_trust(one)) for one in interaction.captures)
    return structs.replace(interaction, captures=captures)


def _plan_episode(interaction: Interaction, planning_context: PlanningContext, sorter: ClaimSorter) -> Episode | None:
    """Sort out what an interaction claims; and the episode that it is."""
    drafts = [
        draft
        for capture in interaction.captures
        for draft in draft_records(capture, planning_context.owner)
        if sorter.sort_claim(draft)
    ]

    def is_own(capture: Capture, sentence: str) -> bool:
        return capture.actor != "agent" or not planning_context.existing.is_copied_from_untrusted(sentence)

    return build_episode(
        interaction,
        select_salient_sentences(interaction, drafts, is_own, planning_context.owner),
        planning_context.tag_vocabulary,
    )
