"""The upkeep methods of Memory: consolidate, review, skills, secrets, sync, rebuild, status and check."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from commonplace.index import Index, open_index, rebuild_index
from commonplace.memory.open_workspace import OpenWorkspace, require_result_count
from commonplace.memory.recall import RecallMixin
from commonplace.model import Change
from commonplace.sync import SyncResult, fill_index, plan_sync, synchronise

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commonplace.model import Health, Record
    from commonplace.upkeep.consolidate import ClaimRecord, ConsolidationRun, FindabilityResult
    from commonplace.upkeep.consolidate.file_edits import ReviewItem
    from commonplace.upkeep.review.changes import AuditedWrite
    from commonplace.upkeep.review.listings import Learning, Tag
    from commonplace.upkeep.review.queue import ReviewDecision
    from commonplace.upkeep.scrub import ScanResult, ScrubResult
    from commonplace.upkeep.skills import Skill, SkillDryRun, SkillLibrary, SkillMatch
MAX_CHECKED_LINES = 200  # lines of one run that are asked for; of a longer one so many, evenly spread


class ConsolidateMixin(RecallMixin):
    """What turns captures into memory."""

    def consolidate(
        self, *, apply: bool = False, idle_minutes: int = 0, owner: str = "", now: str | None = None
    ) -> ConsolidationRun:
        """Plan what is worth keeping of what was captured since the last time, and with `apply` write it.

        Without it nothing is written. A session that went on within the last `idle_minutes` waits for the next time.
        `owner` is the name of who speaks where captures name nobody. It may be stopped at any point and run again.
        Raises LockBusy, SuspiciousLoss.
        """
        from commonplace.upkeep.consolidate import ConsolidateOptions, minutes_before, run_consolidation

        context = self._write_context(now)
        before = minutes_before(context.now, idle_minutes) if idle_minutes else ""
        done = run_consolidation(
            context,
            self._require_synced_index,
            ConsolidateOptions(apply, before, owner) if owner else ConsolidateOptions(apply, before),
        )
        if apply and done.plans:
            self._index_after_write()
        return done

    def findability(self, run: ConsolidationRun, *, now: str | None = None) -> tuple[FindabilityResult, ...]:
        """At which rank a question about each line of a run that was applied brings it back.

        The questions are made of the entities and the attribute, not of the line's own words; the next is asked where
        one fails. A line that none of them brings among the first ten comes with a warning. Of very many lines some
        are asked for, evenly spread.
        """
        if self._notes:  # what the index does not have yet it cannot find
            return ()
        kept = [one for plan in run.plans for one in plan.lines if not one.is_over]
        some = kept[:: -(-len(kept) // MAX_CHECKED_LINES) or 1]
        return tuple(found for one in some if (found := self._check_line_findability(one, now)) is not None)

    def _check_line_findability(self, claim: ClaimRecord, now: str | None) -> FindabilityResult | None:
        """The first question that brings a line back, else the first of all; None where there is nothing to ask."""
        from commonplace.upkeep.consolidate import FindabilityResult, findability_warning, make_questions, rank_in_hits

        tried: list[FindabilityResult] = []
        for question in make_questions(claim):
            hits = self.recall(question, k=10, evidence="none", scope=claim.scope, now=now, sync=False).hits
            rank = rank_in_hits(claim.id, [hit.record.id for hit in hits])
            warning = findability_warning(rank, question, claim.destination.path)
            tried.append(FindabilityResult(claim.id, question, rank, warning))
            if rank:
                return tried[-1]
        return tried[0] if tried else None

    def _require_synced_index(self) -> Index:
        """The index as the files are now; nothing is decided by one that is older. Raises LockBusy, SuspiciousLoss."""
        index = self._open_index()
        synchronise(index, self._sync_source())
        return index


LAST_CHANGE = "last"


class ReviewMixin(OpenWorkspace):
    """What a person decides and looks over."""

    def pending(self) -> tuple[ReviewItem, ...]:
        """What waits for a yes or no, in the order of the queue."""
        from commonplace.upkeep.review import queue

        return queue.read_queue(self.root)

    def evidence(self, item: ReviewItem) -> tuple[Record, ...]:
        """What was said where an item of the queue comes from, as far as it can be found."""
        index = self._synced_index()
        return tuple(record for source in item.sources if (record := index.find(source)) is not None)

    def approve(self, item_id: str, *, now: str | None = None) -> ReviewDecision:
        """Write what waits to its home, as the owner's own. Raises NotFound."""
        from commonplace.upkeep.review import queue

        decided = queue.approve_queued_item(self._write_context(now), item_id, self._synced_index())
        self._index_after_write()
        return decided

    def reject(self, item_id: str, *, now: str | None = None) -> ReviewDecision:
        """Take something off the queue for good: the same words are not proposed again. Raises NotFound."""
        from commonplace.upkeep.review import queue

        self._finish_interrupted()
        decided = queue.reject_queued_item(self._write_context(now), item_id)
        self._index_after_write()
        return decided

    def edit(self, item_id: str, text: str, *, now: str | None = None) -> ReviewDecision:
        """Change the words of what waits; it goes on waiting. Raises NotFound, BadArgument."""
        from commonplace.upkeep.review import queue

        self._finish_interrupted()
        return queue.edit_queued_item(self._write_context(now), item_id, text)

    def undo(self, change_id: str, *, now: str | None = None) -> str:
        """Put back what a change replaced, if its lines are as it left them; returns the path. `last` is the newest.

        Raises NotFound, and WriteConflict with the lines as they are now.
        """
        from commonplace.upkeep.review import changes

        self._finish_interrupted()
        path = changes.restore_replaced_lines(
            self.root, self._resolve_change_id(change_id), now=self._resolve_now(now)
        ).path
        self._index_after_write()
        return path

    def difference(self, change_id: str) -> tuple[str, ...]:
        """What the lines of a change were when it left them (`-`), and what stands there now (`+`). Raises NotFound."""
        from commonplace.upkeep.review import changes

        return changes.diff_change(self.root, self._resolve_change_id(change_id))

    def _resolve_change_id(self, change_id: str) -> str:
        if change_id != LAST_CHANGE:
            return change_id
        return next((write.change_id for write in self.audit(at_most=1)), LAST_CHANGE)

    def audit(self, *, since: str = "", at_most: int = 20, now: str | None = None) -> tuple[AuditedWrite, ...]:
        """What was written lately, newest first, by whom and from what; `since` is a time. Raises BadArgument."""
        from commonplace.model import Query
        from commonplace.retrieval.recall import build_record_filter
        from commonplace.upkeep.review.changes import audit_writes

        start = build_record_filter(Query(text="", now=self._resolve_now(now), since=since)).since
        return audit_writes(self._sync_source().journal, since=start, limit=require_result_count(at_most))

    def tags(self) -> tuple[Tag, ...]:
        """Every tag, most borne first."""
        from commonplace.upkeep.review.listings import list_tags

        return list_tags(self._synced_index())

    def tagged(self, name: str, *, at_most: int = 50) -> tuple[Record, ...]:
        """The newest records that bear a tag. Raises NotFound."""
        from commonplace.upkeep.review.listings import find_tagged_records

        return find_tagged_records(self._synced_index(), name, require_result_count(at_most))

    def learnings(self) -> tuple[Learning, ...]:
        """The lines of `.learnings/`, most repeated first."""
        from commonplace.upkeep.review.listings import read_learnings

        return read_learnings(self.root)


