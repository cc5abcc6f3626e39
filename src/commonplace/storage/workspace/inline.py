"""The elements in the text of a line: mentions, tags, links, key-value pairs, and the speakers of dialogue."""

from __future__ import annotations

from collections import Counter

from msgspec import Struct

from commonplace.lazy import lazy_pattern
from commonplace.storage.workspace import markdown
from commonplace.storage.workspace.markdown import FenceFinder, last_nonblank_line


def find_entities(text: str) -> tuple[str, ...]:
    """The names after `@`, outside code, in order and once; hyphens of unquoted names are spaces."""
    found = _ENTITY_PATTERN.findall(strip_code_spans(text))
    names = (" ".join(quoted.split()) or plain.replace("-", " ").strip() for quoted, plain in found)
    return tuple(dict.fromkeys(filter(None, names)))


def find_tags(text: str) -> tuple[str, ...]:
    """The words after `#`, outside code, addresses and links, in order and once."""
    return tuple(dict.fromkeys(tag.rstrip("-/") for tag in _TAG_PATTERN.findall(strip_code_spans(text))))


def find_links(text: str) -> tuple[str, ...]:
    """The targets of wiki links and of relative links to notes, outside code, in order and once."""
    found = _LINK_PATTERN.findall(strip_code_spans(text))
    pages = (wiki.partition("|")[0].partition("#")[0].strip() if wiki else _linked_page(page) for wiki, page in found)
    return tuple(dict.fromkeys(filter(None, pages)))


def parse_tag_list(text: str) -> tuple[str, ...]:
    """The tags of a line that lists them, separated by commas, `|` or white space."""
    separator = "," if "," in text else "|" if "|" in text else None
    return tuple(dict.fromkeys(tag for part in text.split(separator) if (tag := part.strip().lstrip("#").strip())))


def strip_code_spans(text: str) -> str:
    """The text without what is between backticks; an odd last one opens nothing."""
    parts = text.split("`")
    outside = parts[::2]
    if len(parts) % 2 == 0:
        outside.append(parts[-1])
    return " ".join(outside)


def _linked_page(target: str) -> str:
    """The page that an address names, if it is a relative one and not a picture or another file."""
    target = target.partition("#")[0].partition("?")[0].strip("<>")
    if ":" in target or target.startswith("//"):
        return ""
    if "%" in target:
        from urllib.parse import unquote

        target = unquote(target)
    name = target.rsplit("/", 1)[-1]
    return target if name.endswith((".md", ".markdown")) or (name and "." not in name) else ""


_ENTITY_PATTERN = lazy_pattern(r"""(?<![\w@./+-])@(?:"([^"\n]{1,120})"|(\w[\w-]*(?:\.\w[\w-]*)*(?![\w/@-])))""")
_TAG_PATTERN = lazy_pattern(r"(?<![\w/&#.:=\[-])(?<!\]\()#([^\W\d_][\w/-]*)")
_LINK_PATTERN = lazy_pattern(r"\[\[([^\[\]\n]{1,300})\]\]|(?<!!)\]\(\s{0,3}(<[^<>\n]{1,500}>|[^()\s]{1,500})")


MAX_KEY_CHARS = 60
MAX_KEY_WORDS = 8
EMPHASIS_CHARS = "*_` "
PERSON_FIELDS = frozenset(
    """
    address, age, aka, alias, aliases, allergies, allergy, also known as, birthday, born, called, child, children, city,
    company, contact, context, country, daughter, diet, dislikes, e-mail, email, employer, family, first name, github,
    handle, home, hosts, instagram, interests, job, language, languages, last contact, last name, likes, linkedin,
    location, mail, married to, met, mobile, name, nickname, note, notes, partner, phone, preferences, pronouns,
    reach her, reach him, reach them, relation, relationship, role, signal, skype, slack, son, status, tags, team, tel,
    telegram, telephone, time zone, timezone, title, twitter, url, website, whatsapp, work, works at
    """.replace("\n", " ").split(", ")
)


def parse_key(text: str) -> str:
    """The key of `Key: value` or `**Key:** value`; empty if the text does not begin with one."""
    colon = text.find(":", 0, MAX_KEY_CHARS + 1)
    after = text[colon + 1 : colon + 4].lstrip("*_`")
    if colon < 1 or not (not after or after[0].isspace()):
        return ""
    key = text[:colon].strip(EMPHASIS_CHARS)
    return key if key and "\n" not in key and len(key.split()) <= MAX_KEY_WORDS else ""


