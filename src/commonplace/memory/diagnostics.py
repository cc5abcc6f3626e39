"""Explain why a line is found, packed or missing; run golden questions; compare receipts."""

from __future__ import annotations

import os
from bisect import bisect_left
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, Literal

import msgspec
from msgspec import Struct, structs

from commonplace.errors import BadArgument, LockBusy, NotFound, WorkspaceUnusable
from commonplace.memory import recall as outputs
from commonplace.memory.open_workspace import OpenWorkspace, require_result_count, require_skip, shared_fields
from commonplace.model import Health, Hits, Pack, Problem, Query, Receipt, ReceiptEntry
from commonplace.operations import parameters
from commonplace.retrieval import pack, recall
from commonplace.storage import config, files, receipts
from commonplace.storage.settings import MAIN_SETTINGS, SETTINGS, Setting, Settings, SettingType
from commonplace.upkeep import merge, review

MAX_ADVISED_BUDGET_TOKENS = 65_536  # tokens; a larger pack is no advice
GOLDEN_PATH = "memory/golden.md"
GOLDEN_RANKS_PATH = ".memory/golden.json"
MAX_GOLDEN_BYTES = 10_000_000
LAST_RECEIPT_PREFIX = "last~"
BAD_QUESTION = "bad-question"
BUDGET_STEP_TOKENS = 10  # tokens, to which the smallest budget is told


def explain_missing_line(workspace: OpenWorkspace, request: parameters.WhyNotRequest) -> recall.WhyNot:
    """Explain what each stage of a recall did with a line (`PATH#L12`, or the id of a record or capture). Writes
    nothing.

    With a budget the last stage is the pack that `pack` would make with it, `automatic` or not, in this `session`. Each
    change that is suggested was tried. Raises BadArgument.
    """
    if "~" in request.reference.rpartition("#L")[2]:  # a citation with an anchor
        view = outputs.show_lines(workspace, parameters.ShowRequest(request.reference))
        request = structs.replace(request, reference=f"{view.path}#L{view.line_start}")
    if request.budget_tokens is None:
        if request.automatic:
            raise BadArgument("only packs are automatic", hint="say with which budget: --budget 1200")
        return _diagnose_line(workspace, request, request.reference)
    outputs.require_budget(request.budget_tokens)
    pack_request = parameters.PackRequest(**shared_fields(request, parameters.PackRequest))
    hits = outputs.recall_for_pack(workspace, pack_request)
    same_query = structs.replace(pack_request, k=hits.query.k, now=hits.query.now)
    report = _diagnose_line(workspace, same_query, request.reference)
    return report if report.record is None else _add_pack_stage(workspace, report, hits, pack_request)


def _diagnose_line(workspace: OpenWorkspace, request: parameters.RecallRequest, reference: str) -> recall.WhyNot:
    """Trace the recall of a request and explain what it did with a line."""
    index = workspace.synced_index() if request.sync else workspace.open_index()
    with index.snapshot():
        trace = outputs.trace_request(workspace, structs.replace(request, sync=False))
        return recall.why_not(trace, reference, read=workspace.sync_source().read)


def _add_pack_stage(
    workspace: OpenWorkspace, report: recall.WhyNot, hits: Hits, request: parameters.PackRequest
) -> recall.WhyNot:
    record_id = report.record.id if report.record else ""
    packed, considered = _preview_pack(workspace, hits, request)
    mine = [entry for entry in considered if entry.record_id == record_id]
    taken = next((entry for entry in mine if entry.included), None)
    stage = recall.Stage(
        "pack", taken is not None, _describe_pack_outcome(packed, taken or next(iter(mine), None), hits)
    )
    stages = (*report.stages, stage)
    if taken is not None:
        rank = [item.record_id for item in packed.items].index(record_id) + 1
        return structs.replace(report, stages=stages, rank=rank, changes=())
    changes = _find_packing_changes(workspace, report, hits, request)
    return structs.replace(report, stages=stages, rank=0, changes=changes)


