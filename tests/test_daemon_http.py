"""The daemon over its sockets: who is let in, what is answered, and how it ends."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from bench.running_daemon import Running, UnixConnection, environment, exchanged, running, runtime
from commonplace.operations.declarations import OPERATIONS
from commonplace.serve import shutdown_signals
from commonplace.storage import files

pytestmark = pytest.mark.slow

NOTE = "# 2025-11-27\n\n## Retain\n\n- W @Peter: In Marrakech for Andy's birthday.\n"
QUESTION = b'{"text": "where is Peter?"}'


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A daemon of a small notebook, with TCP."""
    folder = tmp_path_factory.mktemp("notes")
    (folder / "memory").mkdir()
    (folder / "memory/2025-11-27.md").write_text(NOTE, encoding="utf-8")
    with runtime() as place, running(folder, place, "--port", "0", COMMONPLACE_NOW="2025-11-30T09:00") as daemon:
        yield daemon


# Who is let in.

HOSTS = {
    "right": True,
    "": False,
    "none": False,
    "evil.example": False,
    "localhost.evil": False,
    "localhost.": False,
    "0.0.0.0": False,
    "[::]": False,
    "LOCALHOST": False,
    "localhost:1": False,
    "127.0.0.1": False,
    "user@localhost": False,
}
ORIGINS = {"none": True, "null": False, "http://localhost": False, "https://evil.example": False}
SITES = {"none given": True, "none": True, "same-origin": True, "same-site": False, "cross-site": False, "x": False}
TOKENS = {"right": True, "none given": False, "wrong": False, "basic": False, "é": False, "empty": False}


@pytest.mark.parametrize("over", ["unix", "tcp"])
def test_of_all_hosts_origins_sites_and_tokens_only_the_right_ones_are_let_in(served: Running, over: str) -> None:
    """1,728 combinations over each kind of socket, each as a read."""
    own = "localhost" if over == "unix" else f"127.0.0.1:{served.port}"
    connection = UnixConnection(served.path) if over == "unix" else HTTPConnection("127.0.0.1", served.port, timeout=60)
    let_in = tried = 0
    for host, origin, site, token in itertools.product(HOSTS, ORIGINS, SITES, TOKENS):
        headers = {"Content-Type": "application/json"}
        headers |= {} if host == "none" else {"Host": own if host == "right" else host}
        headers |= {} if origin == "none" else {"Origin": origin}
        headers |= {} if site == "none given" else {"Sec-Fetch-Site": site}
        shown = {
            "right": f"Bearer {served.token}",
            "wrong": f"Bearer {served.token[:-1]}",
            "basic": f"Basic {served.token}",
        }
        shown |= {"é": f"Bearer {served.token}é", "empty": "Bearer "}
        headers |= {} if token == "none given" else {"Authorization": shown[token]}
        reply = exchanged(connection, "POST", "/v1/recall", QUESTION, headers)
        tried += 1
        right = HOSTS[host] and ORIGINS[origin] and SITES[site] and TOKENS[token]
        assert (reply.status == 200) is right, (host, origin, site, token, reply)
        assert right or reply.status in (400, 401, 403, 421)
        assert right or b"Marrakech" not in reply.body
        let_in += right
        if not right:
            connection.close()  # some of them end the connection
    assert (tried, let_in) == (1728, 3)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        *(("GET", path) for path in ("/healthz", "/metrics", "/openapi.json", "/v1/schedule", "/", "/v1/recall", "/x")),
        *(("POST", f"/v1/{name}") for name in OPERATIONS),
        *((method, "/v1/recall") for method in ("OPTIONS", "PUT", "DELETE", "PATCH", "HEAD")),
    ],
)
def test_no_route_and_no_method_answers_without_the_token(served: Running, method: str, path: str) -> None:
    reply = served.send(method, path, b"{}", {"Content-Type": "application/json"})
    assert reply.status == 401
    assert not any(name.startswith("access-control") for name in reply.headers)


