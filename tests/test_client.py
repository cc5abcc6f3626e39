"""A client of a memory that another process serves: as if it were here, also where the other process is not well."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from msgspec.structs import fields

from commonplace import Memory, errors
from commonplace.errors import BadArgument, BadSettings, CommonplaceError, DeadlinePassed, NotFound, Unreachable
from commonplace.operations.declarations import OPERATIONS, subject_parameter
from commonplace.serve import client
from commonplace.serve.client import error_from_json
from commonplace.serve.client.process import ProcessClient
from commonplace.shapes import hits_json, problem_json

HANGS = "import signal\nsignal.pause()"
READY = b'{"ready":true,"protocol":"commonplace.stdio.v1","version":"0","workspace":"/"}'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one line, and an environment of its own."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COMMONPLACE_NOW", "2025-11-30T09:00")
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "note.md").write_text("- The boat is green.\n", "utf-8")
    return folder


def impostor(code: str) -> ProcessClient:
    """A client of a process that runs this code; it says first that it is ready."""
    begin = f"import sys, time\nprint({READY.decode()!r}, flush=True)\n"
    process = subprocess.Popen(
        [sys.executable, "-c", begin + code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    return ProcessClient(process)


@pytest.mark.slow
def test_it_answers_as_the_memory_itself(root: Path) -> None:
    with client.spawn(root) as memory:
        assert memory.ready["workspace"] == str(root)
        kept = memory.retain("W @Peter: in Marrakech", importance=0.9, deadline_s=60)
        found = memory.recall("where is Peter?", k=5)
        shown = memory.show("note.md")
    assert kept["record"]["importance"] == 0.9
    assert shown["schema"] == "commonplace.view.v1"
    with Memory.open(root) as same:
        assert found == hits_json(same.recall("where is Peter?", k=5))


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in ("prompt", "turn", "tool")])
def test_what_an_operation_is_about_may_come_first(name: str) -> None:
    needed = [one.name for one in fields(OPERATIONS[name].request) if one.required]
    assert needed[:1] in ([], [subject_parameter(name)])


def test_a_record_an_item_and_a_change_may_come_first() -> None:
    about = {"show": "reference", "entity": "name", "why": "receipt", "edit": "item_id", "undo": "change_id"}
    assert {name: subject_parameter(name) for name in about} == about
    assert subject_parameter("timeline") == subject_parameter("nothing of ours") == "text"


@pytest.mark.slow
def test_errors_are_the_exceptions_that_they_were(root: Path) -> None:
    with client.spawn(root) as memory:
        with pytest.raises(NotFound, match=r"no record or file 'x\.md'"):
            memory.show(reference="x.md")
        with pytest.raises(BadArgument, match="no operation 'recal'") as wrong:
            memory.recal("boat")
        assert wrong.value.hint == "did you mean `recall`?"
        with pytest.raises(DeadlinePassed):
            memory.recall("boat", deadline_s=0)
        assert memory.recall("boat")["hits"]


def every_kind(kind: type[CommonplaceError]) -> list[type[CommonplaceError]]:
    return [kind, *(below for child in kind.__subclasses__() for below in every_kind(child))]


@pytest.mark.parametrize("kind", every_kind(CommonplaceError), ids=lambda kind: kind.__name__)
def test_every_error_comes_back_as_what_it_was(kind: type[CommonplaceError]) -> None:
    told = {"code": kind.code_of(), "message": "what", "path": "a.md", "line": 3, "hint": "do"}
    error = error_from_json(told)
    assert type(error) is kind
    assert problem_json(error) == told
    assert str(error) == "what"


def test_an_error_that_is_not_known_here_is_told_with_its_code() -> None:
    error = error_from_json({"code": "of-tomorrow", "message": "what"})
    assert (type(error), error.message, error.line) == (CommonplaceError, "of-tomorrow: what", 0)
    missing, settings = error_from_json({"code": "not-found"}), error_from_json({"code": "bad-settings"})
    assert isinstance(missing, NotFound)
    assert isinstance(settings, BadSettings)
    assert (missing.suggestions, settings.problems) == ((), ())


@pytest.mark.slow
def test_many_threads_may_ask_at_once(root: Path) -> None:
    (root / "more.md").write_text(
        "".join(f"- Berth {number} is taken by ship{number}.\n" for number in range(8)), "utf-8"
    )
    found: dict[int, str] = {}
    with client.spawn(root) as memory:

        def ask(number: int) -> None:
            for _ in range(5):
                found[number] = memory.recall(f"ship{number}", k=1)["hits"][0]["text"]

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: f"Berth {number} is taken by ship{number}." for number in range(8)}


@pytest.mark.slow
def test_closing_lets_it_finish_and_leaves_no_process(root: Path) -> None:
    memory = client.spawn(root)
    kept = threading.Thread(target=lambda: memory.retain("W @Peter: in Marrakech"))
    kept.start()
    kept.join()
    memory.close()
    assert memory._process.returncode == 0
    memory.close()  # a second time does nothing
    with pytest.raises(Unreachable, match="has ended"):
        memory.recall("boat")


def test_a_process_that_dies_is_told_to_who_waits_and_to_who_asks_later() -> None:
    with impostor("sys.stdin.readline()") as memory:
        for _ in range(2):
            with pytest.raises(Unreachable, match="has ended"):
                memory.recall("boat")


def test_a_process_that_hangs_is_given_up_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.serve.client.process.DEADLINE_GRACE_S", 0.1)
    with impostor(HANGS) as memory:
        with pytest.raises(DeadlinePassed, match="not even that it is late"):
            memory.recall("boat", deadline_s=0.1)
        memory.close(0.1)
    assert memory._answers_by_id == {}
    assert memory._process.returncode == -9


def test_a_process_that_reads_nothing_is_given_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than a pipe holds: it cannot even be sent."""
    monkeypatch.setattr("commonplace.serve.client.process.DEADLINE_GRACE_S", 0.1)
    with impostor(HANGS) as memory:
        for _ in range(2):
            with pytest.raises((DeadlinePassed, Unreachable)):
                memory.recall("boat" * 1_000_000, deadline_s=0.1)
        memory.close(0.1)
    assert memory._answers_by_id == {}


