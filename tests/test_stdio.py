"""`commonplace serve --stdio`: real processes with real pipes, asked well and badly."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import commonplace
from commonplace import Memory
from commonplace.serve import shutdown_signals
from commonplace.serve.dispatch.worker import MAX_WAITING, Worker
from commonplace.serve.stdio import Pipes
from commonplace.serve.stdio.line_streams import (
    KEPT_END_BYTES,
    MAX_LINE_BYTES,
    MAX_QUEUED_LINES,
    LineSplitter,
    Outbox,
    OversizedLine,
)
from commonplace.serve.stdio.protocol import (
    MAX_DEADLINE_MS,
    MAX_DEPTH,
    MAX_ID,
    MAX_ID_CHARACTERS,
    CancelRequest,
    InvalidRequest,
    StdioRequest,
    parse_line,
)
from commonplace.serve.stdio.server import MAX_PENDING_BYTES, LineDispatcher, _dispatch_lines

LONG_S = 60
ROOT = Path(__file__).parents[1]
SERVE = (sys.executable, "-m", "commonplace", "serve", "--stdio")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small workspace, and an environment of its own."""
    for name, value in (
        ("HOME", f"{tmp_path}/home"),
        ("XDG_STATE_HOME", f"{tmp_path}/state"),
        ("COMMONPLACE_NOW", "2025-11-30T09:00"),
        ("COMMONPLACE_DEVICE", "desk"),
    ):
        monkeypatch.setenv(name, value)
    folder = tmp_path / "notes"
    (folder / "memory").mkdir(parents=True)
    lines = (
        "# 2025-11-27",
        "",
        "## Retain",
        "- W @Peter: In Marrakech for Andy's birthday.",
        "- W @Ana: Plays the harp.",
    )
    (folder / "memory/2025-11-27.md").write_text("\n".join((*lines, "")), "utf-8")
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(folder))
    return folder


def told(*lines: bytes | dict[str, Any]) -> bytes:
    """Lines as they are sent."""
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def served(*lines: bytes | dict[str, Any], **choices: Any) -> list[dict[str, Any]]:
    """What is answered, after the ready line, to a process that is sent the lines and then the end."""
    done = subprocess.run(SERVE, input=told(*lines), capture_output=True, timeout=60, check=True, **choices)
    ready, *answers = [json.loads(line) for line in done.stdout.decode().removesuffix("\n").split("\n")]
    assert ready == {
        "ready": True,
        "protocol": "commonplace.stdio.v1",
        "version": commonplace.__version__,
        "workspace": os.environ["COMMONPLACE_WORKSPACE"],
    }
    return answers


def test_the_version_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert commonplace.__version__ == project["version"]


def test_what_is_asked_is_answered_under_its_id(root: Path) -> None:
    answers = served(
        {"id": 1, "method": "recall", "params": {"text": "who is in Marrakech?"}},
        {"id": "two", "method": "recall", "params": {"text": "harp"}, "deadline_ms": 60_000},
    )
    found = {answer["id"]: answer["result"]["hits"][0]["citation"] for answer in answers}
    assert found == {1: "memory/2025-11-27.md#L4", "two": "memory/2025-11-27.md#L5"}


def test_the_session_on_the_page_is_as_it_says(root: Path) -> None:
    page = (ROOT / "docs/reference/stdio.md").read_text("utf-8")
    ready, *session = page.partition("```jsonl\n")[2].partition("\n```")[0].split("\n")
    with serving() as one:
        one.send({"id": "warm", "method": "recall", "params": {"text": "harp"}})
        one.read()  # the deadlines on the page are meant for an engine that has begun its day
        for line in session:
            if line.startswith("> "):
                one.send(line[2:].encode())
            else:
                assert one.read() == json.loads(line[2:])
    assert json.loads(ready[2:]).keys() == {"ready", "protocol", "version", "workspace"}
    assert len(session) == 10


def test_the_page_names_the_bounds_that_hold() -> None:
    page = (ROOT / "docs/reference/stdio.md").read_text("utf-8")
    for bound, told in (
        (MAX_ID, "within ±{}"),
        (MAX_ID_CHARACTERS, "a text of 1 to {} characters"),
        (MAX_DEADLINE_MS, "0 to {}"),
        (MAX_DEPTH, "may be nested {} deep"),
        (Pipes(0, 1).drain_timeout_s, "within {:g} seconds | 0 |\n| `SIGTERM`"),
        (Pipes(0, 1).exit_timeout_s, "within {:g} seconds | 0 |\n| the host"),
    ):
        assert told.format(bound) in page
    for number, told in (
        (MAX_LINE_BYTES, "of more than {:,} bytes"),
        (MAX_PENDING_BYTES, "have {:,} bytes"),
        (MAX_WAITING, "If {} requests are waiting"),
    ):
        assert told.format(number) in page