def has_value(text: str) -> bool:
    """Whether anything follows the key."""
    return bool(text.partition(":")[2].strip(EMPHASIS_CHARS + "\r\n\t"))


def people_of_key(key: str, outermost: str, title: tuple[str, ...]) -> tuple[str, ...]:
    """Whom a key–value line is about: the outermost key, or the title above it where that key is a mere field."""
    if outermost:
        return (outermost,)
    return title if key.casefold() in PERSON_FIELDS else (key, *title)


MAX_SPEAKER_WORDS = 4
MAX_SPEAKER_CHARS = 40


class Utterance(Struct):
    """The speaker and the minute of a line of dialogue; `start` is the column of the speaker's name."""

    speaker: str
    time: str
    start: int


def parse_utterance(line: str, start: int, date: str) -> Utterance | None:
    """The utterance in an item whose text begins at this column, if it is a line of dialogue of this date."""
    found = _UTTERANCE_PATTERN.match(line, start)
    if not found:
        return None
    hour, minute, name = found.groups()
    speaker = name.strip(" \t*_")
    if int(hour) > 23 or int(minute) > 59 or not speaker or len(speaker.split()) > MAX_SPEAKER_WORDS or "/" in speaker:
        return None
    return Utterance(speaker, f"{date}T{int(hour):02}:{minute}", found.start(3))


_UTTERANCE_PATTERN = lazy_pattern(
    r"([0-9]{1,2}):([0-9]{2})(?::[0-9]{2})?[ \t]+"
    rf"([^\s:][^:\r]{{0,{MAX_SPEAKER_CHARS - 1}}}):[*_]{{0,3}}(?=\s|$)"
)


TRANSCRIPT_PAGE_PREFIX, TRANSCRIPT_SECTION = "Session: ", "Conversation Summary"
RETAIN_HEADING = "retain"  # a heading that we write ourselves, and that ends a transcript
CHAT_ROLES = frozenset(("user", "assistant", "system", "tool"))


class TranscriptTurn(Struct, frozen=True):
    """The words of one speaker, from one line to another."""

    speaker: str
    first: int
    last: int


def is_transcript(titles: tuple[str, ...]) -> bool:
    """Whether what is below these titles is a session as OpenClaw saves it."""
    return len(titles) == 2 and titles[0].startswith(TRANSCRIPT_PAGE_PREFIX) and titles[1] == TRANSCRIPT_SECTION


def parse_transcript(lines: list[str], first: int, end: int, fences: FenceFinder) -> list[TranscriptTurn]:
    """The turns of these lines with their speakers; none if the first line that is not blank names no speaker.

    Where a part opens (`user`), only parts speak; else those whose name begins two lines and more, for `Plan: …` may
    stand in any text. What is said runs to the next speaker, whatever it holds; in a fence nobody speaks.
    """
    places, end = _find_speaker_lines(lines, first, end, fences)
    begun = next((number for number in range(first, end) if lines[number].strip()), end)
    if not places or places[0][0] != begun:
        return []
    counts = Counter(name for _number, name in places)
    by_part = places[0][1] in CHAT_ROLES
    speaking = [
        (number, name)
        for number, name in places
        if (name in CHAT_ROLES if by_part else counts[name] > 1 or number == begun)
    ]
    ends = [*(number for number, _name in speaking[1:]), end]
    spans = zip(speaking, ends, strict=True)
    return [TranscriptTurn(name, number, last_nonblank_line(lines, number, after)) for (number, name), after in spans]


def _find_speaker_lines(
    lines: list[str], first: int, end: int, fences: FenceFinder
) -> tuple[list[tuple[int, str]], int]:
    """The lines outside of fences that begin with a name and a colon, and where the transcript ends."""
    found: list[tuple[int, str]] = []
    number = first
    while number < end:
        body = lines[number].strip()
        opening = markdown.parse_fence(body) if body[:1] in ("`", "~") else None
        if opening and fences.can_close(number, opening):
            number = fences.find_end(number, opening, 0)[0]
        elif body[:1] == "#" and body.strip("# ").casefold() == RETAIN_HEADING:
            return found, number
        elif (named := _SPEAKER_PREFIX_PATTERN.match(lines[number])) and len(named[1].split()) <= MAX_SPEAKER_WORDS:
            found.append((number, named[1]))
        number += 1
    return found, end


_SPEAKER_PREFIX_PATTERN = lazy_pattern(rf"([^\W\d_][^:/\r\n]{{0,{MAX_SPEAKER_CHARS - 1}}}):(?=\s|$)")