def test_answers_are_read_while_something_is_sent() -> None:
    """Lines that fill both pipes: who waited for the one before reading the others would wait for ever."""
    code = (
        "for _ in range(2):\n"
        "    sys.stdin.buffer.raw.read(1 << 16)\n"  # the first request, and a part of the second
        "for number in (1, 99):\n"
        """    print('{"id":%d,"result":{"x":"%s"}}' % (number, "x" * 4_000_000), flush=True)\n"""
        "sys.stdin.readline()\n"
        """print('{"id":2,"result":{}}', flush=True)\n"""
        "sys.stdin.read()"
    )
    with impostor(code) as memory:
        first = threading.Thread(target=memory.recall, args=("boat",))
        first.start()
        while not memory._last_id:
            first.join(0.01)
        assert memory.recall("boat" * 1_000_000) == {}
        first.join()


def test_a_late_answer_is_nobody_elses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.serve.client.process.DEADLINE_GRACE_S", 0.0)
    code = (
        "sys.stdin.readline(); sys.stdin.readline()\n"
        'print(\'{"id":1,"result":{"late":1}}\', flush=True)\n'
        'print(\'{"id":2,"result":{"mine":1}}\', flush=True)\n'
        "sys.stdin.read()"
    )
    with impostor(code) as memory:
        with pytest.raises(DeadlinePassed):
            memory.recall("boat", deadline_s=0.05)
        assert memory.recall("boat") == {"mine": 1}


@pytest.mark.parametrize("line", ["nonsense", "[1]", "\\xff", "[" * 100_000])
def test_a_process_that_speaks_something_else_is_not_waited_for(line: str) -> None:
    code = f"sys.stdin.readline()\nsys.stdout.buffer.write(b'{line}\\n')\n"
    with impostor(code) as memory, pytest.raises(Unreachable):
        memory.recall("boat")


def test_a_process_that_cannot_start_says_so(root: Path) -> None:
    with pytest.raises(Unreachable, match="cannot be started"):
        client.spawn(root, command=[str(root / "nothing")])
    with pytest.raises(Unreachable, match="did not get ready"):
        client.spawn(root / "nowhere", stderr=subprocess.DEVNULL)
    assert errors.Unreachable.code_of() == "unreachable"


def test_what_begins_with_a_line_is_no_operation() -> None:
    with impostor("sys.stdin.read()") as memory, pytest.raises(AttributeError):
        _ = memory._nothing
