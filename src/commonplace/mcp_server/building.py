"""The MCP server: what the protocol asks for, answered from the tables of tools, resources and prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mcp_types as mcp
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from commonplace import __version__
from commonplace.errors import CommonplaceError, NotFound
from commonplace.mcp_server import prompts, resources, tools
from commonplace.mcp_server.guarding import guarded
from commonplace.mcp_server.wording import told, worded
from commonplace.shapes import error_json, mended

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from commonplace.mcp_server.desk import Desk
    from commonplace.shapes import Json

    Context = ServerRequestContext[Any, Any]

MARKDOWN = "text/markdown"
ERROR_KEY = "commonplace/error"
HOUR_MS = 3_600_000  # for which a client may keep a list: what is listed is constant while a server runs


class Face:
    """Answers requests; every one of them is one operation, asked at the desk."""

    def __init__(self, desk: Desk, *, decisions: bool) -> None:
        self._desk = desk
        self.tools = tools.offered(decisions=decisions)

    async def list_tools(self, _context: Context, asked: mcp.PaginatedRequestParams | None) -> mcp.ListToolsResult:
        """`tools/list`."""
        _first_page(asked)
        return mcp.ListToolsResult(
            tools=[mcp.Tool.model_validate(tools.listed(tool)) for tool in self.tools], ttl_ms=HOUR_MS
        )

    async def call_tool(self, context: Context, asked: mcp.CallToolRequestParams) -> mcp.CallToolResult:
        """`tools/call`: an error of ours is an answer that a model can read, never one of the protocol."""
        tool = tools.find_tool(self.tools, asked.name)
        if tool is None:
            raise MCPError(mcp.INVALID_PARAMS, f"there is no tool {asked.name!r}")
        try:
            answer = await self._desk.ask(*tool.asks(asked.arguments or {}), context.session.report_progress)
        except CommonplaceError as error:
            return _failed(error)
        return mcp.CallToolResult(content=[_text(worded(answer))], structured_content=guarded(answer))

    async def list_resources(
        self, _context: Context, asked: mcp.PaginatedRequestParams | None
    ) -> mcp.ListResourcesResult:
        """`resources/list`: constant, for names of files and entities are memory text."""
        _first_page(asked)
        uri, name, title, description = resources.CORE
        core = mcp.Resource(uri=uri, name=name, title=title, description=description, mime_type=MARKDOWN)
        return mcp.ListResourcesResult(resources=[core], ttl_ms=HOUR_MS)

    async def list_templates(
        self, _context: Context, asked: mcp.PaginatedRequestParams | None
    ) -> mcp.ListResourceTemplatesResult:
        """`resources/templates/list`."""
        _first_page(asked)
        templates = [
            mcp.ResourceTemplate(
                uri_template=place.address,
                name=place.name,
                title=place.title,
                description=place.description,
                mime_type=MARKDOWN,
            )
            for place in resources.PLACES
        ]
        return mcp.ListResourceTemplatesResult(resource_templates=templates, ttl_ms=HOUR_MS)

    async def read_resource(self, context: Context, asked: mcp.ReadResourceRequestParams) -> mcp.ReadResourceResult:
        """`resources/read`."""
        try:
            place, wanted = resources.find(asked.uri)
            answer = await self._desk.ask(place.operation, {place.parameter: wanted}, context.session.report_progress)
        except CommonplaceError as error:
            raise _refused(error) from None
        contents = mcp.TextResourceContents(uri=asked.uri, mime_type=MARKDOWN, text=place.words(answer))
        return mcp.ReadResourceResult(contents=[contents])

    async def list_prompts(self, _context: Context, asked: mcp.PaginatedRequestParams | None) -> mcp.ListPromptsResult:
        """`prompts/list`."""
        _first_page(asked)
        return mcp.ListPromptsResult(prompts=[_prompt(prompt) for prompt in prompts.PROMPTS], ttl_ms=HOUR_MS)

    async def get_prompt(self, context: Context, asked: mcp.GetPromptRequestParams) -> mcp.GetPromptResult:
        """`prompts/get`."""
        prompt = prompts.find_prompt(asked.name)
        if prompt is None:
            raise MCPError(mcp.INVALID_PARAMS, f"there is no prompt {asked.name!r}")
        try:
            answer = await self._desk.ask(
                prompt.operation, prompt.asks(asked.arguments or {}), context.session.report_progress
            )
        except CommonplaceError as error:
            raise _refused(error) from None
        said = mended(answer["text"]) or "There is nothing in the notebook that fits."
        text = _text(f"{prompt.opening}\n\n{said}")
        return mcp.GetPromptResult(
            description=prompt.description, messages=[mcp.PromptMessage(role="user", content=text)]
        )


def build(desk: Desk, *, decisions: bool = False) -> Server[Any]:
    """A server over the memory behind the desk; `decisions` offers the tools that decide for the person too."""
    face = Face(desk, decisions=decisions)
    return Server(
        tools.NAME,
        title=tools.TITLE,
        version=__version__,
        instructions=tools.INSTRUCTIONS,
        on_list_tools=face.list_tools,
        on_call_tool=face.call_tool,
        on_list_resources=face.list_resources,
        on_list_resource_templates=face.list_templates,
        on_read_resource=face.read_resource,
        on_list_prompts=face.list_prompts,
        on_get_prompt=face.get_prompt,
    )


def _prompt(prompt: prompts.Prompt) -> mcp.Prompt:
    arguments = [
        mcp.PromptArgument(name=name, description=says, required=name in prompt.required)
        for name, says in prompt.fields.items()
    ]
    return mcp.Prompt(name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments)


def _first_page(asked: mcp.PaginatedRequestParams | None) -> None:
    """Every list fits on one page, so there is no cursor that we could have given."""
    if asked is not None and asked.cursor is not None:
        raise MCPError(mcp.INVALID_PARAMS, "this cursor was not given here; every list has one page")


def _failed(error: CommonplaceError) -> mcp.CallToolResult:
    return mcp.CallToolResult(content=[_text(told(error))], is_error=True, _meta={ERROR_KEY: _shown(error)})


def _refused(error: CommonplaceError) -> MCPError:
    code = mcp.INVALID_PARAMS if error.exit_code == 2 or isinstance(error, NotFound) else mcp.INTERNAL_ERROR
    return MCPError(code, told(error), _shown(error))


def _shown(error: CommonplaceError) -> Json:
    return guarded(error_json(error))


def _text(words: str) -> mcp.TextContent:
    return mcp.TextContent(type="text", text=words)