@pytest.mark.parametrize("name", ["Host", "Origin", "Authorization", "Sec-Fetch-Site", "Content-Type"])
def test_a_header_that_decides_may_not_stand_there_twice(served: Running, name: str) -> None:
    headers = {"Host": "localhost", "Sec-Fetch-Site": "none", **served.allowed()}
    assert served.send("GET", "/healthz", headers=headers).status == 200
    lines = [f"{key}: {value}" for key, value in headers.items()] + [f"{name}: {headers.get(name, 'none')}"] * 2
    assert raw(served, "GET /healthz HTTP/1.1", *lines, "", "").startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "lines",
    [
        ("GET /healthz HTTP/1.1", *(f"X-{number}: 1" for number in range(100)), "", ""),
        ("GET /healthz HTTP/1.1", "X: " + "a" * 70_000, "", ""),
        ("GET /" + "a" * 70_000 + " HTTP/1.1", "", ""),
        ("nonsense", "", ""),
        ("GET /healthz HTTP/1.1", "Bad Header: 1", "", ""),
        ("GET http://localhost/healthz HTTP/1.1", "", ""),
        ("POST /v1/recall HTTP/1.1", "Content-Length: -1", "", "{}"),
        ("POST /v1/recall HTTP/1.1", "Content-Length: 1", "Content-Length: 2", "", "{}"),
        ("POST /v1/recall HTTP/1.1", "Transfer-Encoding: gzip", "", "{}"),
    ],
    ids=range(9),
)
def test_what_abuses_the_head_of_a_request_is_refused(served: Running, lines: tuple[str, ...]) -> None:
    first, *rest = lines
    allowed = [f"{name}: {value}" for name, value in {"Host": "localhost", **served.allowed()}.items()]
    status = raw(served, first, *allowed, *rest).split(b" ")[1]
    assert status.startswith(b"4") or status == b"501", status
    assert served.get("/healthz").status == 200


def test_half_open_connections_keep_nobody_out(served: Running) -> None:
    """Three hundred heads that never end: the longest without a request make room."""
    half_open = [socket.socket(socket.AF_UNIX) for _ in range(300)]
    try:
        for one in half_open:
            one.connect(served.path)
            one.sendall(b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\n")
        assert [served.get("/healthz").status for _ in range(3)] == [200, 200, 200]
    finally:
        for one in half_open:
            one.close()
    assert served.get("/healthz").status == 200


def raw(served: Running, *lines: str) -> bytes:
    with socket.socket(socket.AF_UNIX) as opened:
        opened.settimeout(60)
        opened.connect(served.path)
        with suppress(BrokenPipeError):  # it may answer and go before it has heard all
            opened.sendall("\r\n".join(lines).encode("latin-1"))
        return opened.recv(65_536)


def test_replies_say_nothing_of_the_server_and_are_not_for_pages(served: Running) -> None:
    for reply in (served.get("/healthz"), served.get("/nothing"), served.send("GET", "/healthz")):
        assert "server" not in reply.headers
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert not any(name.startswith("access-control") for name in reply.headers)


# What is answered.


def test_an_operation_is_asked_by_post_and_answers_its_documented_shape(served: Running) -> None:
    reply = served.ask("recall", text="where is Peter?")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json["schema"] == "commonplace.hits.v1"
    assert "Marrakech" in reply.json["hits"][0]["text"]


@pytest.mark.parametrize(
    ("operation", "body", "status", "code"),
    [
        ("recall", b"{}", 400, "bad-argument"),
        ("recall", b'{"text": 1}', 400, "bad-argument"),
        ("recall", b'{"text": "x", "sideways": true}', 400, "bad-argument"),
        ("recall", b"[", 400, "bad-argument"),
        ("recall", b"[" * 100_000, 400, "bad-argument"),
        ("recall", b'{"text": "\xff"}', 400, "bad-argument"),
        ("recal", b"{}", 404, "not-found"),
        ("entity", b'{"name": "Nobody"}', 404, "not-found"),
        ("approve", b'{"item_id": "nothing"}', 404, "not-found"),
    ],
)
def test_what_cannot_be_answered_is_an_error_in_its_shape(
    served: Running, operation: str, body: bytes, status: int, code: str
) -> None:
    reply = served.send("POST", f"/v1/{operation}", body, served.allowed())
    assert (reply.status, reply.json["code"]) == (status, code)
    assert sorted(reply.json) == ["code", "hint", "line", "message", "path"]


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "", "application/json; charset=latin-1"]
)
def test_only_json_is_read(served: Running, kind: str) -> None:
    reply = served.send("POST", "/v1/recall", QUESTION, {**served.allowed(), "Content-Type": kind})
    assert (reply.status, reply.json["code"]) == (415, "no-json")


