"""Every transcript, the README and every guide print what they say; `make transcripts` (COMMONPLACE_REWRITE=1) writes them anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.transcript_replay import replay, rewritten

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
FOLDERS = ("tests/transcripts", "docs/getting-started", "docs/guides")
FILES = sorted([ROOT / "README.md", *(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md"))])
REWRITE = os.environ.get("COMMONPLACE_REWRITE") == "1"


# A parametrised test without a single parameter counts as skipped, so without transcripts there is none.
if FILES:

    @pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
    def test_the_transcript_prints_what_it_says(path: Path, tmp_path: Path) -> None:
        before = path.read_bytes().decode("utf-8")
        after = replay(before, tmp_path)
        if REWRITE:
            path.write_bytes(after.encode("utf-8"))
        else:
            assert after == before, "if the new output is what you mean, run `make transcripts`"


def block(*lines: str) -> str:
    return "\n".join(("Words before.", "", "```console", *lines, "```", "", "Words after, no final newline."))


def test_the_output_after_each_command_is_replaced_and_the_words_around_it_stay(tmp_path: Path) -> None:
    stale = block("$ echo one", "stale", "", "stale too", "$ true", "stale", "$ printf 'a\\n\\nb'")
    fresh = block("$ echo one", "one", "$ true", "$ printf 'a\\n\\nb'", "a", "", "b")
    assert replay(stale, tmp_path) == fresh


def test_a_true_transcript_is_replayed_to_the_same_bytes(tmp_path: Path) -> None:
    true = block("$ echo ' two  '; echo; echo three; echo", " two  ", "", "three", "")
    assert replay(true, tmp_path) == true


def test_a_command_that_fails_shows_its_words_after_its_data_and_how_it_ended(tmp_path: Path) -> None:
    command = "$ echo words >&2; printf data; exit 3"
    assert replay(block(command), tmp_path) == block(command, "data", "words", "[exit 3]")


def test_the_commands_of_one_file_share_one_workspace_and_nothing_else(tmp_path: Path) -> None:
    told = block("$ echo x > note.md; export A=1; cd /", '$ cat note.md; echo "A=$A $(basename $PWD)"')
    assert replay(told, tmp_path).split("\n")[-5:-3] == ["x", "A= workspace"]


def test_the_clock_is_fixed_and_nothing_is_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMMONPLACE_SCOPE", "leaked")
    monkeypatch.setenv("HOME", "/leaked")
    command = '$ echo "$COMMONPLACE_NOW $NO_COLOR $COMMONPLACE_SCOPE$(basename $HOME)"'
    assert replay(block(command), tmp_path) == block(command, "2025-11-30T09:00 1 home")


def test_the_commands_of_this_virtual_environment_come_first(tmp_path: Path) -> None:
    command = "$ command -v python"
    assert replay(block(command), tmp_path) == block(command, f"{os.path.dirname(sys.executable)}/python")


def test_other_blocks_are_left_alone() -> None:
    text = "````text\n```console\n$ rm everything\n```\n````\n~~~console\n$ a\n~~~\n"
    assert rewritten(text, lambda command: f"ran {command}\n") == text.replace("$ a\n", "$ a\nran a\n")


def test_lines_before_the_first_command_of_a_block_stay() -> None:
    text = "```console\n# a remark\n$ a\n```\n" * 2
    assert rewritten(text, lambda _: "") == text


def test_output_with_a_fence_needs_a_longer_fence() -> None:
    with pytest.raises(AssertionError, match="longer fence"):
        rewritten("```console\n$ a\n```\n", lambda _: "```\n")
    assert rewritten("````console\n$ a\n````\n", lambda _: "```\n") == "````console\n$ a\n```\n````\n"


def test_output_that_looks_like_a_command_is_refused() -> None:
    with pytest.raises(AssertionError, match="read as a command"):
        rewritten("```console\n$ a\n```\n", lambda _: "$ b\n")


def test_a_block_that_is_not_closed_is_refused() -> None:
    with pytest.raises(AssertionError, match="not closed"):
        rewritten("```console\n$ a\n", lambda _: "")
