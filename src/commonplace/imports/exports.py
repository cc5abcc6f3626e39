"""What two services hand out when asked for one's data: arrays of conversations, told one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Raw

from commonplace.imports.bounds import event_of
from commonplace.imports.calls import Calls
from commonplace.imports.decoding import TORN, not_an_object, parsed
from commonplace.imports.elements import MOST_ELEMENT_BYTES, Element, Elements
from commonplace.imports.keys import Keys
from commonplace.imports.lines import MOST_LINE_BYTES, Stream, sample
from commonplace.imports.nouns import Blank, Item, Refused, SetAside, Told

Read = Callable[[bytes, Calls], "list[Told | Refused] | Refused"]
MOST_VALUE_BYTES = 4096
MOST_VALUES = 1_000_000  # of one conversation: each takes room
NO_MESSAGE = "a conversation without a message"


def conversations(stream: Stream, read: Read, keys: Keys, *, believed: bool) -> Iterator[Item]:
    """The events of each conversation of an export, in order; `read` tells of one."""
    if stream.encoding != "utf-8":
        yield SetAside(0, 1, "an export in UTF-16; save it as UTF-8", sample(stream.beginning.encode()))
        return
    for element in Elements(stream):
        found = _told(element, read)
        offset, line = element.spot.offset, element.spot.line
        if isinstance(found, Refused):
            yield SetAside(offset, line, found.reason, sample(element.data))
        elif not found:
            yield Blank(offset, line, NO_MESSAGE)
        else:
            told = [one for one in found if isinstance(one, Told)]
            for one, known in zip(told, keys.of(told, element.data), strict=True):
                yield event_of(one, element.spot, known, believed=believed)
            yield from (SetAside(offset, line, one.reason) for one in found if isinstance(one, Refused))


def message_of(raw: Raw) -> Any:
    """One message of a conversation, decoded if it is of reasonable size."""
    data = bytes(raw)
    if len(data) > MOST_LINE_BYTES:
        return Refused(f"a message of {len(data)} bytes, more than {MOST_LINE_BYTES}")
    return parsed(data)


def small(raw: Raw) -> Any:
    """A value beside the messages; None for what is as long as no name is."""
    return parsed(bytes(raw)) if len(bytes(raw)) < MOST_VALUE_BYTES else None


def _told(element: Element, read: Read) -> list[Told | Refused] | Refused:
    if element.too_long:
        return Refused(f"a conversation of {element.too_long} bytes, more than {MOST_ELEMENT_BYTES}")
    if not element.whole:
        return Refused(TORN)
    if element.data.count(b",") > MOST_VALUES:
        return Refused(f"a conversation of more than {MOST_VALUES} values")
    if not element.data.startswith(b"{"):
        value = parsed(element.data[:MOST_VALUE_BYTES])
        return value if isinstance(value, Refused) else Refused(not_an_object(value))
    calls = Calls()
    found = read(element.data, calls)
    return found if isinstance(found, Refused) else [*found, *calls.left()]
