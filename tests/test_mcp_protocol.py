"""The MCP server and its protocol: versions, pings, pages, strange requests, cancelling, progress, and the end."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from commonplace.serve.mcp import ToolOptions, pending_requests, stdio_transport
from commonplace.serve.mcp.handshake import MAX_MESSAGE_BYTES, Handshake, StdinReader
from commonplace.serve.mcp.output_schemas import lean_answer
from commonplace.serve.mcp.pending_requests import MAX_PENDING_BYTES, PendingRequests
from commonplace.serve.mcp.stdio_transport import SdkTextStream
from commonplace.serve.stdio.line_streams import Outbox
from commonplace.storage import files
from tests.support.mcp_talk import CPL, INITIALIZED, Json, Talk, initialize, request, surroundings

pytestmark = pytest.mark.slow

LONG = b"y" * MAX_MESSAGE_BYTES
PARSE, INVALID, NO_METHOD, NO_PARAMS = -32700, -32600, -32601, -32602
NEWEST = "2026-07-28"
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": NEWEST,
    "io.modelcontextprotocol/clientInfo": {"name": "a test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Talk]:
    """One server for all that is refused: it goes on after each."""
    with Talk(tmp_path_factory.mktemp("served")) as talk:
        yield talk


def recall(number: object, text: str = "tea or coffee?", **meta: object) -> Json:
    params: Json = {"name": "recall", "arguments": {"text": text}}
    return request(number, "tools/call", params | ({"_meta": meta} if meta else {}))


def cancel(number: object) -> Json:
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}


# Versions.


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_each_version_of_the_greeting_is_spoken(version: str, root: Path) -> None:
    with Talk(root, greet=False) as talk:
        assert talk.ask(initialize(0, version))["result"]["protocolVersion"] == version
        talk.send(INITIALIZED)
        assert talk.ask(recall(1))["result"]["content"][0]["type"] == "text"


def test_an_unknown_version_is_answered_with_the_newest_that_greets(root: Path) -> None:
    with Talk(root, greet=False) as talk:
        assert talk.ask(initialize(0, "1999-01-01"))["result"]["protocolVersion"] == "2025-11-25"


def test_the_version_without_a_greeting_is_spoken(root: Path) -> None:
    with Talk(root, greet=False) as talk:
        found = talk.ask(request(1, "server/discover", {"_meta": ENVELOPE}))["result"]
        asked = recall(2)
        asked["params"]["_meta"] = ENVELOPE
        answer = talk.ask(asked)["result"]
    assert found["supportedVersions"] == [NEWEST]
    assert "[MEMORY.md#L2]" in answer["content"][0]["text"]


# What is asked in the wrong way.


def test_before_the_greeting_only_a_ping_is_answered(root: Path) -> None:
    with Talk(root, greet=False) as talk:
        assert talk.ask(request(1, "ping"))["result"] == {}
        assert talk.ask(recall(2))["error"]["code"] == NO_PARAMS
        assert talk.ask(request(3, "tools/list"))["error"]["code"] == NO_PARAMS
        assert talk.ask(initialize(4))["result"]["serverInfo"]["name"] == "commonplace"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (request(1, "tools/forget"), NO_METHOD),
        (request(1, "resources/subscribe", {"uri": "commonplace://file/MEMORY.md"}), NO_METHOD),
        (request(1, "completion/complete", {"ref": {"type": "ref/prompt", "name": "resume"}}), NO_PARAMS),
        (request(1, "tools/call"), NO_PARAMS),
        (request(1, "tools/call", {"name": 7}), NO_PARAMS),
        (request(1, "tools/call", {"name": "recall", "arguments": []}), NO_PARAMS),
        (request(1, "tools/call", {"name": "erase"}), NO_PARAMS),
        (request(1, "resources/read", {}), NO_PARAMS),
        (request(1, "resources/read", {"uri": "commonplace://file/../../etc/passwd"}), NO_PARAMS),
        (request(1, "resources/read", {"uri": "commonplace://record/nothing7"}), NO_PARAMS),
        (request(1, "resources/read", {"uri": "commonplace://entity/Nobody"}), NO_PARAMS),
        (request(1, "resources/read", {"uri": "file:///etc/passwd"}), NO_PARAMS),
        (request(1, "prompts/get", {"name": "forget"}), NO_PARAMS),
        (request(1, "prompts/get", {"name": "pack"}), NO_PARAMS),
        (request(1, "prompts/get", {"name": "resume", "arguments": {"budget_tokens": "many"}}), NO_PARAMS),
        (request(1, "prompts/get", {"name": "resume", "arguments": {"now": "2020-01-01"}}), NO_PARAMS),
        *(
            (request(1, f"{name}/list", {"cursor": "2"}), NO_PARAMS)
            for name in ("tools", "prompts", "resources", "resources/templates")
        ),
    ],
)
def test_what_makes_no_sense_is_refused(asked: Json, code: int, server: Talk) -> None:
    error = server.ask(asked)["error"]
    assert error["code"] == code, error
    assert "Traceback" not in json.dumps(error)
    assert server.ask(request(2, "ping"))["result"] == {}


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"nonsense", PARSE, None),
        (b"\xff\xfe", PARSE, None),
        (b"[" * 5_000, PARSE, None),
        (b"[]", INVALID, None),
        (b'"text"', INVALID, None),
        (b'{"id":5,"method":"ping"}', INVALID, 5),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}', INVALID, "a"),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', INVALID, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","x":"' + LONG + b'"}', INVALID, 1),
        (b'{"method":"ping","params":{"x":"' + LONG + b'"},"jsonrpc":"2.0","id":"a"}', INVALID, "a"),
        (b'{"jsonrpc":"2.0","method":"ping","params":{"x":"' + LONG + b'","id":1}}', INVALID, None),
        (b'{"jsonrpc":"2.0","id":1,"result":{"x":"' + LONG + b'"}}', INVALID, None),
        (b"\xff" + b'{"jsonrpc":"2.0","id":1,"method":"ping"}', PARSE, None),
        (LONG + b"y", INVALID, None),
    ],
)
def test_a_line_that_is_no_message_is_answered(line: bytes, code: int, number: object, server: Talk) -> None:
    server.write(line + b"\n")
    answer = server.read()
    assert (answer["error"]["code"], answer["id"]) == (code, number)
    assert server.ask(request("next", "ping"))["result"] == {}


def test_an_id_comes_back_as_it_was(root: Path) -> None:
    with Talk(root) as talk:
        for number in ("7", 7, -1, 0, "", 2**53, "é"):
            assert talk.ask(request(number, "ping"))["id"] == number


def test_what_is_no_text_can_be_sent_all_the_same() -> None:
    sent = lean_answer({"path": "caf\udce9.md", "records": [{"trust": "trusted", "text": "\ud800 tea"}]})
    assert sent == {"path": "caf\ufffd.md", "records": [{"trust": "trusted", "text": "\ufffd tea"}]}


def test_half_a_character_in_a_question_becomes_its_stand_in(root: Path) -> None:
    with Talk(root) as talk:
        talk.write(rb'{"jsonrpc":"2.0","id":"\ude00","method":"ping"}' + b"\n")
        assert talk.read() == {"jsonrpc": "2.0", "id": "\ufffd", "result": {}}
        talk.call("retain", text="W @Ana: Sails on Sundays \ud83d")
        assert "Sundays \ufffd" in talk.call("recall", text="When does Ana sail?")["content"][0]["text"]


# Cancelling and progress.


def test_a_cancelled_request_is_not_answered_and_its_work_is_dropped(root: Path) -> None:
    with Talk(root) as talk:
        talk.call("retain", text="W @Ana: Sails on Sundays.")
        with files.hold_workspace_lock(str(root), files.path_lock_name("memory/2025-11-30.md")):
            talk.send(request("keep", "tools/call", {"name": "retain", "arguments": {"text": "W @Bea: Rows."}}))
            for number in range(2, 6):
                given = {"text": f"W @Cleo{number}: Was never kept."}
                talk.send(request(number, "tools/call", {"name": "retain", "arguments": given}))
            for number in range(2, 6):
                talk.send(cancel(number))
            assert talk.ask(request("after", "ping"))["result"] == {}
        answer = talk.read()
        assert answer["id"] == "keep"
        assert not answer["result"]["isError"]
        assert "[MEMORY.md#L2]" in talk.ask(recall("last"))["result"]["content"][0]["text"]
        code, out, _err = talk.hang_up()
    assert (code, out) == (0, b"")
    day = (root / "memory/2025-11-30.md").read_text("utf-8")
    assert "Rows" in day
    assert "Cleo" not in day


def said(*messages: Json) -> int:
    """A descriptor from which these can be read, and then the end."""
    source, client = os.pipe()
    os.write(client, b"".join(json.dumps(one).encode() + b"\n" for one in messages))
    os.close(client)
    return source


def wired(source: int) -> SdkTextStream:
    outbox = Outbox(-1, lambda: None)
    return SdkTextStream(StdinReader(source, outbox, Handshake(ToolOptions())), outbox)


def test_nobody_waits_at_the_end_for_what_was_cancelled() -> None:
    sent = (
        request(1, "ping"),
        request("b", "ping"),
        cancel(1),
        cancel("b"),
        cancel(1),
        {"jsonrpc": "2.0", "method": "notifications/cancelled"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}},
    )
    source = said(*sent)

    async def read() -> tuple[SdkTextStream, list[str]]:
        listening = wired(source)
        return listening, [line async for line in listening]

    listened, lines = anyio.run(read)
    os.close(source)
    assert len(lines) == len(sent)
    assert not listened._pending
    assert listened.close()


def test_at_the_end_who_goes_on_taking_answers_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.serve.mcp.stdio_transport.LAST_ANSWER_TIMEOUT_S", 0.01)
    source = said(request(1, "ping"))
    told = iter((1, 2, 3, 3))

    async def read() -> list[str]:
        listening = wired(source)
        monkeypatch.setattr(listening._outbox, "progress", lambda: (next(told), 0))
        return [line async for line in listening]

    assert len(anyio.run(read)) == 1
    assert next(told, None) is None
    os.close(source)


@pytest.mark.parametrize("end", [cancel("é"), {"jsonrpc": "2.0", "id": "é", "result": {}}])
def test_an_id_is_known_again_however_it_is_escaped(end: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.serve.mcp.stdio_transport.LAST_ANSWER_TIMEOUT_S", 0.1)
    source = said(request("é", "ping"), end)  # escaped, as Python does

    async def read() -> SdkTextStream:
        listening = wired(source)
        assert await anext(listening)
        await listening.write(json.dumps(end, ensure_ascii=False))
        assert len([line async for line in listening]) == 1
        return listening

    listened = anyio.run(read)
    assert not listened._pending
    assert listened.close()
    os.close(source)


def test_who_reads_ends_without_a_word_where_nobody_listens_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(*_: object, token: object) -> None:
        raise CancelledError  # as anyio says it of a loop that has ended meanwhile

    monkeypatch.setattr(stdio_transport, "run_in_loop", ended)
    sender, receiver = anyio.create_memory_object_stream[bytes](0)
    assert not stdio_transport._hand_over_line(sender, None, b"{}")
    sender.close()
    receiver.close()


def test_cancelling_what_is_not_there_harms_nobody(root: Path) -> None:
    with Talk(root) as talk:
        for number in (99, "x", None, [1]):
            talk.send(cancel(number))
        assert talk.ask(request(1, "ping"))["result"] == {}
        talk.send(cancel(1))
        assert talk.hang_up()[:2] == (0, b"")


def test_who_asks_for_progress_is_told_how_many_files_are_read(root: Path) -> None:
    for number in range(450):
        (root / f"note-{number}.md").write_text(f"- tea number {number}\n", encoding="utf-8")
    with Talk(root) as talk:
        talk.send(recall(1, progressToken="p"))
        messages = []
        while "id" not in (message := talk.read()):
            messages.append(message["params"])
        assert "[MEMORY.md#L2]" in message["result"]["content"][0]["text"]
    assert [(one["progressToken"], one["total"]) for one in messages] == [("p", 451)] * len(messages)
    done = [one["progress"] for one in messages]
    assert done
    assert done == sorted(set(done))


# Much that is asked at once.

LONG = "x" * 1_000_000
ROOM = MAX_PENDING_BYTES // (len(LONG) + 200)  # for so many that are as long as that
HELD = """
import os, sys
from commonplace.serve.mcp import pending_requests
from commonplace.serve.dispatch import handlers

