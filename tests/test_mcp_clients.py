"""Clients that nobody here wrote: the official SDK's over both transports; and who is let in over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from http.client import HTTPConnection
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import TextContent, TextResourceContents

from commonplace.serve.mcp.http_transport import MAX_SESSIONS, ensure_mcp_token
from tests.support.mcp_talk import CPL, Serving, initialize, over_http, surroundings

pytestmark = pytest.mark.slow


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    return tmp_path


@asynccontextmanager
async def by_pipes(root: Path, mode: str) -> AsyncIterator[Client]:
    command = StdioServerParameters(
        command=CPL, args=["mcp", "--all-tools", "--structured"], env=surroundings(root), cwd=str(root)
    )
    async with Client(command, mode=mode) as client:
        yield client


@asynccontextmanager
async def by_http(root: Path, mode: str) -> AsyncIterator[Client]:
    with over_http(root, (CPL, "mcp", "--http", "0", "--all-tools", "--structured")) as serving:
        async with create_mcp_http_client({"Authorization": f"Bearer {serving.token}"}) as http:
            transport = streamable_http_client(f"http://127.0.0.1:{serving.port}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("connected", [by_pipes, by_http])
def test_the_client_of_the_official_sdk_gets_along(
    connected: Callable[[Path, str], asynccontextmanager[AsyncIterator[Client]]], mode: str, root: Path
) -> None:
    async def talk() -> None:
        async with connected(root, mode) as client:
            await _everything(client)

    anyio.run(talk)


async def _everything(client: Client) -> None:
    assert [tool.name for tool in (await client.list_tools()).tools][:2] == ["recall", "retain"]
    assert [prompt.name for prompt in (await client.list_prompts()).prompts] == ["resume", "pack"]
    assert [one.uri for one in (await client.list_resources()).resources] == ["commonplace://file/MEMORY.md"]
    assert len((await client.list_resource_templates()).resource_templates) == 3
    asked = await client.call_tool("recall", {"text": "tea or coffee?"})
    assert asked.structured_content["hits"][0]["citation"] == "MEMORY.md#L2"
    text = asked.content[0]
    assert isinstance(text, TextContent)
    assert "[MEMORY.md#L2]" in text.text
    kept = await client.call_tool("retain", {"text": "W @Ana: Sails on Sundays."})
    shown = await client.call_tool("show", {"reference": kept.structured_content["record"]["id"]})
    assert "Sundays" in shown.structured_content["text"]
    packed = await client.call_tool("pack", {"text": "when does Ana sail?"})
    why = await client.call_tool("why", {"receipt": packed.structured_content["receipt"]})
    assert why.structured_content["id"] == packed.structured_content["receipt"]
    wrong = await client.call_tool("recall", {"text": "tea", "k": 0})
    assert wrong.is_error
    contents = (await client.read_resource("commonplace://entity/Ana")).contents[0]
    assert isinstance(contents, TextResourceContents)
    assert "Sundays" in contents.text
    prompt = (await client.get_prompt("resume", {"budget_tokens": "300"})).messages[0]
    assert isinstance(prompt.content, TextContent)
    assert "tea, never coffee" in prompt.content.text
    with pytest.raises(MCPError):
        await client.read_resource("commonplace://record/nothing7")


def test_several_clients_share_one_server_over_http(root: Path) -> None:
    async def ask(serving: Serving, name: str, answers: list[str]) -> None:
        async with (
            create_mcp_http_client({"Authorization": f"Bearer {serving.token}"}) as http,
            Client(streamable_http_client(f"http://127.0.0.1:{serving.port}/mcp", http_client=http)) as client,
        ):
            for number in range(5):
                kept = await client.call_tool("retain", {"text": f"W @{name}: Saw whale number {number}."})
                answers.append(str(kept.content))

    async def all_of_them(answers: list[str]) -> None:
        with over_http(root) as serving:
            async with anyio.create_task_group() as group:
                for name in ("Ana", "Bea", "Cleo"):
                    group.start_soon(ask, serving, name, answers)

    answers: list[str] = []
    anyio.run(all_of_them, answers)
    day = (root / "memory/2025-11-30.md").read_text("utf-8")
    assert len(set(answers)) == 15
    assert all(day.count(f"@{name}: Saw whale number") == 5 for name in ("Ana", "Bea", "Cleo"))


# Who is let in over HTTP.

HOSTS = ("127.0.0.1:{port}", "localhost:{port}", "[::1]:{port}", "127.0.0.1", "0.0.0.0:{port}", "localhost.evil:{port}", "evil.example", "127.0.0.1:1", "127.0.0.1.:{port}", "")  # fmt: skip
ORIGINS = (None, "http://127.0.0.1:{port}", "http://localhost:{port}", "null", "https://evil.example", "file://")
SITES = (None, "none", "same-origin", "same-site", "cross-site")
TOKENS = (None, "Bearer {token}", "Bearer wrong", "Basic {token}", "bearer {token}", "Bearer é", "Bearer ")


def test_only_who_shows_the_token_at_the_right_address_is_let_in(root: Path) -> None:
    let_in = []
    with over_http(root) as serving:
        for host, origin, site, token in product(HOSTS, ORIGINS, SITES, TOKENS):
            status = _status(serving, Host=host, Origin=origin, **{"Sec-Fetch-Site": site, "Authorization": token})
            assert status in (200, 401, 403, 421), (host, origin, site, token, status)
            if status == 200:
                let_in.append((host, origin, site, token))
    assert set(let_in) == set(product(HOSTS[:3], (None,), SITES[:3], ("Bearer {token}", "bearer {token}")))


def _status(serving: Serving, **headers: str | None) -> int:
    connection = HTTPConnection("127.0.0.1", serving.port, timeout=60)
    try:
        connection.putrequest("POST", "/mcp", skip_host=True, skip_accept_encoding=True)
        body = json.dumps(initialize()).encode()
        told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"} | headers
        for name, value in told.items():
            if value is not None:
                written = value.format(port=serving.port, token=serving.token)
                connection.putheader(name, written.encode("utf-8"))
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        return connection.getresponse().status
    finally:
        connection.close()


def _reply(serving: Serving, method: str, path: str, **headers: str) -> tuple[int, list[tuple[str, str]], Any]:
    """Status, headers and the error that is told; empty where none is."""
    connection = HTTPConnection("127.0.0.1", serving.port, timeout=60)
    try:
        body = json.dumps(initialize()).encode() if method == "POST" else None
        told = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        connection.request(method, path, body, told | headers)
        answer = connection.getresponse()
        text = answer.read()
        named = [(name.lower(), value) for name, value in answer.getheaders()]
        return answer.status, named, json.loads(text) if answer.status >= 400 else {}
    finally:
        connection.close()


def test_there_is_one_path_and_every_reply_is_for_no_page_and_no_store(root: Path) -> None:
    with over_http(root) as serving:
        shown = {"Authorization": f"Bearer {serving.token}"}
        replies = [
            _reply(serving, "POST", "/mcp", **shown),
            _reply(serving, "POST", "/mcp"),
            _reply(serving, "POST", "/", **shown),
            _reply(serving, "GET", "/mcp/", **shown),
            _reply(serving, "PUT", "/mcp", **shown),
            _reply(serving, "OPTIONS", "/mcp", **shown),
        ]
        assert [(status, told.get("code")) for status, _headers, told in replies] == [
            (200, None), (401, "no-token"), (404, "not-found"), (404, "not-found"), (405, "bad-method"), (405, "bad-method"),
        ]  # fmt: skip
        assert str(serving.token_file) in replies[1][2]["hint"]
    for _status_code, headers, _told in replies:
        names = [name for name, _value in headers]
        assert len(names) == len(set(names))
        assert dict(headers)["cache-control"] == "no-store"
        assert dict(headers)["x-content-type-options"] == "nosniff"
        assert "server" not in names


def test_no_more_sessions_are_kept_than_may_be(root: Path) -> None:
    with over_http(root) as serving:
        shown = {"Authorization": f"Bearer {serving.token}"}
        statuses = [_reply(serving, "POST", "/mcp", **shown)[0] for _ in range(MAX_SESSIONS + 1)]
    assert statuses[:-1] == [200] * MAX_SESSIONS
    assert statuses[-1] >= 400


FORGETFUL = """
import sys
from commonplace.serve.mcp import http_transport
http_transport.SESSION_IDLE_S, http_transport.MAX_SESSIONS = 0.2, 1
from commonplace.cli import main
sys.exit(main(["mcp", "--http", "0"]))
"""


def test_a_session_that_asks_nothing_for_long_makes_room_for_another(root: Path) -> None:
    with over_http(root, (sys.executable, "-c", FORGETFUL)) as serving:
        shown = {"Authorization": f"Bearer {serving.token}"}
        assert _reply(serving, "POST", "/mcp", **shown)[0] == 200
        for _try in range(60):
            if _reply(serving, "POST", "/mcp", **shown)[0] == 200:
                return
            Event().wait(0.5)
    raise AssertionError("the only session there may be is kept for ever")


def test_the_token_stays_and_only_its_owner_can_read_it(root: Path) -> None:
    with over_http(root) as first:
        assert first.token_file.stat().st_mode & 0o777 == 0o600
        assert len(first.token) == 64
    with over_http(root) as second:
        assert second.token == first.token


def test_the_token_of_a_pinned_server_opens_only_that_server(root: Path) -> None:
    with over_http(root, (CPL, "mcp", "--http", "0", "--scope", "Sloop 2")) as pinned, over_http(root) as free:
        assert _reply(pinned, "POST", "/mcp", Authorization=f"Bearer {pinned.token}")[0] == 200
        assert _reply(free, "POST", "/mcp", Authorization=f"Bearer {pinned.token}")[0] == 401
        assert _reply(pinned, "POST", "/mcp", Authorization=f"Bearer {free.token}")[0] == 401
    with over_http(root, (CPL, "mcp", "--http", "0", "--scope", "sloop")) as other:
        assert other.token not in (pinned.token, free.token)


def test_a_token_that_is_no_secret_or_damaged_is_replaced_and_a_blank_behind_it_is_not_part_of_it(
    tmp_path: Path,
) -> None:
    token = ensure_mcp_token(str(tmp_path), "mcp.token")
    place = tmp_path / "mcp.token"
    place.write_text(f"{token}\n", "ascii")  # as an editor leaves it
    assert ensure_mcp_token(str(tmp_path), "mcp.token") == token
    for damage in (b"", b"\n", b"\xff" * 8, b"two words"):
        place.write_bytes(damage)
        made = ensure_mcp_token(str(tmp_path), "mcp.token")
        assert (len(made), place.read_text("ascii")) == (64, made)
    for mode in (0o644, 0o640, 0o602):
        before = ensure_mcp_token(str(tmp_path), "mcp.token")
        place.chmod(mode)
        assert ensure_mcp_token(str(tmp_path), "mcp.token") != before
        assert place.stat().st_mode & 0o777 == 0o600


def test_a_signal_ends_it_calmly(root: Path) -> None:
    with over_http(root) as serving:
        serving.process.terminate()
        assert serving.process.wait(60) == 0
        assert serving.process.stderr is not None
        assert "Traceback" not in serving.process.stderr.read()


def test_a_port_that_is_taken_is_told_in_words(root: Path) -> None:
    with over_http(root) as serving:
        done = subprocess.run(
            [CPL, "mcp", "--http", str(serving.port)],
            env=surroundings(root),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 2
    assert f"port {serving.port} of 127.0.0.1 cannot be listened at" in done.stderr
    assert "Traceback" not in done.stderr


def test_bodies_that_are_no_messages_do_not_harm_the_server(root: Path) -> None:
    bodies = (b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000, b'{"jsonrpc":"2.0","id":1}', b"x" * (5 << 20))
    with over_http(root) as serving:
        for body in bodies:
            connection = HTTPConnection("127.0.0.1", serving.port, timeout=60)
            told = {"Authorization": f"Bearer {serving.token}", "Content-Type": "application/json"}
            connection.request("POST", "/mcp", body, told | {"Accept": "application/json, text/event-stream"})
            assert 400 <= connection.getresponse().status < 500
            connection.close()
        assert _status(serving, Host="127.0.0.1:{port}", Authorization="Bearer {token}") == 200
