"""Scan one file for secrets and locate them; no value is ever part of a result."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct

from commonplace import redact
from commonplace.storage import files
from commonplace.storage.journal import parse_json_line

StoreKind = Literal[
    "text",  # Markdown and other texts of the person
    "settings",  # commonplace.toml, skills and other files that programs read
    "name",  # the name of a file
    "journal",
    "receipt",
    "change",  # what an applied write replaced
    "artifact",
    "state",  # sessions, rejected input, and everything else below .memory
    "history",  # git
]


class SecretLocation(Struct, frozen=True):
    """One location of a secret: `path` below the workspace, in which secrets are placeholders, 1-based `line` (0: the
    name, or all of a file), and a `commit` that contains it, if it is in the history."""

    path: str
    line: int
    kind: str
    placeholder: str
    store: StoreKind
    commit: str = ""

    @property
    def citation(self) -> str:
        """The location as printed."""
        where = f"{self.commit}:{self.path}" if self.commit else self.path
        return f"{where}:{self.line}" if self.line else where


class Secret(Struct, frozen=True):
    """One secret with all its locations, its vendor, and where it is revoked."""

    kind: str
    placeholder: str
    vendor: str
    url: str
    locations: tuple[SecretLocation, ...]


class ScanResult(Struct, frozen=True):
    """Each secret once, and how much was scanned; `notes` say what could not be."""

    secrets: tuple[Secret, ...]
    files: int = 0
    bytes: int = 0
    blobs: int = 0
    notes: tuple[str, ...] = ()

    @property
    def locations(self) -> tuple[SecretLocation, ...]:
        """Every location by path and line, those of the history last."""
        spots = {location for secret in self.secrets for location in secret.locations}
        return tuple(sorted(spots, key=lambda spot: (spot.store == "history", spot.path, spot.line, spot.placeholder)))


class ScrubbedFile(Struct, frozen=True):
    """One file that is, or would be, rewritten: how many secrets are removed, and a diff that shows none of them."""

    path: str
    secret_count: int
    diff: str = ""


class RemainingSecret(Struct, frozen=True):
    """A location that is not changed, and what a person can do about it."""

    location: SecretLocation
    hint: str


class ScrubResult(Struct, frozen=True):
    """The result of a scrub, done or planned: the secrets removed, those that remain, and the commands for a person."""

    replaced: tuple[ScrubbedFile, ...]
    left: tuple[RemainingSecret, ...]
    secrets: tuple[Secret, ...]
    applied: bool = False
    commands: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


STATE_FOLDER = ".memory"
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
# A placeholder breaks nothing there.
PROSE_SUFFIXES = (".md", ".markdown", ".mdx", ".txt", ".text", ".rst", ".org", ".adoc")
_UNSCANNED_PATHS = tuple(
    f"{STATE_FOLDER}/{one}" for one in ("index.sqlite", "vectors.sqlite", "locks/", "key", "masked")
)
_STORE_BY_FOLDER: dict[str, StoreKind] = {
    "journal": "journal",
    "receipts": "receipt",
    "changes": "change",
    "artifacts": "artifact",
}


def walk_scannable_files(root: str, folder_errors: list[OSError] | None = None) -> Iterator[str]:
    """Every plain file below the root in order, except version control, derived files, and `.env`, made for secrets; no
    link is followed. `folder_errors` collects the folders that cannot be read."""
    for path in files.walk_paths(root, skipped_folders=SKIPPED_FOLDERS, folder_errors=folder_errors):
        name, whole = path.rpartition("/")[2], f"{root}/{path}"
        is_environment = name in (".envrc", ".env") or (name.startswith(".env.") and not name.endswith(".example"))
        if not name or is_environment or path.startswith(_UNSCANNED_PATHS):
            continue
        if os.path.isfile(whole) and not os.path.islink(whole):
            yield path


def classify_store(path: str) -> StoreKind:
    """The kind of a file, by its path."""
    top, _, rest = path.partition("/")
    if top == STATE_FOLDER:
        return _STORE_BY_FOLDER.get(rest.partition("/")[0] if "/" in rest else "", "state")
    return "text" if path.lower().endswith(PROSE_SUFFIXES) else "settings"


def is_json_lines(path: str) -> bool:
    """Whether a file of the system is JSON, one object a line."""
    return path.startswith(f"{STATE_FOLDER}/") and path.endswith((".json", ".jsonl", ".head"))


MAX_UNPACKED_BYTES = 16_000_000  # bytes of a compressed file
_GZIP_MAGIC = b"\x1f\x8b"
_SNIFFED_BYTES = 8192
_DIGEST_FIELDS = ("words", "key", "value")  # of what a line states, in the ledger
_DIGEST_CHARS = 20


class SecretScanner(Struct, frozen=True):
    """The input of a scan: the workspace and its key, secrets in the environment, the largest file, masked values."""

    root: str
    key: bytes
    exact_secrets: tuple[redact.KnownSecret, ...] = ()
    max_file_bytes: int = 16_000_000
    masked: redact.MaskedValues = redact.NO_MASKED_VALUES

    def find(self, text: str) -> tuple[redact.SecretFinding, ...]:
        """The secrets in a text, with the placeholders of this workspace."""
        return redact.find_secrets(text, key=self.key, exact=self.exact_secrets, masked=self.masked)


def scan_path(scanner: SecretScanner, path: str) -> list[SecretLocation]:
    """The secrets in a path, each folder and the name by itself."""
    shown = redact_path(scanner, path)
    findings = [finding for part in files.printable_path(path).split("/") for finding in _find_in_name(scanner, part)]
    return [SecretLocation(shown, 0, finding.kind, finding.placeholder, "name") for finding in findings]


def redact_path(scanner: SecretScanner, path: str) -> str:
    """A path that can be printed: a secret in it is replaced."""
    parts = files.printable_path(path).split("/")
    return "/".join(redact.replace_findings(part, _find_in_name(scanner, part)) for part in parts)


def _find_in_name(scanner: SecretScanner, name: str) -> tuple[redact.SecretFinding, ...]:
    return scanner.find(name) if len(name) >= 8 else ()


def scan_file(
    scanner: SecretScanner, path: str, data: bytes, *, store: StoreKind | None = None, commit: str = ""
) -> list[SecretLocation]:
    """The locations of the secrets in a file; in journals and other JSON lines those in the decoded values."""
    shown, store = redact_path(scanner, path), store or classify_store(path)
    if is_json_lines(path):
        found = list(_scan_json_lines(scanner, data))
    else:
        text = decode_file_text(data)
        findings = scanner.find(text)
        breaks = [offset for offset, char in enumerate(text) if char == "\n"] if findings else []
        found = [(bisect_right(breaks, one.start - 1) + 1, one.kind, one.placeholder) for one in findings]
    return [SecretLocation(shown, line, kind, placeholder, store, commit) for line, kind, placeholder in found]


def redact_line_fields(
    scanner: SecretScanner, line_fields: dict[str, Any]
) -> tuple[dict[str, Any], tuple[redact.SecretFinding, ...]]:
    """The fields of a line without their secrets, and these; a digest that the ledger calls `key` is not a key."""
    names = _DIGEST_FIELDS if "op" in line_fields else ()
    texts = {name: line_fields[name] for name in names if isinstance(line_fields.get(name), str)}
    hex_digits = set("0123456789abcdef")
    digests = {name: one for name, one in texts.items() if len(one) == _DIGEST_CHARS and hex_digits.issuperset(one)}
    rest = line_fields | dict.fromkeys(digests, "")
    clean, findings = redact.redact_fields(rest, key=scanner.key, exact=scanner.exact_secrets, masked=scanner.masked)
    return clean | digests, findings


def decode_file_text(data: bytes) -> str:
    """The text of a file, compressed or not; empty for a binary one. Bytes that are not UTF-8 become surrogates."""
    if data.startswith(_GZIP_MAGIC):
        import zlib

        try:
            data = zlib.decompressobj(wbits=31).decompress(data, MAX_UNPACKED_BYTES)
        except zlib.error:
            data = b""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    head = data[:_SNIFFED_BYTES]
    nuls = head.count(b"\x00")  # in every second byte: UTF-16 without a mark, which `redact` reads
    return "" if nuls and not 0.4 < nuls / len(head) < 0.6 else data.decode("utf-8", "surrogateescape")


def _scan_json_lines(scanner: SecretScanner, data: bytes) -> Iterator[tuple[int, str, str]]:
    """The secrets of each line, once each; a line that is not JSON is scanned as text."""
    for number, raw_line in enumerate(data.split(b"\n"), 1):
        fields = parse_json_line(raw_line) if raw_line else ""
        if isinstance(fields, dict):
            findings = redact_line_fields(scanner, fields)[1]
        else:
            findings = scanner.find(raw_line.decode("utf-8", "replace"))
        secrets = dict.fromkeys((one.kind, one.placeholder) for one in findings if one.kind != "private")
        yield from ((number, kind, placeholder) for kind, placeholder in secrets)