def _find_packing_changes(
    workspace: OpenWorkspace, report: recall.WhyNot, hits: Hits, request: parameters.PackRequest
) -> tuple[recall.Counterfactual, ...]:
    """The changes that would put the record into the pack, each tried: a larger budget, an explicit pack, or a change
    that shows it in recall, with as large a budget as it needs."""
    record_id = report.record.id if report.record else ""
    tried: list[recall.RecallArguments] = [{}]
    tried += [{"automatic": False}] if request.automatic else []
    tried += [change.arguments for change in report.changes if "k" not in change.arguments]
    words = {str(change.arguments.get("text", "")): change.word for change in report.changes}
    budget_tokens = request.budget_tokens or 0
    changes: list[recall.Counterfactual] = []
    for arguments in tried:
        changed = structs.replace(request, **arguments)
        changed_hits = outputs.recall_for_pack(workspace, changed) if arguments else hits
        rank, budget = _find_min_budget(workspace, record_id, changed_hits, changed)
        if rank:
            more = {"budget_tokens": budget} if budget > budget_tokens else {}
            word = words.get(str(arguments.get("text", "")), "")
            changes.append(recall.Counterfactual({**arguments, **more}, rank, word))
    return tuple(changes)


def _find_min_budget(
    workspace: OpenWorkspace, record_id: str, hits: Hits, request: parameters.PackRequest
) -> tuple[int, int]:
    """The rank of a record in a pack of the smallest budget that contains it, at least the given one."""

    def rank_at(budget_tokens: int) -> int:
        items = _preview_pack(workspace, hits, structs.replace(request, budget_tokens=budget_tokens))[0].items
        return next((n for n, item in enumerate(items, 1) if item.record_id == record_id), 0)

    given = request.budget_tokens or 0
    if rank := rank_at(given):
        return rank, given
    first = (given // BUDGET_STEP_TOKENS + 1) * BUDGET_STEP_TOKENS
    budgets = range(first, MAX_ADVISED_BUDGET_TOKENS + 1, BUDGET_STEP_TOKENS)
    place = bisect_left(budgets, True, key=lambda budget_tokens: rank_at(budget_tokens) > 0)
    return (rank_at(budgets[place]), budgets[place]) if place < len(budgets) else (0, 0)


def _preview_pack(
    workspace: OpenWorkspace, hits: Hits, request: parameters.PackRequest
) -> tuple[Pack, tuple[ReceiptEntry, ...]]:
    return pack.preview_pack(workspace.open_index(), hits, outputs.build_pack_spec(workspace, request, hits.query.now))


def _describe_pack_outcome(packed: Pack, entry: ReceiptEntry | None, hits: Hits) -> str:
    if entry is None:
        return f"not among the {len(hits.hits)} hits that the pack chose from"
    if entry.included:
        return f"{entry.reason} with {entry.tokens} tokens; the pack has {packed.tokens} of {packed.budget_tokens}"
    taken = f"{packed.tokens} of {packed.budget_tokens} tokens and {len(packed.items)} lines"
    return f"{entry.reason}: the pack has {taken}"


class GoldenResult(Struct, frozen=True):
    """The result of a file of questions: each question with its outcome, what could not be read, and whether ranks were
    stored."""

    path: str
    question_results: tuple[review.QuestionResult, ...]
    problems: tuple[Problem, ...] = ()
    is_updated: bool = False

    @property
    def missing(self) -> int:
        """The number of questions that lack an expected hit."""
        return sum(not judgement.rank for judgement in self.question_results)

    @property
    def is_passed(self) -> bool:
        """Whether every question could be read and finds everything."""
        return not self.missing and all(problem.code != BAD_QUESTION for problem in self.problems)


def run_golden_questions(workspace: OpenWorkspace, request: parameters.GoldenRequest) -> GoldenResult:
    """Run every question of a file and find the rank of what it expects; see `docs/guides/testing.md`.

    A question's own `k`, `now` and `scope` take precedence over those given here and in the settings. With `update` the
    ranks are stored, and later runs report what became better or worse. Raises NotFound, BadArgument.
    """
    path = request.path
    result_count = workspace.settings.recall_k if request.k is None else request.k
    request = structs.replace(request, k=require_result_count(result_count, "k"))
    inside, (ranks_by_file, problems) = os.path.join(workspace.root, path), _read_ranks(workspace.root)
    resolved = os.path.realpath(inside if os.path.exists(inside) else path)  # else as the shell would find it
    file_key = files.content_digest(os.path.relpath(resolved, workspace.root).encode("utf-8", "surrogateescape"))
    stored = ranks_by_file.get(file_key, {})
    try:
        with files.open_user_file(resolved) as (file, _identity):
            data = file.read(MAX_GOLDEN_BYTES + 1)
    except NotFound:
        missing = NotFound("file of questions", path)
        missing.hint = f"write {GOLDEN_PATH}: `## a question?`, and below it `- path.md#L12` for what must be found"
        raise missing from None
    if len(data) > MAX_GOLDEN_BYTES:
        raise BadArgument(f"{path!r} has more than {MAX_GOLDEN_BYTES} bytes")
    golden = review.parse_golden_questions(path, data)
    problems = [*golden.problems, *problems, *_recalled_questions_problem(workspace.root, path)]
    results: list[review.QuestionResult] = []
    workspace.synced_index()
    for question in golden.questions:
        result = _ask_question(workspace, question, request)
        if isinstance(result, Problem):
            problems.append(result)
            continue
        before = stored.get(question.key)
        verdict = review.compare_ranks(result.rank, before) if stored else ""
        results.append(structs.replace(result, before=before, verdict=verdict))
    if request.update:
        ranks = ranks_by_file | {file_key: {result.question.key: result.rank for result in results}}
        files.write_atomic(workspace.root, GOLDEN_RANKS_PATH, msgspec.json.encode({"v": 1, "ranks": ranks}), mode=0o600)
    problems.sort(key=lambda problem: problem.line)
    return GoldenResult(path, tuple(results), tuple(problems), request.update)


def _ask_question(
    workspace: OpenWorkspace, question: review.Question, request: parameters.GoldenRequest
) -> review.QuestionResult | Problem:
    """The result of a question, or the reason why it could not be run."""
    anywhere = question.scope == review.ANY_SCOPE
    recall_request = parameters.RecallRequest(
        question.text,
        k=question.k or request.k,
        scope=None if anywhere or not question.scope else question.scope,
        all_scopes=anywhere,
        now=question.now or request.now,
        sync=False,
    )
    try:
        today = review.resolve_anchors(question, partial(_resolve_citation, workspace))
        hits = outputs.recall_records(workspace, recall_request)
    except (BadArgument, NotFound) as error:
        message = f"this cannot be asked: {error.message}"
        return Problem(BAD_QUESTION, message, request.path, question.line, error.hint)
    ranked = review.rank_expectations(today, (*hits.hits, *hits.candidates), recall_request.k or 0)
    return structs.replace(ranked, question=question)


def _resolve_citation(workspace: OpenWorkspace, reference: str) -> review.AnswerTarget:
    """The lines that an anchored citation means today. Raises NotFound."""
    view = outputs.show_lines(workspace, parameters.ShowRequest(reference))
    return review.AnswerTarget("citation", view.path, view.line_start, view.line_end)


class _StoredRanks(Struct, frozen=True):
    """The shape of `.memory/golden.json`: the ranks of each file by the digest of a question, never its text."""

    ranks: dict[str, dict[str, int]]


def _read_ranks(root: str) -> tuple[dict[str, dict[str, int]], list[Problem]]:
    data = files.read_file_if_exists(root, GOLDEN_RANKS_PATH, MAX_GOLDEN_BYTES)
    try:
        return (msgspec.json.decode(data, type=_StoredRanks).ranks if data else {}), []
    except msgspec.DecodeError:
        message = "the remembered ranks cannot be read"
        return {}, [Problem("bad-ranks", message, GOLDEN_RANKS_PATH, hint="`--update` writes them anew")]


def _recalled_questions_problem(root: str, path: str) -> tuple[Problem, ...]:
    """The problem with a file of questions among the notes: it would be recalled itself, among the hits of its own
    questions."""
    from commonplace.storage.workspace import is_golden_path

    inside = not os.path.isabs(path) and os.path.isfile(os.path.join(root, path))
    if not inside or is_golden_path(os.path.normpath(path)) or not path.lower().endswith(".md"):
        return ()
    hint = f"move it to {GOLDEN_PATH} or into memory/golden/"
    return (Problem("golden-recalled", "these questions are recalled as notes", path, hint=hint),)


def compare_two_receipts(
    workspace: OpenWorkspace, request: parameters.CompareReceiptsRequest
) -> pack.ReceiptComparison:
    """Two receipts side by side, by id, `last`, or `last~1` for the one before it. Raises NotFound, BadArgument."""
    return pack.compare_receipts(resolve_receipt(workspace, request.before), resolve_receipt(workspace, request.after))


def list_receipts(workspace: OpenWorkspace, request: parameters.ReceiptsRequest) -> tuple[Receipt, ...]:
    """The receipts of packs, newest first, up to a day or time; files of later days are not read. Raises
    BadArgument."""
    period = Query(text="", now=workspace.resolve_now(request.now), until=request.until)
    until = recall.build_record_filter(period).until
    newest = receipts.read_newest_receipts(workspace.root, until=until)
    skip, limit = require_skip(request.skip), require_result_count(request.at_most)
    return tuple(islice(newest, skip, skip + limit))


class SettingValue(Struct, frozen=True):
    """A setting as the reference describes it, with its value, and whether that is the default, or from the settings
    file or the environment; `is_main` of those that the reference lists first."""

    key: str
    type: SettingType
    purpose: str
    value: Any
    default: Any
    source: Literal["default", "file", "environment"]
    is_main: bool


def list_settings(workspace: OpenWorkspace) -> tuple[SettingValue, ...]:
    """Every setting with its value as the files and the environment have it now. Raises BadSettings."""
    settings, defaults = config.read_settings(workspace.root), Settings()
    in_file, device = config.configured_keys(workspace.root), workspace.environment.device

    def describe(setting: Setting) -> SettingValue:
        values = (getattr(one, setting.field) for one in (settings, defaults))
        value, default = (msgspec.to_builtins(one) for one in values)
        source: Literal["default", "file", "environment"] = "file" if setting.key in in_file else "default"
        if setting.key == "device" and device:
            value, source = device, "environment"
        is_main = setting.key in MAIN_SETTINGS
        return SettingValue(setting.key, setting.type, setting.purpose, value, default, source, is_main)

    return tuple(map(describe, SETTINGS))


def resolve_receipt(workspace: OpenWorkspace, name: str) -> Receipt:
    """The receipt of this id, the last one, or one before it (`last~1`). Raises NotFound, BadArgument."""
    back = name.removeprefix(LAST_RECEIPT_PREFIX)
    if back == name:
        return outputs.get_receipt(workspace, parameters.ReceiptRequest(name))
    if not back.isdecimal() or len(back) > len("999999"):
        raise BadArgument(f"{name!r} names no receipt", hint="say last, last~1, or the id of a receipt")
    stored = receipts.read_receipts(workspace.root).receipts
    if int(back) >= len(stored):
        missing = NotFound("receipt", name)
        missing.hint = f"there are {len(stored)}; every `pack` leaves one"
        raise missing
    return stored[-1 - int(back)]


def note_reported(workspace: OpenWorkspace, health: Health) -> None:
    """Record in the ledger what is to be reported only once; where that cannot be written, it is reported again."""
    if any(problem.code == merge.SHARED_NAME_CODE for problem in health.problems):
        with suppress(LockBusy, WorkspaceUnusable):
            merge.note_shared_names(workspace.sync_source().journal, workspace.resolve_now(None))
