"""Reads plain chat logs: messages that begin with a speaker, with or without a time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from msgspec import Struct

from commonplace.capture.imports.events import Blank, EventDraft, Fields, StreamItem, StreamPosition
from commonplace.capture.imports.keyed_events import EventKeys
from commonplace.capture.imports.streams import MAX_LINE_BYTES, LineReader, StreamLine, reject_line

MAX_SPEAKER_CHARS, MAX_SPEAKER_WORDS = 40, 5
MAX_UNTIMED_SPEAKER_WORDS = 3  # of a speaker without a time before him
INVISIBLE_CHARS = "\u200e\u200f\u202a\u202b\u202c\ufeff"  # marks that WhatsApp puts before a line
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MARKUP_CHARS = "*_` \t"
NUMERIC_DATE = r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})"
TIMED_MESSAGE = (
    rf"(?s)(?:[-*]\s+)?\[?(?:(?P<day>{NUMERIC_DATE})(?:,?\s+|T))?"
    r"(?P<clock>[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?)(?:[.,][0-9]{1,6})?"
    r"\s?(?P<half>[AaPp]\.?\s?[Mm]\b\.?)?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?\]?(?:\s+[-–—]\s+|:?\s+)(?P<rest>\S.*)"
)
UNTIMED_MESSAGE = (
    rf"(?s)(?:[-*]\s+)?[*_]{{0,3}}(?P<name>[^\W\d_][^:\n]{{0,{MAX_SPEAKER_CHARS - 1}}}?)"
    r"[*_]{0,3}\s?:[*_]{0,3}(?:\s+(?P<text>.*))?$"
)


class MessageStamp(Struct):
    """The beginning of a message, of which any part may be empty: an ISO date, `10:05` or `10:05:33`, Z or an offset,
    day and time as they stand there, the speaker (none of a line of the chat program itself), the text."""

    day: str
    clock: str
    zone: str
    raw_time: str
    speaker: str
    text: str


class StampLayout(Struct):
    """Whether the day comes before the month, whether that is a guess, and whether each message begins with a time."""

    day_first: bool = True
    is_guess: bool = True
    has_times: bool = False


def detect_stamp_layout(text: str) -> StampLayout:
    """The layout of the stamps of a chat, from its beginning."""
    lines = (line.strip(INVISIBLE_CHARS + "\r ") for line in text.split("\n"))
    matches = [match for line in lines if (match := re.match(TIMED_MESSAGE, line))]
    return StampLayout(*_infer_day_first(matches), has_times=any(_split_speaker(match)[0] for match in matches))


def parse_stamp(line: str, stamp_layout: StampLayout) -> MessageStamp | None:
    """The stamp of a line that begins a message; None for any other line."""
    line = line.lstrip(INVISIBLE_CHARS)
    found = re.match(TIMED_MESSAGE, line)
    if not found:
        untimed = None if stamp_layout.has_times else re.match(UNTIMED_MESSAGE, line)
        name = untimed["name"] if untimed else ""
        if not untimed or not _is_speaker_name(name) or len(name.split()) > MAX_UNTIMED_SPEAKER_WORDS:
            return None
        return MessageStamp("", "", "", "", name.strip(), (untimed["text"] or "").strip(" \r"))
    day = parse_numeric_date(found["day"] or "", stamp_layout.day_first)
    clock = _parse_clock_time(found["clock"], found["half"] or "")
    speaker, text = _split_speaker(found)
    if not clock or (found["day"] and not day) or not (speaker or day) or ("." in found["clock"] and not day):
        return None
    raw_time = " ".join(filter(None, (found["day"], found["clock"], found["half"])))
    return MessageStamp(day, clock, found["zone"] or "", raw_time, speaker, text)


def parse_day_heading(line: str, stamp_layout: StampLayout) -> str:
    """The day in a heading; empty for any other line."""
    bare = line.strip(INVISIBLE_CHARS + " \t\r#-=*_—–•|")
    is_heading = line.lstrip().startswith("#")
    found = re.search(NUMERIC_DATE, bare) if is_heading else re.fullmatch(NUMERIC_DATE, _strip_weekday(bare))
    if found:
        return parse_numeric_date(found[0], stamp_layout.day_first)
    words = _strip_weekday(bare).replace(",", " ").split()
    if len(words) != 3 or len(words[2]) != 4:
        return ""
    number, month = (words[0], words[1]) if words[0][:1].isdecimal() else (words[1], words[0])
    digits = number.rstrip("stndrh.")
    if month[:3].lower() not in MONTHS or not month.isalpha() or not digits.isdecimal():
        return ""
    return _build_iso_date(words[2], str(MONTHS.index(month[:3].lower()) + 1), digits)


def parse_numeric_date(text: str, day_first: bool) -> str:
    """A date of three numbers as an ISO date; empty if the date does not exist."""
    parts = re.split("[-./]", text)
    if len(parts) != 3:
        return ""
    if len(parts[0]) == 4:
        return _build_iso_date(*parts)
    first, second, year = parts
    year = year if len(year) == 4 else f"20{year}"
    day, month = (first, second) if day_first else (second, first)
    return _build_iso_date(year, month, day) or _build_iso_date(year, day, month)


def _build_iso_date(year: str, month: str, day: str) -> str:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _parse_clock_time(clock_text: str, am_pm: str) -> str:
    """A clock time of 24 hours."""
    hour, minute, *second = clock_text.replace(".", ":").split(":")
    hours = int(hour)
    if am_pm:
        if not 1 <= hours <= 12:
            return ""
        hours = hours % 12 + (12 if am_pm.strip()[0] in "pP" else 0)
    if hours > 23 or int(minute) > 59 or any(int(one) > 59 for one in second):
        return ""
    return ":".join([f"{hours:02}", minute, *second])


def _split_speaker(match: re.Match[str]) -> tuple[str, str]:
    """The speaker and the text of a message; the speaker is empty if the line has none."""
    rest = match["rest"]
    nick, _, after = rest[1:].partition(">") if rest.startswith("<") else ("", "", "")
    if nick and len(nick) <= MAX_SPEAKER_CHARS:
        return nick.strip(), after.strip(" \r")
    name, colon, text = rest.partition(":")
    name = name.strip(MARKUP_CHARS + INVISIBLE_CHARS)
    is_attached = text and not text.lstrip("*_")[:1].isspace() and text.lstrip("*_\r")
    if not colon or is_attached or not _is_speaker_name(name):
        return "", rest
    return name, text.lstrip("*_").strip(" \r")


def _is_speaker_name(name: str) -> bool:
    if not 0 < len(name) <= MAX_SPEAKER_CHARS or len(name.split()) > MAX_SPEAKER_WORDS:
        return False
    return not any(sign in name for sign in '"“”«»<>{}[]|/\\=')


def _infer_day_first(matches: list[re.Match[str]]) -> tuple[bool, bool]:
    """Whether days come before months, and whether that is a guess: a short year and a 12-hour clock look American."""
    american = False
    for match in matches:
        parts = re.split("[-./]", match["day"] or "")
        if len(parts) == 3 and len(parts[0]) <= 2:
            if "." in match["day"] or int(parts[0]) > 12:
                return True, False
            if int(parts[1]) > 12:
                return False, False
            american = american or (len(parts[2]) == 2 and bool(match["half"]))
    return not american, True


def _strip_weekday(text: str) -> str:
    first, _, rest = text.partition(" ")
    return rest.strip() if first.rstrip(",").isalpha() and first.rstrip(",").lower().endswith("day") else text


USER_SPEAKERS = frozenset({"user", "human"})
AGENT_SPEAKERS = frozenset({"assistant", "agent", "ai", "bot", "chatgpt"})


class OpenMessage(Struct):
    """The message that is being read; `prefix_digest` is the digest of everything before it in the stream."""

    stamp: MessageStamp
    day: str
    position: StreamPosition
    prefix_digest: str
    raw: list[bytes]
    texts: list[str]
    size: int


class ChatLogReader:
    """The format `chat`; only the owner's messages are trusted to be the owner's."""

    def __init__(self, stamp_layout: StampLayout, event_keys: EventKeys, owner: str = "") -> None:
        self._layout, self._keys, self._owner = stamp_layout, event_keys, owner.casefold()
        self._day = ""
        self._message: OpenMessage | None = None
        self._after_blank_line = False

    def read_items(self, line_reader: LineReader) -> Iterator[StreamItem]:
        """The messages, in order."""
        for line in line_reader:
            yield from self._read_line(line)
        yield from self._finish_message()

    def _read_line(self, stream_line: StreamLine) -> Iterator[StreamItem]:
        try:
            text = None if stream_line.oversize_bytes or b"\0" in stream_line.data else stream_line.data.decode()
        except UnicodeDecodeError:
            text = None
        if text is None:
            yield from self._finish_message()
            length = f"a line of {stream_line.oversize_bytes} bytes, more than {MAX_LINE_BYTES}"
            yield reject_line(stream_line, length if stream_line.oversize_bytes else "not UTF-8, or it holds NUL bytes")
        elif not text.strip():
            self._after_blank_line = True
            yield Blank(stream_line.offset, stream_line.number)
        elif stamp := parse_stamp(text, self._layout):
            yield from self._finish_message()
            self._day = stamp.day or self._day
            if stamp.speaker:
                before, raw, texts = self._keys.prefix_digest(), [stream_line.data], [stamp.text] if stamp.text else []
                size = len(stream_line.data)
                self._message = OpenMessage(stamp, self._day, stream_line.position, before, raw, texts, size)
            else:
                yield Blank(stream_line.offset, stream_line.number, "a line of the program that wrote the log")
        elif (day := parse_day_heading(text, self._layout)) or text.startswith("#"):
            yield from self._finish_message()
            self._day = day or self._day
            yield Blank(stream_line.offset, stream_line.number, "a heading")
        elif self._message and self._message.size + len(stream_line.data) <= MAX_LINE_BYTES:
            if self._after_blank_line and self._message.texts:
                self._message.texts.append("")
            self._message.texts.append(text.rstrip("\r"))
            self._message.raw.append(stream_line.data)
            self._message.size += len(stream_line.data)
            self._after_blank_line = False
        else:
            yield from self._finish_message()
            yield reject_line(stream_line, "no speaker, and no message that it could belong to")

    def _finish_message(self) -> Iterator[StreamItem]:
        """The event of the message that was being read, if there is one."""
        message, self._message, self._after_blank_line = self._message, None, False
        if not message:
            return
        text = "\n".join(message.texts)
        if not text.strip():
            yield Blank(message.position.offset, message.position.line, "a message without text")
            return
        actor, is_trusted = self._resolve_actor(message.stamp.speaker)
        stamp, day = message.stamp, message.day
        detail: Fields = {"speaker": stamp.speaker}
        fields: Fields = {"type": "message", "actor": actor, "text": text, "detail": detail}
        if day:
            fields["ts"] = f"{day}T{stamp.clock}{stamp.zone}" if stamp.clock else day
        is_uncertain = bool(stamp.day) and self._layout.is_guess and not stamp.raw_time.startswith(stamp.day)
        if is_uncertain or (stamp.raw_time and not day):
            detail["said_ts"] = stamp.raw_time
        draft = EventDraft(fields, is_dated="ts" in fields)
        raw = b"\n".join([message.day.encode(), *message.raw])
        yield from self._keys.build_events(
            [draft], raw, message.position, is_actor_trusted=is_trusted, prefix_digest=message.prefix_digest
        )

    def _resolve_actor(self, speaker: str) -> tuple[str, bool]:
        """The actor, and whether that is certain: it never is while the owner's name is unknown."""
        name = speaker.casefold()
        if not self._owner:
            return "tool", False
        if name == self._owner or name in USER_SPEAKERS:
            return "owner", True
        return "agent" if name in AGENT_SPEAKERS else "tool", True