class SkillMixin(OpenWorkspace):
    """What the agent knows how to do."""

    def skills(self) -> SkillLibrary:
        """Every skill with its standing, and what is wrong with those that cannot be read."""
        from commonplace.upkeep.skills import read_skill_library

        return read_skill_library(self._sync_source().journal)

    def approve_skill(self, name: str, *, now: str | None = None) -> Skill:
        """Make a draft, as it stands with all edits, an active skill. Raises NotFound, BadArgument."""
        from commonplace.upkeep.skills import approve_skill

        self._finish_interrupted()
        return approve_skill(self._sync_source().journal, name, self._resolve_now(now))

    def reject_skill(self, name: str, *, now: str | None = None) -> str:
        """Put a skill into the archive for good; returns where it is now. Raises NotFound."""
        from commonplace.upkeep.skills import reject_skill

        self._finish_interrupted()
        return reject_skill(self._sync_source().journal, name, self._resolve_now(now))

    def match_skills(self, text: str, *, now: str | None = None) -> tuple[SkillMatch, ...]:
        """The active skills that a request calls for, best first, with reasons."""
        from commonplace.upkeep.skills import match_skills

        return match_skills(self.skills(), text, self._resolve_now(now))

    def dry_run_skill(self, name: str, values: Mapping[str, str]) -> SkillDryRun:
        """The steps of a skill with parameters filled in; runs nothing. Raises NotFound, BadArgument."""
        from commonplace.upkeep.skills import dry_run_skill

        return dry_run_skill(self.skills().find(name), values)


