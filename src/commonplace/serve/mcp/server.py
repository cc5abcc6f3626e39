"""The MCP request handlers, each answered by one operation, and the prompts and resources that they offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from msgspec import NODEFAULT, Struct

from commonplace import __version__
from commonplace.errors import BadArgument, CommonplaceError, NotFound
from commonplace.operations.declarations import OPERATIONS, request_fields
from commonplace.serve.mcp import tools
from commonplace.serve.mcp.output_schemas import lean_answer
from commonplace.serve.mcp.pending_requests import AsyncDispatcher
from commonplace.serve.mcp.rendering import answer_text, bound_answer, error_text, records_text
from commonplace.serve.mcp.start_options import ToolOptions
from commonplace.shapes import Json, pick_fields, problem_json, repair_text

Context = ServerRequestContext[Any, Any]
Pagination = mcp.PaginatedRequestParams | None


class PromptTemplate(Struct, frozen=True):
    """One prompt: `fields` are the parameters of its operation, with what they say; arguments of prompts are texts.

    `opening` is in front of what the operation answers.
    """

    name: str
    title: str
    description: str
    operation: str
    fields: dict[str, str]
    opening: str

    @property
    def required(self) -> tuple[str, ...]:
        """The arguments that must be given."""
        parameters = request_fields(OPERATIONS[self.operation].request)
        return tuple(name for name in self.fields if parameters[name].default is NODEFAULT)

    def to_arguments(self, arguments: Mapping[str, str]) -> Json:
        """The parameters of the operation. Raises BadArgument."""
        for name in arguments:
            if name not in self.fields:
                hint = f"it takes {', '.join(self.fields)}"
                raise BadArgument(f"`{self.name}` takes no argument {name!r}", hint=hint)
        for name in self.required:
            if not arguments.get(name):
                raise BadArgument(f"`{self.name}` needs the argument {name!r}")
        return {name: self._parse_argument(name, value) for name, value in arguments.items() if value}

    def _parse_argument(self, name: str, value: str) -> str | int:
        if request_fields(OPERATIONS[self.operation].request)[name].type != (int | None):
            return value
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise BadArgument(f"`{self.name}`: {name} must be a whole number, not {value!r}")
        return int(value)


_SCOPE_DESCRIPTION = "The project to search, together with shared records."

PROMPTS: tuple[PromptTemplate, ...] = (
    PromptTemplate(
        "resume",
        "Resume the last task",
        "What a restarted agent needs to continue: the core, the current task, and the newest lines of the day.",
        "resume",
        {"session": "The session to resume.", "scope": _SCOPE_DESCRIPTION, "budget_tokens": "The token budget."},
        "This is the state of our work, from the notebook. Read it, then say in two sentences what is in"
        " progress and what is next.",
    ),
    PromptTemplate(
        "pack",
        "What the notebook knows",
        "Lines from the notebook that are relevant to a question, with citations.",
        "pack",
        {"text": "The question.", "scope": _SCOPE_DESCRIPTION, "budget_tokens": "The token budget."},
        "These lines of the notebook are relevant to the question. Use those that help, and cite them.",
    ),
)


URI_SCHEME = "commonplace://"


class ResourceTemplate(Struct, frozen=True):
    """A kind of resource: its address with the part that is to be filled in, and the operation that reads it."""

    uri_template: str
    name: str
    title: str
    description: str
    operation: str
    parameter: str
    render: Callable[[Json], str] = answer_text


RESOURCE_TEMPLATES: tuple[ResourceTemplate, ...] = (
    ResourceTemplate(
        f"{URI_SCHEME}record/{{id}}",
        "record",
        "A record",
        "One record or capture by its id, as returned by `recall`.",
        "show",
        "reference",
    ),
    ResourceTemplate(
        f"{URI_SCHEME}file/{{+path}}",
        "file",
        "A file of the notebook",
        "A file by its path in the notebook, or with `#L12-L15` some of its lines.",
        "show",
        "reference",
    ),
    ResourceTemplate(
        f"{URI_SCHEME}entity/{{name}}",
        "entity",
        "Everything about a person, place or thing",
        "The page of a person, place or thing, and the lines that mention it.",
        "entity",
        "name",
        lambda answer: records_text((*answer["page"], *answer["mentions"])),
    ),
)
CORE_RESOURCE = (f"{URI_SCHEME}file/MEMORY.md", "core", "The core of the notebook", "What every session needs to know.")


def find_resource(uri: str) -> tuple[ResourceTemplate, str]:
    """The kind of resource that an address means, and what fills it in. Raises NotFound."""
    for place in RESOURCE_TEMPLATES:
        lead = place.uri_template.partition("{")[0]
        if uri.startswith(lead) and len(uri) > len(lead):
            return place, unquote(uri[len(lead) :])
    raise NotFound("resource", uri, tuple(place.uri_template for place in RESOURCE_TEMPLATES))


MARKDOWN = "text/markdown"
ERROR_KEY = "commonplace/error"
HOUR_MS = 3_600_000  # for which a client may keep a list: what is listed is constant while a server runs


class RequestHandlers:
    """Answers requests, each by one operation of the dispatcher."""

    def __init__(self, dispatcher: AsyncDispatcher, tool_options: ToolOptions) -> None:
        self._dispatcher, self._tool_options = dispatcher, tool_options
        self.tools = tools.offered_tools(tool_options)

    async def list_tools(self, _context: Context, params: Pagination) -> mcp.ListToolsResult:
        """`tools/list`."""
        _check_cursor(params)
        listed = map(mcp.Tool.model_validate, tools.listed_tools_json(self._tool_options))
        return mcp.ListToolsResult(tools=list(listed), ttl_ms=HOUR_MS)

    async def call_tool(self, context: Context, params: mcp.CallToolRequestParams) -> mcp.CallToolResult:
        """`tools/call`: an error of ours is an answer that a model can read, never one of the protocol."""
        tool = next((one for one in self.tools if one.name == params.name), None)
        if tool is None:
            raise MCPError(mcp.INVALID_PARAMS, f"there is no tool {params.name!r}")
        try:
            operation, arguments, page = tool.to_operation(params.arguments or {})
            answer = await self._dispatcher.ask(operation, arguments, context.session.report_progress)
            answer = bound_answer(answer, page)
        except CommonplaceError as error:
            return _tool_error(error)
        structured = lean_answer(answer) if self._tool_options.structured else None
        return mcp.CallToolResult(content=[_text_content(answer_text(answer))], structured_content=structured)

    async def list_resources(self, _context: Context, params: Pagination) -> mcp.ListResourcesResult:
        """`resources/list`: constant, for names of files and entities are memory text."""
        _check_cursor(params)
        uri, name, title, description = CORE_RESOURCE
        core = mcp.Resource(uri=uri, name=name, title=title, description=description, mime_type=MARKDOWN)
        return mcp.ListResourcesResult(resources=[core], ttl_ms=HOUR_MS)

    async def list_templates(self, _context: Context, params: Pagination) -> mcp.ListResourceTemplatesResult:
        """`resources/templates/list`."""
        _check_cursor(params)
        names = "uri_template name title description"
        templates = [
            mcp.ResourceTemplate(**pick_fields(place, names), mime_type=MARKDOWN) for place in RESOURCE_TEMPLATES
        ]
        return mcp.ListResourceTemplatesResult(resource_templates=templates, ttl_ms=HOUR_MS)

    async def read_resource(self, context: Context, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
        """`resources/read`."""
        try:
            place, wanted = find_resource(params.uri)
            answer = await self._dispatcher.ask(
                place.operation, {place.parameter: wanted}, context.session.report_progress
            )
        except CommonplaceError as error:
            raise _protocol_error(error) from None
        contents = mcp.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=place.render(answer))
        return mcp.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _context: Context, params: Pagination) -> mcp.ListPromptsResult:
        """`prompts/list`."""
        _check_cursor(params)
        return mcp.ListPromptsResult(prompts=[_listed_prompt(prompt) for prompt in PROMPTS], ttl_ms=HOUR_MS)

    async def get_prompt(self, context: Context, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
        """`prompts/get`."""
        prompt = next((one for one in PROMPTS if one.name == params.name), None)
        if prompt is None:
            raise MCPError(mcp.INVALID_PARAMS, f"there is no prompt {params.name!r}")
        try:
            answer = await self._dispatcher.ask(
                prompt.operation, prompt.to_arguments(params.arguments or {}), context.session.report_progress
            )
        except CommonplaceError as error:
            raise _protocol_error(error) from None
        said = repair_text(answer["text"]) or "There is nothing in the notebook that fits."
        message = mcp.PromptMessage(role="user", content=_text_content(f"{prompt.opening}\n\n{said}"))
        return mcp.GetPromptResult(description=prompt.description, messages=[message])


def build_mcp_server(dispatcher: AsyncDispatcher, tool_options: ToolOptions) -> Server[Any]:
    """The server that answers through a dispatcher, with the tools that the options offer."""
    handlers = RequestHandlers(dispatcher, tool_options)
    return Server(
        tools.NAME,
        title=tools.TITLE,
        version=__version__,
        instructions=tools.INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
        on_list_prompts=handlers.list_prompts,
        on_get_prompt=handlers.get_prompt,
    )


def _listed_prompt(prompt: PromptTemplate) -> mcp.Prompt:
    named = ((name, says, name in prompt.required) for name, says in prompt.fields.items())
    arguments = [mcp.PromptArgument(name=name, description=says, required=must) for name, says, must in named]
    return mcp.Prompt(**pick_fields(prompt, "name title description"), arguments=arguments)


def _check_cursor(params: Pagination) -> None:
    """Refuse any cursor: every list fits on one page, so we have given none."""
    if params is not None and params.cursor is not None:
        raise MCPError(mcp.INVALID_PARAMS, "this cursor was not given here; every list has one page")


def _tool_error(error: CommonplaceError) -> mcp.CallToolResult:
    data = {ERROR_KEY: lean_answer(problem_json(error))}
    return mcp.CallToolResult(content=[_text_content(error_text(error))], is_error=True, _meta=data)


def _protocol_error(error: CommonplaceError) -> MCPError:
    code = mcp.INVALID_PARAMS if error.exit_code == 2 or isinstance(error, NotFound) else mcp.INTERNAL_ERROR
    return MCPError(code, error_text(error), lean_answer(problem_json(error)))


def _text_content(text: str) -> mcp.TextContent:
    return mcp.TextContent(type="text", text=text)