@pytest.mark.parametrize(
    "kind", ["Application/JSON", "application/json ; Charset=UTF-8", "application/json;charset = utf-8"]
)
def test_json_may_be_named_in_each_way_that_it_is_named(served: Running, kind: str) -> None:
    allowed = {**served.allowed(), "Authorization": f"bEARER {served.token}", "Content-Type": kind}
    assert served.send("POST", "/v1/recall", QUESTION, allowed).status == 200


def test_a_body_may_be_left_out_where_nothing_must_be_given(served: Running) -> None:
    assert served.send("POST", "/v1/status", b"", served.allowed()).json["schema"] == "commonplace.status.v1"


def test_each_name_of_loopback_is_let_in(served: Running) -> None:
    for name in ("127.0.0.1", "localhost", "[::1]"):
        connection = HTTPConnection("127.0.0.1", served.port, timeout=60)
        headers = {"Host": f"{name}:{served.port}", **served.allowed()}
        assert exchanged(connection, "GET", "/healthz", b"", headers).status == 200
        connection.close()


def test_a_body_is_read_up_to_a_bound_whether_or_not_it_says_its_length(served: Running) -> None:
    head = [f"{name}: {value}" for name, value in {"Host": "localhost", **served.allowed()}.items()]
    said = raw(served, "POST /v1/recall HTTP/1.1", *head, "Content-Length: 9000000", "", "")
    assert said.startswith(b"HTTP/1.1 413")
    piece = "10000\r\n" + "x" * 0x10000 + "\r\n"
    sent = raw(served, "POST /v1/recall HTTP/1.1", *head, "Transfer-Encoding: chunked", "", piece * 140)
    assert sent.startswith(b"HTTP/1.1 413")


def test_a_deadline_that_passes_is_told_and_one_that_is_none_is_refused(served: Running) -> None:
    headers = served.allowed()
    workspace, body = served.get("/healthz").json["workspace"], b'{"text": "The kettle whistles."}'
    with files.hold_workspace_lock(workspace, files.path_lock_name("memory/2025-11-30.md")):
        late = served.send("POST", "/v1/retain", body, {**headers, "Commonplace-Deadline-Ms": "1"})
    assert (late.status, late.json["code"]) == (504, "deadline-passed")
    assert served.ask("status").status == 200  # what goes on behind it has come to its end
    for written in ("0", "-1", "soon", "9" * 30, "9" * 5_000, "600001", "٣"):
        value = written.encode().decode("latin-1")
        assert served.send("POST", "/v1/recall", QUESTION, {**headers, "Commonplace-Deadline-Ms": value}).status == 400
    assert served.send("POST", "/v1/recall", QUESTION, {**headers, "Commonplace-Deadline-Ms": "60000"}).status == 200


