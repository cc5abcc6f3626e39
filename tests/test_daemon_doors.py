"""What stands between the daemon and who asks it: headers, sockets, tokens, and what the routes do with faults."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.running_daemon import runtime
from commonplace.cli import main
from commonplace.errors import BadArgument, CommonplaceError, Interrupted, TooBusy, Unreachable, WorkspaceUnusable
from commonplace.serve.client.daemon import get, post, split_response
from commonplace.serve.http import auth, server
from commonplace.serve.http.app import AppContext, Metrics, application
from commonplace.serve.http.auth import RequestAuth, check_request
from commonplace.storage import config

TOKEN = b"ab12" * 16
LET_IN = [
    (b"host", b"localhost"),
    (b"authorization", b"Bearer " + TOKEN),
    (b"sec-fetch-site", b"none"),
    (b"content-type", b"application/json"),
    (b"content-length", b"2"),
]
BOUND_S = 20


# Headers.


@pytest.mark.parametrize("name", [name for name, _value in LET_IN] + [b"origin"])
def test_a_header_that_decides_is_believed_only_where_it_stands_once(name: bytes) -> None:
    door = RequestAuth(TOKEN)
    assert check_request(door, LET_IN, over_tcp=False) is None
    value = dict(LET_IN).get(name, b"http://localhost")
    told = check_request(door, [*LET_IN, (name, value), (name, value)], over_tcp=False)
    assert told is not None
    assert (told.status, told.code) == (400, "bad-header")
    assert repr(name.decode()) in told.message


def test_each_name_of_loopback_is_ours_and_a_wrong_one_is_told_the_port() -> None:
    door = RequestAuth(TOKEN, 8123)
    for name in (b"127.0.0.1:8123", b"localhost:8123", b"[::1]:8123"):
        assert check_request(door, [(b"host", name), *LET_IN[1:]], over_tcp=True) is None
    told = check_request(door, LET_IN, over_tcp=True)
    assert told is not None
    assert (told.code, told.hint) == ("wrong-host", "send `Host: localhost`, with the port 8123")
    assert check_request(door, [(b"host", b"localhost:8123"), *LET_IN[1:]], over_tcp=False) is not None


# Routes, in this process: nobody can make a daemon have a bug.


GONE = b"gone"


def house(**given: Any) -> AppContext:
    async def nobody(*_asked: Any) -> Any:
        raise ZeroDivisionError

    kept: dict[str, Any] = {"ask": nobody, "call_method": nobody, "compatibility_key": lambda: "alike"}
    kept |= {"health": dict, "schedule": dict, "open_page": nobody}
    return AppContext(**({"request_auth": RequestAuth(TOKEN), "metrics": Metrics(), "gauges": nobody} | kept | given))


def asked(
    house: AppContext, path: str, *more: tuple[bytes, bytes], body: bytes | None = b"{}", method: str = "POST"
) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Status, body and headers of an answer; a body that is None never comes, of one that is `GONE` there is no end."""
    names = {name for name, _value in more}
    headers = [*(one for one in LET_IN if one[0] not in names), *more]
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        if body is None:
            await asyncio.Event().wait()
        if body == GONE:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": headers, "query_string": b""}
    scope |= {"server": ("/a.sock", None), "client": None, "root_path": "", "http_version": "1.1", "scheme": "http"}

    async def run() -> None:
        await application(house)(scope, receive, send)

    try:
        asyncio.run(run())
    except ZeroDivisionError:
        assert sent, "nothing was answered"
    start, *rest = sent
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], json.loads(b"".join(one.get("body", b"") for one in rest)), told


def test_a_bug_behind_a_route_is_told_in_the_shape_of_errors() -> None:
    status, told, headers = asked(house(), "/v1/status")
    assert (status, told["code"], told["message"]) == (500, "fault", "ZeroDivisionError in the daemon")
    assert headers["cache-control"] == "no-store"


def test_what_cannot_be_got_is_told_in_the_shape_of_errors() -> None:
    def wrong() -> Any:
        raise BadArgument("the settings are wrong")

    status, told, _headers = asked(house(schedule=wrong), "/v1/schedule", method="GET")
    assert (status, told["code"], told["message"]) == (400, "bad-argument", "the settings are wrong")


def test_a_body_that_does_not_come_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auth, "BODY_TIMEOUT_S", 0.01)
    one = house()
    status, told, _headers = asked(one, "/v1/status", body=None)
    assert (status, told["code"]) == (408, "too-slow")
    assert one.metrics.errors["too-slow"] == 1


