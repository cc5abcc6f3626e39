"""The attribute that a sentence gives a thing: its canonical name, and its value without the words around it."""

from __future__ import annotations

import re

from commonplace.extract.key_registry import packaged_registry
from commonplace.language.text import fold_name

_LEADING_WORDS = (
    r"(?:in|at|on|to|under|allergic to|from|as|for|bei|zu|auf|à|chez|en|a|an|the|der|die|das|le|la|el|un|une|ein|eine|"
    r"called|is|are|was) "
)
_VALUE_PATTERNS = {
    "port": r"\b\d{2,5}\b", "ip": r"\d{1,3}(?:\.\d{1,3}){3}", "url": r"(?:https?://)?[\w.-]+\.\w+[\w./:-]*", "email": (
        r"\S+@\S+"),
}  # fmt: skip


def is_single_valued(attribute: str) -> bool:
    """Whether a thing has one value of this attribute at a time, so that a new one replaces the old.

    In doubt it has many: a false yes would retire something true.
    """
    return packaged_registry().cardinality(canonical_attribute(attribute)) == "one"


def canonical_attribute(attribute: str) -> str:
    """The one name of an attribute however it is written: `Date of birth` is `birthday`; others folded, with `_` for
    blanks."""
    folded = fold_name(attribute).strip(" :.").replace("favourite", "favorite")
    return packaged_registry().find(folded) or folded.replace(" ", "_")


def attribute_at_end(subject: str) -> str:
    """The attribute that the last word of a subject names: `port` in `staging DB port`; empty if it names a thing."""
    before, _, head = subject.rpartition(" ")
    registry = packaged_registry()
    name = registry.nouns.get(fold_name(head), "")
    return name if before and name and not registry.tables.keys[name].names_thing else ""


def bare_value(value: str, attribute: str) -> str:
    """A value without the words that lead to it: `in Bern` is `Bern`, `to port 6432` of a port `6432`."""
    if attribute in _VALUE_PATTERNS and (token := re.search(_VALUE_PATTERNS[attribute], value)):
        return token[0]
    bare = re.sub(rf"^(?:{_LEADING_WORDS})+", "", value, flags=re.IGNORECASE)
    return re.sub(rf"^{re.escape(attribute)}:? ", "", bare, flags=re.IGNORECASE) or value


def infer_attribute(noun: str, subject: str, verb: str, value: str) -> str:
    """The attribute that a sentence about a thing gives: the noun it names, else what verb and value show."""
    if noun:
        return canonical_attribute(noun)
    if head := attribute_at_end(subject):
        return head
    low = value.lower()
    for attribute, pattern in _ATTRIBUTES_BY_VALUE:
        if re.search(pattern, low):
            return attribute
    return canonical_attribute(verb) if verb and verb not in ("is", "are", "has", "have", "'s") else "is"


_ATTRIBUTES_BY_VALUE = (
    ("time", r"\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|(?:^|\s)\d{1,2}:\d\d\b"),
    ("port", r"\bport:? \d+|^(?:on |at |to )?\d{4,5}$|[a-z\d]:\d{2,5}\b"),
    ("ip", r"\b\d{1,3}(?:\.\d{1,3}){3}\b"),
    ("url", r"https?://"),
    ("host", r"\b[\w-]+\.(?:internal|local|lan|net|com|org|io|dev)\b"),
    ("path", r"(?:^|\s)/[\w.-]+/"),
    ("version", r"^(?:(?:pinned )?(?:to|at|on) )?(?:version )?v?\d+\.\d+"),
)
