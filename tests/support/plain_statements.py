"""Statements of one shape, `The port of Zed is 7443.`, read without any language: for tests of what is derived."""

from __future__ import annotations

import re
import zlib

import pytest

from commonplace.truth import Comparison, LineContext, Statement

SHAPE = re.compile(r"The (\w+) of (\w+) is (now )?(\w+)\.")


def read_plain_statements(text: str, _context: LineContext) -> tuple[Statement, ...]:
    return tuple(
        Statement(
            text,
            subject=found[2],
            key=found[1],
            value=found[4],
            is_single_valued=found[1] == "port",
            has_cue=bool(found[3]),
            signatures=(zlib.crc32(f"{found[1]} {found[2]}".encode()), zlib.crc32(found[2].encode())),
        )
        for found in SHAPE.finditer(text)
    )


def compare_plain_statements(new: Statement, old: Statement) -> Comparison:
    if (new.subject, new.key) != (old.subject, old.key) or new.value == old.value:
        return Comparison("same" if new.value == old.value else "independent", "text")
    verdict = "replaces" if new.is_single_valued or new.has_cue else "twins"
    return Comparison(verdict, "slot", new.value, old.value)


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.sync.relations.read_statements", read_plain_statements)
    monkeypatch.setattr("commonplace.truth.comparison.compare_statements", compare_plain_statements)