def test_half_a_character_in_a_body_becomes_its_stand_in() -> None:
    async def answers(*asked: Any) -> Any:
        return {"asked": list(asked[:2])}

    status, told, _headers = asked(house(ask=answers), "/v1/recall", body=rb'{"text": "cut \ud83d"}')
    assert (status, told["asked"]) == (200, ["recall", {"text": "cut \ufffd"}])


def test_who_leaves_before_its_body_is_there_is_no_bug_of_ours() -> None:
    one = house()
    for path, more in (("/v1/status", ()), ("/nouns/recall", ((b"commonplace-likeness", b"alike"),))):
        assert asked(one, path, *more, body=GONE)[0] == 400
    assert one.metrics.errors == {"cut-short": 2}


@pytest.mark.parametrize("error", [TooBusy("256 questions wait already"), Interrupted("it was told to stop")])
def test_what_cannot_be_done_now_may_be_asked_again(error: CommonplaceError) -> None:
    async def refuses(*_asked: Any) -> Any:
        raise error

    status, told, headers = asked(house(ask=refuses), "/v1/recall")
    assert (status, told["code"], headers["retry-after"]) == (503, error.code, "1")


def test_every_error_is_counted_under_its_code_and_strangers_under_no_name_of_ours() -> None:
    async def busy(*_asked: Any) -> Any:
        raise TooBusy("so it is")

    one = house(ask=busy, call_method=busy)
    alike = (b"commonplace-likeness", b"alike")
    assert asked(one, "/v1/recall", (b"authorization", b"Bearer no"))[0] == 401
    assert asked(one, "/v1/recall")[1]["code"] == "too-busy"
    assert asked(one, "/nouns/recall", alike)[1]["code"] == "too-busy"
    assert asked(one, "/nouns/recall")[1]["code"] == "not-alike"
    assert asked(one, "/nouns/recall", alike, (b"content-type", b"text/plain"))[1]["code"] == "no-json"
    assert one.metrics.errors == {"no-token": 1, "too-busy": 2, "not-alike": 1, "no-json": 1}
    assert one.metrics.requests["other", 401] == 1
    assert ("recall", 401) not in one.metrics.requests


# Sockets.


def test_the_folder_of_sockets_is_made_private_and_must_be_a_folder_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    folder.chmod(0o755)
    with server.hold_socket_path(f"{folder}/a.sock"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (tmp_path / "link").symlink_to(folder)
    with (
        pytest.raises(WorkspaceUnusable, match="not a folder of yours"),
        server.hold_socket_path(f"{tmp_path}/link/a.sock"),
    ):
        pass
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(WorkspaceUnusable, match="not a folder of yours"), server.hold_socket_path(f"{folder}/a.sock"):
        pass


def test_what_cannot_be_listened_at_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceUnusable, match="it cannot be listened at: "):
        server.listen_unix(f"{tmp_path}/{'a' * 200}.sock")
    with server.listen_tcp("127.0.0.1", 0) as taken:
        with pytest.raises(BadArgument) as told:
            server.listen_tcp("127.0.0.1", taken.getsockname()[1])
        assert told.value.message.endswith(f"cannot be listened at: {os.strerror(errno.EADDRINUSE)}")
    with pytest.raises(
        BadArgument, match=r"port 70000 of 127\.0\.0\.1 cannot be listened at: ports are numbers from 0 to 65535"
    ):
        server.listen_tcp("127.0.0.1", 70_000)


def test_each_address_of_loopback_is_the_one_that_is_meant() -> None:
    with server.listen_tcp("localhost", 0) as one:
        assert one.getsockname()[0] == "127.0.0.1"
    try:
        socket.socket(socket.AF_INET6, socket.SOCK_STREAM).bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no loopback of IPv6: it was not listened at")
    with server.listen_tcp("::1", 0) as one:
        assert one.getsockname()[0] == "::1"


def test_small_answers_over_tcp_go_at_once() -> None:
    async def delay_is_off() -> bool:
        seen: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

        async def note(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connection = writer.get_extra_info("socket")
            seen.set_result(bool(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)))
            writer.close()

        async with await asyncio.start_server(note, sock=listener):
            _reader, writer = await asyncio.open_connection("127.0.0.1", listener.getsockname()[1])
            found = await seen
            writer.close()
        return found

    with server.listen_tcp("127.0.0.1", 0) as listener:
        assert asyncio.run(delay_is_off())


