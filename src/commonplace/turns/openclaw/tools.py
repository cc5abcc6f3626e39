"""Answers the tools that the model of OpenClaw may call, limited to what the caller may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from commonplace.capture.imports import strip_envelope
from commonplace.errors import BadArgument, CommonplaceError, NotFound, OutsideWorkspace
from commonplace.language.text import sanitize_line
from commonplace.operations.parameters import ProposeForgetRequest
from commonplace.retrieval.pack import quote_line, record_prefix
from commonplace.retrieval.recall import JOURNAL_FOLDER
from commonplace.turns import ToolAnswer
from commonplace.turns.openclaw import messages
from commonplace.turns.openclaw.conversation import (
    find_agent_refusal,
    find_display_refusal,
    find_turn_refusal,
    is_stranger,
    parse_conversation,
    parse_plugin_options,
    resolve_conversation_scope,
    sees_shared,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from commonplace.memory import Memory
    from commonplace.model import Evidence, Hit, Trust, View
    from commonplace.operations.parameters import HookCall
    from commonplace.shapes import Json
    from commonplace.turns.openclaw.conversation import Conversation, OpenClawOptions
ORIGIN_CLASSES: dict[Trust, str] = {"trusted": "owner", "unknown": "agent"}  # of all others `untrusted`
CORPUS_EVIDENCE: dict[str, Evidence] = {"memory": "none", "sessions": "only"}
MAX_RESULTS = 50
MAX_LINES = 400
MAX_SNIPPET_CHARS = 700  # characters
OUTSIDE_TURN_KINDS = ("hook", "inter_session")  # turns that begin with words of others
FLUSH_TURN = "memory"  # the silent turn before a compaction, of a conversation that was captured
FOREIGN_SCOPE_PREFIXES = ("agent:", "chat:")  # begins the scope of what was said to another agent, and elsewhere


class RecallToolInput(Struct, frozen=True, rename="camel"):
    """`commonplace_recall`."""

    query: str
    budget_tokens: int | None = None


class RetainToolInput(Struct, frozen=True, rename="camel"):
    """`commonplace_retain`."""

    text: str
    replaces: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()  # its name in earlier versions of the plugin


class ForgetToolInput(Struct, frozen=True, rename="camel"):
    """`commonplace_forget`."""

    references: tuple[str, ...]


class WhyToolInput(Struct, frozen=True, rename="camel"):
    """`commonplace_why`."""

    receipt: str = "last"
    record: str | None = None


class SearchToolInput(Struct, frozen=True, rename="camel"):
    """`memory_search`, and a search by way of the host's own."""

    query: str
    max_results: int = 6
    min_score: float = 0.0
    corpus: str = "all"


class ReadToolInput(Struct, frozen=True, rename="camel"):
    """The input of `memory_get`, and of reads made by the host's own memory tool."""

    path: str
    from_: int = msgspec.field(default=1, name="from")
    lines: int = 60
    corpus: str = "all"


class ToolRequest(Struct, frozen=True):
    """A call: the memory, what it is called with, and who asks where."""

    memory: Memory
    params: Any
    conversation: Conversation
    options: OpenClawOptions
    message: str = ""  # which is answered, as the host has it

    @property
    def is_from_others(self) -> bool:
        """Whether somebody other than the owner is answered, or words of others began the turn."""
        is_anybody = self.conversation.chat == "group" and self.conversation.is_owner is not True
        is_foreign = is_anybody or is_stranger(self.conversation, self.options)
        return is_foreign or self.conversation.turn_kind in OUTSIDE_TURN_KINDS

    @property
    def scope(self) -> str:
        """The scope of what is searched and stored."""
        return resolve_conversation_scope(self.conversation, self.options)

    @property
    def shared(self) -> bool:
        """Whether lines without a scope are searched too."""
        return sees_shared(self.conversation, self.options)

    def can_see(self, scope: str) -> bool:
        """Whether lines of a scope are shown here: those that a search finds; in private, of any project."""
        if not self.shared:
            return scope == self.scope
        is_free = self.conversation.chat == "private" and not scope.startswith(FOREIGN_SCOPE_PREFIXES)
        return scope in ("", self.scope) or is_free