pending_requests.ROOM_TIMEOUT_S = {patience}
handlers.HANDLERS["entity"] = lambda memory, asked: os.read({gate}, 1) and {{"records": []}}
from commonplace.cli import main
sys.exit(main(["mcp"]))
"""


class Held(NamedTuple):
    """A server whose memory is at something that comes to its end when the gate is opened."""

    talk: Talk
    key: int

    def open(self) -> None:
        os.write(self.key, b"!")


@contextmanager
def held(root: Path, patience_s: float) -> Iterator[Held]:
    gate, key = os.pipe()
    command = (sys.executable, "-c", HELD.format(patience=patience_s, gate=gate))
    with Talk(root, command=command, inherited=(gate,)) as talk:
        talk.call("recall", text="tea")
        talk.send(request("held", "resources/read", {"uri": "commonplace://entity/Ana"}))
        yield Held(talk, key)
    os.close(gate)
    os.close(key)


def retain(number: object, text: str) -> Json:
    return request(number, "tools/call", {"name": "retain", "arguments": {"text": text}})


def test_no_more_is_read_than_may_wait_until_something_is_answered(root: Path) -> None:
    lines = [json.dumps(retain(number, LONG)).encode() + b"\n" for number in range(3 * ROOM)]
    with held(root, patience_s=600) as server:
        said = b"".join(lines)
        taken = server.talk.offer(said)
        assert taken < MAX_PENDING_BYTES + 3 * len(
            LONG
        )  # and the one that waits for room, and what is read ahead of it
        server.open()
        rest = threading.Thread(target=server.talk.write, args=(said[taken:],))
        rest.start()
        answers = [server.talk.read() for _ in ("held", *lines)]
        rest.join()
        assert server.talk.hang_up()[:2] == (0, b"")
    assert {answer["id"] for answer in answers} == {"held", *range(len(lines))}
    assert all("20000" in json.dumps(answer["result"]) for answer in answers if answer["id"] != "held")


def test_a_cancel_gets_through_behind_more_than_may_wait(root: Path) -> None:
    names = [f"long {number}" for number in range(3 * ROOM)]
    with held(root, patience_s=0.1) as server:
        asked = [*(retain(name, LONG) for name in names), *map(cancel, names), request("after", "ping")]
        said = b"".join(json.dumps(one).encode() + b"\n" for one in asked)
        assert server.talk.offer(said) == len(said)
        refused = []
        while (answer := server.talk.read())["id"] != "after":
            refused.append(answer)
        server.open()
        assert server.talk.read()["id"] == "held"
        assert server.talk.hang_up()[:2] == (0, b"")
    assert [answer["id"] for answer in refused] == names[ROOM:]
    assert {answer["error"]["data"]["code"] for answer in refused} == {"too-busy"}


@pytest.mark.parametrize(
    "spelled",
    [lambda number: json.dumps(cancel(number)).replace("/", "\\/"), lambda number: json.dumps(cancel(str(number)))],
    ids=["with escapes", "with its number as text"],
)
def test_a_cancel_makes_room_however_it_is_spelled(spelled: Callable[[int], str], root: Path) -> None:
    with held(root, patience_s=0.1) as server:
        for number in range(2 * ROOM):
            server.talk.send(retain(number, LONG))
            server.talk.write(spelled(number).encode() + b"\n")
        assert server.talk.ask(request("after", "ping"))["result"] == {}  # and none was refused
        server.open()
        assert server.talk.read()["id"] == "held"
        assert server.talk.hang_up()[:2] == (0, b"")


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> PendingRequests:
    """Room for ten bytes, and no patience."""
    monkeypatch.setattr(pending_requests, "MAX_PENDING_BYTES", 10)
    monkeypatch.setattr(pending_requests, "MIN_REQUEST_BYTES", 1)
    monkeypatch.setattr(pending_requests, "ROOM_TIMEOUT_S", 0.0)
    return PendingRequests()


def has_room(waiting: PendingRequests, size: int, settle: bytes = b"") -> bool:
    """Whether there is room, where this is settled while it is waited for."""

    async def asked() -> bool:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                group.start_soon(settled)
                return await waiting.has_room(size)

    async def settled() -> None:
        waiting.settle(settle)

    return anyio.run(asked)


def test_what_is_longer_than_all_that_may_wait_is_taken_where_nothing_else_waits(waiting: PendingRequests) -> None:
    assert has_room(waiting, 11)
    waiting.add(b"1", 11)
    assert not has_room(waiting, 1)
    waiting.settle(b"1")
    assert has_room(waiting, 11)


def test_what_is_answered_makes_room_also_of_two_requests_with_one_id(waiting: PendingRequests) -> None:
    for _ in range(2):
        waiting.add(b"1", 5)
    assert not has_room(waiting, 1)
    waiting.settle(b"1")
    assert has_room(waiting, 5)
    assert not has_room(waiting, 6)
    waiting.settle(b"1")
    assert len(waiting) == 0


def test_short_requests_count_for_the_answers_that_they_bring(
    waiting: PendingRequests, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending_requests, "MIN_REQUEST_BYTES", 4)
    for number in (b"1", b"2"):
        assert has_room(waiting, 1)
        waiting.add(number, 1)
    assert not has_room(waiting, 1)
    waiting.settle(b"1")
    assert has_room(waiting, 1)


def test_once_something_is_answered_the_next_is_waited_for_again(
    waiting: PendingRequests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in (b"1", b"2", b"3"):
        waiting.add(key, 5)
    assert not has_room(waiting, 5)
    monkeypatch.setattr(pending_requests, "ROOM_TIMEOUT_S", 5.0)
    assert not has_room(waiting, 5)
    waiting.settle(b"1")
    assert has_room(waiting, 5, settle=b"2")


def test_nobody_is_refused_while_the_answers_are_not_taken(waiting: PendingRequests) -> None:
    looks = iter((False, False, False, True))
    waiting = PendingRequests(lambda: next(looks))
    waiting.add(b"1", 10)
    assert not has_room(waiting, 1)
    assert next(looks, None) is None


class Hasty(asyncio.SelectorEventLoop):
    """A loop whose clock can be put forward."""

    ahead_s = 0.0

    def time(self) -> float:
        return super().time() + self.ahead_s


@pytest.mark.parametrize(("is_wanted", "rest"), [(True, 0), (False, 1)])
def test_the_rest_is_waited_for_as_long_as_some_of_it_is_answered_and_taken(
    waiting: PendingRequests, is_wanted: bool, rest: int
) -> None:
    left = []

    async def noted() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(answered)
            await waiting.all_settled(100, lambda: is_wanted)
            left.append(len(waiting))

    async def answered() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Hasty)
        for key in (b"1", b"2", b"3"):
            for _turn in range(5):
                await anyio.lowlevel.checkpoint()
            loop.ahead_s += 70
            waiting.settle(key)

    for key in (b"1", b"2", b"3"):
        waiting.add(key, 5)
    anyio.run(noted, backend_options={"loop_factory": Hasty})
    waiting.add(b"4", 5)
    anyio.run(waiting.all_settled, 0.0, lambda: True)
    assert left == [rest]


# The end.


def test_everything_asked_before_the_client_hangs_up_is_answered(root: Path) -> None:
    asked = [initialize(0), INITIALIZED, *(recall(number) for number in range(1, 20)), cancel(3)]
    done = subprocess.run(
        [CPL, "mcp"],
        input=b"".join(json.dumps(one).encode() + b"\n" for one in asked),
        capture_output=True,
        env=surroundings(root),
        timeout=60,
        check=False,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert {answer["id"] for answer in answers} | {3} == set(range(20))
    assert all("result" in answer for answer in answers)


def test_a_client_that_reads_no_more_does_not_break_the_server(root: Path) -> None:
    with Talk(root) as talk:
        talk.stop_reading()
        for number in range(50):
            talk.send(recall(number))
        code, _out, err = talk.hang_up()
    assert (code, err) == (0, b"")


IMPATIENT = """
import sys
from commonplace.serve.mcp import stdio_transport
stdio_transport.DRAIN_TIMEOUT_S = 0.3
from commonplace.cli import main
sys.exit(main(["mcp"]))
"""


def test_a_client_that_takes_no_answers_and_hangs_up_cannot_keep_the_server(root: Path) -> None:
    (root / "long.md").write_text("".join(f"- tea number {number} {'x' * 3000}\n" for number in range(60)), "utf-8")
    with Talk(root, command=(sys.executable, "-c", IMPATIENT)) as talk:
        shown = {"name": "show", "arguments": {"reference": "long.md"}}  # more than a pipe takes
        talk.send(request(1, "tools/call", shown))
        talk.stop_asking()
        assert talk.process.wait(60) == 1
        assert talk.process.stderr is not None
        assert talk.process.stderr.read() == b""


STUCK = """
import sys, threading
from concurrent.futures import ThreadPoolExecutor
from commonplace.cli import serve
from commonplace.serve.mcp import stdio_transport
from commonplace.serve.dispatch import handlers

