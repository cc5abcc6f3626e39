"""One secret of each vendor through every entrance there is; then every byte below the workspace is looked at."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from commonplace import Memory
from commonplace.capture import Event
from commonplace.cli import main
from commonplace.errors import BadArgument, NotFound
from commonplace.redact import redact
from tests.support.secret_samples import FORMATS, GENERIC, KEY, make_sample

pytestmark = pytest.mark.slow

NOW = "2025-11-30T09:00"
MOST_NAME = 200  # characters of a scope or session
ENVIRONMENT = {"MAIL_PASSWORD": "Winter" + "2025!x", "SIGNING_SECRET": "correct-horse-" + "battery"}

Entrance = Callable[[Path, list[str]], None]
entrances: dict[str, Entrance] = {}


def entrance(name: str) -> Callable[[Entrance], Entrance]:
    """An entrance takes the workspace and texts with one secret each, and pushes all of them in."""

    def keep(push: Entrance) -> Entrance:
        entrances[name] = push
        return push

    return keep


@pytest.fixture(scope="module")
def samples() -> list[tuple[str, str]]:
    """A text and its secret for each format, none of which may be told apart by the test only."""
    rows = (line.partition(" ") for line in f"{FORMATS}\n{GENERIC}".split("\n"))
    made = [make_sample(form, 7) for kind, _, form in rows if kind != "registered"]
    assert len(made) > 250
    return made


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    monkeypatch.setenv("COMMONPLACE_WORKSPACE", str(tmp_path))
    monkeypatch.setattr(os, "fsync", lambda _: None)  # nothing here is about lasting
    (tmp_path / "commonplace.toml").write_text("[receipts]\nquery_text = true\n")
    return tmp_path


def batches(texts: list[str], most: int = 12_000) -> Iterator[str]:
    """Many short texts as few long ones."""
    batch: list[str] = []
    for text in texts:
        if sum(map(len, batch)) + len(text) > most:
            yield "\n\n".join(batch)
            batch = []
        batch.append(text)
    yield "\n\n".join(batch)


def names(texts: list[str]) -> list[str]:
    return [text for text in texts if len(text) <= MOST_NAME]


# The entrances.


@entrance("Memory.retain")
def _(root: Path, texts: list[str]) -> None:
    with Memory.open(root) as memory:
        for text in batches(texts):
            memory.retain(f"W @Peter: {text}", actor="agent")


@entrance("Memory.log")
def _(root: Path, texts: list[str]) -> None:
    with Memory.open(root) as memory:
        for text in batches(texts):
            memory.log(text)


@entrance("scope, session and sources of Memory.retain")
def _(root: Path, texts: list[str]) -> None:
    said = names(texts)
    with Memory.open(root) as memory:
        half = len(said) // 2
        for scope, session in zip(said[:half], said[half : 2 * half], strict=True):
            if not _try(lambda: memory.retain("The boat is green.", scope=scope, session=session)):  # noqa: B023 - called in this round
                memory.log("The boat is green.", session=session)
        for start in range(0, len(said), 16):
            _try(lambda: memory.retain("The boat is green.", sources=tuple(said[start : start + 16])))  # noqa: B023 - called in this round


@entrance("Memory.capture")
def _(root: Path, texts: list[str]) -> None:
    events = [Event(text=text, type="tool_result", actor="tool") for text in texts]
    events += [Event(text="\n".join(texts), actor="tool")]  # too long for a line: an artifact
    with Memory.open(root) as memory:
        memory.capture_all(events)


@entrance("names of Memory.capture")
def _(root: Path, texts: list[str]) -> None:
    events = [Event(text="ran", session=text, agent=text, scope=text, from_=(text,)) for text in names(texts)]
    with Memory.open(root) as memory:
        for event in events:
            _try(lambda: memory.capture_all([event]))  # noqa: B023 - called in this round


@entrance("keys of Memory.capture")
def _(root: Path, texts: list[str]) -> None:
    with Memory.open(root) as memory:
        memory.capture_all([Event(text="ran", keys=(text,)) for text in texts])


@entrance("details of Memory.capture")
def _(root: Path, texts: list[str]) -> None:
    events = [
        Event(text="ran", actor="tool", detail={"arguments": {"command": text, "list": [text], text: 1}, "tool": text})
        for text in texts
    ]
    with Memory.open(root) as memory:
        memory.capture_all(events)


@entrance("Memory.ingest")
def _(root: Path, texts: list[str]) -> None:
    lines = [json.dumps({"text": text, "actor": "tool"}) for text in texts]
    lines += [json.dumps({"text": text})[:-2] for text in texts]  # torn: set aside
    lines += [text.replace("\n", "\\n") for text in texts]
    with Memory.open(root) as memory:
        memory.ingest(io.BytesIO("\n".join(lines).encode()), name=f"{names(texts)[0]}.jsonl")


@entrance("Memory.import_from")
def _(root: Path, texts: list[str]) -> None:
    rows = [
        {"id": text, "text": text, "createdAt": 1764236400000, "metadata": text, "scope": text[:90]} for text in texts
    ]
    export = root.parent / f"{root.name}-export.json"
    export.write_text(json.dumps([*rows, {"id": "torn"}])[:-4], "utf-8")
    with Memory.open(root) as memory:
        memory.import_from(str(export), system="memory-lancedb")
        memory.import_from(str(export), system="memory-lancedb", mine=True, apply=True)


@entrance("questions")
def _(root: Path, texts: list[str]) -> None:
    with Memory.open(root) as memory:
        for text in batches(texts, 2000):
            memory.recall(text)
            memory.pack(text)


@entrance("errors")
def _(root: Path, texts: list[str]) -> None:
    with Memory.open(root) as memory:
        for text in names(texts)[:40]:
            _try(lambda: memory.retain("x", valid=text))  # noqa: B023 - called in this round
            _try(lambda: memory.retain("x", supersedes=(text,)))  # noqa: B023 - called in this round
            _try(lambda: memory.show(text))  # noqa: B023 - called in this round
            _try(lambda: memory.entity(text))  # noqa: B023 - called in this round
        _try(lambda: memory.retain("\n".join(texts)))


@entrance("commonplace retain, by its arguments")
def _(root: Path, texts: list[str]) -> None:
    del root
    for text in batches(texts):
        main(["retain", "--actor", "agent", "--json", "--", text])
    for text in names(texts)[:10]:
        main(["retain", "--scope", text, "--session", text, "--from", text, "--", "The boat is green."])
        main(["log", "--scope", text, "--", "The boat is green."])


@entrance("commonplace retain, log and capture, by standard input")
def _(root: Path, texts: list[str]) -> None:
    del root
    for text in batches(texts):
        for command in ("retain", "log", "capture"):
            sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
            main([command, "-"])


def _try(act: Callable[[], object]) -> bool:
    """Whether it could be done; what is refused must be written nowhere either."""
    try:
        act()
    except (BadArgument, NotFound):
        return False
    return True


# Every byte below the workspace.


def views(data: bytes) -> Iterator[bytes]:
    """A file as it is, and everything that it may be an encoding of."""
    yield data
    yield data.replace(b"\x00", b"")
    yield unquote_to_bytes(data)
    yield re.sub(rb"\\u00([0-9a-f]{2})", lambda found: bytes.fromhex(found[1].decode()), data).replace(b"\\n", b"\n")
    yield re.sub(rb"\\(.)", rb"\1", data)
    for start in (found.start() for found in re.finditer(rb"\x1f\x8b\x08", data)):
        yield _inflated(data[start:])
    for run in re.findall(rb"[A-Za-z0-9+/_-]{16,}", data):
        plain = run.translate(bytes.maketrans(b"-_", b"+/"))
        for shift in range(4):
            yield _decoded(plain[shift:])
    for run in re.findall(rb"(?:[0-9a-fA-F]{2}){8,}", data):
        yield bytes.fromhex(run.decode())


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(wbits=31).decompress(data)
    except zlib.error:
        return b""


def _decoded(run: bytes) -> bytes:
    whole = run[:-1] if len(run) % 4 == 1 else run
    return base64.b64decode(whole + b"=" * (-len(whole) % 4))


def leaks(root: Path, secrets: list[str]) -> list[tuple[str, str]]:
    """Which secrets stand in which file below the root, in any view, or in its name."""
    wanted = [secret.encode() for secret in secrets]
    found = []
    for path in sorted(root.rglob("*")):
        if path.name in ("commonplace.toml", ".env"):
            continue
        seen = [*views(path.read_bytes()), os.fsencode(path.name)] if path.is_file() else [os.fsencode(path.name)]
        whole = b"\n\x00\n".join(seen)
        found += [(path.name, secret.decode()) for secret in wanted if secret in whole]
    return found


@pytest.mark.parametrize("name", list(entrances))
def test_no_secret_of_any_vendor_comes_through(name: str, workspace: Path, samples: list[tuple[str, str]]) -> None:
    entrances[name](workspace, [text for text, _ in samples])
    assert any(workspace.rglob("*.jsonl")) or name in ("questions", "errors")
    assert leaks(workspace, [secret for _, secret in samples]) == []


@pytest.mark.parametrize("name", list(entrances))
def test_no_secret_of_the_environment_comes_through(
    name: str, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in ENVIRONMENT.items():
        monkeypatch.setenv(variable, value)
    (workspace / ".env").write_text("DB_PASSWORD=9b1c-d|e;fG\n")
    known = [*ENVIRONMENT.values(), "9b1c-d|e;fG"]
    entrances[name](workspace, [f"we spoke of {value} at lunch" for value in known])
    assert leaks(workspace, known) == []


@pytest.mark.parametrize("size", [200, 1500, 2000, 6000, 8000, 12_000])
def test_nothing_of_a_secret_is_left_where_a_text_is_cut(size: int, workspace: Path) -> None:
    _, secret = make_sample("ghp_<A36>", 7)
    before = "word " * 4000
    with Memory.open(workspace) as memory:
        for back in (8, 20, 35):
            text = f"{before[: size - back - 1]} {secret} {before[: 9000 - size]}"
            events = [Event(text=text), Event(text=text[::-1].replace(secret[::-1], secret))]
            events += [Event(text="ran", detail={"output": text, "inner": {"list": [text]}, text: 1})]
            memory.capture_all(events)
    assert leaks(workspace, [secret[at : at + 7] for at in range(len(secret) - 7)]) == []


@pytest.mark.parametrize("hidden", ["plain", "base64", "hex", "gzip", "url", "utf-16", "json"])
def test_the_look_at_every_byte_sees_what_is_there(hidden: str, tmp_path: Path) -> None:
    text, secret = make_sample("glpat-<A20>", 7)
    ways = {
        "plain": text.encode(),
        "base64": base64.b64encode(b"xy" + text.encode()),
        "hex": text.encode().hex().encode(),
        "gzip": b"--" + gzip.compress(text.encode()),
        "url": "".join(f"%{byte:02X}" for byte in text.encode()).encode(),
        "utf-16": text.encode("utf-16-le"),
        "json": "".join(f"\\u{ord(letter):04x}" for letter in text).encode(),
    }
    (tmp_path / "a").write_bytes(b"before " + ways[hidden] + b" behind")
    assert leaks(tmp_path, [secret]) == [("a", secret)]


def test_the_declared_vendors_are_many_and_each_sample_holds_its_secret(samples: list[tuple[str, str]]) -> None:
    vendors = {line.partition("-")[0] for line in FORMATS.split("\n")}
    assert len(vendors) >= 100
    for text, secret in samples:
        assert secret in text
        assert secret not in redact(text, key=KEY).text
