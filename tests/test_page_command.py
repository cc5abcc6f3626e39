"""The command `page`: it finds a daemon or starts one, and says in words what keeps it from either."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from bench.running_daemon import UnixConnection, environment, exchanged, runtime
from commonplace.cli import page
from commonplace.errors import AlreadyServed, BadArgument, NotFound, Unreachable
from commonplace.serve import client
from commonplace.storage import config

pytestmark = pytest.mark.slow

WAIT_S = 60


class Ground(NamedTuple):
    """A notebook, and the environment in which commands see it."""

    root: Path
    environment: dict[str, str]

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        """The command `page`, begun."""
        command = [sys.executable, "-m", "commonplace", "page", "--workspace", str(self.root), *arguments]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env={**self.environment, **more}, stdout=pipe, stderr=pipe, text=True)

    def run(self, *arguments: str, **more: str) -> tuple[int, str, str]:
        """How the command ended, and what it printed."""
        return ended(self.start(*arguments, **more))

    @property
    def socket(self) -> str:
        """The path of the daemon's socket."""
        runtime = self.environment["XDG_RUNTIME_DIR"]
        return config.socket_path(str(self.root), config.Environment(home="", runtime=runtime))

    def pids(self) -> list[int]:
        """The process of the daemon that answers; empty if none does."""
        token = Path(self.socket.removesuffix(".sock") + ".token")
        if not token.exists():
            return []
        headers = {"Host": "localhost", "Authorization": f"Bearer {token.read_text('ascii')}"}
        with suppress(ConnectionError):
            return [exchanged(UnixConnection(self.socket), "GET", "/healthz", b"", headers).json["pid"]]
        return []


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=WAIT_S)
    return process.returncode, out, err


def opened(link: str) -> int:
    """The status of the page that a link opens, which is the first thing that it asks for."""
    try:
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(link, timeout=WAIT_S) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.fixture
def ground(tmp_path: Path) -> Iterator[Ground]:
    root = tmp_path / "notes"
    root.mkdir()
    (root / "MEMORY.md").write_text("- Tea\n", encoding="utf-8")
    with runtime() as folder:
        made = Ground(root.resolve(), environment(folder))
        yield made
        for pid in made.pids():
            os.kill(pid, signal.SIGTERM)


def test_it_starts_a_daemon_that_stays_and_uses_it_again(ground: Ground) -> None:
    code, out, err = ground.run("--print")
    assert (code, err) == (0, "open this link within a minute; it works once\n")
    assert opened(out.strip()) == 200
    assert opened(out.strip()) == 401
    before = ground.pids()
    assert list(map(os.getsid, before)) == before  # what ends the terminal does not end it
    code, out, err = ground.run("--json")
    assert (code, err, json.loads(out)["schema"]) == (0, "", "commonplace.page.v1")
    assert opened(json.loads(out)["link"]) == 200
    assert ground.pids() == before


def test_of_commands_at_the_same_moment_each_gets_a_link_to_one_daemon(ground: Ground) -> None:
    results = [ended(one) for one in [ground.start("--print") for _ in range(3)]]
    assert [code for code, _out, _err in results] == [0, 0, 0], results
    links = [out.strip() for _code, out, _err in results]
    assert len({link.partition("/enter/")[0] for link in links}) == 1
    assert [opened(link) for link in links] == [200, 200, 200]


def test_what_a_daemon_that_was_killed_has_left_is_replaced(ground: Ground) -> None:
    assert ground.run("--print")[0] == 0
    (pid,) = ground.pids()
    os.kill(pid, signal.SIGKILL)
    assert Path(ground.socket).exists()
    code, out, _err = ground.run("--print")
    assert (code, opened(out.strip())) == (0, 200)
    assert ground.pids() != [pid]


def test_a_daemon_that_may_not_be_asked_is_not_started(ground: Ground) -> None:
    code, out, err = ground.run("--print", COMMONPLACE_DAEMON="off")
    assert (code != 0, out) == (True, "")
    assert "COMMONPLACE_DAEMON is `off`" in err
    assert ground.pids() == []


def test_a_package_that_is_missing_is_named_with_what_to_install(ground: Ground, tmp_path: Path) -> None:
    for name in ("uvicorn", "jinja2"):
        folder = tmp_path / f"without-{name}"
        folder.mkdir()
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('no {name}', name='{name}')\n")
        code, out, err = ground.run("--print", PYTHONPATH=f"{folder}:{ground.environment.get('PYTHONPATH', '')}")
        assert (code != 0, out) == (True, "")
        assert repr(name) in err
        assert "web" in err
        for pid in ground.pids():
            os.kill(pid, signal.SIGTERM)


def test_settings_that_are_wrong_are_told_by_the_command_itself(ground: Ground) -> None:
    (ground.root / "commonplace.toml").write_text("recall.kk = 3\n")
    code, out, err = ground.run("--print")
    assert (code != 0, out) == (True, "")
    assert "recall.kk" in err
    assert ground.pids() == []


# What other daemons answer.


def test_a_daemon_of_an_older_version_is_named_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(*_arguments: Any, **_options: Any) -> Any:
        raise NotFound("path", "/page/link")

    monkeypatch.setattr(client, "get", answer)
    with pytest.raises(BadArgument, match="older version") as caught:
        page._ask_link("/notes")
    assert "commonplace service" in caught.value.hint


def test_an_old_daemon_answers_with_what_is_taken_for_that() -> None:
    told = {"code": "not-found", "message": "this path does not exist", "path": "", "line": 0, "hint": ""}
    assert isinstance(client.error_from_json(told), NotFound)


def test_a_daemon_that_hangs_is_not_waited_for_forever(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has the lock and does not answer: the second daemon says so, and the command repeats it."""

    def answer(*_arguments: Any, **_options: Any) -> Any:
        raise Unreachable("the daemon does not begin to answer")

    monkeypatch.setattr(client, "get", answer)
    monkeypatch.setattr(page, "START_TIMEOUT_S", 0.2)
    with pytest.raises(AlreadyServed):
        page._await_link("/notes", 0.0, AlreadyServed("/run/x.sock"))


@pytest.mark.parametrize("log", [b"", b"Traceback: it broke\n", b"\xff\xfe", b"commonplace: [1, 2]\n"])
def test_a_daemon_that_ends_without_an_error_of_ours_is_told_with_its_last_line(log: bytes) -> None:
    error = page._decode_failure(log)
    assert isinstance(error, Unreachable)
    assert "does not start" in error.message
    assert "commonplace serve" in error.hint


def test_an_error_of_ours_is_raised_as_it_was() -> None:
    line = {
        "schema": "commonplace.error.v1",
        "code": "already-served",
        "message": "busy",
        "path": "",
        "line": 0,
        "hint": "",
    }
    error = page._decode_failure(b"commonplace: a note\n" + msgspec.json.encode(line) + b"\n")
    assert (type(error), error.message) == (AlreadyServed, "busy")
