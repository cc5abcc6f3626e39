"""What every way to keep a sentence shares: whose word it is, what is refused, and what the ledger is told of it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from commonplace.capture.events import MOST_NAME, MOST_NAMES, TRUST_OF
from commonplace.capture.keys import Place, text_key
from commonplace.errors import BadArgument
from commonplace.model import Actor, Record, Trust, least_trusted
from commonplace.redact.markers import placeholder_spans
from commonplace.text import one_line

TRIAL_ID = "trial"  # of a line that is only read to see what it would say


class Spoken(Protocol):
    """What somebody said, and how far it is trusted."""

    @property
    def actor(self) -> Actor: ...
    @property
    def trust(self) -> Trust: ...


def trust_of(actor: Actor, basis: Collection[Trust]) -> Trust:
    """An owner is trusted, a tool is not, an agent is as its least trusted source; nobody is for being cited."""
    return least_trusted(*basis) if actor == "agent" and basis else TRUST_OF[actor]


def require_text(text: str, most: int, hint: str) -> None:
    """Refuse what says nothing, or too much. Raises BadArgument, which repeats nothing: that may hold a secret."""
    if not one_line(text):
        raise BadArgument("there is no text to keep")
    if len(text) > most:
        raise BadArgument(f"the text has {len(text)} characters, more than {most}", hint=hint)


def require_short(names: Sequence[str], *lists: Sequence[str]) -> None:
    """Refuse names that are too long, and lists of too many. Raises BadArgument."""
    if max(map(len, names)) > MOST_NAME or max(map(len, lists)) > MOST_NAMES:
        raise BadArgument(f"a scope, session or source has at most {MOST_NAME} characters, a list {MOST_NAMES} items")


def require_readable(record: Record, scope: str, sources: Sequence[str], supersedes: Sequence[str] = ()) -> None:
    """Refuse a scope or source that its annotation cannot hold: it would be another one when it is read.

    `record` is what the line would be. Raises BadArgument.
    """
    if (record.scope, record.sources, record.supersedes) != (scope, tuple(sources), tuple(supersedes)):
        message = "a scope or source holds signs that an annotation cannot keep"
        raise BadArgument(message, hint="leave out commas, `;`, `·`, `--` and line breaks")


def is_bare(text: str) -> bool:
    """Whether nothing is left but placeholders."""
    for start, end in reversed(placeholder_spans(text)):
        text = text[:start] + text[end:]
    return not one_line(text)


def origin(place: Place, said: Spoken, record: Record, capture_id: str) -> dict[str, object]:
    """The line of the ledger that says whose word a record is."""
    return {
        "op": "origin",
        "ts": place.now,
        "record": record.id,
        "digest": text_key(record.text),
        "trust": said.trust,
        "actor": said.actor,
        "capture": capture_id,
    }