def tool(memory: Memory, hook_call: HookCall) -> ToolAnswer:
    """The answer to a call of `event.name` with `event.params`. Raises BadArgument for a tool that there is not."""
    options = parse_plugin_options(hook_call.options)
    conversation = parse_conversation(hook_call.context, memory.root)
    name = hook_call.event.get("name")
    if not isinstance(name, str) or name not in TOOL_HANDLERS:
        raise BadArgument(f"there is no tool {name!r}", hint=f"there are {', '.join(TOOL_HANDLERS)}")
    params, answer = TOOL_HANDLERS[name]
    why = find_agent_refusal(conversation, options) or find_display_refusal(conversation, options)
    if why:
        return ToolAnswer(f"Memory was not asked: {why}.", {"results": [], "disabled": True, "error": why}, why)
    try:
        arguments = msgspec.convert(hook_call.event.get("params") or {}, params)
        message = str(hook_call.event.get("message") or "")
        return answer(ToolRequest(memory, arguments, conversation, options, message))
    except msgspec.ValidationError as error:
        return ToolAnswer(f"That cannot be asked of memory: {error}", {"error": str(error)}, str(error))
    except CommonplaceError as error:
        return ToolAnswer(f"Memory says: {error.message}{error.hint and f' ({error.hint})'}", {"error": error.message})


def _answer_recall(tool_request: ToolRequest) -> ToolAnswer:
    asked: RecallToolInput = tool_request.params
    packed = tool_request.memory.pack(
        asked.query,
        budget_tokens=asked.budget_tokens,
        core=False,
        scope=tool_request.scope,
        shared=tool_request.shared,
        reader=tool_request.conversation.session,
    )
    text = packed.text or "Nothing in memory bears on this."
    items = [{"citation": item.citation, "trust": item.trust, "text": item.text} for item in packed.items]
    return ToolAnswer(text, {"receipt": packed.receipt_id, "items": items, "notes": list(packed.notes)})


def _answer_retain(tool_request: ToolRequest) -> ToolAnswer:
    """Store a text for an agent; as said by a tool if it answers a stranger, or may have read unknown content."""
    asked: RetainToolInput = tool_request.params
    conversation, options = tool_request.conversation, tool_request.options
    is_foreign = tool_request.is_from_others
    if options.capture:
        is_foreign |= conversation.turn_kind != FLUSH_TURN and bool(find_turn_refusal(conversation, options))
    else:
        is_foreign |= bool(conversation.turn_kind)
        is_foreign |= messages.has_tool_call_note(tool_request.memory.root, conversation)
    result = tool_request.memory.retain(
        asked.text,
        actor="tool" if is_foreign else "agent",
        scope=tool_request.scope,
        session=conversation.session,
        supersedes=asked.replaces + asked.supersedes,
        shared=tool_request.shared,
    )
    if result.record is None:
        return ToolAnswer("Nothing was kept: there is nothing in it to keep.", {"kept": False})
    where = result.record.source.citation
    details = {"kept": True, "id": result.record.id, "citation": where, "trust": result.record.trust}
    return ToolAnswer("\n".join((f"Kept as {result.record.id} [{where}].", *result.notes)), details)


def _answer_forget(tool_request: ToolRequest) -> ToolAnswer:
    """Hide what the owner asks for in this conversation, the message that is answered included, or ask the owner."""
    from commonplace.memory import propose_forgetting

    asked: ForgetToolInput = tool_request.params
    for reference in asked.references:
        if not all(tool_request.can_see(one.scope) for one in tool_request.memory.show(reference).records):
            raise NotFound("record", reference)
    conversation = tool_request.conversation
    is_owners = not (tool_request.is_from_others or conversation.turn_kind)
    request = ProposeForgetRequest(asked.references, session=conversation.session)
    message = strip_envelope(tool_request.message).strip() if is_owners else ""
    result = propose_forgetting(tool_request.memory.workspace, request, own_message=message)
    lines = [f"Hidden: {len(result.selected)} records; undo with `commonplace undo {result.id}`."] if result.id else []
    lines += [f"The owner is asked: {', '.join(result.pending)}."] if result.pending else []
    details = {"hidden": [one.record.id for one in result.selected], "undo": result.id, "pending": [*result.pending]}
    return ToolAnswer("\n".join(lines) or "Nothing was hidden: the owner has rejected it.", details)


def _answer_why(tool_request: ToolRequest) -> ToolAnswer:
    asked: WhyToolInput = tool_request.params
    receipt = tool_request.memory.receipt(asked.receipt)
    if not tool_request.can_see(receipt.scope):
        raise NotFound("receipt of this conversation", asked.receipt)
    return ToolAnswer(tool_request.memory.why(receipt.id, asked.record), {"receipt": receipt.id})


