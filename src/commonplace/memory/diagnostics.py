"""The diagnostic methods of Memory: why a line is or is not found or packed, golden questions, receipts compared."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound
from commonplace.memory.open_workspace import require_result_count
from commonplace.memory.recall import QUERY_LANGUAGES, BrowseMixin, RecallMixin, with_pack_hit_count
from commonplace.model import Problem
from commonplace.retrieval.recall import trace_recall
from commonplace.storage import files

if TYPE_CHECKING:
    from commonplace.model import Hits, Pack, Receipt, ReceiptEntry
    from commonplace.retrieval.pack.receipt import ReceiptComparison
    from commonplace.retrieval.recall.explain import Counterfactual, RecallExplanation
    from commonplace.retrieval.recall.why_not import WhyNot
    from commonplace.upkeep.review.golden_questions import AnswerTarget, GoldenQuestions, Question, QuestionResult
MAX_ADVISED_BUDGET_TOKENS = 65_536  # tokens; a larger pack is no advice
NOT_RECALL_ARGUMENTS = ("text", "budget_tokens", "automatic", "session")  # of recall
BUDGET_STEP_TOKENS = 10  # tokens, to which the smallest budget is told


class ExplainMixin(RecallMixin, BrowseMixin):
    """Why, and why not."""

    def explain(self, text: str, **query: Any) -> RecallExplanation:
        """The same hits as `recall` with these keyword arguments, and how each score is made. Raises BadArgument."""
        from commonplace.retrieval.recall.explain import explain_recall

        hits = self.recall(text, **query)
        with (index := self._open_index()).snapshot():
            trace = trace_recall(index, hits.query, QUERY_LANGUAGES, vectors=self._recall_vectors())
        return structs.replace(explain_recall(trace), hits=hits)

    def why_not(
        self,
        text: str,
        reference: str,
        *,
        budget_tokens: int | None = None,
        automatic: bool = False,
        session: str = "",
        **query: Any,
    ) -> WhyNot:
        """What every stage of a recall did with a line (`PATH#L12`, a record's or a capture's id). Writes nothing.

        `query` takes the keyword arguments of `recall`. With a budget the last stage is the pack that `pack` would make
        with it, `automatic` or not, in this `session`. Each change that is told was tried. Raises BadArgument.
        """
        if "~" in reference.rpartition("#L")[2]:  # a citation with an anchor
            view = self.show(reference)
            reference = f"{view.path}#L{view.line_start}"
        if budget_tokens is None:
            if automatic:
                raise BadArgument("only packs are automatic", hint="say with which budget: --budget 1200")
            return self._diagnose(self.recall(text, **query), reference)
        if budget_tokens < 0:
            raise BadArgument(f"the budget must not be negative: {budget_tokens}")
        choices = {"text": text, "budget_tokens": budget_tokens, "automatic": automatic, "session": session}
        choices |= with_pack_hit_count(query)
        hits = self._recall_for_pack(choices)
        told = self._diagnose(hits, reference)
        return told if told.record is None else self._add_pack_stage(told, hits, choices)

    def _diagnose(self, hits: Hits, reference: str) -> WhyNot:
        """What the recall of these hits did with a line."""
        from commonplace.retrieval.recall.why_not import why_not

        with (index := self._open_index()).snapshot():
            trace = trace_recall(index, hits.query, QUERY_LANGUAGES, vectors=self._recall_vectors())
            return why_not(trace, reference, read=self._sync_source().read)

    def _add_pack_stage(self, why_not: WhyNot, hits: Hits, choices: dict[str, Any]) -> WhyNot:
        from commonplace.retrieval.recall.why_not import Stage

        record_id = why_not.record.id if why_not.record else ""
        packed, considered = self._preview_pack(hits, choices)
        mine = [entry for entry in considered if entry.record_id == record_id]
        taken = next((entry for entry in mine if entry.included), None)
        stage = Stage("pack", taken is not None, _describe_pack_outcome(packed, taken or next(iter(mine), None), hits))
        if taken is not None:
            place = [item.record_id for item in packed.items].index(record_id) + 1
            return structs.replace(why_not, stages=(*why_not.stages, stage), rank=place, changes=())
        changes = self._find_packing_changes(record_id, hits, choices, why_not.changes)
        return structs.replace(why_not, stages=(*why_not.stages, stage), rank=0, changes=changes)

    def _find_packing_changes(
        self, record_id: str, hits: Hits, choices: dict[str, Any], changes: tuple[Counterfactual, ...]
    ) -> tuple[Counterfactual, ...]:
        """The changes that bring the record into the pack, each tried: a larger budget, an explicit pack, or what
        shows it in recall, then with as large a budget as it needs."""
        from commonplace.retrieval.recall.explain import Counterfactual

        tried: list[dict[str, Any]] = [{}]
        tried += [{"automatic": False}] if choices["automatic"] else []
        tried += [change.arguments for change in changes if "k" not in change.arguments]
        words = {str(change.arguments.get("text", "")): change.word for change in changes}
        found: list[Counterfactual] = []
        for one in tried:
            changed = self._recall_for_pack({**choices, **one}) if one else hits
            place, budget = self._find_min_budget(record_id, changed, {**choices, **one})
            if place:
                more = {"budget_tokens": budget} if budget > choices["budget_tokens"] else {}
                found.append(Counterfactual({**one, **more}, place, words.get(str(one.get("text", "")), "")))
        return tuple(found)

    def _find_min_budget(self, record_id: str, hits: Hits, choices: dict[str, Any]) -> tuple[int, int]:
        """The place that a record gets in a pack of the least budget, not less than that given, that holds it."""

        def rank_at(budget_tokens: int) -> int:
            items = self._preview_pack(hits, {**choices, "budget_tokens": budget_tokens})[0].items
            return next((n for n, item in enumerate(items, 1) if item.record_id == record_id), 0)

        low = choices["budget_tokens"]
        if rank_at(low):
            return rank_at(low), low
        high = max(low, BUDGET_STEP_TOKENS)
        while not rank_at(high):
            low, high = high, high * 2
            if high > MAX_ADVISED_BUDGET_TOKENS:
                return 0, 0
        while high - low > BUDGET_STEP_TOKENS:
            middle = (low + high) // 2
            low, high = (low, middle) if rank_at(middle) else (middle, high)
        rounded = -(-high // BUDGET_STEP_TOKENS) * BUDGET_STEP_TOKENS
        return (rank_at(rounded), rounded) if rank_at(rounded) else (rank_at(high), high)

    def _preview_pack(self, hits: Hits, choices: dict[str, Any]) -> tuple[Pack, tuple[ReceiptEntry, ...]]:
        from commonplace.retrieval.pack.pipeline import ActiveTask, PackSpec, preview_pack

        automatic = choices["automatic"]
        task = self._active_task(choices["session"], hits.query.now) if automatic else ActiveTask()
        pack_spec = PackSpec(self.settings, choices["budget_tokens"], automatic, self.root, task=task)
        return preview_pack(self._open_index(), hits, pack_spec)

    def _recall_for_pack(self, choices: dict[str, Any]) -> Hits:
        """The hits that a pack would choose from."""
        asked = {name: value for name, value in choices.items() if name not in NOT_RECALL_ARGUMENTS}
        hits = self.recall(choices["text"], **asked)
        return (
            self._fill_with_packable_hits(hits, asked)
            if choices["automatic"] and not self.settings.pack_untrusted
            else hits
        )


def _describe_pack_outcome(packed: Pack, entry: ReceiptEntry | None, hits: Hits) -> str:
    if entry is None:
        return f"not among the {len(hits.hits)} hits that the pack chose from"
    if entry.included:
        return f"{entry.reason} with {entry.tokens} tokens; the pack has {packed.tokens} of {packed.budget_tokens}"
    return (
        f"{entry.reason}: the pack has {packed.tokens} of {packed.budget_tokens} tokens and {len(packed.items)} lines"
    )


GOLDEN_PATH = "memory/golden.md"
GOLDEN_RANKS_PATH = ".memory/golden.json"
MAX_GOLDEN_BYTES = 10_000_000
LAST_RECEIPT_PREFIX = "last~"
BAD_QUESTION = "bad-question"


class GoldenResult(Struct, frozen=True):
    """What a file of questions came to: each question judged, what could not be read, whether ranks were remembered."""

    path: str
    question_results: tuple[QuestionResult, ...]
    problems: tuple[Problem, ...] = ()
    is_updated: bool = False

    @property
    def missing(self) -> int:
        """How many questions lack something that they must find."""
        return sum(not judgement.rank for judgement in self.question_results)

    @property
    def is_passed(self) -> bool:
        """Whether every question could be read and finds everything."""
        return not self.missing and all(problem.code != BAD_QUESTION for problem in self.problems)


class GoldenMixin(RecallMixin, BrowseMixin):
    """What proves that recall finds what a person needs."""

    def golden(
        self, path: str = GOLDEN_PATH, *, k: int | None = None, update: bool = False, now: str | None = None
    ) -> GoldenResult:
        """Ask every question of a file and look at which rank what it expects is found; `docs/guides/testing.md`.

        A question's own `k`, `now` and `scope` go before those given here and in the settings. With `update` the ranks
        are remembered, and later runs say what became better or worse. Raises NotFound, BadArgument.
        """
        from commonplace.upkeep.review.golden_questions import compare_ranks

        wanted = require_result_count(self.settings.recall_k if k is None else k, "k")
        known = _RankStore(self.root, self._resolve_golden_path(path))
        golden = self._read_golden_file(path)
        problems = [*golden.problems, *known.problems, *_recalled_questions_problem(self.root, path)]
        judged: list[QuestionResult] = []
        self._synced_index()
        for question in golden.questions:
            one = self._ask_question(path, question, wanted, now)
            if isinstance(one, Problem):
                problems.append(one)
                continue
            before = known.ranks.get(question.key)
            said = compare_ranks(one.rank, before) if known.ranks else ""
            judged.append(structs.replace(one, before=before, verdict=said))
        if update:
            known.save_ranks({judgement.question.key: judgement.rank for judgement in judged})
        problems.sort(key=lambda problem: problem.line)
        return GoldenResult(path, tuple(judged), tuple(problems), update)

    def diff_receipts(self, before: str = "last~1", after: str = "last") -> ReceiptComparison:
        """Two receipts side by side, by id, `last`, or `last~1` for the one before it. Raises NotFound, BadArgument."""
        from commonplace.retrieval.pack.receipt import compare_receipts

        return compare_receipts(self._resolve_receipt(before), self._resolve_receipt(after))

    def _resolve_receipt(self, name: str) -> Receipt:
        back = name.removeprefix(LAST_RECEIPT_PREFIX)
        if back == name:
            return self.receipt(name)
        if not back.isdecimal() or len(back) > len("999999"):
            raise BadArgument(f"{name!r} names no receipt", hint="say last, last~1, or the id of a receipt")
        from commonplace.storage import receipts

        known = receipts.read_receipts(self.root).receipts
        if int(back) >= len(known):
            missing = NotFound("receipt", name)
            missing.hint = f"there are {len(known)}; every `pack` leaves one"
            raise missing
        return known[-1 - int(back)]

    def _ask_question(self, path: str, question: Question, k: int, now: str | None) -> QuestionResult | Problem:
        """The question asked and judged, or why it could not be asked."""
        from commonplace.upkeep.review.golden_questions import ANY_SCOPE, rank_expectations, resolve_anchors

        k = question.k or k
        anywhere = question.scope == ANY_SCOPE
        scope = None if anywhere or not question.scope else question.scope
        try:
            moment = question.now or now
            today = resolve_anchors(question, self._resolve_citation)
            hits = self.recall(question.text, k=k, scope=scope, all_scopes=anywhere, now=moment, sync=False)
        except (BadArgument, NotFound) as error:
            return Problem(BAD_QUESTION, f"this cannot be asked: {error.message}", path, question.line, error.hint)
        return structs.replace(rank_expectations(today, (*hits.hits, *hits.candidates), k), question=question)

    def _resolve_citation(self, reference: str) -> AnswerTarget:
        """The lines that an anchored citation means today. Raises NotFound."""
        from commonplace.upkeep.review.golden_questions import AnswerTarget

        view = self.show(reference)
        return AnswerTarget("citation", view.path, view.line_start, view.line_end)

    def _read_golden_file(self, path: str) -> GoldenQuestions:
        from commonplace.upkeep.review.golden_questions import parse_golden_questions

        real = self._resolve_golden_path(path)
        try:
            with files.open_user_file(real) as (file, _identity):
                data = file.read(MAX_GOLDEN_BYTES + 1)
        except NotFound:
            missing = NotFound("file of questions", path)
            missing.hint = f"write {GOLDEN_PATH}: `## a question?`, and below it `- path.md#L12` for what must be found"
            raise missing from None
        if len(data) > MAX_GOLDEN_BYTES:
            raise BadArgument(f"{path!r} has more than {MAX_GOLDEN_BYTES} bytes")
        return parse_golden_questions(path, data)

    def _resolve_golden_path(self, path: str) -> str:
        """The file below the notebook, else as the shell would find it."""
        inside = os.path.join(self.root, path)
        return os.path.realpath(inside if os.path.exists(inside) else path)


class _RankStore:
    """The ranks that were remembered for a file: by the digest of a question, never its text."""

    def __init__(self, root: str, path: str) -> None:
        self.root, self.file_key = (
            root,
            files.content_digest(os.path.relpath(path, root).encode("utf-8", "surrogateescape")),
        )
        self.problems: tuple[Problem, ...] = ()
        self.ranks_by_file: dict[str, dict[str, int]] = {}
        data = files.read_file_if_exists(root, GOLDEN_RANKS_PATH, MAX_GOLDEN_BYTES)
        try:
            self.ranks_by_file = msgspec.json.decode(data, type=_RankFile).ranks if data else {}
        except msgspec.DecodeError:
            message = "the remembered ranks cannot be read"
            self.problems = (Problem("bad-ranks", message, GOLDEN_RANKS_PATH, hint="`--update` writes them anew"),)

    @property
    def ranks(self) -> dict[str, int]:
        """Those of this file; empty if none were remembered."""
        return self.ranks_by_file.get(self.file_key, {})

    def save_ranks(self, ranks: dict[str, int]) -> None:
        """Replace those of this file; other files keep theirs."""
        data: dict[str, Any] = {"v": 1, "ranks": {**self.ranks_by_file, self.file_key: ranks}}
        files.write_atomic(self.root, GOLDEN_RANKS_PATH, msgspec.json.encode(data), mode=0o600)


class _RankFile(Struct, frozen=True):
    """The shape of `.memory/golden.json`."""

    ranks: dict[str, dict[str, int]]


def _recalled_questions_problem(root: str, path: str) -> tuple[Problem, ...]:
    """A file of questions among the notes is recalled itself, and then stands among the hits of its own questions."""
    from commonplace.storage.workspace.paths import is_golden_path

    inside = not os.path.isabs(path) and os.path.isfile(os.path.join(root, path))
    if not inside or is_golden_path(os.path.normpath(path)) or not path.lower().endswith(".md"):
        return ()
    hint = f"move it to {GOLDEN_PATH} or into memory/golden/"
    return (Problem("golden-recalled", "these questions are recalled as notes", path, hint=hint),)