def test_a_port_can_be_had_again_at_once() -> None:
    with server.listen_tcp("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = listener.accept()
            accepted.close()  # who closes first keeps the address for a while
            assert client.recv(1) == b""
    with server.listen_tcp("127.0.0.1", port) as again:
        assert again.getsockname()[1] == port


# Who asks.


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Where the socket of a daemon of `tmp_path` would lie; its token lies there."""
    with runtime() as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        path = Path(config.socket_path(str(tmp_path), config.read_environment()))
        path.parent.mkdir(mode=0o700)
        path.with_suffix(".token").write_bytes(TOKEN)
        yield path


def answering(place: Path, *pieces: bytes) -> tuple[threading.Thread, list[bytes]]:
    """A socket that answers one question with these pieces, as long as they are taken; what it was asked and sent."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(place))
    listener.listen()
    kept: list[bytes] = []

    def serve() -> None:
        with listener, listener.accept()[0] as line:
            kept.append(line.recv(65_536))
            try:
                for piece in pieces:
                    line.sendall(piece)
                    kept.append(piece)
            except OSError:
                kept.append(b"")

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    return thread, kept


def test_a_token_that_is_none_is_no_daemon(place: Path, tmp_path: Path) -> None:
    token = place.with_suffix(".token")
    for damage in (b"", b"two words", b"a\r\nX: 1", b"\xff"):
        token.write_bytes(damage)
        with pytest.raises(Unreachable, match="no daemon runs"):
            post(str(tmp_path), "status", {}, deadline_s=1)
    token.unlink()
    token.mkdir()
    with pytest.raises(Unreachable, match="no daemon runs") as told:
        post(str(tmp_path), "status", {}, deadline_s=1)
    assert "commonplace serve" in told.value.hint


def test_a_place_that_is_not_ours_is_not_asked(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreachable, match="no daemon answers"):
        post(str(tmp_path), "status", {}, deadline_s=1)
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    with pytest.raises(Unreachable, match="no daemon runs"):
        post(str(tmp_path), "status", {}, deadline_s=1)
    monkeypatch.setattr(os, "getuid", lambda: own)
    place.parent.rename(tmp_path / "elsewhere")
    with pytest.raises(Unreachable, match="no daemon runs"):
        post(str(tmp_path), "status", {}, deadline_s=1)
    place.parent.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreachable, match="no daemon runs"):
        post(str(tmp_path), "status", {}, deadline_s=1)


def test_a_daemon_that_hangs_is_told_as_such_before_anybody_loses_patience(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its socket takes connections and nothing reads them, as where it is stopped."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(place))
        listener.listen()
        with pytest.raises(Unreachable, match="does not begin to answer"):
            get(str(tmp_path), "/healthz", deadline_s=BOUND_S)
        with pytest.raises(Unreachable, match="does not begin to answer"):
            post(str(tmp_path), "status", {}, deadline_s=BOUND_S)
        assert main(["--workspace", str(tmp_path), "service"]) == 1
    assert capsys.readouterr().err == (
        "commonplace: the daemon does not begin to answer\nhint: if it does not respond, stop and restart it\n"
    )


def framed(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body


@pytest.mark.parametrize("body", [b'{"a": "\xff"}', b'{"a": ' * 100_000, b"[]", b"hi", b""])
def test_what_answers_in_another_way_is_no_daemon_of_ours(body: bytes, place: Path, tmp_path: Path) -> None:
    answering(place, framed(body))
    with pytest.raises(Unreachable, match="not a Commonplace daemon"):
        post(str(tmp_path), "status", {}, deadline_s=BOUND_S)


def test_a_deadline_is_never_none_and_an_answer_is_read_however_its_headers_are_written(
    place: Path, tmp_path: Path
) -> None:
    thread, kept = answering(place, framed(b'{"a": 1}'))
    assert post(str(tmp_path), "status", {}, deadline_s=0.0001) == {"a": 1}
    thread.join(BOUND_S)
    assert b"commonplace-deadline-ms: 1\r\n" in kept[0]


def test_an_answer_without_end_is_not_read_for_ever(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonplace.serve.client.daemon.MAX_RESPONSE_BYTES", 100_000)
    thread, kept = answering(place, framed(b"{}"), *[b"x" * 65_536] * 1_000)
    with pytest.raises(Unreachable, match="broke off"):
        post(str(tmp_path), "status", {}, deadline_s=BOUND_S)
    thread.join(BOUND_S)
    assert kept[-1] == b""  # it could not send it all


@pytest.mark.parametrize(
    "cut", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 0", framed(b"{}")[:-1], framed(b"{}") + b"x"]
)
def test_what_is_cut_short_is_no_answer(cut: bytes) -> None:
    assert split_response(framed(b"{}")) == (b"200", b"{}")
    with pytest.raises(CommonplaceError, match="broke off"):
        split_response(cut)
