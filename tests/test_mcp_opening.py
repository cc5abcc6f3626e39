"""The opening of a session over MCP, which is answered before the SDK is loaded; and a client that takes no answers."""

from __future__ import annotations

import errno
import gc
import json
import os
import pty
import select
import socket
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import pytest

from commonplace.memory import Memory
from commonplace.serve.dispatch.worker import Worker
from commonplace.serve.mcp import ProgressReporter, ToolOptions, handshake, start, stdio_transport
from commonplace.serve.mcp.handshake import MAX_ROOM_CHECKS, Handshake, StdinReader
from commonplace.serve.mcp.pending_requests import AsyncDispatcher
from commonplace.serve.mcp.stdio_transport import run_over_stdio
from commonplace.serve.stdio.line_streams import MAX_QUEUED_BYTES, MAX_QUEUED_LINES, WRITE_BYTES, Outbox
from tests.support.mcp_talk import CPL, INITIALIZED, Json, Talk, initialize, offered, request, surroundings

pytestmark = pytest.mark.slow

LONG_S = 60.0
MUCH, LONG = 1 << 20, 4 << 20  # bytes: more than pipes and questions that wait for room, and one long answer
BAD = b"?" * 100 + b"\n"
LISTED = request("list", "tools/list")
MARKED = request(2, "tools/list", {"_meta": {"progressToken": 7}})
MODERN = request(2, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    return tmp_path


def greeting(**changed: object) -> Json:
    asked = initialize("hello")
    asked["params"] |= changed
    return asked


SLOW = """
import os, select, sys

class Gate:
    released = False

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("mcp", "mcp_types") and not Gate.released and path is not None or name == "mcp_types":
            Gate.released = bool(select.select([{gate}], [], [], 20)[0])
            sys.stderr.write("released\\n" if Gate.released else "nobody waited\\n")
            sys.meta_path.remove(self)

sys.meta_path.insert(0, Gate())
from commonplace.cli import main
sys.exit(main(["mcp", *sys.argv[1:]]))
"""


def test_greeting_and_tools_are_there_before_the_sdk_is_loaded(root: Path) -> None:
    gate, key = os.pipe()
    os.set_inheritable(gate, True)
    with Talk(root, command=(sys.executable, "-c", SLOW.format(gate=gate)), inherited=(gate,)) as talk:
        assert talk.greeting["result"]["protocolVersion"] == "2025-11-25"
        assert talk.ask(LISTED)["result"]["tools"][0]["name"] == "recall"
        os.write(key, b"!")
        assert "tea" in json.dumps(talk.call("recall", text="tea or coffee?"))
        _code, _out, err = talk.hang_up()
    os.close(gate)
    os.close(key)
    assert err == b"released\n"


@pytest.mark.parametrize(
    "said",
    [
        *([initialize(0, version), INITIALIZED, LISTED] for version in ("2024-11-05", "2025-03-26", "2025-06-18")),
        [initialize("é"), INITIALIZED, LISTED, LISTED, MARKED, request(2**70, "ping")],
        [initialize(0), LISTED, INITIALIZED, request(1, "prompts/list"), LISTED],
        [initialize(0), initialize(0), LISTED],
        [initialize(0), INITIALIZED, INITIALIZED, LISTED],
        [initialize(0), INITIALIZED, request(1, "tools/list", {"cursor": "2"}), LISTED],
        [initialize(0), INITIALIZED, MODERN, LISTED],
        [initialize(0), INITIALIZED, request(1.5, "tools/list"), LISTED],
        [initialize(0), INITIALIZED | {"id": 3}, LISTED],
        [initialize(0), {"jsonrpc": "2.0", "method": "tools/list"}, request(1, "ping"), LISTED],
        [initialize(0, "1999-01-01"), INITIALIZED, LISTED],
        [initialize(None), initialize(1), LISTED],
        [{"jsonrpc": "2.0", "method": "initialize"}, LISTED],
        [greeting(capabilities={"sampling": 5}), LISTED],
        [greeting(capabilities={"roots": {"listChanged": True}, "sampling": {}, "mine": {}}), LISTED],
        [greeting(capabilities=None), LISTED],
        [greeting(clientInfo={"name": "a"}), LISTED],
        [greeting(_meta={"progressToken": "p"}), LISTED],
        [greeting(_meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"}), LISTED],
        [LISTED, initialize(0), LISTED],
        [INITIALIZED, initialize(0), LISTED],
    ],
)
def test_the_opening_says_what_the_sdk_would_say(said: list[Json], root: Path) -> None:
    assert heard(root, said) == heard(root, said, before=b"\n")  # after an empty line everything is the SDK's to answer


def heard(root: Path, said: list[Json], before: bytes = b"") -> list[bytes]:
    """All lines that come when this is said to a server with the same pipes, in this process."""
    source, client = os.pipe()
    os.write(client, before + b"".join(json.dumps(one).encode() + b"\n" for one in said))
    os.close(client)
    worker = Worker(Memory.open(str(root)), log=print)
    with (root / "answers").open("wb") as sink:
        outbox = Outbox(sink.fileno(), lambda: None)
        intake = StdinReader(source, outbox, Handshake(ToolOptions()))
        assert anyio.run(run_over_stdio, AsyncDispatcher(worker, ProgressReporter()), intake, outbox, ToolOptions())
    os.close(source)
    assert worker.close(LONG_S)
    answers = (root / "answers").read_bytes()
    assert answers
    return sorted(answers.split(b"\n"))


def test_the_sdk_is_not_asked_what_was_answered() -> None:
    opening = Handshake(ToolOptions())
    answers = [opening.answer_line(json.dumps(one).encode()) for one in (initialize(0), INITIALIZED, LISTED, LISTED)]
    assert [bool(answer) for answer, _rest in answers] == [True, False, True, True]
    assert [json.loads(rest)["method"] for _answer, rest in answers if rest] == ["initialize", INITIALIZED["method"]]
    assert opening.is_open


@pytest.mark.parametrize(
    "odd",
    [
        [],
        INITIALIZED,  # once more
        INITIALIZED | {"id": 3},
        {"jsonrpc": "2.0", "method": "tools/list"},
        {"jsonrpc": "2.0", "method": "initialize", "params": greeting()["params"]},
        LISTED | {"id": True},
    ],
)
def test_what_is_odd_ends_the_opening(odd: Json) -> None:
    opening = Handshake(ToolOptions())
    for one in (initialize(0), INITIALIZED, LISTED):
        opening.answer_line(json.dumps(one).encode())
    line = json.dumps(odd).encode()
    assert opening.answer_line(line) == (b"", line)
    assert not opening.is_open


def test_garbage_is_looked_for_once_the_sdk_is_loaded_and_not_in_the_sdk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []

    async def observed(_desk: AsyncDispatcher, intake: StdinReader, outbox: Outbox, _options: ToolOptions) -> bool:
        found.append((gc.isenabled(), gc.get_freeze_count()))
        intake.forward_to(lambda _line: True)
        return outbox.close(LONG_S)

    monkeypatch.setattr(stdio_transport, "run_over_stdio", observed)
    source, client = os.pipe()
    os.close(client)
    worker = Worker(Memory.open(str(tmp_path)), log=print)
    gc.unfreeze()
    gc.disable()
    try:
        assert start.serve_mcp_stdio(worker, ProgressReporter(), (source, -1), ToolOptions())
    finally:
        gc.unfreeze()
        gc.enable()
    assert found[0][0]
    assert found[0][1] > 10_000
    assert worker.close(LONG_S)


# A memory that cannot be opened.


@pytest.mark.parametrize("first", [initialize("hello"), MODERN | {"method": "server/discover"}])
def test_a_memory_that_cannot_be_opened_is_told_to_the_client(first: Json, root: Path) -> None:
    (root / "commonplace.toml").write_text("[recall]\nk = 'many'\n", "utf-8")
    with Talk(root, greet=False) as talk:
        talk.write(b"?\n")
        talk.send(INITIALIZED)
        answer = talk.ask(first)
        assert talk.process.wait(LONG_S) == 2
        _code, out, err = talk.hang_up()
    assert "recall.k must be a whole number" in answer["error"]["message"]
    assert answer["error"]["data"]["code"] == "bad-settings"
    assert out == b""
    assert b"recall.k must be a whole number" in err


@pytest.mark.parametrize("said", [b"", b"{", json.dumps(INITIALIZED).encode()])
def test_who_asks_nothing_of_a_memory_that_cannot_be_opened_hears_nothing(said: bytes, root: Path) -> None:
    with Talk(root, "--workspace", str(root / "nowhere"), greet=False) as talk:
        talk.write(said)
        code, out, err = talk.hang_up()
    assert (code, out) == (1, b"")
    assert err.startswith(b"commonplace: no workspace at ")


def test_nobody_is_waited_for_in_vain_where_the_memory_cannot_be_opened(root: Path) -> None:
    with Talk(root, "--workspace", str(root / "nowhere"), greet=False) as talk:
        assert talk.process.wait(LONG_S) == 1


def test_a_person_at_a_terminal_is_answered_in_words_alone(root: Path) -> None:
    hand, terminal = pty.openpty()
    os.write(hand, json.dumps(initialize(0)).encode() + b"\n")
    command = [CPL, "mcp", "--workspace", str(root / "nowhere")]
    done = subprocess.run(
        command, stdin=terminal, capture_output=True, env=surroundings(root), timeout=LONG_S, check=False
    )
    os.close(terminal)
    os.close(hand)
    assert (done.returncode, done.stdout) == (1, b"")


# Input that cannot be read, and descriptors that never wait.


CRASHING = """
import sys
from commonplace.serve.mcp.handshake import Handshake

def answer_line(self, raw_line):
    raise ValueError("a fault of ours")

Handshake.answer_line = answer_line
from commonplace.cli import main
sys.exit(main(["mcp"]))
"""


def test_a_fault_where_the_client_is_heard_ends_the_server_in_words(root: Path) -> None:
    with Talk(root, greet=False, command=(sys.executable, "-c", CRASHING)) as talk:
        talk.send(initialize())
        assert talk.process.wait(LONG_S) == 1  # while the client has not hung up
        _code, _out, err = talk.hang_up()
    assert b"commonplace: ValueError: a fault of ours\n" in err  # beside the words of the thread


def test_input_that_cannot_be_read_is_told_of(root: Path) -> None:
    with Path(os.devnull).open("wb") as unreadable:
        done = subprocess.run(
            [CPL, "mcp"], stdin=unreadable, capture_output=True, env=surroundings(root), timeout=LONG_S, check=False
        )
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"commonplace: what the client says cannot be read: {os.strerror(errno.EBADF)}\n"


def test_descriptors_that_never_wait_are_waited_for(root: Path) -> None:
    source, client = os.pipe()
    reader, sink = os.pipe()
    os.set_blocking(source, False)
    os.set_blocking(sink, False)
    with subprocess.Popen([CPL, "mcp"], stdin=source, stdout=sink, env=surroundings(root)) as process:
        os.close(source)
        os.close(sink)
        os.write(client, json.dumps(initialize(0)).encode() + b"\n")
        answers = os.read(reader, 1)
        for _ in range(20):  # more than a pipe holds
            os.write(client, json.dumps(LISTED).encode() + b"\n")
        os.close(client)
        with open(reader, "rb") as rest:
            assert select.select([], [], [rest], 0.5) == ([], [], [])
            answers += rest.read()
        assert process.wait(LONG_S) == 0
    assert answers.count(b"\n") == 21


# Who takes no answers.


def flood(talk: Talk, line: bytes) -> int:
    """Say it until no more is taken; how many bytes were left then."""
    data = line * (MUCH // len(line))
    return len(data) - talk.offer(data)


@pytest.mark.parametrize("line", [json.dumps(LISTED).encode() + b"\n", BAD], ids=["in the opening", "by the SDK"])
def test_who_takes_no_answers_is_not_listened_to_for_ever(line: bytes, root: Path) -> None:
    with Talk(root) as talk:
        if line == BAD:
            assert talk.ask(request(1, "ping"))["result"] == {}  # it is loaded
        assert flood(talk, line)


IMPATIENT = """
import sys
from commonplace.serve.mcp import stdio_transport
stdio_transport.LAST_ANSWER_TIMEOUT_S = stdio_transport.DRAIN_TIMEOUT_S = 0.3
from commonplace.cli import main
sys.exit(main(["mcp"]))
"""


def test_who_takes_no_answers_and_hangs_up_cannot_keep_the_server(root: Path) -> None:
    with Talk(root, command=(sys.executable, "-c", IMPATIENT)) as talk:
        assert flood(talk, BAD)
        talk.stop_asking()
        assert talk.process.wait(LONG_S) == 1


@pytest.mark.parametrize("ways", [1, 2], ids=["one for both ways", "one for each"])
def test_who_takes_no_answers_and_half_closes_a_socket_cannot_keep_the_server(ways: int, root: Path) -> None:
    pairs = [socket.socketpair() for _ in range(ways)]
    (ours, source), (_reader, sink) = pairs[0], pairs[-1]
    command = [sys.executable, "-c", IMPATIENT]
    with subprocess.Popen(command, stdin=source, stdout=sink, env=surroundings(root), cwd=root) as process:
        for _ours, theirs in pairs:
            theirs.close()
        said = b"".join(json.dumps(one).encode() + b"\n" for one in (initialize(), INITIALIZED)) + BAD * (MUCH // 10)
        try:
            assert offered(ours.fileno(), said) < len(said)
            ours.shutdown(socket.SHUT_WR)
            assert process.wait(LONG_S) == 1
        finally:
            process.kill()
    for mine, _theirs in pairs:
        mine.close()


def test_what_is_left_is_waited_for_as_long_as_some_of_it_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    unread, into = os.pipe()
    outbox = Outbox(into, lambda: None)
    outbox.put(b"x" * LONG)
    wait, taken = outbox._thread.join, []

    def passed(patience_s: float) -> None:
        """All of the time, in which somebody takes some."""
        before = outbox._written_bytes
        taken.append(len(os.read(unread, 3 * WRITE_BYTES)))
        for _look in range(1_000):
            if outbox._written_bytes == before and outbox._thread.is_alive():
                wait(0.01)

    monkeypatch.setattr(outbox._thread, "join", passed)
    assert outbox.drain(LONG_S)
    os.close(into)
    with open(unread, "rb") as rest:
        assert sum(taken) + len(rest.read()) == LONG


@pytest.mark.parametrize(("kind", "size"), [("pipe", 100), ("socket", WRITE_BYTES)])
def test_who_takes_less_than_makes_room_for_more_takes_some(
    kind: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    unread, into = os.pipe() if kind == "pipe" else (end.detach() for end in socket.socketpair())
    outbox = Outbox(into, lambda: None)
    outbox.put(b"x" * LONG)
    wait, taken = outbox._thread.join, []

    def passed(_patience_s: float) -> None:
        """All of the time, in which somebody takes a little; and the last time goes away."""
        while select.select([], [into], [], 0)[1]:
            wait(0.01)
        if len(taken) < 9:
            taken.append(len(os.read(unread, size)))
        else:
            os.close(unread)
            wait(LONG_S)

    monkeypatch.setattr(outbox._thread, "join", passed)
    assert outbox.drain(LONG_S)
    assert taken == [size] * 9
    os.close(into)


def test_answers_that_are_few_and_long_hold_the_questions_back_too() -> None:
    unread, into = os.pipe()
    outbox = Outbox(into, lambda: None)
    outbox.put(b"x" * LONG)
    assert os.read(unread, 1) == b"x"  # it is at it: what comes now waits
    for _ in range(MAX_QUEUED_BYTES // LONG):
        assert outbox.has_room(LONG_S)
        outbox.put(b"x" * LONG)
    assert not outbox.has_room(0)
    os.close(unread)
    assert outbox.close(LONG_S)
    os.close(into)


def test_an_answer_that_is_being_written_holds_the_questions_back_until_it_is_taken() -> None:
    unread, into = os.pipe()
    outbox = Outbox(into, lambda: None)
    outbox.put(b"x" * 2 * MAX_QUEUED_BYTES)
    assert os.read(unread, 1) == b"x"  # it is at it: nothing waits behind it
    assert not outbox.has_room(0)
    left = 2 * MAX_QUEUED_BYTES - 1
    while left > MAX_QUEUED_BYTES - 4 * WRITE_BYTES:
        left -= len(os.read(unread, WRITE_BYTES))
    assert outbox.has_room(LONG_S)
    os.close(unread)
    assert outbox.close(LONG_S)
    os.close(into)


def full() -> tuple[Outbox, int, int]:
    """An outbox that has no room for more, and the two ends of its pipe, of which nobody reads."""
    unread, into = os.pipe()
    outbox = Outbox(into, lambda: None)
    outbox.put(b"x" * LONG)
    assert os.read(unread, 1) == b"x"  # it is at it: what comes now waits
    for _ in range(MAX_QUEUED_LINES):
        outbox.put(b"?\n")
    return outbox, unread, into


def test_what_waits_for_room_hears_that_nobody_is_there_any_more() -> None:
    outbox, unread, into = full()
    source, client = os.pipe()
    taken = threading.Event()
    StdinReader(source, outbox, Handshake(ToolOptions())).forward_to(
        lambda line: line is None or bool(taken.set()) or True
    )
    os.write(client, b"?\n")
    assert not taken.is_set()
    os.close(unread)
    assert taken.wait(LONG_S)
    os.close(client)
    assert outbox.close(LONG_S)
    os.close(into)


@pytest.mark.parametrize("reads", [False, True])
def test_who_has_hung_up_is_heard_to_the_end_only_where_the_answers_are_taken(
    reads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handshake, "ROOM_CHECK_S", 0.02)
    outbox, unread, into = full()
    source, client = os.pipe()
    os.write(client, b"?\n" * 9)
    os.close(client)
    lines: list[bytes | None] = []
    ended = threading.Event()
    looks = iter(range(2 * MAX_ROOM_CHECKS))  # at each of which a little is taken, then all

    def how_far() -> tuple[int, int]:
        if reads:
            os.read(unread, WRITE_BYTES if next(looks, None) is not None else 1 << 20)
        return far()

    far = outbox.progress
    monkeypatch.setattr(outbox, "progress", how_far)
    StdinReader(source, outbox, Handshake(ToolOptions())).forward_to(
        lambda line: lines.append(line) or line or ended.set() or True
    )
    assert ended.wait(LONG_S)
    assert lines == ([b"?"] * 9 if reads else []) + [None]
    os.close(unread)
    assert outbox.close(LONG_S)
    os.close(source)
    os.close(into)
