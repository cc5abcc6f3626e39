"""The worker: one thread that owns a memory, with deadlines, cancel, a bound, and a memory that comes and goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import BadArgument
from commonplace.operations.worker import Worker


@pytest.fixture
def said() -> list[str]:
    """What the worker has written to its log."""
    return []


@pytest.fixture
def worker(tmp_path: Path, said: list[str]) -> Iterator[Worker]:
    """A worker on an empty workspace."""
    (tmp_path / "notes").mkdir()
    made = Worker(Memory.open(tmp_path / "notes"), say=said.append)
    yield made
    assert made.close(20)


def test_what_is_asked_is_answered_in_turn(worker: Worker) -> None:
    kept = worker.submit("retain", {"text": "W @Peter: in Marrakech"})
    found = worker.submit("recall", {"text": "Marrakech"}, deadline_s=60)
    assert kept.result(20)["schema"] == "commonplace.kept.v1"
    assert [hit["text"] for hit in found.result(20)["hits"]] == ["@Peter: in Marrakech"]


@pytest.mark.parametrize(
    ("name", "given", "told"), [("recal", {}, "no operation 'recal'"), ("recall", {"text": 3}, "text: expected")]
)
def test_a_question_that_makes_no_sense_is_answered_at_once(
    worker: Worker, name: str, given: object, told: str
) -> None:
    with pytest.raises(BadArgument, match=told):
        worker.submit(name, given).result(0)