def test_getting_changes_nothing_and_operations_are_not_got(served: Running) -> None:
    workspace = Path(served.get("/healthz").json["workspace"])
    before = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file() and "index" not in path.name}
    for path in ("/healthz", "/metrics", "/openapi.json", "/v1/schedule"):
        assert served.get(path).status == 200
    for name in OPERATIONS:
        refused = served.get(f"/v1/{name}?text=hello")
        assert (refused.status, refused.json["code"], refused.headers["allow"]) == (405, "bad-method", "POST")
    for path in ("/healthz/", "/v1/recall/", "/nothing"):
        assert (served.get(path).status, served.get(path).json["code"]) == (404, "not-found")
    after = {path: path.read_bytes() for path in workspace.rglob("*") if path.is_file() and "index" not in path.name}
    assert before == after


def test_what_is_written_is_written_once_and_found_at_once(served: Running) -> None:
    assert served.ask("capture", text="The heron sleeps on the weir.", keys=["k1"]).json["outcome"] == "captured"
    assert served.ask("capture", text="The heron sleeps on the weir.", keys=["k1"]).json["outcome"] == "known"
    assert "heron" in served.ask("recall", text="where does the heron sleep?").json["hits"][0]["text"]


def test_metrics_count_what_was_answered_and_refused(served: Running) -> None:
    def number(name: str) -> float:
        lines = served.get("/metrics").body.decode().split("\n")
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"commonplace_{name}"))

    asked, bad = number('requests_total{operation="recall",status="200"}'), number('errors_total{code="bad-argument"}')
    served.ask("recall", text="where is Peter?")
    served.ask("recall")
    assert number('requests_total{operation="recall",status="200"}') == asked + 1
    assert number('errors_total{code="bad-argument"}') == bad + 1
    assert number('request_seconds_count{operation="recall"}') >= asked + 2
    assert number("records") >= 1
    assert number("resident_memory_bytes") > 10_000_000
    assert served.get("/metrics").headers["content-type"].startswith("text/plain; version=0.0.4")
    served.send("GET", "/stranger")
    assert "stranger" not in served.get("/metrics").body.decode()


def test_requests_made_from_its_own_document_end_in_no_fault(tmp_path: Path) -> None:
    """A sample of `make fuzz-http`."""
    pytest.importorskip("schemathesis", reason="schemathesis is not installed: the interface is not fuzzed")
    from bench.fuzz_http import answers, fuzz

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/day.md").write_text(NOTE, encoding="utf-8")
    with runtime() as place, running(tmp_path / "notes", place, "--port", "0") as daemon:
        code, told = fuzz(daemon, tmp_path, 200, phases="fuzzing")
        statuses = answers(daemon)
    assert code == 0, told
    assert sum(statuses.values()) >= 200
    assert not [status for status in statuses if status >= 500]


def test_the_document_names_every_operation_and_refers_to_nothing_that_it_lacks(served: Running) -> None:
    document = served.get("/openapi.json").json
    assert {f"/v1/{name}" for name in OPERATIONS} <= document["paths"].keys()
    assert document["openapi"] == "3.1.0"
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(document)))
    assert referred <= document["components"]["schemas"].keys()
    assert {"Recall", "commonplace.hits.v1", "commonplace.error.v1"} <= referred
    assert document["components"]["schemas"]["Recall"]["required"] == ["text"]


def test_the_page_names_every_operation_and_what_it_does() -> None:
    page = (Path(__file__).parents[1] / "docs/reference/http.md").read_text("utf-8")
    (line,) = [line for line in page.split("\n") if line.startswith("`recall`")]
    told = {part.split()[-1].rstrip("."): set(re.findall("`([a-z_]+)`", part)) for part in line.split(";")}
    assert told == {
        effect.removesuffix("s"): {name for name, one in OPERATIONS.items() if one.effect == effect}
        for effect in ("reads", "writes", "decides")
    }


# Where it lies, and how it ends.


def test_the_socket_and_the_token_are_for_their_owner_only(served: Running) -> None:
    for path, mode in (
        (served.path, 0o600),
        (served.path[:-5] + ".token", 0o600),
        (os.path.dirname(served.path), 0o700),
    ):
        assert stat.S_IMODE(os.stat(path).st_mode) == mode, path
    assert len(served.token) == 64


