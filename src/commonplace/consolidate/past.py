"""What the ledger says was done before: captures consolidated, lines written, claims stated, texts refused."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from commonplace import files
from commonplace.capture.keys import text_key
from commonplace.journal import Journal
from commonplace.model import Record
from commonplace.text import fold, name_key, one_line

CONSOLIDATED, STATED, REPEATED, REJECTED = "consolidated", "stated", "repeated", "rejected"


class Statement(Struct, frozen=True):
    """What the ledger knows of a line: which record, what it says (`words`), of what (`key`) which value, said when.

    All but the time are digests; `key` and `value` are empty for a line that states no attribute of anything.
    """

    record: str
    words: str
    key: str = ""
    value: str = ""
    time: str = ""


class Past:
    """The ledger as consolidation needs it.

    `written` has the texts that the system gave a record: a line with another text was changed by a person since.
    `stated` knows which records state an attribute of an entity, `said` which record says these words, `told` what a
    record stated, `repeats` the captures that said again what a record says, `refused` the words that a person
    rejected.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal, self._position = journal, ""
        self.consolidated: set[str] = set()
        self.written: dict[str, set[str]] = {}
        self.stated: dict[str, dict[str, Statement]] = {}
        self.said: dict[str, str] = {}
        self.told: dict[str, Statement] = {}
        self.repeats: dict[str, dict[str, None]] = {}
        self.refused: set[str] = set()
        self.tombstones: set[str] = set()
        self.catch_up()

    def catch_up(self) -> None:
        """Read what was appended since the last look."""
        for reading in self._journal.batches("ledger", self._position):
            self._position = reading.position
            for entry in reading.entries:
                self._learn(entry.fields)

    def is_ours(self, record: Record) -> bool:
        """Whether the system wrote this line and nobody changed it since."""
        return text_key(record.text) in self.written.get(record.id, ())

    def knows(self, record: Record) -> bool:
        """Whether what a line states is in the ledger, and nobody changed the line since."""
        return self.tells(record.id, text_key(record.text))

    def tells(self, record_id: str, digest: str) -> bool:
        """The same, by the id of a line and the digest of its text."""
        return record_id in self.told and digest in self.written.get(record_id, ())

    def _learn(self, line: dict[str, Any]) -> None:
        op, record = line.get("op"), str(line.get("record"))
        if op == CONSOLIDATED:
            self.consolidated.update(_texts(line.get("captures")))
        elif op == "origin" and line.get("by"):
            self.written.setdefault(record, set()).add(str(line.get("digest")))
        elif op == STATED:
            told = (str(line.get(name) or "") for name in ("words", "key", "value", "time"))
            self._learn_statement(Statement(record, *told))
        elif op == REPEATED:
            self.repeats.setdefault(record, {}).update(dict.fromkeys(_texts(line.get("captures"))))
        elif op == REJECTED:
            self.refused.update(_texts(line.get("words")))
        elif op == "forgotten":
            self.tombstones.update(_texts(line.get("tombstones")))

    def _learn_statement(self, said: Statement) -> None:
        self.told[said.record] = said
        self.said[said.words] = said.record
        if said.key:
            self.stated.setdefault(said.key, {})[said.record] = said


def statement_key(entity: str, attribute: str) -> str:
    """The key under which the ledger knows that something states this attribute of this entity; empty for neither."""
    return _digest(f"{name_key(entity)}\0{attribute}") if entity and attribute else ""


def value_key(value: str) -> str:
    """The key of a value, however it is written."""
    return _digest(name_key(one_line(value)))


def words_key(written: str) -> str:
    """The key of a text: case, blanks and what ends it aside."""
    return _digest(fold(one_line(written)).rstrip(" .!?…。！？"))


def _digest(text: str) -> str:
    return files.digest(text.encode("utf-8", "surrogatepass"))[:20]


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else []
