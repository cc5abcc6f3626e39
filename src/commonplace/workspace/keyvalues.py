"""Key–value lines: `Key: value`, and which keys are fields of a person rather than a person's name."""

from __future__ import annotations

MOST_CHARACTERS = 60
MOST_WORDS = 8
MARKS = "*_` "
FIELDS = frozenset(
    """
    address, age, aka, alias, aliases, allergies, allergy, also known as, birthday, born, called, child, children, city,
    company, contact, context, country, daughter, diet, dislikes, e-mail, email, employer, family, first name, github,
    handle, home, hosts, instagram, interests, job, language, languages, last contact, last name, likes, linkedin,
    location, mail, married to, met, mobile, name, nickname, note, notes, partner, phone, preferences, pronouns,
    reach her, reach him, reach them, relation, relationship, role, signal, skype, slack, son, status, tags, team, tel,
    telegram, telephone, time zone, timezone, title, twitter, url, website, whatsapp, work, works at
    """.replace("\n", " ").split(", ")
)


def key_of(text: str) -> str:
    """The key of `Key: value` or `**Key:** value`; empty if the text does not begin with one."""
    colon = text.find(":", 0, MOST_CHARACTERS + 1)
    after = text[colon + 1 : colon + 4].lstrip("*_`")
    if colon < 1 or not (not after or after[0].isspace()):
        return ""
    key = text[:colon].strip(MARKS)
    return key if key and "\n" not in key and len(key.split()) <= MOST_WORDS else ""


def has_value(text: str) -> bool:
    """Whether anything follows the key."""
    return bool(text.partition(":")[2].strip(MARKS + "\r\n\t"))


def people(key: str, outermost: str, title: tuple[str, ...]) -> tuple[str, ...]:
    """Whom a key–value line is about: the outermost key, or the title above it where that key is a mere field."""
    if outermost:
        return (outermost,)
    return title if key.casefold() in FIELDS else (key, *title)
