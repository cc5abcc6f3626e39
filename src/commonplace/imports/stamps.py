"""How chat programs begin a message: day, clock time and speaker, in the forms that are in use."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

MOST_NAME_CHARACTERS, MOST_NAME_WORDS = 40, 5
MOST_PLAIN_WORDS = 3  # of a speaker without a time before him
INVISIBLE = "\u200e\u200f\u202a\u202b\u202c\ufeff"  # marks that WhatsApp puts before a line
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MARKUP = "*_` \t"


class Stamp(Struct):
    """The beginning of a message. `day` is an ISO date, `clock` `10:05` or `10:05:33`, `zone` Z or an offset; any may
    be empty. A line that a chat program wrote itself has no speaker."""

    day: str
    clock: str
    zone: str
    said: str  # day and time as they stand there
    speaker: str
    text: str


class Reading(Struct):
    """How the stamps of a chat are read: whether the day comes before the month, whether that is a guess, and whether
    each message begins with a time."""

    day_first: bool = True
    guessed: bool = True
    timed: bool = False


def how_to_read(text: str) -> Reading:
    """How a chat is to be read, from its beginning."""
    found = [match for line in text.split("\n") if (match := _timed().match(line.strip(INVISIBLE + "\r ")))]
    return Reading(*_day_first(found), timed=any(_speaker(match)[0] for match in found))


def stamp_of(line: str, reading: Reading) -> Stamp | None:
    """How a line begins a message; None if it does not."""
    line = line.lstrip(INVISIBLE)
    found = _timed().match(line)
    if not found:
        return None if reading.timed else _plain_stamp(line)
    day = iso_day(found["day"] or "", reading.day_first)
    clock = _clock(found["clock"], found["half"] or "")
    speaker, text = _speaker(found)
    if not clock or (found["day"] and not day) or not (speaker or day) or ("." in found["clock"] and not day):
        return None
    said = " ".join(filter(None, (found["day"], found["clock"], found["half"])))
    return Stamp(day, clock, found["zone"] or "", said, speaker, text)


def day_of(line: str, reading: Reading) -> str:
    """The day that a heading names; empty for any other line."""
    heading = line.lstrip().startswith("#")
    bare = line.strip(INVISIBLE + " \t\r#-=*_—–•|")
    found = _date().search(bare) if heading else _date().fullmatch(_without_weekday(bare))
    if found:
        return iso_day(found[0], reading.day_first)
    words = _without_weekday(bare).replace(",", " ").split()
    if len(words) != 3 or len(words[2]) != 4:
        return ""
    number, month = (words[0], words[1]) if words[0][:1].isdecimal() else (words[1], words[0])
    digits = number.rstrip("stndrh.")
    if month[:3].lower() not in MONTHS or not month.isalpha() or not digits.isdecimal():
        return ""
    return _checked(words[2], str(MONTHS.index(month[:3].lower()) + 1), digits)


def iso_day(said: str, day_first: bool) -> str:
    """A date of three numbers as an ISO date; empty if there is no such day."""
    parts = re.split("[-./]", said)
    if len(parts) != 3:
        return ""
    if len(parts[0]) == 4:
        return _checked(*parts)
    first, second, year = parts
    year = year if len(year) == 4 else f"20{year}"
    day, month = (first, second) if day_first else (second, first)
    return _checked(year, month, day) or _checked(year, day, month)


def _checked(year: str, month: str, day: str) -> str:
    from datetime import date

    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return ""


def _clock(said: str, half: str) -> str:
    """A clock time of 24 hours."""
    hour, minute, *second = said.replace(".", ":").split(":")
    hours = int(hour)
    if half:
        if not 1 <= hours <= 12:
            return ""
        hours = hours % 12 + (12 if half.strip()[0] in "pP" else 0)
    if hours > 23 or int(minute) > 59 or any(int(one) > 59 for one in second):
        return ""
    return ":".join([f"{hours:02}", minute, *second])


def _speaker(found: re.Match[str]) -> tuple[str, str]:
    """Who speaks, and the text that is left; no speaker where the line names none."""
    rest = found["rest"]
    nick, _, after = rest[1:].partition(">") if rest.startswith("<") else ("", "", "")
    if nick and len(nick) <= MOST_NAME_CHARACTERS:
        return nick.strip(), after.strip(" \r")
    name, colon, text = rest.partition(":")
    name = name.strip(MARKUP + INVISIBLE)
    if not colon or (text and not text.lstrip("*_")[:1].isspace() and text.lstrip("*_\r")) or not _is_name(name):
        return "", rest
    return name, text.lstrip("*_").strip(" \r")


def _is_name(name: str) -> bool:
    return (
        bool(name)
        and len(name) <= MOST_NAME_CHARACTERS
        and len(name.split()) <= MOST_NAME_WORDS
        and not any(sign in name for sign in '"“”«»<>{}[]|/\\=')
    )


def _plain_stamp(line: str) -> Stamp | None:
    """A speaker without a time: a name that begins with a letter, of few words."""
    found = _plain().match(line)
    if not found or not _is_name(found["name"]) or len(found["name"].split()) > MOST_PLAIN_WORDS:
        return None
    return Stamp("", "", "", "", found["name"].strip(), (found["text"] or "").strip(" \r"))


def _day_first(found: list[re.Match[str]]) -> tuple[bool, bool]:
    """Whether days come before months, by the first date that shows it; and whether that is a guess.

    Without proof a short year with a clock of twelve hours is taken for American.
    """
    american = False
    for match in found:
        parts = re.split("[-./]", match["day"] or "")
        if len(parts) == 3 and len(parts[0]) <= 2:
            if "." in match["day"] or int(parts[0]) > 12:
                return True, False
            if int(parts[1]) > 12:
                return False, False
            american = american or (len(parts[2]) == 2 and bool(match["half"]))
    return not american, True


def _without_weekday(text: str) -> str:
    first, _, rest = text.partition(" ")
    return rest.strip() if first.rstrip(",").isalpha() and first.rstrip(",").lower().endswith("day") else text


@cache
def _date() -> re.Pattern[str]:
    return re.compile(r"[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[./-][0-9]{1,2}[./-](?:[0-9]{4}|[0-9]{2})")


@cache
def _timed() -> re.Pattern[str]:
    day = rf"(?P<day>{_date().pattern})(?:,?\s+|T)"
    clock = r"(?P<clock>[0-9]{1,2}[:.][0-9]{2}(?:[:.][0-9]{2})?)(?:[.,][0-9]{1,6})?"
    tail = r"\s?(?P<half>[AaPp]\.?\s?[Mm]\b\.?)?(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?"
    return re.compile(rf"(?:[-*]\s+)?\[?(?:{day})?{clock}{tail}\]?(?:\s+[-–—]\s+|:?\s+)(?P<rest>\S.*)", re.DOTALL)


@cache
def _plain() -> re.Pattern[str]:
    name = rf"(?P<name>[^\W\d_][^:\n]{{0,{MOST_NAME_CHARACTERS - 1}}}?)"
    return re.compile(rf"(?:[-*]\s+)?[*_]{{0,3}}{name}[*_]{{0,3}}\s?:[*_]{{0,3}}(?:\s+(?P<text>.*))?$", re.DOTALL)
