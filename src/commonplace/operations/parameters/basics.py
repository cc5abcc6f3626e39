"""What the requests of all operations share: the base class, the clock, and parameters that several take."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from commonplace import model
from commonplace.shapes import Json


def about(description: str) -> Meta:
    """What a parameter means, for those who read its help."""
    return Meta(description=description)


class Request(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters of an operation."""


Now = Annotated[str | None, about("The time at which it runs, as an ISO minute; the current time if absent.")]
QueryScope = Annotated[
    str | None, about("The project to search, together with shared records; setting `scope` if absent.")
]
Shared = Annotated[bool, about("Search shared records too; if false, only those of the scope.")]
AllScopes = Annotated[bool, about("Search the records of every project.")]
Scope = Annotated[str, about("The project that it belongs to; shared if empty.")]
Since = Annotated[str, about("From this time on: an ISO date or time, or words such as `last week`.")]
Until = Annotated[str, about("Up to and including this day or time.")]
AsOf = Annotated[str, about("Only what held at this time.")]
KnownAt = Annotated[
    str, about("Only what was recorded by this time; text that was edited away by hand does not come back.")
]
Session = Annotated[str, about("The session that it belongs to.")]
Speaker = Annotated[model.Actor, about("The speaker, which determines how much it is trusted.")]
Sources = Annotated[tuple[str, ...], about("Ids of the captures or records that it is based on.")]
Skip = Annotated[int, about("How many to pass over, from the first.")]
ResultCount = Annotated[int, about("The maximum number of records.")]
PackSession = Annotated[str, about("In an automatic pack, the session whose newest captures come last.")]

FilePath = Annotated[str, about("The file, relative to the workspace.")]


class EmptyRequest(Request, frozen=True):
    """No parameters."""


class ClockRequest(Request, kw_only=True, frozen=True):
    """A request without parameters other than the clock."""

    now: Now = None


class AuthoredRequest(ClockRequest, kw_only=True, frozen=True):
    """A request that says who decides."""

    actor: Annotated[model.Actor, about("Who decides, as `audit` says; what is edited is theirs.")] = "owner"


class HookCall(Request, kw_only=True, frozen=True):
    """The event of a host's hook as it is, the context around it, and the options that the user chose."""

    host: Annotated[model.HookHost, about("The host.")]
    event: Annotated[Json, about("The JSON of the hook.")] = {}
    context: Annotated[Json, about("The context that the host reports for the hook.")] = {}
    options: Annotated[Json, about("The options of the plugin.")] = {}
