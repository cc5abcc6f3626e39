"""The command says the same with and without a daemon, byte for byte; a daemon that hangs or dies costs little."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from bench.queries import write_notebook
from bench.running_daemon import Running, running, runtime
from commonplace import Memory
from commonplace.cli import main
from commonplace.errors import DeadlinePassed, Unreachable
from commonplace.index import database
from commonplace.serve.client.daemon import post
from commonplace.serve.client.daemon_memory import BUSY_NOTICE, DaemonMemory
from commonplace.serve.dispatch import remote_methods
from commonplace.serve.stdio.line_streams import unread_bytes
from commonplace.storage import config, files

pytestmark = pytest.mark.slow

NOW = "2025-11-30T09:00"
FILES = {
    "memory/2025-11-27.md": "# 2025-11-27\n\n## Retain\n\n- W @Peter: In Marrakech (Nov 27, 2025) for Andy's birthday.\n",
    "bank/entities/Ana.md": "---\naliases: [Annie]\n---\n# Ana\n\n- W @Ana: Sails to Trieste. <!-- importance: 0.7 -->\n",
    "plain.md": "# Plain 東京\n\nThe kettle\u202e is green; the password is swordfish-9-alpha.\n",
}
READS = [
    ["recall", "where is Peter?"], ["recall", "kettle", "-k", "1", "--since", "2025-11-01", "--explain"], ["recall", "nothing of it"],
    ["recall", "x", "--since", "sometime"], ["pack", "where is Peter?"], ["pack", "who sails?", "--automatic", "--budget", "200"],
    ["pack", "who sails?", "--format", "openclaw-mem"], ["why"], ["why", "last", "nobody"], ["why", "r-none"], ["show", "plain.md"],
    ["show", "plain.md#L3", "--cite"], ["show", "../plain.md"], ["show", "none.md"], ["entity"], ["entity", "Annie"],
    ["entity", "Nobody"], ["timeline"], ["timeline", "--around", "2025-11-27", "-n", "3"], ["status"],
]  # fmt: skip
WRITES = [
    ["retain", "W @Ana: Moved to Bern."], ["retain", "B @Ana: A storm.", "--importance", "0.4", "--valid", "2025-11-27.."],
    ["retain", "too", "--importance", "7"], ["retain", "[NOMEM] not this"], ["log", "Called Ana."],
    ["capture", "The heron sleeps.", "--session", "s1", "--key", "k1"], ["capture", "The heron sleeps.", "--session", "s1", "--key", "k1"],
    ["capture", "It failed.", "--type", "tool_result", "--actor", "tool", "--tool", "make", "--exit-code", "2"],
]  # fmt: skip


class Ran(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


Cpl = Callable[..., Ran]


@pytest.fixture
def cpl(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Cpl]:
    with runtime() as place:
        for name, value in {"XDG_RUNTIME_DIR": place, "COMMONPLACE_NOW": NOW, "COMMONPLACE_DEVICE": "desk"}.items():
            monkeypatch.setenv(name, value)

        def run(workspace: Path, *arguments: str) -> Ran:
            code = main([*arguments, "--workspace", str(workspace)])
            return Ran(code, *capsys.readouterr())

        yield run


def notebook(folder: Path) -> Path:
    return write_notebook(folder, FILES)


def served(folder: Path, **more: str) -> object:
    return running(folder, os.environ["XDG_RUNTIME_DIR"], COMMONPLACE_NOW=NOW, COMMONPLACE_DEVICE="desk", **more)


def heard(daemon: Running) -> int:
    """How many questions of commands the daemon has answered."""
    found = re.findall(r'requests_total\{operation="nouns",status="\d+"\} (\d+)', daemon.get("/metrics").body.decode())
    return sum(map(int, found))


def settled(daemon: Running) -> None:
    """Wait until the daemon has taken in all files and does nothing."""
    assert daemon.ask("recall", text="where is Peter?").status == 200
    state = daemon.get("/healthz").json
    while state["waiting"] or state["index_lag_seconds"]:
        state = daemon.get("/healthz").json


def test_every_reading_command_says_the_same_with_and_without_the_daemon(
    tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    notebook(tmp_path)
    with served(tmp_path) as daemon:
        for arguments in READS:
            for extra in ([], ["--json"]):
                monkeypatch.delenv("COMMONPLACE_DAEMON", raising=False)
                before = heard(daemon)
                there = cpl(tmp_path, *arguments, *extra)
                asked = heard(daemon) - before
                monkeypatch.setenv("COMMONPLACE_DAEMON", "off")
                assert cpl(tmp_path, *arguments, *extra) == there, arguments
                assert "bug" not in there.err
                alone = ("openclaw-mem" in arguments and extra) or ("--explain" in arguments and not extra)
                assert (asked > 0) is not bool(alone), (arguments, extra, asked)
                assert heard(daemon) == before + asked


def test_every_writing_command_says_and_writes_the_same_with_and_without_the_daemon(tmp_path: Path, cpl: Cpl) -> None:
    alone, with_one = notebook(tmp_path / "alone"), notebook(tmp_path / "with")
    with served(with_one) as daemon:
        for number, arguments in enumerate(WRITES, 1):
            there, here = cpl(with_one, *arguments), cpl(alone, *arguments)
            assert there == here, arguments
            assert heard(daemon) == number
    for folder in ("memory", ".memory/journal"):
        names = [path.name for path in (alone / folder).glob("*.*") if path.is_file()]
        for name in names:
            assert unchained(alone / folder / name) == unchained(with_one / folder / name), name


def unchained(path: Path) -> bytes:
    """A file without what differs by chance: the salts of a journal and the digests that follow from them."""
    return re.sub(rb'"(?:salt|prev|crc)":"[^"]*"', b"", path.read_bytes()) if path.suffix != ".head" else b""


@pytest.mark.parametrize("number", [signal.SIGSTOP, signal.SIGKILL])
def test_a_daemon_that_hangs_or_died_is_done_without_and_nothing_is_written_twice(
    tmp_path: Path, cpl: Cpl, number: int
) -> None:
    with served(notebook(tmp_path)) as daemon:
        settled(daemon)  # what is stopped while it builds the index keeps the lock of it
        daemon.process.send_signal(number)
        if number == signal.SIGKILL:
            daemon.process.wait(60)
        assert "Marrakech" in cpl(tmp_path, "recall", "where is Peter?").out
        assert cpl(tmp_path, "retain", "W @Ana: Moved to Bern.").code == 0
        assert cpl(tmp_path, "capture", "The heron sleeps.").code == 0
        daemon.process.send_signal(signal.SIGCONT)
        if number == signal.SIGSTOP:
            assert daemon.ask("status").status == 200  # it has gone through what waited before it
    written = "".join(path.read_text("utf-8") for path in (tmp_path / "memory").glob("*.md"))
    assert written.count("Moved to Bern") == 1
    journal = "".join(path.read_text("utf-8") for path in tmp_path.glob(".memory/journal/captures-*"))
    assert journal.count("The heron sleeps.") == 1


@contextmanager
def another_daemon(root: Path, ends: Callable[[socket.socket], None]) -> Iterator[None]:
    """Where the daemon listens, something that lets one question begin, and `ends` it in its own way."""
    path = config.socket_path(os.path.realpath(root), config.read_environment())
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Path(path.removesuffix(".sock") + ".token").write_text("ab", "ascii")

    def take_on(listener: socket.socket) -> None:
        line, _ = listener.accept()
        with line:
            line.recv(65_536)
            line.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            ends(line)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        thread = threading.Thread(target=take_on, args=(listener,))
        thread.start()
        yield
        thread.join()


@pytest.mark.parametrize("how", ["nothing", "a reset", "half an answer"])
def test_a_daemon_that_breaks_off_a_write_it_took_on_is_told_and_the_write_is_not_repeated(
    tmp_path: Path, cpl: Cpl, how: str
) -> None:
    def goes(line: socket.socket) -> None:
        line.recv(65_536, socket.MSG_PEEK if how == "a reset" else 0)  # who closes on unread bytes resets
        if how == "half an answer":
            line.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 700\r\n\r\n{"kind": "Ke')

    with another_daemon(notebook(tmp_path), goes):
        ran = cpl(tmp_path, "retain", "W @Ana: Moved to Bern.")
    assert ran.code == 1
    assert "took this on and did not answer" in ran.err
    assert not any("Bern" in path.read_text("utf-8") for path in tmp_path.rglob("*.md"))


@pytest.mark.parametrize("body", ["Internal Server Error", "[]", '{"error": "bad gateway"}', '{"kind": 1}', "\x80"])
@pytest.mark.parametrize("status", ["200 OK", "502 Bad Gateway"])
def test_what_answers_otherwise_than_a_daemon_is_none_and_what_was_sent_to_it_is_in_doubt(
    tmp_path: Path, cpl: Cpl, status: str, body: str
) -> None:
    def says(line: socket.socket) -> None:
        line.recv(65_536)
        told = body.encode("latin-1")
        line.sendall(f"HTTP/1.1 {status}\r\nContent-Length: {len(told)}\r\n\r\n".encode("ascii") + told)

    reads, writes = notebook(tmp_path / "reads"), notebook(tmp_path / "writes")
    with another_daemon(reads, says):
        assert "Marrakech" in cpl(reads, "recall", "where is Peter?").out
    with another_daemon(writes, says):
        ran = cpl(writes, "retain", "W @Ana: Moved to Bern.")
    assert (ran.code, ran.out) == (1, "")
    assert "not from a Commonplace daemon" in ran.err
    assert "it may be done" in ran.err
    assert not any("Bern" in path.read_text("utf-8") for path in writes.rglob("*.md"))


def test_a_secret_that_only_this_process_knows_is_masked_by_it(
    tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(notebook(tmp_path)) as daemon:
        for secret in ("quiet-lantern-4471-orchard", "quiet\\\\lantern-4471-orchard"):
            monkeypatch.setenv("DEPLOY_TOKEN", secret)
            ran = cpl(tmp_path, "retain", f"W @Ana: uses {secret} daily.")
            assert ran.code == 0
            assert heard(daemon) == 0
        assert cpl(tmp_path, "recall", secret).code == 0
        assert heard(daemon) == 1  # what is only read is kept nowhere
    assert not any("4471" in path.read_text("utf-8") for path in tmp_path.rglob("*.md"))


@pytest.mark.parametrize("name", ["COMMONPLACE_DEVICE", "TZ"])
def test_a_daemon_in_other_surroundings_is_not_asked(
    tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    with served(notebook(tmp_path)) as daemon:
        monkeypatch.setenv(name, "Asia/Tokyo" if name == "TZ" else "laptop")
        assert "Marrakech" in cpl(tmp_path, "recall", "where is Peter?").out
        assert cpl(tmp_path, "retain", "W @Ana: Moved to Bern.").code == 0
        told = daemon.get("/metrics").body.decode()
        assert 'errors_total{code="not-alike"} 2' in told


def test_a_daemon_of_another_protocol_refuses_the_command_and_says_why(
    tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(notebook(tmp_path)) as daemon:
        monkeypatch.setattr(remote_methods, "PROTOCOL", remote_methods.PROTOCOL + 1)
        assert "Marrakech" in cpl(tmp_path, "recall", "where is Peter?").out  # answered without the daemon
        assert 'errors_total{code="not-alike"} 1' in daemon.get("/metrics").body.decode()
        with Memory.open(tmp_path) as memory:
            near = DaemonMemory(memory, config.socket_path(memory.root, memory.environment))
            with pytest.raises(Unreachable, match="another version of Commonplace"):
                near._ask_daemon_for("status", {}, writes=False)


def test_the_clock_is_that_of_who_asks(tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(notebook(tmp_path)) as daemon:
        monkeypatch.setenv("COMMONPLACE_NOW", "2025-12-05T10:00")
        assert cpl(tmp_path, "log", "Called Ana.").code == 0
        assert heard(daemon) == 1
    assert "Called Ana." in (tmp_path / "memory/2025-12-05.md").read_text("utf-8")


def test_a_clock_that_is_named_counts_more_than_that_of_the_process(tmp_path: Path, cpl: Cpl) -> None:
    with served(notebook(tmp_path)) as daemon, Memory.open(tmp_path) as memory:
        DaemonMemory(memory, config.socket_path(memory.root, memory.environment)).log(
            "Called Ana.", now="2025-12-07T10:00"
        )
        assert heard(daemon) == 1
    assert "Called Ana." in (tmp_path / "memory/2025-12-07.md").read_text("utf-8")


def test_what_is_no_text_is_done_here(tmp_path: Path, cpl: Cpl) -> None:
    with served(notebook(tmp_path)), Memory.open(tmp_path) as memory:
        near = DaemonMemory(memory, config.socket_path(memory.root, memory.environment))
        assert near.recall("where is \udce9 Peter?") == memory.recall("where is \udce9 Peter?")


ERROR = {"message": "it was said there", "path": "", "line": 0, "hint": ""}


@contextmanager
def feigned(folder: Path, *answers: bytes, go_on: bytes = b"HTTP/1.1 100 Continue\r\n\r\n") -> Iterator[list[bytes]]:
    """A daemon that takes each question on and gives these pieces in their order, each once the last is taken; it keeps
    what it was asked. An empty piece waits until who asks has gone."""
    path = config.socket_path(os.path.realpath(folder), config.read_environment())
    os.makedirs(os.path.dirname(path), 0o700)
    Path(path.removesuffix(".sock") + ".token").write_text("ab", "ascii")
    kept: list[bytes] = []

    def serve(listener: socket.socket) -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            with line:
                line.settimeout(20)
                kept.append(line.recv(65_536))
                for piece in (go_on[:10], go_on[10:]):  # before its status is whole
                    line.sendall(piece)
                    while unread_bytes(line.fileno()):
                        pass
                if go_on.startswith(b"HTTP/1.1 100"):
                    line.recv(65_536)
                    for piece in answers:
                        line.sendall(piece) if piece else line.recv(1)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield kept
        listener.shutdown(socket.SHUT_RDWR)


def failure(code: str) -> bytes:
    body = json.dumps({"code": code} | ERROR).encode()
    return b"HTTP/1.1 503 No\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("code", ["too-busy", "internal-error", "deadline-passed", "cancelled", "lock-busy"])
def test_what_the_daemon_could_not_do_is_done_here_where_it_is_sure_that_it_did_nothing(
    tmp_path: Path, cpl: Cpl, code: str
) -> None:
    with feigned(notebook(tmp_path), failure(code)) as kept:
        read, wrote = cpl(tmp_path, "recall", "where is Peter?"), cpl(tmp_path, "retain", "W @Ana: Moved to Bern.")
    assert len(kept) == 2
    assert ("Marrakech" in read.out, "said there" in read.err) == (code != "lock-busy", code == "lock-busy")
    assert (wrote.code == 0, "said there" not in wrote.err) == (code == "too-busy", code == "too-busy")
    written = any("Bern" in path.read_text("utf-8") for path in (tmp_path / "memory").glob("*.md"))
    assert written is (code == "too-busy")


def test_a_read_that_breaks_off_is_read_here(tmp_path: Path, cpl: Cpl) -> None:
    with feigned(notebook(tmp_path), b"HTTP/1.1 200 OK\r\nContent-Length: 700\r\n\r\n[") as kept:
        assert "Marrakech" in cpl(tmp_path, "recall", "where is Peter?").out
    assert len(kept) == 1


def test_one_that_does_not_take_it_on_is_asked_once_and_a_write_is_done_here(tmp_path: Path, cpl: Cpl) -> None:
    with feigned(notebook(tmp_path), go_on=failure("not-alike")) as kept, Memory.open(tmp_path) as memory:
        near = DaemonMemory(memory, config.socket_path(memory.root, memory.environment))
        near.log("Called Ana.")
        near.log("Called Bea.")
    assert len(kept) == 1
    assert "Called Bea." in (tmp_path / "memory/2025-11-30.md").read_text("utf-8")


def test_an_answer_may_take_longer_than_the_beginning_and_a_read_less_long_than_a_write(
    tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.serve.client.daemon.BEGIN_TIMEOUT_S", 0.5)
    for name, seconds in (("READ_TIMEOUT_S", 0.01), ("WRITE_TIMEOUT_S", 1.5)):
        monkeypatch.setattr(f"commonplace.serve.client.daemon_memory.{name}", seconds)
    waits: list[float] = []
    settimeout = socket.socket.settimeout

    def noted(line: socket.socket, seconds: float) -> None:
        waits.append(seconds)
        settimeout(line, seconds)

    with feigned(notebook(tmp_path), b""):
        monkeypatch.setattr("commonplace.serve.client.daemon.socket.socket.settimeout", noted)
        assert "Marrakech" in cpl(tmp_path, "recall", "where is Peter?").out
        wrote = cpl(tmp_path, "retain", "W @Ana: Moved to Bern.")
    assert (wrote.code, "did not answer" in wrote.err) == (1, True)
    assert [one for one in waits if one != 20] == [0.5, 0.01, 0.5, 1.5]


def test_the_answer_that_it_is_late_may_itself_come_late(tmp_path: Path, cpl: Cpl) -> None:
    """The daemon keeps the deadline, and its words about that take their way, too."""
    late = failure("deadline-passed")

    def serve(listener: socket.socket) -> None:
        line, _ = listener.accept()
        with line:
            assert b"commonplace-deadline-ms: 10\r\n" in line.recv(65_536)
            threading.Event().wait(0.2)
            line.sendall(late)

    path = config.socket_path(os.path.realpath(tmp_path), config.read_environment())
    os.makedirs(os.path.dirname(path), 0o700)
    Path(path.removesuffix(".sock") + ".token").write_text("ab", "ascii")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        with pytest.raises(DeadlinePassed, match="said there"):
            post(os.path.realpath(tmp_path), "status", {}, deadline_s=0.01)


def test_who_waits_long_is_told_for_what(tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook(tmp_path)
    assert cpl(tmp_path, "recall", "where is Peter?").err == ""
    for name in ("daemon_memory.READ_TIMEOUT_S", "daemon.BUSY_NOTICE_S"):
        monkeypatch.setattr(f"commonplace.serve.client.{name}", 0.01)
    with feigned(tmp_path, b""):
        asked = cpl(tmp_path, "recall", "where is Peter?")
    assert ("Marrakech" in asked.out, asked.err) == (True, f"commonplace: {BUSY_NOTICE}\n")
    for name, seconds in (("REPORT_AFTER_S", 0.01), ("BUILD_WAIT_S", 0.05)):
        monkeypatch.setattr(database, name, seconds)
    (tmp_path / ".memory/index.sqlite").unlink()
    with files.hold_file_lock(str(tmp_path / ".memory/index.sqlite.lock")):  # as a daemon does while it builds
        asked = cpl(tmp_path, "recall", "where is Peter?")
    told, failed, _hint = asked.err.splitlines()
    assert (asked.code, told) == (1, f"commonplace: {database.BUILDING_MESSAGE.format(0.05)}")
    assert "index.sqlite.lock" in failed


def test_the_memory_behind_is_closed_at_the_end() -> None:
    closed: list[bool] = []
    memory: Any = SimpleNamespace(close=lambda: closed.append(True))
    with DaemonMemory(memory, ""):
        assert closed == []
    assert closed == [True]


def test_where_no_daemon_could_listen_commands_work_and_serving_says_what_to_do(
    tmp_path: Path, cpl: Cpl, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path / ("h" * 90)))
    (tmp_path / "plain.md").write_text("- The kettle is green.\n", "utf-8")
    assert cpl(tmp_path, "recall", "kettle").code == 0
    ended = cpl(tmp_path, "serve")
    assert ended.code == 2
    assert "set XDG_RUNTIME_DIR" in ended.err
    with pytest.raises(Unreachable, match="no place"):
        post(str(tmp_path), "recall", {"text": "kettle"}, deadline_s=1)
