"""Plan, as data, what a run would write: every claim passes the stages below, and is kept, queued or skipped."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from msgspec import Struct, structs

from commonplace.extract.rules import STANDING_ATTRIBUTES
from commonplace.language.text import split_sentences
from commonplace.model import Capture, Record, least_trusted
from commonplace.upkeep.agent_words import HELD_BACK
from commonplace.upkeep.consolidate import file_edits
from commonplace.upkeep.consolidate.claim_record import DEFAULT_OWNER, ClaimRecord, read_claim_statements, words_key
from commonplace.upkeep.consolidate.claims import CERTAIN, propose_claims
from commonplace.upkeep.consolidate.duplicates import BlockedTexts, find_duplicate
from commonplace.upkeep.consolidate.episodes import (
    Episode,
    build_episode,
    find_topics,
    make_headline,
    select_salient_sentences,
)
from commonplace.upkeep.consolidate.existing_records import ExistingRecords, resolve_relation
from commonplace.upkeep.consolidate.gate import GATE_REASON_SENTENCES, judge_claim
from commonplace.upkeep.consolidate.history import Interaction, LedgerHistory
from commonplace.upkeep.consolidate.model_steps import ModelSteps, StepReceipt, apply_told_relation

MIN_CONFIDENCE = 0.6  # a claim below it waits for a person
DEAD_ENDS_HEADING = "Dead ends"  # what was tried and failed has a section of its own: it warns, and is no advice

SKIP_REASON_SENTENCES: dict[str, str] = {
    **dict(GATE_REASON_SENTENCES.items()),
    "rejected": "says what a person rejected",
    "taken": "an agent took it from what cannot be trusted",
    "known": "states what is known",
    "past": "states what held before, and is known",
    "waiting": "waits for review already",
}


class PlanningContext(Struct, frozen=True):
    """What planning reads: existing records, the ledger, what must not be learned again, the tags, the queue.

    `owner` speaks where captures name nobody; what was said since `recent_since` is newer than any line without a date;
    the core has room for `core_room` more lines. `episode_paths` has the episodes of earlier runs by their
    `episode_key`. With `steps` a model is asked.
    """

    existing: ExistingRecords
    history: LedgerHistory
    blocked: BlockedTexts
    tag_vocabulary: Container[str] = ()
    queued_items: tuple[file_edits.ReviewItem, ...] = ()
    owner: str = DEFAULT_OWNER
    recent_since: str = ""
    root: str = ""
    core_room: int = 0
    steps: ModelSteps | None = None
    episode_paths: Mapping[str, str] = {}


class ConsolidationPlan(Struct, frozen=True):
    """What one run would do: `lines` are the claims to be kept, `pending` the items to be queued, `skipped` the other
    claims, `settled` items of the queue that need no review any more, `late_supersessions` existing lines with the ids
    that each supersedes besides, because these arrived after it, `steps` the receipts of what a model answered."""

    interactions: tuple[Interaction, ...] = ()
    episodes: tuple[Episode, ...] = ()
    lines: tuple[ClaimRecord, ...] = ()
    pending: tuple[file_edits.ReviewItem, ...] = ()
    skipped: tuple[ClaimRecord, ...] = ()
    settled: tuple[file_edits.ReviewItem, ...] = ()
    late_supersessions: tuple[ClaimRecord, ...] = ()
    steps: tuple[StepReceipt, ...] = ()

    @property
    def capture_count(self) -> int:
        """The number of its captures."""
        return sum(len(interaction.captures) for interaction in self.interactions)


def plan_consolidation(interactions: Iterable[Interaction], planning_context: PlanningContext) -> ConsolidationPlan:
    """Return what would be written for these interactions; nothing is."""
    pipeline = ClaimPipeline(planning_context)
    existing = planning_context.existing
    trusted = []
    for one in interactions:
        captures = [structs.replace(capture, origin=existing.capture_trust(capture)) for capture in one.captures]
        trusted.append(structs.replace(one, captures=tuple(captures)))
    planned = (_plan_interaction(one, planning_context, pipeline) for one in trusted)
    episodes = tuple(episode for episode in planned if episode is not None)
    records_by_capture: dict[str, list[Record]] = {}
    for record in (record for episode in episodes for record in episode.records):
        for source in record.sources:
            records_by_capture.setdefault(source, []).append(record)
    lines, late = pipeline.finish(records_by_capture)
    pending = tuple(
        file_edits.make_review_item(one, "conflict" if one.effect == "conflicts" else "doubt", one.reason)
        for one in pipeline.queued.values()
    )
    receipts = planning_context.steps.take_receipts() if planning_context.steps else ()
    return ConsolidationPlan(
        tuple(trusted), episodes, lines, pending, tuple(pipeline.skipped), tuple(pipeline.settled), late, receipts
    )


def _plan_interaction(
    interaction: Interaction, planning_context: PlanningContext, pipeline: ClaimPipeline
) -> Episode | None:
    """Process the claims of an interaction; return its episode."""
    existing, steps = planning_context.existing, planning_context.steps
    proposed: Iterable[ClaimRecord] = propose_claims(interaction.captures, planning_context.owner, existing.vocabulary)
    if steps:
        chosen = steps.choose_claims(interaction, tuple(proposed))
        proposed = steps.compare_claims(interaction, chosen, existing)
    kept = [claim for claim in proposed if pipeline.process(claim).decision == "kept"]

    def is_own(capture: Capture, sentence: str) -> bool:
        rejected = planning_context.history.rejected_words
        is_rejected = bool(rejected) and not rejected.isdisjoint(map(words_key, (sentence, *split_sentences(sentence))))
        if is_rejected or planning_context.blocked.tombstones.find(sentence):
            return False
        return capture.actor != "agent" or not planning_context.existing.is_copied_from_untrusted(sentence)

    sentences = select_salient_sentences(interaction, kept, is_own, planning_context.owner)
    if not sentences:
        return None
    topics = find_topics(interaction, sentences, is_own, planning_context.existing.rarity)
    headline = make_headline(interaction, sentences, topics)
    if steps:
        headline = steps.word_headline(interaction, headline, sentences)
    vocabulary, paths = planning_context.tag_vocabulary, planning_context.episode_paths
    return build_episode(interaction, sentences, headline, vocabulary=vocabulary, written_paths=paths)


class ClaimPipeline:
    """The stages of a claim, and what became of the claims of this run: kept, `queued`, `skipped`. A claim passes all
    before the next one is proposed, because those that are kept become records with which the next are compared."""

    def __init__(self, planning_context: PlanningContext) -> None:
        self._existing, self._context = planning_context.existing, planning_context
        self._waiting = {_queue_key(item): item for item in planning_context.queued_items}
        self._planned: dict[str, ClaimRecord] = {}
        self._core_room = planning_context.core_room
        self._repeating_captures: dict[str, list[str]] = {}
        self._late: list[tuple[ClaimRecord, ClaimRecord]] = []  # what was superseded before it arrived, and by what
        self.queued: dict[str, ClaimRecord] = {}
        self.skipped: list[ClaimRecord] = []
        self.settled: list[file_edits.ReviewItem] = []

    def process(self, claim: ClaimRecord) -> ClaimRecord:
        """Return the claim with the decision on it."""
        if words_key(claim.text) in self._context.history.rejected_words:
            return self._skip(claim, "rejected")
        if claim.actor == "agent" and self._existing.is_copied_from_untrusted(claim.text):
            return self._skip(claim, "taken")
        for stage in (self.compare, self.judge, self.resolve, self.plan_edit):
            claim = stage(claim)
            if claim.decision != "open":
                break
        return claim

    def compare(self, claim: ClaimRecord) -> ClaimRecord:
        """Find the records that may say the same, and those that give another value."""
        claim = structs.replace(claim, statements=read_claim_statements(claim, self._existing.vocabulary))
        claim = structs.replace(claim, similar=self._existing.find_similar(claim))
        claim = resolve_relation(claim, self._context.recent_since)
        return apply_told_relation(claim, self._context.recent_since) if claim.related_id else claim

    def judge(self, claim: ClaimRecord) -> ClaimRecord:
        """Skip what is not worth keeping, and what a record states already; the rest is dated."""
        claim = judge_claim(claim, self._context.blocked)
        is_renewed = claim.reason == "duplicate" and claim.effect == "replaces"
        if claim.reason and not is_renewed:
            return self._skip(claim, claim.reason, claim.duplicate_of)
        if claim.effect == "supports":
            return self._skip(claim, "known", claim.conflicts[0].id)
        # The first value of anything is open to the past.
        start = claim.valid_from or (claim.time[:10] if claim.effect == "replaces" else "")
        return structs.replace(claim, valid_from=start, reason="", duplicate_of="")

    def resolve(self, claim: ClaimRecord) -> ClaimRecord:
        """Skip what held before and is recorded; queue what a person should look at first."""
        if claim.effect == "is over" and (ended := self._existing.find_ended_value(claim)):
            self._late.append((structs.replace(claim, id=ended), claim.conflicts[0]))
            return self._skip(claim, "past", ended)
        if claim.effect == "conflicts":
            cause = _describe_conflict(claim)
        else:
            cause = f"not sure: {claim.confidence:.2f}" if claim.confidence < MIN_CONFIDENCE else ""
        if claim.actor == "agent" and not cause and self._existing.is_held_back(claim, self._context.root):
            cause = HELD_BACK
        return self._queue(structs.replace(claim, reason=cause)) if cause else claim

    def plan_edit(self, claim: ClaimRecord) -> ClaimRecord:
        """Plan the line of a claim: choose its target and the lines that it replaces."""
        conflicts, less_trusted = claim.conflicts, self._find_less_trusted(claim) if claim.effect is None else ()
        destination = file_edits.choose_destination(
            claim.category, claim.entity, claim.time, self._existing.find_entity_page
        )
        if claim.claim_type == "dead_end" and claim.category == "lesson":
            destination = structs.replace(destination, heading=DEAD_ENDS_HEADING)
        if self._core_room > 0 and _is_for_core(claim):
            destination, self._core_room = file_edits.CORE_DESTINATION, self._core_room - 1
        claim = structs.replace(claim, decision="kept", reason="", destination=destination, similar=(), conflicts=())
        key = _queue_key(claim)
        self.queued.pop(key, None)
        if item := self._waiting.pop(key, None):
            self.settled.append(item)
        self._existing.add(claim)
        if claim.effect == "is over":
            self._existing.remove(claim.id)
            self._late.append((claim, conflicts[0]))
            claim = _end_claim(claim, conflicts[0].time)
        else:
            claim = structs.replace(claim, replaces=conflicts if claim.effect == "replaces" else less_trusted)
            for other in claim.replaces:
                self._existing.remove(other.id)
                if other.id in self._planned:
                    self._planned[other.id] = _end_claim(self._planned[other.id], claim.time)
        self._planned[claim.id] = claim
        return claim

    def finish(
        self, records_by_capture: Mapping[str, list[Record]]
    ) -> tuple[tuple[ClaimRecord, ...], tuple[ClaimRecord, ...]]:
        """The claims that are kept, each with the ids of all that it supersedes, and the existing lines that supersede
        more than they say. `records_by_capture` are the records that this run makes of captures."""

        def retellings(claim: ClaimRecord) -> tuple[str, ...]:
            repeats = self._repeating_captures.get(claim.id, ())
            return (claim.id, *self._existing.find_retellings(claim, repeats, records_by_capture))

        late: dict[str, ClaimRecord] = {}
        for older, newer in self._late:
            if newer.id in self._planned:
                planned = self._planned[newer.id]
                start = planned.valid_from or planned.time[:10]
                replaces = (*planned.replaces, older)
                self._planned[newer.id] = structs.replace(planned, replaces=replaces, valid_from=start)
            else:
                before = late[newer.id].supersedes if newer.id in late else ()
                late[newer.id] = structs.replace(newer, supersedes=(*before, *retellings(older)))
        kept = []
        for claim in self._planned.values():
            ids = dict.fromkeys(record_id for other in claim.replaces for record_id in retellings(other))
            kept.append(structs.replace(claim, supersedes=tuple(ids)))
        return tuple(kept), tuple(late.values())

    def _skip(self, claim: ClaimRecord, reason: str, duplicate_of: str = "") -> ClaimRecord:
        bare = structs.replace(claim, similar=(), conflicts=())
        skipped = structs.replace(bare, decision="skipped", reason=reason, duplicate_of=duplicate_of)
        self.skipped.append(skipped)
        if duplicate_of:
            self._repeating_captures.setdefault(duplicate_of, []).extend(claim.sources)
        return skipped

    def _queue(self, claim: ClaimRecord) -> ClaimRecord:
        """Queue a claim for review; one that waits, and is said again independently by a trusted person, is kept."""
        keep = structs.replace(claim, similar=())
        if self._existing.is_written(claim):  # an interrupted run kept it
            return keep
        key = _queue_key(claim)
        waiting = self.queued.get(key) or self._waiting.get(key)
        if waiting is None or waiting.id == claim.id:  # an interrupted run queued the latter
            queued = structs.replace(keep, decision="queued")
            if waiting is None:
                self.queued[key] = queued
            return queued
        said = [
            self._existing.index.find(source) for source in waiting.sources
        ]  # in another session, or on another day?
        is_independent = bool(said) and all(
            one and (one.session != claim.session or one.time[:10] != claim.time[:10]) for one in said
        )
        if claim.effect == "conflicts" or claim.trust != "trusted" or not is_independent:
            return self._skip(claim, "waiting", waiting.id)
        sources = tuple(dict.fromkeys((*waiting.sources, *claim.sources)))
        trust = least_trusted(claim.trust, waiting.trust)
        return structs.replace(keep, sources=sources, trust=trust, confidence=MIN_CONFIDENCE)

    def _find_less_trusted(self, claim: ClaimRecord) -> tuple[ClaimRecord, ...]:
        """The line that says the same and is less trusted, which the claim replaces."""
        below = [structs.replace(one, trust=claim.trust) for one in claim.similar if one.trust_rank < claim.trust_rank]
        same = find_duplicate(claim, below)
        if same in self._planned:
            return (self._planned[same],)
        record = self._existing.index.find(same) if same else None
        return (self._existing.to_claim(record),) if record is not None else ()


def _is_for_core(claim: ClaimRecord) -> bool:
    """Whether the owner asked to remember a claim, or it holds for all later requests, in every project."""
    is_owners = claim.actor == "owner" and claim.trust == "trusted" and not (claim.said_by or claim.scope)
    is_certain = claim.confidence >= CERTAIN and claim.effect != "is over"
    return is_owners and is_certain and (claim.claim_type == "remember" or claim.attribute in STANDING_ATTRIBUTES)


def _describe_conflict(claim: ClaimRecord) -> str:
    is_less_trusted = any(other.trust_rank > claim.trust_rank for other in claim.conflicts)
    is_undated = not all(other.time for other in claim.conflicts)
    cause = "what is trusted more" if is_less_trusted else "a line without a date" if is_undated else "a known line"
    known = [(one.id, one.time, one.text) for one in claim.conflicts]
    return file_edits.describe_choice(f"contradicts {cause}", claim.time, known, "it is not written")


def _end_claim(claim: ClaimRecord, end: str) -> ClaimRecord:
    return structs.replace(claim, valid_from=min(claim.valid_from, end)[:10], valid_to=end[:10], is_over=True)


def _queue_key(claim: ClaimRecord | file_edits.ReviewItem) -> str:
    return f"{words_key(claim.text)} {claim.scope}"