# Lines.


@given(some.lists(some.binary(max_size=20)), some.integers(1, 9), some.integers(0, 30))
def test_lines_are_the_same_however_the_bytes_come(written: list[bytes], size: int, most: int) -> None:
    whole = b"\n".join(written)
    lines = LineSplitter(most)
    pieces = [whole[at : at + size] for at in range(0, len(whole), size)]
    read = [line for piece in pieces for line in lines.feed(piece)]
    told = [*read, *lines.finish()]
    expected = [line if len(line) <= most else OversizedLine(line, line) for line in whole.split(b"\n")]
    got = [OversizedLine(line.tail, line.tail) if isinstance(line, OversizedLine) else line for line in read]
    assert got == expected[:-1]
    last = [b"" if isinstance(line, OversizedLine) else line for line in expected[-1:]]  # cut off, it has no end
    assert [line.tail if isinstance(line, OversizedLine) else line for line in told[len(read) :]] == (
        last if whole[-1:] not in (b"", b"\n") else []
    )
    read = told
    for line, full in zip(read, expected, strict=False):
        assert isinstance(line, bytes) or (full.head.startswith(line.head) and len(line.head) > most)


def test_of_a_line_that_is_too_long_only_the_ends_are_held() -> None:
    lines = LineSplitter(2_000)
    list(lines.feed(b"a" * 1_999))
    for _ in range(5_000):
        assert list(lines.feed(b"x" * 999)) == []
        assert len(lines._partial) <= KEPT_END_BYTES
    assert list(lines.feed(b"z\ny\n")) == [
        OversizedLine(b"a" * KEPT_END_BYTES, b"x" * (KEPT_END_BYTES - 1) + b"z"),
        b"y",
    ]


def test_a_line_that_is_cut_off_is_given_no_id_of_what_stands_deeper_in_it() -> None:
    lines = LineSplitter(200)
    (cut,) = [*lines.feed(b'{"method":"capture","params":{"t":"' + b"x" * 900 + b'","a":1,"id":7}'), *lines.finish()]
    assert isinstance(cut, OversizedLine)
    assert json.loads(cut.outer_members()) == {"method": "capture"}


VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(',"{}[]:\\id \n0é') | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.sampled_from(["id", "method", 'x,"id', "jsonrpc"]), inner),
)


@pytest.mark.slow
@given(
    some.dictionaries(some.sampled_from(["id", "method", "jsonrpc", "params", 'a,"id', "X"]), VALUES),
    some.sampled_from([(",", ":"), (", ", ": "), ("\t,", " : ")]),
    some.integers(1, 200),
    some.booleans(),
)
def test_what_is_told_of_the_ends_of_a_line_is_outermost_in_it(
    said: dict[str, Any], dress: tuple[str, str], size: int, ascii_only: bool
) -> None:
    line = json.dumps(said, separators=dress, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    told = json.loads(OversizedLine(line[:size], line[-size:]).outer_members())
    assert told.items() <= {name: value for name, value in said.items() if isinstance(value, int | str)}.items()


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"recall","params":{"text":"*"}}', 7),
        (b'{"method":"recall","params":{"text":"*"},"jsonrpc":"2.0","id":"a-1"}', "a-1"),
        (b' { "id" : -7 , "method" : "recall" , "params" : {"text":"*"} } \r', -7),
        (b'{"params":{"text":"*"}, "method": "recall", "id": 7}', 7),
        (b'{"id":7,"method":"recall","params":{"text":"*"},"deadline_ms":250}', 7),
        (b'{"method":"recall","params":{"text":"*","id":7}}', None),
        (b'{"method":"recall","params":{"text":"*","x":{"id":7}},"y":1}', None),
        (b'{"id":{"id":7},"method":"recall","params":{"text":"*"}}', None),
        (rb'{"method":"recall","params":"*,\"id\":7}', None),
        (b'[{"id":7,"method":"recall","params":"*"}]', None),
        (b'{"id":7,"result":{"text":"*"}}', None),
        (b'{"method":"cancel","id":7,"params":{"text":"*"}}', None),
        (b'{"id":1.5,"method":"recall","params":"*"}', None),
        (b'{"id":true,"method":"recall","params":"*"}', None),
        (b'{"id":007,"method":"recall","params":"*"}', None),
        (b"*", None),
    ],
)
def test_a_line_that_is_too_long_is_answered_under_its_id_where_that_can_be_told(line: bytes, number: object) -> None:
    lines = LineSplitter(3_000)
    [ends] = lines.feed(line.replace(b"*", b"x" * 4_000) + b"\n")
    refused = parse_line(ends, 3_000)
    assert isinstance(refused, InvalidRequest)
    assert (refused.id, refused.error.message) == (number, "the line has more than 3000 bytes")


