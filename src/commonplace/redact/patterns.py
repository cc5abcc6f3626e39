"""Compile patterns, and read the rules that are data: key formats of vendors, words for secrets, pages of vendors."""

from __future__ import annotations

import os
import re
from functools import cache
from io import FileIO
from typing import Any, TypeVar

from msgspec import Struct, json

Table = TypeVar("Table")


def read_table(name: str, shape: type[Table]) -> Table:
    """Return the table `data/<name>.json`. Raises msgspec.ValidationError for an unknown or missing field."""
    with FileIO(os.path.join(os.path.dirname(__file__), "data", f"{name}.json")) as file:
        return json.decode(file.readall(), type=shape)


@cache
def compile_re(pattern: str | bytes) -> re.Pattern[Any]:
    """A pattern of Python's own engine: for short windows, or without a repeat inside another."""
    return re.compile(pattern)


@cache
def compile_re2(pattern: str) -> Any:
    """A pattern of RE2 over Latin-1: its time is linear, and a byte is a character, so offsets are equal."""
    return make_re2(pattern.encode())


def make_re2(pattern: bytes, *, max_bytes: int = 8 << 20) -> Any:
    """An RE2 pattern that no cache retains; `max_bytes` bounds its memory."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = max_bytes
    return re2.compile(pattern, options)


UNKNOWN_VENDOR = "whoever gave it out"
# Kinds that no single vendor or service has.
GENERIC_KINDS = ("key", "login", "password", "private-key", "registered", "seed-phrase", "token", "url-password")


class KeyFormat(Struct, frozen=True, forbid_unknown_fields=True):
    """A key format, written down from the vendor's own pages. Only a text that contains one of the `keywords` can
    match; the first group of `pattern` (RE2) is the secret, or the whole match, which never starts or ends inside a
    word."""

    kind: str
    keywords: tuple[str, ...]
    pattern: str


class SecretNames(Struct, frozen=True, forbid_unknown_fields=True):
    """Words that name a secret, and services whose keys have no format of their own.

    `key_words` lack `session`: a memory cites the ids of sessions. A mere `key` may be a word or a digest, one of the
    `key_qualifiers` makes it a secret, one of the `id_qualifiers` an id (`sessionKey`); one of the `harmless_suffixes`
    makes any name harmless (`token_url`). `words_about_passwords` are in no passphrase.
    """

    password_words: frozenset[str]
    token_words: frozenset[str]
    key_words: frozenset[str]
    key_qualifiers: frozenset[str]
    id_qualifiers: frozenset[str]
    words_about_passwords: frozenset[str]
    harmless_suffixes: frozenset[str]
    auth_schemes: frozenset[str]
    services: dict[str, tuple[str, ...]]


class VendorPage(Struct, frozen=True, forbid_unknown_fields=True):
    """A vendor's name, and the page on which its keys are revoked."""

    name: str
    page: str


class VendorTable(Struct, frozen=True, forbid_unknown_fields=True):
    """Vendors by the word that a kind begins with, and what to do about kinds that no vendor revokes."""

    vendors: dict[str, VendorPage]
    advice: dict[str, str]


@cache
def key_formats() -> tuple[KeyFormat, ...]:
    """Every published key format; of two that match alike the first wins."""
    return tuple(row for group in _key_format_table().values() for row in group)


@cache
def secret_names() -> SecretNames:
    """The words that name a secret."""
    return read_table("secret_names", SecretNames)


@cache
def service_names() -> frozenset[str]:
    """The services whose name beside a value indicates a key."""
    return frozenset(name for names in secret_names().services.values() for name in names)


@cache
def find_vendor(kind: str) -> tuple[str, str]:
    """Return who issued a secret of this kind, and where it is revoked: an address, or what to do; may be empty."""
    table = read_table("vendors", VendorTable)
    if kind in table.advice:
        return UNKNOWN_VENDOR, table.advice[kind]
    word = kind.partition("-")[0]
    if word in table.vendors:
        return table.vendors[word].name, table.vendors[word].page
    no_vendor = (*GENERIC_KINDS, *(row.kind for row in _key_format_table()["no_vendor"]))
    return UNKNOWN_VENDOR if word in {one.partition("-")[0] for one in no_vendor} else word.capitalize(), ""


@cache
def _key_format_table() -> dict[str, tuple[KeyFormat, ...]]:
    """The key formats by field of business, those of no vendor last."""
    return read_table("key_formats", dict[str, tuple[KeyFormat, ...]])
