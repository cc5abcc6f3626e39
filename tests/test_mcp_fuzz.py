"""Messages that are none, or nearly: the MCP server goes on answering those that are."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from tests.support.mcp_talk import INITIALIZED, Json, Talk, initialize, request
from tests.support.sample_size import sample_size

pytestmark = [pytest.mark.slow, pytest.mark.sampled]

SEED, MESSAGES, ROUND = 20251130, sample_size(full=10_000, sample=1_200), 100
NEWEST = b"2026-07-28"  # who opens with it has chosen a protocol without a greeting

VALID: tuple[Json, ...] = (
    initialize(1),
    INITIALIZED,
    request(2, "ping"),
    request(3, "tools/list", {"cursor": None}),
    request(4, "tools/call", {"name": "recall", "arguments": {"text": "tea", "k": 2}, "_meta": {"progressToken": 4}}),
    request(5, "tools/call", {"name": "pack", "arguments": {"text": "tea", "budget_tokens": 50}}),
    request("6", "tools/call", {"name": "show", "arguments": {"reference": "MEMORY.md#L1-L2"}}),
    request(7, "resources/read", {"uri": "commonplace://file/MEMORY.md"}),
    request(8, "resources/templates/list"),
    request(9, "prompts/get", {"name": "resume", "arguments": {"budget_tokens": "100"}}),
    request(10, "server/discover", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
    request(11, "logging/setLevel", {"level": "debug"}),
    request(12, "subscriptions/listen", {"filter": {}}),
    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4, "reason": "no"}},
    {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 4, "progress": 1}},
    {"jsonrpc": "2.0", "id": 4, "result": {}},
    {"jsonrpc": "2.0", "id": 4, "error": {"code": -1, "message": "no"}},
)
LEAVES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 2**53, 2**64, -(2**70), 1e308, "", "\x00", "\ud800", "é\U0001f600", "x" * 5000, [], {}, [[]],
    {"": {}}, "2.0", "tools/call", "__proto__", "../../etc/passwd", "commonplace://record/", "commonplace://file/%00", "%ff", "</memory>",
)  # fmt: skip
RAW = (
    b"", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf{}", b"{", b"}", b"[]", b"null", b"NaN", b"1e999", b'"', b"'", b"[" * 100_000, b'{"a":' * 5_000,
    b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', b'{"jsonrpc":"2.0","id":"\xed\xa0\x80","method":"ping"}', b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b"1" * 10_000, b"\r", b"\x0c", b"\xe2\x80\xa8",
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}',
)  # fmt: skip


def mutated(chance: random.Random) -> bytes:
    """A valid message with some of its parts replaced, taken away, doubled or renamed; or with bytes of its text changed."""
    message: Any = json.loads(json.dumps(chance.choice(VALID)))
    for _ in range(chance.randint(1, 3)):
        _change(message, chance)
    text = bytearray(json.dumps(message).encode("utf-8", "surrogatepass"))
    if chance.random() < 0.3 and text:
        for _ in range(chance.randint(1, 4)):
            text[chance.randrange(len(text))] = chance.choice(b'{}[]",:\\0n\xff\x80')
    return bytes(text)


def _change(value: Any, chance: random.Random) -> None:
    while isinstance(value, dict | list) and value:
        place: Any = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        if isinstance(value[place], dict | list) and value[place] and chance.random() < 0.6:
            value = value[place]
            continue
        act = chance.random()
        if act < 0.6:
            value[place] = chance.choice(LEAVES)
        elif act < 0.8:
            del value[place]
        elif isinstance(value, dict):
            value[str(chance.choice(LEAVES))[:50]] = value[place]
        else:
            value.append(value[place])
        return


def arbitrary(chance: random.Random, depth: int = 0) -> Any:
    """Any JSON."""
    if depth > 4 or chance.random() < 0.5:
        return chance.choice(LEAVES)
    if chance.random() < 0.5:
        return [arbitrary(chance, depth + 1) for _ in range(chance.randint(0, 4))]
    names = ("jsonrpc", "id", "method", "params", "result", "error", "name", "arguments", "x")
    return {chance.choice(names): arbitrary(chance, depth + 1) for _ in range(chance.randint(0, 5))}


def scrambled(chance: random.Random) -> bytes:
    """Bytes, or one of those lines that readers stumble over."""
    return chance.choice(RAW) if chance.random() < 0.5 else chance.randbytes(chance.randint(0, 200))


KINDS: tuple[Callable[[random.Random], bytes], ...] = (
    mutated,
    mutated,
    lambda chance: json.dumps(arbitrary(chance)).encode("utf-8", "surrogatepass"),
    scrambled,
)


@pytest.mark.parametrize("greet", [True, False], ids=["after the greeting", "before it"])
def test_malformed_messages_harm_nobody(greet: bool, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("# Core\n- tea, never coffee\n", encoding="utf-8")
    chance = random.Random(SEED + greet)
    rounds = MESSAGES // ROUND if greet else 5
    with Talk(tmp_path, greet=greet) as talk:
        answers: SimpleQueue[Json] = SimpleQueue()
        threading.Thread(target=_drain, args=(talk, answers), daemon=True).start()
        for number in range(rounds):
            lines = (chance.choice(KINDS)(chance).replace(b"\n", b" ") for _ in range(ROUND))
            talk.write(b"".join(line + b"\n" for line in lines if greet or NEWEST not in line))
            _ask_rightly(talk, answers, f"good-{number}", greet=greet)
        code, _out, err = talk.hang_up()
    assert code == 0
    assert b"Traceback" not in err, err[-3000:]


def _ask_rightly(talk: Talk, answers: SimpleQueue[Json], name: str, *, greet: bool) -> None:
    asked = request(name, "tools/call", {"name": "recall", "arguments": {"text": "tea or coffee?"}})
    talk.send(asked if greet else initialize(name))
    while (answer := answers.get(timeout=60)).get("id") != name:
        assert answer.get("jsonrpc") == "2.0"
        assert ("result" in answer) != ("error" in answer) or "method" in answer
    if greet:
        assert "[MEMORY.md#L2]" in answer["result"]["content"][0]["text"]
    else:
        assert answer["result"]["serverInfo"]["name"] == "commonplace"


def _drain(talk: Talk, answers: SimpleQueue[Json]) -> None:
    while line := talk.line():
        answers.put(json.loads(line))
