"""What the ledger says was done before: captures consolidated, lines written, claims stated, texts refused."""

from __future__ import annotations

from typing import Any

from commonplace import files
from commonplace.journal import Journal
from commonplace.text import name_key, one_line

Statement = tuple[str, str]  # the record, the digest of its value


class Past:
    """The ledger as consolidation needs it, read once in pieces.

    `written` has for each record that the system wrote itself the key of its text then: a line with another text was
    changed by a person since. `stated` knows which records state an attribute of an entity; `refused` are keys of
    texts that a person rejected.
    """

    def __init__(self, journal: Journal) -> None:
        self.consolidated: set[str] = set()
        self.written: dict[str, str] = {}
        self.stated: dict[str, list[Statement]] = {}
        self.refused: set[str] = set()
        self.tombstones: set[str] = set()
        for reading in journal.batches("ledger"):
            for entry in reading.entries:
                self._learn(entry.fields)

    def _learn(self, line: dict[str, Any]) -> None:
        op = line.get("op")
        if op == "consolidated":
            self.consolidated.update(_texts(line.get("captures")))
        elif op == "origin" and line.get("by"):
            self.written[str(line.get("record"))] = str(line.get("digest"))
        elif op == "stated":
            self.stated.setdefault(str(line.get("key")), []).append((str(line.get("record")), str(line.get("value"))))
        elif op == "rejected":
            self.refused.add(str(line.get("digest")))
        elif op == "forgotten":
            self.tombstones.update(_texts(line.get("tombstones")))


def statement_key(entity: str, attribute: str) -> str:
    """The key under which the ledger knows that something states this attribute of this entity; empty for neither."""
    return _digest(f"{name_key(entity)}\0{attribute}") if entity and attribute else ""


def value_key(value: str) -> str:
    """The key of a value, however it is written."""
    return _digest(name_key(one_line(value)))


def _digest(text: str) -> str:
    return files.digest(text.encode("utf-8", "surrogatepass"))[:20]


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