# What a line asks.


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        (b'{"id":7,"method":"status"}', StdioRequest(7, "status", {})),
        (
            b'{"id":"a","method":"recall","params":{"k":1},"deadline_ms":0.5}',
            StdioRequest("a", "recall", {"k": 1}, 0.5),
        ),
        (b'{"id":7,"method":"status","deadline_ms":null}\r', StdioRequest(7, "status", {})),
        (b'{"method":"cancel","params":{"id":"a"}}', CancelRequest("a")),
        (rb'{"id":7,"method":"recall","params":{"text":"\ud83d"}}', StdioRequest(7, "recall", {"text": "\ufffd"})),
    ],
)
def test_a_line_that_is_well_made_is_read(line: bytes, asked: object) -> None:
    assert parse_line(line) == asked


BAD: dict[bytes, tuple[object, str]] = {
    b"": (None, "no JSON"),
    b"{": (None, "no JSON"),
    b"{} {}": (None, "no JSON"),
    b"\x00": (None, "no JSON"),
    b'{"id":7,"method":"sta\x00tus"}': (None, "no JSON"),
    b'{"id":7,"method":"\xff"}': (None, "no JSON in UTF-8"),
    b'{"id":7,"method":"\xed\xa0\x80"}': (None, "no JSON in UTF-8"),
    b"\xef\xbb\xbf{}": (None, "no JSON"),
    b"[" * 100_000: (None, "deep"),
    b'{"id":7,"method":"status","params":' + b'{"a":' * 200 + b"1" + b"}" * 201: (7, "deep"),
    b"[]": (None, "got `array`"),
    b"7": (None, "got `int`"),
    b"true": (None, "got `bool`"),
    b"null": (None, "got `null`"),
    b'"status"': (None, "got `str`"),
    b"{}": (None, "required field `method`"),
    b'{"method":"status"}': (None, "needs an `id`"),
    b'{"id":7}': (7, "`method`"),
    b'{"id":7,"method":3}': (7, "Expected `str`, got `int` - at `$.method`"),
    b'{"id":7,"method":null}': (7, "Expected `str`, got `null` - at `$.method`"),
    b'{"id":null,"method":"status"}': (None, "at `$.id`"),
    b'{"id":true,"method":"status"}': (None, "at `$.id`"),
    b'{"id":1.5,"method":"status"}': (None, "at `$.id`"),
    b'{"id":[7],"method":"status"}': (None, "at `$.id`"),
    b'{"id":{},"method":"status"}': (None, "at `$.id`"),
    b'{"id":"","method":"status"}': (None, "at `$.id`"),
    b'{"id":9007199254740992,"method":"status"}': (None, "at `$.id`"),
    b'{"id":"' + b"x" * 201 + b'","method":"status"}': (None, "at `$.id`"),
    b'{"id":7,"method":"status","params":[]}': (7, "Expected `object`, got `array` - at `$.params`"),
    b'{"id":7,"method":"status","params":null}': (7, "Expected `object`, got `null` - at `$.params`"),
    b'{"id":7,"method":"status","deadline":9}': (7, "unknown field `deadline`"),
    b'{"id":7,"method":"status","deadline_ms":-1}': (7, "`float` >= 0.0 - at `$.deadline_ms`"),
    b'{"id":7,"method":"status","deadline_ms":true}': (7, "at `$.deadline_ms`"),
    b'{"id":7,"method":"status","deadline_ms":"9"}': (7, "at `$.deadline_ms`"),
    b'{"id":7,"method":"status","deadline_ms":1e99}': (7, "at `$.deadline_ms`"),
    b'{"id":7,"method":"cancel","params":{"id":3}}': (7, "no `id`"),
    b'{"method":"cancel","params":{"id":3},"deadline_ms":4}': (None, "no `deadline_ms`"),
    b'{"method":"cancel"}': (None, "required field `id`"),
    b'{"method":"cancel","params":{"id":null}}': (None, "at `$.id`"),
    b'{"method":"cancel","params":{"id":3,"why":1}}': (None, "unknown field `why`"),
    b'{"method":"cancel","params":[3]}': (None, "at `$.params`"),
}