class ScrubMixin(OpenWorkspace):
    """What should never have been kept."""

    def scan(self, *, history: bool = True) -> ScanResult:
        """Every secret in the files, journals and names of the workspace and in its git history, each once."""
        from commonplace.upkeep.scrub import scan_workspace

        return scan_workspace(self._secret_scanner(may_create_key=False), history=history)

    def scrub(self, *, apply: bool = False, all_devices: bool = False, now: str | None = None) -> ScrubResult:
        """What would be taken out, or with `apply` is, and what is left for a person to do.

        `all_devices` rewrites journals that other devices write too. Nothing of it can be undone. The index is made
        anew. One that breaks off is finished at the next start. Raises LockBusy, WriteConflict.
        """
        from commonplace.upkeep.scrub import log_scrub_intent, scrub_workspace

        sync_source, moment = self._sync_source(now), self._resolve_now(now)
        if not apply:
            return scrub_workspace(
                self._secret_scanner(may_create_key=False), sync_source.journal, moment, all_devices=all_devices
            )
        self._finish_interrupted()
        scanner = self._secret_scanner(may_create_key=True)
        with log_scrub_intent(scanner, sync_source.device, moment, all_devices=all_devices):
            scrub_result = scrub_workspace(scanner, sync_source.journal, moment, apply=True, all_devices=all_devices)
            if scrub_result.replaced:
                self._replace_index()
        return scrub_result


class IndexMixin(OpenWorkspace):
    """What keeps the index in step and proves the promises."""

    def sync(self, *, force: bool = False, dry_run: bool = False) -> SyncResult:
        """Bring the index up to date with the files. Raises SuspiciousLoss (unless `force`), LockBusy,
        WorkspaceUnusable.

        What is forced, or only tried, looks at every file, whatever the system tells of changes.
        """
        was_there = self._index is not None or os.path.exists(self._index_path)
        index = self._open_index()
        if index.memory_only_error and not dry_run:
            index = self._retry_index_file(index)
        if index.memory_only_error and not dry_run:
            raise index.memory_only_error
        sync_source = self._sync_source(look=None if force or dry_run else self._incremental_sweep.sweep)
        changes = plan_sync(index, sync_source).changes if dry_run else synchronise(index, sync_source, force=force)
        if not was_there:  # opening it read everything
            changes = tuple(Change("added", path) for path in index.files())
        return self._build_sync_result(index, changes)

    def rebuild(self) -> SyncResult:
        """Make the index anew from the files and journals, beside the old one, and swap it in."""
        self.close()
        sync_source = self._sync_source()
        rebuild_index(self._index_path, lambda index: fill_index(index, sync_source))
        index = self._open_index()
        return self._build_sync_result(index, tuple(Change("added", path) for path in index.files()))

    def status(self) -> dict[str, str | int]:
        """What the workspace holds, by name."""
        index = self._synced_index()
        at, size = (
            ("in memory", 0) if index.memory_only_error else (self._index_path, os.stat(self._index_path).st_size)
        )
        return {"workspace": self.root, "index": at, "index_bytes": size, **index.counts()}

    def check(self) -> Health:
        """Run the health checks; what they find are values, never errors."""
        from commonplace.upkeep.checks import CheckSubject, run_checks

        index = self._synced_index()
        return run_checks(
            CheckSubject(
                self.root,
                index,
                self._sync_source().journal,
                self._dump_rebuilt_index,
                self.settings.files_max_bytes,
                self._notes,
                self._index_path,
            )
        )

    def dump(self) -> list[str]:
        """The index in a canonical form, one line an item: equal notebooks dump equally."""
        return self._synced_index().dump()

    def _dump_rebuilt_index(self) -> list[str]:
        """The canonical dump of an index made anew, which is thrown away."""
        import tempfile

        sync_source = self._sync_source()
        with tempfile.TemporaryDirectory(prefix="commonplace-") as folder:
            fresh = open_index(f"{folder}/index.sqlite", lambda index: fill_index(index, sync_source))
            dump = fresh.dump()
            fresh.close()
        return dump

    def _build_sync_result(self, index: Index, changes: tuple[Change, ...]) -> SyncResult:
        record_count = index.corpus_size()[0] - index.capture_count()
        return SyncResult(changes, len(index.files()), record_count, index.problems())
