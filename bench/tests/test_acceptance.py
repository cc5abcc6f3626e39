"""The commands of acceptance end with 1 beyond their bounds, and only there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.acceptance import code_size, cpu_ratios

README = Path(code_size.__file__).with_name("README.md")


@pytest.mark.slow
def test_the_size_of_the_code_is_printed_and_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(code_size, "MAX_LINES", 10**6)
    monkeypatch.setattr(code_size, "MAX_FILES", 10**4)
    monkeypatch.setattr(code_size, "MAX_UNTYPED", 10**4)
    assert code_size.main() == 0
    assert "beyond" not in capsys.readouterr().out
    monkeypatch.setattr(code_size, "MAX_FILES", 3)
    assert code_size.main() == 1
    (line,) = (line for line in capsys.readouterr().out.split("\n") if "beyond" in line)
    assert line.startswith("files of Python: ")


@pytest.mark.slow
@pytest.mark.parametrize(("bound", "code"), [(0.0, 1), (1e9, 0)])
def test_a_tree_is_measured_beside_itself(
    bound: float, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cpu_ratios, "RECORDS", 100)
    monkeypatch.setattr(cpu_ratios, "MAX_RATIO", bound)
    given = ["--base", str(cpu_ratios.ROOT), "--pairs", "2", "--only", "capture,recall"]
    monkeypatch.setattr(sys, "argv", ["cpu_ratios", *given])
    assert cpu_ratios.main() == code
    capture, recall = capsys.readouterr().out.strip().split("\n")
    assert capture.startswith("capture: ")
    assert " ratio " in recall


def test_the_page_lists_every_command() -> None:
    commands = {
        path.stem for path in README.parent.glob("*.py") if 'if __name__ == "__main__"' in path.read_text("utf-8")
    }
    page = README.read_text("utf-8")
    assert {name for name in commands if f"bench.acceptance.{name}" in page} == commands - {"one_tree"}
