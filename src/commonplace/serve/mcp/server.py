"""The MCP request handlers: tools, resources and prompts, each answered by one operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as mcp
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from commonplace import __version__
from commonplace.errors import CommonplaceError, NotFound
from commonplace.serve.mcp import catalog, tools
from commonplace.serve.mcp.output_schemas import lean_answer
from commonplace.serve.mcp.rendering import answer_text, bound_answer, error_text
from commonplace.shapes import pick_fields, problem_json, repair_text

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from commonplace.serve.mcp.pending_requests import AsyncDispatcher
    from commonplace.serve.mcp.start_options import ToolOptions

    Context = ServerRequestContext[Any, Any]
    Pagination = mcp.PaginatedRequestParams | None

MARKDOWN = "text/markdown"
ERROR_KEY = "commonplace/error"
HOUR_MS = 3_600_000  # for which a client may keep a list: what is listed is constant while a server runs


class RequestHandlers:
    """Answers requests, each by one operation of the dispatcher."""

    def __init__(self, dispatcher: AsyncDispatcher, tool_options: ToolOptions) -> None:
        self._dispatcher, self._tool_options = dispatcher, tool_options
        self.tools = tools.offered_tools(tool_options)

    async def list_tools(self, _context: Context, params: mcp.PaginatedRequestParams | None) -> mcp.ListToolsResult:
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
        uri, name, title, description = catalog.CORE_RESOURCE
        core = mcp.Resource(uri=uri, name=name, title=title, description=description, mime_type=MARKDOWN)
        return mcp.ListResourcesResult(resources=[core], ttl_ms=HOUR_MS)

    async def list_templates(self, _context: Context, params: Pagination) -> mcp.ListResourceTemplatesResult:
        """`resources/templates/list`."""
        _check_cursor(params)
        names = "uri_template name title description"
        templates = [
            mcp.ResourceTemplate(**pick_fields(place, names), mime_type=MARKDOWN)
            for place in catalog.RESOURCE_TEMPLATES
        ]
        return mcp.ListResourceTemplatesResult(resource_templates=templates, ttl_ms=HOUR_MS)

    async def read_resource(self, context: Context, params: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
        """`resources/read`."""
        try:
            place, wanted = catalog.find_resource(params.uri)
            answer = await self._dispatcher.ask(
                place.operation, {place.parameter: wanted}, context.session.report_progress
            )
        except CommonplaceError as error:
            raise _protocol_error(error) from None
        contents = mcp.TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=place.render(answer))
        return mcp.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _context: Context, params: mcp.PaginatedRequestParams | None) -> mcp.ListPromptsResult:
        """`prompts/list`."""
        _check_cursor(params)
        return mcp.ListPromptsResult(prompts=[_listed_prompt(prompt) for prompt in catalog.PROMPTS], ttl_ms=HOUR_MS)

    async def get_prompt(self, context: Context, params: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
        """`prompts/get`."""
        prompt = next((one for one in catalog.PROMPTS if one.name == params.name), None)
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


def _listed_prompt(prompt: catalog.PromptTemplate) -> mcp.Prompt:
    arguments = [
        mcp.PromptArgument(name=name, description=says, required=name in prompt.required)
        for name, says in prompt.fields.items()
    ]
    return mcp.Prompt(**pick_fields(prompt, "name title description"), arguments=arguments)


def _check_cursor(params: mcp.PaginatedRequestParams | None) -> None:
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