@pytest.mark.parametrize("line", BAD, ids=lambda line: repr(line[:50]))
def test_a_line_that_is_none_says_why(line: bytes) -> None:
    asked = parse_line(line)
    number, told = BAD[line]
    assert isinstance(asked, InvalidRequest)
    assert (asked.id, asked.error.code) == (number, "bad-argument")
    assert told in asked.error.message
    assert asked.error.hint == "see docs/reference/stdio.md"


def test_parameters_may_be_as_deep_as_they_may_be_and_no_deeper() -> None:
    def line(depth: int) -> bytes:
        return b'{"id":1,"method":"m","params":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}"

    assert isinstance(parse_line(line(MAX_DEPTH - 1)), StdioRequest)
    assert isinstance(parse_line(line(MAX_DEPTH)), InvalidRequest)
    many = b'{"id":1,"method":"m","params":{"a":[' + b"[],[[]]," * 500 + b"{}]}}"
    assert isinstance(parse_line(many), StdioRequest)


# A desk with a worker behind it.


@pytest.fixture
def desk(root: Path) -> Iterator[tuple[LineDispatcher, list[bytes], Worker]]:
    """A desk, what it has put out, and its worker."""
    put: list[bytes] = []
    worker = Worker(Memory.open(root), log=print)
    yield LineDispatcher(worker, put.append), put, worker
    assert worker.close(LONG_S)


LINES = some.one_of(
    some.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")),
    some.sampled_from([line for line in BAD if len(line) < 1_000]),
    some.recursive(
        some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=9),
        lambda inner: (
            some.lists(inner, max_size=3)
            | some.dictionaries(some.sampled_from(["id", "method", "params", "deadline_ms", "x"]), inner, max_size=4)
        ),
        max_leaves=6,
    ).map(lambda value: json.dumps(value).encode()),
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.lists(LINES, max_size=12), some.randoms())
def test_whatever_else_is_sent_each_good_request_is_answered_once_and_rightly(
    root: Path, bad: list[bytes], chance: random.Random
) -> None:
    good = [
        told({"id": f"good-{number}", "method": "recall", "params": {"text": text}})[:-1]
        for number, text in enumerate(("who is in Marrakech?", "harp", "who is in Marrakech?"))
    ]
    lines = [*good, *bad]
    chance.shuffle(lines)
    put: list[bytes] = []
    worker = Worker(Memory.open(root), log=print)
    desk = LineDispatcher(worker, put.append)
    for line in lines:
        desk.dispatch(line)
    assert worker.close(LONG_S)
    answers = [json.loads(line) for line in put]
    found = sorted((a["id"], a["result"]["hits"][0]["line_start"]) for a in answers if str(a["id"])[:5] == "good-")
    assert found == [("good-0", 4), ("good-1", 5), ("good-2", 4)]
    assert len(answers) == len(lines)


def test_an_id_in_flight_keeps_its_one_answer(desk: tuple[LineDispatcher, list[bytes], Worker]) -> None:
    taken, put, worker = desk
    begun, gone = blocked(worker)
    for line in (
        {"id": 7, "method": "status"},
        {"id": 7, "method": "recall"},
        {"id": 7},
        {"id": "7", "method": "status"},
    ):
        taken.dispatch(told(line)[:-1])
    early = [json.loads(line) for line in put]
    assert [answer["id"] for answer in early] == [None, None]
    assert "the id 7 belongs to a request that is not answered yet" in early[0]["error"]["message"]
    gone.set()
    worker.submit("status", {}).result(LONG_S)
    taken.dispatch(b'{"id":7,"method":"status"}')  # it may be used again once it is answered
    worker.submit("status", {}).result(LONG_S)
    answers = [json.loads(line) for line in put[2:]]
    assert [answer["id"] for answer in answers] == [7, "7", 7]
    assert all(answer["result"]["schema"] == "commonplace.status.v1" for answer in answers)
    assert begun.is_set()


