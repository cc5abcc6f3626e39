"""Plain chat logs: messages that begin with a speaker, with or without a time, and the lines that go on from them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from commonplace.imports.bounds import event_of
from commonplace.imports.keys import Keys
from commonplace.imports.lines import MOST_LINE_BYTES, Line, Lines, aside
from commonplace.imports.nouns import Blank, Fields, Item, Spot, Told
from commonplace.imports.stamps import Reading, Stamp, day_of, stamp_of

USERS = frozenset({"user", "human"})
AGENTS = frozenset({"assistant", "agent", "ai", "bot", "chatgpt"})
NOBODY = "no speaker, and no message that it could belong to"


class Open(Struct):
    """The message that is being read."""

    stamp: Stamp
    day: str
    spot: Spot
    before: str  # what stands for all before it in the stream
    raw: list[bytes]
    texts: list[str]
    size: int


class Chat:
    """The format `chat`; only the owner's messages are believed to be the owner's."""

    def __init__(self, reading: Reading, keys: Keys, owner: str = "") -> None:
        self._reading, self._keys, self._owner = reading, keys, owner.casefold()
        self._day = ""
        self._open: Open | None = None
        self._gap = False

    def items(self, lines: Lines) -> Iterator[Item]:
        """The messages, in order."""
        for line in lines:
            yield from self._line(line)
        yield from self._close()

    def _line(self, line: Line) -> Iterator[Item]:
        text = _text(line)
        if text is None:
            yield from self._close()
            length = f"a line of {line.too_long} bytes, more than {MOST_LINE_BYTES}"
            yield aside(line, length if line.too_long else "not UTF-8, or it holds NUL bytes")
        elif not text.strip():
            self._gap = True
            yield Blank(line.offset, line.number)
        elif stamp := stamp_of(text, self._reading):
            yield from self._close()
            self._day = stamp.day or self._day
            if stamp.speaker:
                self._begin(stamp, line)
            else:
                yield Blank(line.offset, line.number, "a line of the program that wrote the log")
        elif (day := day_of(text, self._reading)) or text.startswith("#"):
            yield from self._close()
            self._day = day or self._day
            yield Blank(line.offset, line.number, "a heading")
        elif self._open and self._open.size + len(line.data) <= MOST_LINE_BYTES:
            self._go_on(self._open, text, line)
        else:
            yield from self._close()
            yield aside(line, NOBODY)

    def _begin(self, stamp: Stamp, line: Line) -> None:
        texts = [stamp.text] if stamp.text else []
        self._open = Open(stamp, self._day, line.spot, self._keys.before(), [line.data], texts, len(line.data))
        self._gap = False

    def _go_on(self, message: Open, text: str, line: Line) -> None:
        message.raw.append(line.data)
        message.texts += ["", text.rstrip("\r")] if self._gap and message.texts else [text.rstrip("\r")]
        message.size += len(line.data)
        self._gap = False

    def _close(self) -> Iterator[Item]:
        """What became of the message that was being read."""
        message, self._open, self._gap = self._open, None, False
        if not message:
            return
        text = "\n".join(message.texts)
        if not text.strip():
            yield Blank(message.spot.offset, message.spot.line, "a message without text")
            return
        actor, believed = self._actor(message.stamp.speaker)
        fields: Fields = {"type": "message", "actor": actor, "text": text, "detail": {"speaker": message.stamp.speaker}}
        self._set_time(fields, message)
        told = Told(fields, dated="ts" in fields)
        raw = b"\n".join([message.day.encode(), *message.raw])
        (keys,) = self._keys.of([told], raw, message.before)
        yield event_of(told, message.spot, keys, believed=believed)

    def _actor(self, speaker: str) -> tuple[str, bool]:
        """Who speaks, and whether that is believed: nobody is, until the owner says by which name he goes."""
        name = speaker.casefold()
        if not self._owner:
            return "tool", False
        if name == self._owner or name in USERS:
            return "owner", True
        return "agent" if name in AGENTS else "tool", True

    def _set_time(self, fields: Fields, message: Open) -> None:
        stamp = message.stamp
        if message.day and stamp.clock:
            fields["ts"] = f"{message.day}T{stamp.clock}{stamp.zone}"
        elif message.day:
            fields["ts"] = message.day
        elif stamp.said:
            fields["detail"]["said_ts"] = stamp.said
        if stamp.day and self._reading.guessed and not stamp.said.startswith(stamp.day):
            fields["detail"]["said_ts"] = stamp.said


def _text(line: Line) -> str | None:
    """The line as text; None for what is none."""
    if line.too_long or b"\0" in line.data:
        return None
    try:
        return line.data.decode()
    except UnicodeDecodeError:
        return None
