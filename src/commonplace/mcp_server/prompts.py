"""What a person can ask for by name: text of the notebook, framed, as the beginning of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from commonplace.errors import BadArgument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from commonplace.shapes import Json


class Prompt(Struct, frozen=True):
    """One prompt: `fields` are the parameters of its operation, with what they say; `whole` names those that are whole
    numbers, for arguments of a prompt are always texts. `opening` stands in front of what the operation answers."""

    name: str
    title: str
    description: str
    operation: str
    fields: dict[str, str]
    opening: str
    required: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()

    def asks(self, given: Mapping[str, str]) -> Json:
        """The parameters of the operation. Raises BadArgument."""
        for name in given:
            if name not in self.fields:
                raise BadArgument(
                    f"`{self.name}` takes no argument {name!r}", hint=f"it takes {', '.join(self.fields)}"
                )
        for name in self.required:
            if not given.get(name):
                raise BadArgument(f"`{self.name}` needs the argument {name!r}")
        return {name: self._read(name, value) for name, value in given.items() if value}

    def _read(self, name: str, value: str) -> str | int:
        if name not in self.whole:
            return value
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise BadArgument(f"`{self.name}`: {name} must be a whole number, not {value!r}")
        return int(value)


_SCOPE = "The project; its records and the shared ones count."

PROMPTS: tuple[Prompt, ...] = (
    Prompt(
        "resume",
        "Go on where we were",
        "What a restarted agent should read: the core, the task that was under way, the newest of the day.",
        "resume",
        {"session": "The session that was under way.", "scope": _SCOPE, "budget_tokens": "How much may be read."},
        "This is where we were, from the notebook. Read it, then say in two sentences what is under way and what is"
        " next.",
        whole=("budget_tokens",),
    ),
    Prompt(
        "pack",
        "What the notebook knows",
        "Cited lines from the notebook that bear on a question.",
        "pack",
        {"text": "The question.", "scope": _SCOPE, "budget_tokens": "How much may be read."},
        "These lines of the notebook bear on the question. Use what helps, and cite it.",
        required=("text",),
        whole=("budget_tokens",),
    ),
)


def find_prompt(name: str) -> Prompt | None:
    """The prompt of this name."""
    return next((prompt for prompt in PROMPTS if prompt.name == name), None)
