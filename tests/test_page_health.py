"""The page Health, and the operations that it is made of: settings with their sources, counts, times of recall."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from signal import SIGKILL
from subprocess import Popen
from typing import Any

import jsonschema
import pytest

from commonplace import Memory
from commonplace.bridges import hosts
from commonplace.cli.install import examine_hosts
from commonplace.errors import BadHostFile, BadSettings
from commonplace.serve import client
from commonplace.serve.dispatch.handlers import run_operation
from commonplace.serve.page.views.health import check_apart, count_up, summarize_times
from commonplace.storage.settings import MAIN_SETTINGS, SETTINGS
from tests.support.page import Visitor, write_note

pytestmark = pytest.mark.usefixtures("calm", "surroundings")

SCHEMAS = Path(__file__).parents[1] / "docs/reference/schemas"
NOW = "2025-11-30T09:00"
FINDING = {
    "host": "codex",
    "code": "engine-silent",
    "level": "problem",
    "message": "it is silent",
    "path": "/x.toml",
    "hint": "run `codex`",
}
HOSTS: dict[str, Any] = {"schema": "commonplace.doctor.v1", "hosts": ["codex"], "findings": [FINDING]}
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture
def memory(memory: Memory) -> Memory:
    write_note(memory, "memory/2025-11-27.md", "- Tea at four.\n- Rain.\n")
    write_note(memory, "memory/2025-11-29.md", "- Bread.\n")
    return memory


@pytest.fixture
def visitor(memory: Memory) -> Visitor:
    return Visitor(memory, hosts=HOSTS)


# Settings.


def test_every_setting_is_told_with_its_purpose_value_and_source(memory: Memory, tmp_path: Path) -> None:
    listed = memory.list_settings()
    assert [one.key for one in listed] == [setting.key for setting in SETTINGS]
    assert {one.key for one in listed if one.is_main} == {*MAIN_SETTINGS}
    assert all(one.value == one.default and one.purpose for one in listed if one.key != "device")
    (tmp_path / "commonplace.toml").write_text(
        'owner = "Runa"\n[recall]\nk = 10\n[models.step.claims]\nprovider = "none"\n'
    )
    changed = {one.key: one for one in memory.list_settings() if one.source == "file"}
    assert {*changed} == {"owner", "recall.k", "models.step"}
    assert (changed["owner"].value, changed["owner"].default) == ("Runa", "")
    assert changed["recall.k"].value == changed["recall.k"].default == 10  # set, though to what it is anyway
    assert changed["models.step"].value["claims"]["provider"] == "none"


def test_the_device_of_the_environment_takes_precedence(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "commonplace.toml").write_text('device = "laptop"\n')
    (device,) = [one for one in memory.list_settings() if one.key == "device"]
    assert (device.value, device.source) == ("dev", "environment")


def test_settings_that_are_wrong_are_an_error(memory: Memory, visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "commonplace.toml").write_text("recall.kk = 3\n")
    with pytest.raises(BadSettings, match=r"recall\.kk"):
        memory.list_settings()
    page = visitor.get("/health")
    assert (page.status, "Not just now" in page.words, "recall.kk" in page.words) == (503, True, True)


# Figures.


def test_counts_follow_every_change(memory: Memory, tmp_path: Path) -> None:
    """What is kept of them is that of another process, which has counted for the first time."""

    def counts(of: Memory) -> dict[str, Any]:
        return {name: of.status()[name] for name in ("files", "records", "captures", "entities", "tags", "scopes")}

    def check() -> dict[str, Any]:
        with Memory.open(tmp_path) as other:
            assert counts(memory) == counts(memory) == counts(other)
        return counts(memory)

    before = check()
    memory.retain("W @Peter: Likes tea. #kitchen", now=NOW)
    after = check()
    assert all(after[name] > before[name] for name in ("files", "records", "entities", "tags")), (before, after)
    memory.capture("It rains again.", session="monday", scope="garden", now=NOW)
    assert check()["captures"] == 1
    write_note(memory, "empty.md", "")
    assert check()["files"] == after["files"] + 1
    write_note(memory, "memory/2025-11-27.md", "- Tea at four.\n")
    assert check()["records"] == after["records"] - 1


def test_what_there_was_on_earlier_days_is_counted_back_from_today() -> None:
    days = [{"day": day, "captures": captures, "lines": 1} for day, captures in (("1", 0), ("2", 4), ("3", 0))]
    assert [one["total"] for one in count_up(days, 10)] == [4, 9, 10]
    assert count_up([], 10) == []


def test_the_times_of_recall_are_told_by_day() -> None:
    receipts = [("02T08:00", 40.04), ("01T10:00", 10.0), ("01T09:00", 30.0), ("01T08:00", 20.0)]
    listed = [{"ts": f"2025-11-{ts}", "timings_ms": {"recall": time}} for ts, time in receipts]
    listed.append({"ts": "2025-10-01T08:00", "timings_ms": {}})
    assert summarize_times(listed) == [
        {"day": "2025-11-01", "slowest": 30.0, "median": 20.0, "count": 3},
        {"day": "2025-11-02", "slowest": 40.0, "median": 40.0, "count": 1},
    ]


def test_receipts_are_listed_with_their_times(memory: Memory) -> None:
    memory.pack("tea", now=NOW)
    (receipt,) = run_operation(memory, "receipts", {"now": NOW})["receipts"]
    assert {*receipt["timings_ms"]} == {"recall", "pack"}


# The page.


def test_the_page_shows_figures_growth_times_and_settings(memory: Memory, visitor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "commonplace.toml").write_text(f'owner = "{HOSTILE}"\n', encoding="utf-8")
    memory.pack("tea", now=NOW)
    page = visitor.get("/health")
    assert page.status == 200
    assert "check" not in dict(visitor.asked)  # which reads everything
    for words in (
        "<b>3</b> lines in 2 files",
        "2025-11-29",
        "Time of recall",
        "ms in the middle",
        "<code>pack.budget_tokens</code></dt>",
        "pieces of words of about four letters",
        '<b>1,200</b><span class="quiet">, which is the default.',
        "<code>budget_tokens = 1200</code> below <code>[pack]</code>",
        "from <code>commonplace.toml</code>; the default is empty",
        "the environment variable <code>COMMONPLACE_DEVICE</code>",
        f"{tmp_path}/commonplace.toml",
        f'data-until="{NOW[:10]}"',
    ):
        assert words in page.html
    assert HOSTILE not in page.html
    assert "&lt;script&gt;" in page.html
    twin = visitor.get("/health.json")
    found = twin.json
    assert (twin.status, found["figures"]["records"], found["checked"]) == (200, 3, None)
    assert [one["total"] for one in found["growth"]][-3:] == [2, 2, 3] or found["growth"][-1]["total"] == 3


def test_an_empty_notebook_has_words_for_what_is_not_there(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as empty:
        page = Visitor(empty).get("/health")
    assert page.status == 200
    assert "The notebook is empty." in page.words
    assert "No pack was made yet" in page.words


def test_the_checks_run_where_they_are_asked_for(memory: Memory, visitor: Visitor) -> None:
    page = visitor.get("/health?check=1")
    assert (page.status, "Nothing is wrong" in page.words) == (200, True)
    assert "check" not in dict(visitor.asked)  # its worker has others to answer
    write_note(memory, "memory/2025-11-28.md", "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n")
    page = visitor.get("/health?check=1")
    assert (page.status, "Nothing is wrong" in page.words, "2025-11-28.md" in page.words) == (200, False, True)


def test_a_check_ends_with_the_daemon_that_waits_for_it(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, spawn = Future[Popen[bytes]](), client.spawn

    def spawn_and_note(workspace: str, *, on_start: Callable[[Popen[bytes]], None], **options: Any) -> Any:
        def note(process: Popen[bytes]) -> None:
            on_start(process)
            begun.set_result(process)

        return spawn(workspace, on_start=note, **options)

    async def cancel() -> int:
        checking = asyncio.create_task(check_apart(memory.root))
        process = await asyncio.wrap_future(begun)
        checking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await checking
        return process.wait(20)

    monkeypatch.setattr(client, "spawn", spawn_and_note)
    assert asyncio.run(cancel()) == -SIGKILL


def test_the_hosts_are_looked_at_where_that_is_asked_for(visitor: Visitor) -> None:
    assert "it is silent" not in visitor.get("/health").words
    html = visitor.get("/health?hosts=1").html
    for words in (
        "1 problem was found</strong>, with what to do about it",
        "codex: it is silent",
        "What to do:",
        "/x.toml",
        "<code>codex</code>",
    ):
        assert words in html
    assert visitor.get("/health.json?hosts=1").json["hosts"] == HOSTS


def test_a_host_that_cannot_be_looked_at_is_a_finding_among_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the command `doctor` names it and ends."""

    def examine(choice: hosts.InstallChoice, _paths: hosts.HostPaths) -> tuple[hosts.Finding, ...]:
        if choice.host == "git":
            raise BadHostFile("it is in no git repository", path="/notes", hint="run `git init`")
        return (hosts.Finding(choice.host, "engine-silent", "it is silent"),)

    monkeypatch.setattr(hosts, "list_installed_hosts", lambda _paths, _workspace: ("git", "codex"))
    monkeypatch.setattr(hosts, "examine_host", examine)
    told = examine_hosts("/notes")
    assert told["hosts"] == ["git", "codex"]
    assert [(one["host"], one["code"], one["path"]) for one in told["findings"]] == [
        ("git", "bad-host-file", "/notes"),
        ("codex", "engine-silent", ""),
    ]
    jsonschema.validate(told, json.loads((SCHEMAS / "commonplace.doctor.v1.schema.json").read_text("utf-8")))