def hang(memory, asked):
    ThreadPoolExecutor().submit(threading.Event().wait).result()  # for which Python waits at its end

handlers.HANDLERS["entity"] = hang
stdio_transport.LAST_ANSWER_TIMEOUT_S = serve.CLOSE_TIMEOUT_S = 0.3
from commonplace.cli import main
sys.exit(main(["mcp"]))
"""


def test_no_thread_of_whatever_was_asked_keeps_the_server(root: Path) -> None:
    with Talk(root, command=(sys.executable, "-c", STUCK)) as talk:
        talk.call("recall", text="tea")  # it is warm: what is asked next begins at once
        talk.send(request(2, "resources/read", {"uri": "commonplace://entity/Peter"}))
        assert talk.ask(request(3, "ping"))["result"] == {}
        code, out, err = talk.hang_up()
    assert (code, err) == (1, b"")
    assert json.loads(out)["error"]["message"] == "Connection closed"


def test_only_messages_reach_standard_output(root: Path) -> None:
    (root / "commonplace.toml").write_text("[recall]\nk = 3\n", encoding="utf-8")
    with Talk(root) as talk:
        (root / "commonplace.toml").write_text('recall = "broken"\n', encoding="utf-8")
        notes = talk.call("recall", text="tea")["content"][0]["text"]
        _code, out, err = talk.hang_up()
    assert "settings" in notes
    assert out == b""
    assert b"settings" in err
