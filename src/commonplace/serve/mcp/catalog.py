"""The prompts and resources that the MCP server offers; the lists are constant."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from msgspec import NODEFAULT, Struct

from commonplace.errors import BadArgument, NotFound
from commonplace.operations.declarations import OPERATIONS, request_fields
from commonplace.serve.mcp.rendering import answer_text, records_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from commonplace.shapes import Json


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