def _answer_search(tool_request: ToolRequest) -> ToolAnswer:
    asked: SearchToolInput = tool_request.params
    k = max(1, min(asked.max_results, MAX_RESULTS))
    hits = tool_request.memory.recall(
        asked.query,
        k=k,
        evidence=CORPUS_EVIDENCE.get(asked.corpus, "auto"),
        scope=tool_request.scope,
        shared=tool_request.shared,
    )
    results = [_build_search_result(hit) for hit in hits.hits if hit.score >= asked.min_score]
    notes = list(hits.notes)
    return _encode_tool_answer({"results": results, "provider": "commonplace", "mode": "hybrid", "notes": notes})


def _build_search_result(hit: Hit) -> Json:
    """A hit as `memory_search` gives one; words that are not the owner's are marked."""
    record, origin = hit.record, ORIGIN_CLASSES.get(hit.record.trust, "untrusted")
    snippet = "\n".join(map(quote_line, record.text[:MAX_SNIPPET_CHARS].split("\n")))
    return {
        "path": record.source.short_id or record.source.path,
        "startLine": record.source.line_start,
        "endLine": record.source.line_end,
        "score": round(hit.score, 4),
        "snippet": quote_line(record_prefix(record, record.source.citation)) + snippet,
        "source": "sessions" if record.is_evidence else "memory",
        "citation": record.source.citation,
        "id": record.id,
        "provenance": {"originClass": origin, "observedAt": record.time},
    }


def _answer_read(tool_request: ToolRequest) -> ToolAnswer:
    asked: ReadToolInput = tool_request.params
    first, most = max(1, asked.from_), max(1, min(asked.lines, MAX_LINES))
    is_journal = asked.path.startswith(JOURNAL_FOLDER) and "#" not in asked.path
    try:
        whole = tool_request.memory.show(f"{asked.path}#L{first}-L{first + most - 1}" if is_journal else asked.path)
    except (NotFound, OutsideWorkspace) as error:
        return _encode_tool_answer({"status": "not_found", "path": asked.path, "text": "", "error": error.message})
    start = max(first, whole.line_start)
    lines = _list_visible_lines(tool_request, whole)[start - whole.line_start :][:most]
    more = 0 if is_journal else whole.line_end - (start + len(lines) - 1)
    told = {"status": "ok", "path": whole.path, "text": "\n".join(map(quote_line, lines)), "from": start}
    return _encode_tool_answer(
        {**told, "lines": len(lines), "truncated": more > 0} | ({"nextFrom": start + most} if more > 0 else {})
    )


def _list_visible_lines(tool_request: ToolRequest, view: View) -> list[str]:
    """The lines of a view; those that belong to others are blank, and words that are not the owner's are marked."""
    if view.path.startswith(JOURNAL_FOLDER):
        texts = [record_prefix(record) + record.text for record in view.records if tool_request.can_see(record.scope)]
        return [line for text in texts for line in text.split("\n")]
    lines = view.text.split("\n")
    if not tool_request.shared:  # what is no record belongs to others, too
        seen = [record for record in view.records if tool_request.can_see(record.scope)]
        spans = [range(one.source.line_start, one.source.line_end + 1) for one in seen]
        return [line if any(at in span for span in spans) else "" for at, line in enumerate(lines, view.line_start)]
    for record in view.records:
        start, end = (at - view.line_start for at in (record.source.line_start, record.source.line_end + 1))
        if not tool_request.can_see(record.scope):
            lines[max(0, start) : end] = [""] * len(lines[max(0, start) : end])
        elif start >= 0:
            lines[start] = (sanitize_line(f"({record.mark})") + " " if record.mark else "") + lines[start]
    return lines


def _encode_tool_answer(details: Json) -> ToolAnswer:
    return ToolAnswer(msgspec.json.encode(details).decode(), details)


TOOL_HANDLERS: dict[str, tuple[type[Struct], Callable[[ToolRequest], ToolAnswer]]] = {
    "commonplace_recall": (RecallToolInput, _answer_recall),
    "commonplace_retain": (RetainToolInput, _answer_retain),
    "commonplace_forget": (ForgetToolInput, _answer_forget),
    "commonplace_why": (WhyToolInput, _answer_why),
    "memory_search": (SearchToolInput, _answer_search),
    "memory_get": (ReadToolInput, _answer_read),
}