def serve(workspace: Path, place: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = (sys.executable, "-m", "commonplace", "serve", "--json", "--workspace", str(workspace), *arguments)
    return subprocess.run(command, capture_output=True, env=environment(place), timeout=60, check=False)


def test_a_second_daemon_of_a_workspace_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    with runtime() as place, running(tmp_path, place) as first:
        second = serve(tmp_path, place)
        assert (second.returncode, json.loads(second.stderr)["code"]) == (1, "already-served")
        assert first.get("/healthz").status == 200


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1", "example.org", ""])
def test_any_address_but_loopback_is_refused(tmp_path: Path, address: str) -> None:
    with runtime() as place:
        refused = serve(tmp_path, place, "--port", "0", "--host", address)
        assert (refused.returncode, json.loads(refused.stderr)["code"]) == (2, "bad-argument")
        assert "loopback only" in json.loads(refused.stderr)["message"]


def test_an_address_without_a_port_is_refused(tmp_path: Path) -> None:
    with runtime() as place:
        refused = serve(tmp_path, place, "--host", "::1")
        assert (refused.returncode, json.loads(refused.stderr)["code"]) == (2, "bad-argument")
        assert "--port" in json.loads(refused.stderr)["hint"]


def test_what_a_daemon_that_was_killed_has_left_is_replaced_and_the_token_is_another(tmp_path: Path) -> None:
    with runtime() as place:
        with running(tmp_path, place) as first:
            old = first.token
            first.stop(signal.SIGKILL)
            assert Path(first.path).exists()
        with running(tmp_path, place) as second:
            assert second.path == first.path
            assert second.token != old
            assert second.get("/healthz").status == 200


EARLY = """
import os, sys
from commonplace.cli import main
from commonplace.serve.http import server

listen = server.listen_unix

def listen_and_end(path):
    made = listen(path)
    os.kill(os.getpid(), int(sys.argv[1]))
    return made

server.listen_unix = listen_and_end
sys.exit(main(["serve", "--workspace", sys.argv[2]]))
"""


@pytest.mark.parametrize("number", shutdown_signals())
def test_a_signal_while_it_starts_leaves_neither_socket_nor_token_behind(tmp_path: Path, number: int) -> None:
    with runtime() as place:
        command = (sys.executable, "-c", EARLY, str(int(number)), str(tmp_path))
        done = subprocess.run(command, capture_output=True, env=environment(place), timeout=60, check=False)
        assert (done.returncode, done.stderr.split(b"\n")[-2]) == (0, b"commonplace: ended")
        (folder,) = Path(place).iterdir()
        assert [path.suffix for path in folder.iterdir()] == [".lock"]


@pytest.mark.parametrize("number", shutdown_signals())
def test_at_a_signal_it_finishes_what_it_accepted_and_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    with runtime() as place, running(tmp_path, place) as daemon:
        connection = UnixConnection(daemon.path)
        body = json.dumps({"text": "W @Ana: Sails on Sundays."}).encode()
        connection.putrequest("POST", "/v1/retain", skip_host=True)
        more = {"Content-Length": str(len(body)), "Expect": "100-continue"}
        for name, value in {"Host": "localhost", **daemon.allowed(), **more}.items():
            connection.putheader(name, value)
        connection.endheaders()
        assert connection.sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"  # so it was accepted
        daemon.process.send_signal(number)
        connection.send(body)
        reply = connection.getresponse()
        assert reply.status == 200
        assert json.loads(reply.read())["record"]["text"] == "@Ana: Sails on Sundays."
        assert daemon.process.wait(60) == 0
        assert sorted(os.listdir(os.path.dirname(daemon.path))) == [os.path.basename(daemon.path)[:-5] + ".lock"]
    assert any("Sundays" in path.read_text("utf-8") for path in tmp_path.rglob("*.md"))