def blocked(worker: Worker) -> tuple[Any, Any]:
    """Keep the worker busy until the second event is set."""
    from threading import Event

    begun, gone = Event(), Event()

    def wait(_memory: Memory) -> dict[str, Any]:
        begun.set()
        assert gone.wait(LONG_S)
        return {}

    worker.submit_call(wait, writes=False)
    assert begun.wait(LONG_S)
    return begun, gone


def test_cancel_has_no_answer_and_the_cancelled_one_has_an_error(
    desk: tuple[LineDispatcher, list[bytes], Worker],
) -> None:
    taken, put, worker = desk
    _begun, gone = blocked(worker)
    for line in (
        {"id": 1, "method": "status"},
        {"method": "cancel", "params": {"id": 1}},
        {"method": "cancel", "params": {"id": 1}},
        {"method": "cancel", "params": {"id": "nobody"}},
    ):
        taken.dispatch(told(line)[:-1])
    gone.set()
    (answer,) = [json.loads(line) for line in put]
    assert (answer["id"], answer["error"]["code"]) == (1, "cancelled")


def test_requests_that_hold_too_much_are_refused_until_others_are_answered(
    desk: tuple[LineDispatcher, list[bytes], Worker], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, put, worker = desk
    monkeypatch.setattr("commonplace.serve.stdio.server.MAX_PENDING_BYTES", 100)
    _begun, gone = blocked(worker)
    large = told({"id": 1, "method": "recall", "params": {"text": "harp" + " " * 200}})[:-1]
    taken.dispatch(large)  # alone it is taken on
    taken.dispatch(b'{"id":2,"method":"status"}')
    assert [json.loads(line)["error"]["code"] for line in put] == ["too-busy"]
    gone.set()
    worker.submit("status", {}).result(LONG_S)
    _begun, gone = blocked(worker)
    for number in (3, 4):
        taken.dispatch(told({"id": number, "method": "status"})[:-1])  # what was answered counts no more
    gone.set()
    worker.submit("status", {}).result(LONG_S)
    assert [json.loads(line)["id"] for line in put] == [2, 1, 3, 4]


@pytest.mark.parametrize(("value", "told"), [(object(), "internal-error"), ("caf\udce9", {"x": "caf\ufffd"})])
def test_an_answer_that_cannot_be_encoded_is_answered_all_the_same(
    desk: tuple[LineDispatcher, list[bytes], Worker], monkeypatch: pytest.MonkeyPatch, value: object, told: object
) -> None:
    taken, put, worker = desk
    monkeypatch.setattr(worker, "submit", lambda *_, **__: worker.submit_call(lambda _m: {"x": value}, writes=False))
    taken.dispatch(b'{"id":1,"method":"status"}')
    worker.submit_call(lambda _memory: {}, writes=False).result(LONG_S)
    answer = json.loads(put[0])
    assert (answer["error"]["code"] if "error" in answer else answer["result"]) == told


# Processes.


class Served:
    """A process that serves, and its pipes."""

    def __init__(self, command: tuple[str, ...] = SERVE, **choices: Any) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **choices
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to, self.of = self.process.stdin, self.process.stdout
        assert self.read()["ready"] is True

    def read(self) -> Any:
        line = self.of.readline()
        assert line.endswith(b"\n"), self.process.communicate(timeout=LONG_S)
        return json.loads(line)

    def send(self, *lines: bytes | dict[str, Any]) -> None:
        self.to.write(told(*lines))
        self.to.flush()

    def end(self) -> tuple[int, bytes, bytes]:
        """Wait for the end without closing anything: exit code, the rest of the answers, the log."""
        code = self.process.wait(LONG_S)
        assert self.process.stderr is not None
        return code, self.of.read(), self.process.stderr.read()


@contextmanager
def serving(command: tuple[str, ...] = SERVE, **choices: Any) -> Iterator[Served]:
    one = Served(command, **choices)
    try:
        yield one
    finally:
        one.process.kill()
        one.process.wait()
        for pipe in (one.to, one.of, one.process.stderr):
            with suppress(BrokenPipeError):
                pipe.close()


@pytest.mark.slow
def test_ten_thousand_malformed_messages_are_answered_and_break_nothing(root: Path) -> None:
    chance = random.Random(7)
    kinds = [line for line in BAD if len(line) < 1_000]
    lines: list[bytes] = []
    for number in range(10_000):
        line = chance.choice(kinds)
        if number % 3 == 0:
            line = bytes(chance.choice(b'{}[]":,\\ \x00\xff0eid') for _ in range(chance.randrange(40)))
        if number % 3 == 1:
            line = line[: chance.randrange(len(line) + 1)] + chance.randbytes(3).replace(b"\n", b"") + line[-9:]
        lines.append(line)
        if number % 1_000 == 0:
            lines.append(told({"id": f"good-{number}", "method": "recall", "params": {"text": "harp"}})[:-1])
    answers = served(*lines)
    good = [answer for answer in answers if str(answer["id"]).startswith("good-")]
    assert len(answers) == 10_010
    assert len(good) == 10
    assert all(answer["result"]["hits"][0]["line_start"] == 5 for answer in good)
    assert {answer["error"]["code"] for answer in answers if answer not in good} == {"bad-argument"}


@pytest.mark.slow
def test_a_huge_line_is_answered_and_skipped_without_being_held(root: Path) -> None:
    with serving() as one:
        one.send({"id": 1, "method": "status"})
        one.read()
        before = resident(one.process.pid)
        piece = b"x" * 1_000_000
        one.to.write(b'{"method":"retain","params":{"text":"')
        for _ in range(200):
            one.to.write(piece)
        one.send(b'"},"id":"long"}', {"id": 2, "method": "status"})
        first, second = one.read(), one.read()
        assert (first["id"], first["error"]["message"]) == ("long", f"the line has more than {MAX_LINE_BYTES} bytes")
        assert second["id"] == 2
        assert resident(one.process.pid) - before < 3 * MAX_LINE_BYTES


def resident(pid: int) -> int:
    """The greatest memory that a process has had, in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text("utf-8").split("\n"):
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(pid)


@pytest.mark.slow
def test_what_was_accepted_is_finished_after_the_end_of_input(root: Path) -> None:
    lines = [
        {"id": number, "method": "retain", "params": {"text": f"W @Ana: tunes harp {number}"}} for number in range(20)
    ]
    answers = served(*lines)
    assert [answer["id"] for answer in answers] == list(range(20))
    assert all(answer["result"]["schema"] == "commonplace.kept.v1" for answer in answers)


def test_a_last_line_without_an_end_is_a_line(root: Path) -> None:
    done = subprocess.run(SERVE, input=b'{"id":1,"method":"status"}', capture_output=True, timeout=LONG_S, check=True)
    assert json.loads(done.stdout.split(b"\n")[1])["id"] == 1


@pytest.mark.slow
def test_input_from_a_file_and_no_input_at_all(root: Path, tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(told({"id": 1, "method": "status"}))
    with (tmp_path / "lines").open("rb") as file:
        done = subprocess.run(SERVE, stdin=file, capture_output=True, timeout=LONG_S, check=True)
    assert done.stdout.count(b"\n") == 2
    done = subprocess.run(SERVE, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONG_S, check=True)
    assert (done.stdout.count(b"\n"), done.stderr) == (1, b"")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_were_never_open_end_it_quietly(root: Path, closed: str) -> None:
    command = (
        f'printf \'%s\\n\' \'{{"id":1,"method":"status"}}\' | {sys.executable} -m commonplace serve --stdio {closed}'
    )
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=LONG_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("number", shutdown_signals())
def test_a_signal_ends_it_after_what_was_accepted(root: Path, number: int) -> None:
    with serving() as one:
        one.send({"id": 1, "method": "retain", "params": {"text": "W @Ana: tunes the harp"}}, b"?")
        assert one.read()["id"] is None  # it has read both
        one.process.send_signal(number)
        code, rest, log = one.end()
        assert (code, log) == (0, b"")
        assert json.loads(rest)["result"]["schema"] == "commonplace.kept.v1"


@pytest.mark.slow
def test_a_reader_that_goes_ends_it_quietly(root: Path) -> None:
    with serving() as one:
        one.of.close()
        one.send({"id": 1, "method": "retain", "params": {"text": "W @Ana: tunes the harp"}})
        assert one.process.wait(LONG_S) == 0
        assert one.process.stderr is not None
        assert one.process.stderr.read() == b""
    assert "tunes the harp" in (root / "memory/2025-11-30.md").read_text("utf-8")


def test_it_goes_with_its_parent_even_if_somebody_holds_its_pipes(root: Path, tmp_path: Path) -> None:
    into, out = os.pipe(), os.pipe()
    parent = (
        "import subprocess, sys\n"
        f"one = subprocess.Popen({SERVE!r}, stdin={into[0]}, stdout={out[1]}, pass_fds=({into[0]}, {out[1]}))\n"
        "print(one.pid, flush=True)\n"
        "sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=(into[0], out[1])
    )
    assert process.stdin is not None
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    os.close(out[1])
    assert b'"ready":true' in os.read(out[0], 1_000)
    process.kill()
    process.communicate()
    assert is_over(out[0], pid)  # we still hold the other ends of both pipes
    for number in (*into, out[0]):
        os.close(number)


def is_over(output: int, pid: int) -> bool:
    """Whether a process that is no child of ours, and the only one to hold a pipe, ends: then the pipe does."""
    ready, _, _ = select.select([output], [], [], LONG_S)
    if ready and os.read(output, 1) == b"":
        return True
    os.kill(pid, signal.SIGKILL)
    return False


HANGS = """
import sys, threading
from commonplace import Memory
from commonplace.serve.dispatch import handlers
from commonplace.serve.stdio.server import Pipes, serve_stdio_pipes
import os

def hang(memory, asked):
    threading.Event().wait()

handlers.HANDLERS["status"] = hang
pipes = Pipes(0, 1, drain_timeout_s=0.3, exit_timeout_s=0.3)
done = serve_stdio_pipes(Memory.open(), "0", pipes, lambda text: print(text, file=sys.stderr))
sys.stderr.flush()
os._exit(0 if done else 1)
"""


@pytest.mark.slow
@pytest.mark.parametrize("way", ["input", "signal"])
def test_what_hangs_cannot_keep_it_and_is_answered_at_its_deadline(root: Path, way: str) -> None:
    with serving((sys.executable, "-c", HANGS)) as one:
        one.send({"id": 0, "method": "recall", "params": {"text": "harp"}})
        assert one.read()["id"] == 0  # it is warm: what is asked next begins at once
        one.send({"id": 1, "method": "status", "deadline_ms": 2_000}, {"id": 2, "method": "status", "deadline_ms": 200})
        assert [one.read()["error"]["code"] for _ in range(2)] == ["deadline-passed"] * 2
        if way == "input":
            one.to.close()
        else:
            one.process.send_signal(signal.SIGTERM)
        code, rest, log = one.end()
        assert (code, rest, log) == (1, b"", b"what was asked last is not finished and is left behind\n")


STUCK = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from commonplace.serve import stdio
from commonplace.serve.dispatch import handlers

def hang(memory, asked):
    ThreadPoolExecutor().submit(threading.Event().wait).result()  # for which Python waits at its end

handlers.HANDLERS["status"] = hang
stdio.Pipes = partial(stdio.Pipes, drain_timeout_s=0.3, exit_timeout_s=0.3)
from commonplace.cli import main
sys.exit(main())
"""


def test_no_thread_of_whatever_was_asked_keeps_the_command(root: Path) -> None:
    with serving((sys.executable, "-c", STUCK, "serve", "--stdio")) as one:
        one.send({"id": 0, "method": "recall", "params": {"text": "harp"}})
        assert one.read()["id"] == 0  # it is warm: what is asked next begins at once
        one.send({"id": 1, "method": "status"}, b"?")
        assert one.read()["id"] is None
        one.to.close()
        code, rest, log = one.end()
    assert (code, rest) == (1, b"")
    assert log == b"commonplace: what was asked last is not finished and is left behind\n"


NOISY = """
import os, sys
from commonplace.memory import Memory
kept = Memory.status

def status(self):
    print("a stray print")
    sys.stdout.flush()
    os.system("echo a stray child")
    os.write(1, b"a stray write\\n")
    return kept(self)

Memory.status = status
from commonplace.cli import main
sys.exit(main())
"""


@pytest.mark.slow
def test_nothing_but_the_protocol_reaches_standard_output(root: Path) -> None:
    command = (sys.executable, "-c", NOISY, "serve", "--stdio")
    done = subprocess.run(
        command, input=told({"id": 1, "method": "status"}), capture_output=True, timeout=LONG_S, check=True
    )
    assert [json.loads(line).get("id") for line in done.stdout.removesuffix(b"\n").split(b"\n")] == [None, 1]
    assert sorted(done.stderr.split()) == sorted(b"a stray print a stray child a stray write".split())


@pytest.mark.slow
def test_a_log_that_nobody_reads_stops_nothing(root: Path) -> None:
    with serving() as engine:
        assert engine.process.stderr is not None
        engine.process.stderr.close()
        (root / "commonplace.toml").write_text("[recall]\nk = 'many'\n", "utf-8")  # of which the log would tell
        for number in range(2):
            engine.send({"id": number, "method": "recall", "params": {"text": "harp"}, "deadline_ms": 60_000})
            answer = engine.read()
            assert answer["id"] == number
            assert "settings of before" in answer["result"]["notes"][-1]
        engine.to.close()
        assert engine.process.wait(LONG_S) == 0


def test_no_child_can_take_what_is_sent(root: Path) -> None:
    thief = NOISY.replace("echo a stray child", "cat >/dev/null")
    with serving((sys.executable, "-c", thief, "serve", "--stdio")) as one:
        one.send({"id": 1, "method": "status"}, {"id": 2, "method": "status"})
        assert [one.read()["id"], one.read()["id"]] == [1, 2]


@pytest.mark.slow
def test_a_slow_reader_holds_up_the_asking_not_the_memory(root: Path) -> None:
    lines = [{"id": number, "method": "recall", "params": {"text": "harp"}} for number in range(3 * MAX_QUEUED_LINES)]
    with serving() as one:
        sent = 0
        data = told(*lines)
        os.set_blocking(one.to.fileno(), False)
        until = time.monotonic() + 3
        while time.monotonic() < until and sent < len(data):  # nobody reads: at some point no more is taken
            if select.select([], [one.to], [], 1)[1]:
                sent += os.write(one.to.fileno(), data[sent : sent + 60_000])
        os.set_blocking(one.to.fileno(), True)
        rest = Thread(target=lambda: (one.to.write(data[sent:]), one.to.close()))
        rest.start()
        answers = [one.read() for _ in lines]
        rest.join()
    busy = [answer for answer in answers if "error" in answer]
    assert len(answers) == len(lines) == len({answer["id"] for answer in answers})
    assert {answer["error"]["code"] for answer in busy} <= {"too-busy"}


def test_no_more_is_read_while_answers_are_not() -> None:
    unread, into = os.pipe()
    outbox, taken = Outbox(into, lambda: None), list[bytes | None]()
    pieces = [("closed", b""), ("", b"?\n" * 20_000)]
    ways: Any = SimpleNamespace(next=pieces.pop, incoming=unread, end_reason=lambda: "told")
    desk: Any = SimpleNamespace(dispatch=lambda line: (taken.append(line), outbox.put(b"no request" * 10)))
    assert _dispatch_lines(ways, desk, outbox) == "told"
    assert MAX_QUEUED_LINES <= len(taken) < 5 * MAX_QUEUED_LINES
    os.close(unread)
    assert outbox.close(LONG_S)


def test_what_nobody_reads_any_more_is_not_kept() -> None:
    unread, into = os.pipe()
    gone = Event()
    outbox = Outbox(into, gone.set)
    outbox.put(b"x" * 1_000_000)  # more than a pipe takes
    assert os.read(unread, 1) == b"x"  # it is at it: what comes now waits
    for _ in range(2 * MAX_QUEUED_LINES):
        outbox.put(b"?\n")
    assert not outbox.has_room(0)
    os.close(unread)
    assert gone.wait(LONG_S)
    assert outbox.has_room(0)
    for _ in range(2 * MAX_QUEUED_LINES):
        outbox.put(b"?\n")
    assert outbox.has_room(0)
    assert outbox.close(LONG_S)
    os.close(into)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["input", "signal"])
def test_a_reader_that_reads_nothing_cannot_keep_it(root: Path, way: str) -> None:
    command = (sys.executable, "-c", HANGS)
    with serving(command) as one:
        os.set_blocking(one.to.fileno(), False)
        while select.select([], [one.to], [], 1)[1]:  # until no more is taken, for nothing is read off
            os.write(one.to.fileno(), b"?\n" * 2_000)
        if way == "input":
            one.to.close()
        else:
            one.process.send_signal(signal.SIGTERM)
        assert one.process.wait(LONG_S) == 1


def test_a_workspace_with_wrong_settings_never_gets_ready(root: Path) -> None:
    (root / "commonplace.toml").write_text("x = 1\n", "utf-8")
    done = subprocess.run(SERVE, input=b"", capture_output=True, timeout=LONG_S, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"unknown key 'x'" in done.stderr
