"""Each check finds what it is for and nothing else, and a healthy workspace gives none; the docs name every code."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import commonplace
from bench.acceptance import journal_tampering
from commonplace import Memory
from commonplace.model import Problem
from commonplace.upkeep import checks
from commonplace.upkeep.checks import CHECKS, CheckSubject, run_checks
from tests.support.tombstones import leave_tombstones

pytestmark = pytest.mark.usefixtures("surroundings", "calm")

PACKAGE = Path(commonplace.__file__).parent
PAGE = PACKAGE.parents[1] / "docs/reference/checks.md"
NOW = "2025-12-01T10:00"
LOG = "memory/2025-12-01.md"
NOTE = "notes/strings.md"
CORE = "# Agent Memory\n#tags: a\nlast_verified: 2025-12-01\nlast_updated: 2025-12-01\n\n- Runa builds hurdy-gurdies.\n"
INDEX = ".memory/index.sqlite"
HEAD = ".memory/journal/chains-dev.head"
RECEIPTS = ".memory/receipts/dev-2025-12-01.jsonl"
CAPTURES, LEDGER = (f".memory/journal/{stream}-dev-2025-12.jsonl" for stream in ("captures", "ledger"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small workspace in use: a core, a note, four retained lines, two packs, journals, receipts."""
    root = tmp_path_factory.mktemp("made") / "w"
    (root / "notes").mkdir(parents=True)
    (root / "MEMORY.md").write_text(CORE, encoding="utf-8")
    note = "---\ntitle: Strings\nsummary: >\n  two lines,\n  folded\n---\n\nGut and steel.\n\n| String | Tone |\n|---|---|\n| Trompette | C |\n"
    (root / NOTE).write_text(note, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMMONPLACE_DEVICE", "dev")
        with Memory.open(root) as memory:
            memory.pack("strings", now=NOW)
            memory.pack("Runa", now=NOW)
            for number in range(4):
                memory.retain(f"W @Runa: line {number}", now=NOW)
            memory.log("A quiet day.", now=NOW)
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "w")
    return tmp_path / "w"


def findings(root: Path) -> list[tuple[str, str, int]]:
    with Memory.open(root) as memory:
        return [(one.code, one.path, one.line) for one in memory.check().problems]


def journal(root: Path, stream: str) -> Path:
    return next((root / ".memory/journal").glob(f"{stream}-*.jsonl"))


def edit_lines(path: Path, edit: Callable[[list[bytes]], list[bytes]]) -> None:
    path.write_bytes(b"\n".join(edit(path.read_bytes().split(b"\n"))))


def add(path: Path, text: str) -> None:
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def in_index(root: Path, statement: str) -> None:
    connection = apsw.Connection(str(root / INDEX))
    connection.execute(statement)
    connection.close()


# what each check finds: the check, what is broken, and all that is found then

Break = Callable[[Path], object]
Finding = tuple[str, str, int]

BREAKS: dict[str, tuple[str, Break, list[Finding]]] = {
    "a value that cannot be read": (
        "files",
        lambda root: add(root / NOTE, "\nOne. <!-- importance: 11 -->\n"),
        [("bad-annotation", NOTE, 14)],
    ),
    "a conflict copy": (
        "files",
        lambda root: (root / "notes/strings.sync-conflict-20251201-100000-ABCDEFG.md").write_text("Nylon.\n"),
        [("conflict-copy", "notes/strings.sync-conflict-20251201-100000-ABCDEFG.md", 0)],
    ),
    "a link that leads out": (
        "files",
        lambda root: (root / "notes/out.md").symlink_to("/etc/hostname"),
        [("symlink-outside", "notes/out.md", 0)],
    ),
    "an id that two files claim": (
        "files",
        lambda root: [(root / name).write_text("- One. <!-- id: same-1 -->\n") for name in ("a.md", "b.md")],
        [("duplicate-id", "b.md", 1)],
    ),
    "a line whose source is gone": (
        "sources",
        lambda root: add(root / NOTE, "\nGut lasts longer. <!-- from: tune7gone -->\n"),
        [("source-changed", NOTE, 14)],
    ),
    "a line that was forgotten": (
        "tombstones",
        lambda root: leave_tombstones(str(root), "dev", ["Gut and steel."], "2025-12"),
        [("forgotten", NOTE, 8)],
    ),
    "a tombstone that was altered": (
        "tombstones",
        lambda root: edit_lines(
            root / leave_tombstones(str(root), "dev", ["Gut and steel."], "2025-12")[0].partition("#")[0],
            lambda lines: [lines[0], lines[1].replace(b"2025", b"2024"), b""],
        ),
        [("bad-line", ".memory/tombstones-dev.jsonl", 2)],
    ),
    "a core that is too long": (
        "core",
        lambda root: add(root / "MEMORY.md", "".join(f"- Rule {number}.\n" for number in range(60))),
        [("core-too-long", "MEMORY.md", 61)],
    ),
    "a core without a line of its header": (
        "core",
        lambda root: edit_lines(root / "MEMORY.md", lambda lines: lines[:2] + lines[3:]),
        [("core-header", "MEMORY.md", 3), ("core-header", "MEMORY.md", 4)],
    ),
    "a captured line that was altered": (
        "journals",
        lambda root: edit_lines(journal(root, "captures"), lambda lines: [lines[0].replace(b"line 0", b"line 9"), *lines[1:]]),
        [("bad-line", CAPTURES, 1), ("chain-broken", CAPTURES, 2), ("index-drift", INDEX, 0)],
    ),
    "a captured line that is gone": (
        "journals",
        lambda root: edit_lines(journal(root, "captures"), lambda lines: lines[:2] + lines[3:]),
        [("chain-broken", CAPTURES, 3)],
    ),
    "a head that is gone": (
        "journals",
        lambda root: (root / HEAD).unlink(),
        [("head-missing", HEAD, 0)],
    ),
    "a row of a head that was altered": (
        "receipts",
        lambda root: edit_lines(root / ".memory/receipts/chains-dev.head", lambda lines: [lines[0], lines[1].replace(b"size", b"sise"), *lines[2:]]),
        [("head-damaged", ".memory/receipts/chains-dev.head", 2)],
    ),
    "a captured line that is torn": (
        "journals",
        lambda root: journal(root, "captures").open("ab").write(b'{"v":1,"id":"obs:x'),
        [("torn-line", CAPTURES, 6)],
    ),
    "a ledger line that is gone": (
        "ledger-chain",
        lambda root: edit_lines(journal(root, "ledger"), lambda lines: lines[:3] + lines[4:]),
        [("journal-shrank", LEDGER, 0), ("chain-broken", LEDGER, 4), ("index-drift", INDEX, 0)],
    ),
    "the newest ledger line cut off": (
        "ledger-chain",
        lambda root: edit_lines(journal(root, "ledger"), lambda lines: [*lines[:-2], b""]),
        [("journal-shrank", LEDGER, 0), ("chain-cut", LEDGER, 8), ("index-drift", INDEX, 0)],
    ),
    "a ledger line that was altered": (
        "journals",
        lambda root: edit_lines(journal(root, "ledger"), lambda lines: [lines[0].replace(b"led:", b"led;"), *lines[1:]]),
        [("bad-line", LEDGER, 1), ("chain-broken", LEDGER, 2), ("index-drift", INDEX, 0)],
    ),
    "a ledger that is gone as if it had never been": (
        "journals",
        lambda root: [path.unlink() for path in (root / ".memory/journal").glob("ledger-*")],
        [("journal-shrank", LEDGER, 0), ("chain-cut", LEDGER, 0), ("index-drift", INDEX, 0)],
    ),
    "a receipt that was altered": (
        "receipts",
        lambda root: edit_lines(root / RECEIPTS, lambda lines: [lines[0], lines[1].replace(b"1200", b"1201"), b""]),
        [("bad-line", RECEIPTS, 2), ("chain-cut", RECEIPTS, 2)],
    ),
    "an index that says more than the files": (
        "index",
        lambda root: in_index(root, "update records set importance = 0.9 where path = 'notes/strings.md'"),
        [("index-drift", INDEX, 0)],
    ),
    "an index with a text that stands nowhere": (
        "citations",
        lambda root: in_index(root, "update records set text = 'Nylon.' where text = 'Gut and steel.'"),
        [("stale-citation", NOTE, 8), ("index-drift", INDEX, 0)],
    ),
    "a journal that others can read": (
        "permissions",
        lambda root: journal(root, "captures").chmod(0o640),
        [("open-permissions", CAPTURES, 0)],
    ),
    "a folder that others can enter": (
        "permissions",
        lambda root: (root / ".memory/receipts").chmod(0o755),
        [("open-permissions", ".memory/receipts", 0)],
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", BREAKS)
def test_a_check_finds_what_is_broken_and_nothing_else(root: Path, what: str) -> None:
    assert findings(root) == []
    _check, break_it, expected = BREAKS[what]
    break_it(root)
    assert findings(root) == expected


def test_a_line_of_which_a_sentence_is_hidden_is_no_other_text(root: Path) -> None:
    with Memory.open(root) as memory:
        memory.retain("@Ana: Moved to Bern. Her phone is 555 0100. She likes tea.")
        memory.forget(query="phone 555 0100", apply=True)
        assert "555 0100" not in str(memory.recall("Ana Bern tea"))
        assert memory.check().problems == ()


@pytest.mark.slow
@pytest.mark.parametrize("what", BREAKS)
def test_what_a_check_finds_has_its_place_a_sentence_and_no_memory_text(root: Path, what: str) -> None:
    BREAKS[what][1](root)
    with Memory.open(root) as memory:
        for problem in memory.check().problems:
            assert problem.path
            assert problem.message
            assert "line 9" not in problem.message
            assert "Nylon" not in problem.message


@pytest.mark.slow
def test_random_tampering_with_journals_receipts_and_heads_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of `python -m bench.acceptance.journal_tampering`."""
    monkeypatch.setenv("COMMONPLACE_DEVICE", "desk")  # the command sets it for each device
    tried, wrong = journal_tampering.missed(40)
    assert not wrong
    assert len(tried) > 12


def test_every_check_is_shown_to_fail() -> None:
    assert {name for name, _break, _found in BREAKS.values()} | {"sync"} == {name for name, _look in CHECKS}


def subject(memory: Memory, **changed: object) -> CheckSubject:
    given = {"notes": (), "index_path": memory.workspace.index_path} | changed
    notebook = memory.workspace.sync_source()
    return CheckSubject(
        memory.root, memory.workspace.open_index(), notebook.journal, memory.workspace.dump_rebuilt_index, 1_000_000, **given
    )  # fmt: skip


@pytest.mark.slow
def test_an_index_that_could_not_be_brought_up_to_date_is_said_once(root: Path) -> None:
    with Memory.open(root) as memory:
        memory.sync()
        add(root / NOTE, "\nAdded since.\n")
        (root / "MEMORY.md").unlink()
        lagging = subject(memory, notes=("another process writes the index",))
        found = run_checks(lagging).problems
        assert [(one.code, one.path, one.message) for one in found] == [
            ("not-synced", INDEX, "another process writes the index")
        ]
        assert {one.code for one in run_checks(subject(memory)).problems} == {"unreadable", "index-drift"}


def test_a_suspicious_loss_is_one_finding_not_one_for_each_file(root: Path) -> None:
    for number in range(40):
        (root / f"notes/{number}.md").write_text(f"Note {number}.\n", encoding="utf-8")
    assert findings(root) == []
    shutil.rmtree(root / "notes")
    assert [code for code, _path, _line in findings(root)] == ["not-synced"]


def test_an_index_that_lies_elsewhere_is_looked_at_too(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "state/index.sqlite"
    elsewhere.parent.mkdir()
    shutil.copy(root / INDEX, elsewhere)
    elsewhere.chmod(0o644)
    with Memory.open(root) as memory:
        (found,) = checks.check_private_permissions(subject(memory, index_path=str(elsewhere)))
        assert (found.code, found.path) == ("open-permissions", str(elsewhere))
        in_index(root, "update records set importance = 0.9")
        memory.close()
        (drift,) = checks.check_index_matches_rebuild(subject(memory, index_path=str(elsewhere)))
        assert drift.path == str(elsewhere)


def test_the_hint_for_what_others_can_get_at_may_be_pasted(tmp_path: Path) -> None:
    path = tmp_path / ".memory" / "it's $HOME"
    path.parent.mkdir(mode=0o700)
    path.write_text("x")
    path.chmod(0o644)
    with Memory.open(tmp_path) as memory:
        found = [one for one in memory.check().problems if one.path == ".memory/it's $HOME"]
    assert [one.hint for one in found] == ["chmod go= " + shlex.quote(".memory/it's $HOME")]


def test_a_link_below_the_state_folder_has_no_permissions_of_its_own(root: Path) -> None:
    (root / ".memory/artifacts").symlink_to(root / "notes")
    (root / ".memory/linked").symlink_to(root / NOTE)
    assert findings(root) == []


def test_a_file_that_cannot_be_read_is_found_once(root: Path) -> None:
    add(root / "commonplace.toml", "[files]\nmax_bytes = 1024\n") if (root / "commonplace.toml").exists() else (
        root / "commonplace.toml"
    ).write_text("[files]\nmax_bytes = 1024\n", encoding="utf-8")
    add(root / "MEMORY.md", "x" * 1024)
    assert findings(root) == [("unreadable", "MEMORY.md", 0)]


def test_a_core_of_another_kind_needs_no_header_and_none_need_not_be(root: Path) -> None:
    (root / "MEMORY.md").write_text("# About me\n\nRuna.\n", encoding="utf-8")
    assert findings(root) == []
    (root / "MEMORY.md").unlink()
    assert findings(root) == []


@pytest.mark.parametrize(
    "text", [CORE.replace("\n", "\r\n"), "\ufeff" + CORE, CORE + "\n" * 80, CORE.replace("last_", "> last_")]
)
def test_a_core_is_judged_by_its_lines_not_by_its_bytes(root: Path, text: str) -> None:
    (root / "MEMORY.md").write_bytes(text.encode())
    assert findings(root) == []


@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_a_header_that_lacks_a_line_is_found_behind_a_byte_order_mark_too(root: Path, mark: str) -> None:
    (root / "MEMORY.md").write_bytes((mark + CORE.replace("#tags: a\n", "")).encode())
    assert [code for code, _path, _line in findings(root)] == ["core-header"] * 3


def test_a_core_of_sixty_lines_is_not_too_long(root: Path) -> None:
    (root / "MEMORY.md").write_text("\n".join(f"- {number}" for number in range(60)) + "\n", encoding="utf-8")
    assert findings(root) == []


@pytest.mark.slow
def test_the_sample_is_healthy_after_some_use(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE / "data/sample", tmp_path / "w")
    with Memory.open(tmp_path / "w") as memory:
        assert memory.check().problems == ()
        for number in range(3):
            memory.retain(f"O(c=0.{number + 1}) @Kaya-Denning: likes pear wood, {number}", now=NOW, actor="agent")
            memory.pack("what does Kaya like?", now=NOW)
            memory.pack("when is gurdy 17 due?", automatic=True, now=NOW)
        memory.log("Snow.", now=NOW)
        health = memory.check()
    assert health.problems == ()
    assert health.checks == tuple(name for name, _look in CHECKS)


def test_checking_changes_no_file_of_the_notebook(root: Path) -> None:
    def state() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in root.rglob("*") if path.suffix in (".md", ".jsonl", ".json")}

    before = state()
    findings(root)
    assert state() == before


@pytest.mark.parametrize("value", ["'It''s a\n\n  b'", '"An \\"x\\" and \\u00e9\n  more"', "|\n  a\n  b"])
def test_a_summary_holds_its_citation_however_its_yaml_is_written(root: Path, value: str) -> None:
    (root / "notes/summary.md").write_text(f"---\nsummary: {value}\ntitle: x\n---\n\nBody.\n", encoding="utf-8")
    with Memory.open(root) as memory:
        assert {one.form for one in memory.show("notes/summary.md").records} == {"summary", "paragraph"}
        assert checks.check_citations(subject(memory)) == []


def test_what_commonplace_makes_is_for_its_owner_only_from_the_start(root: Path) -> None:
    modes = {stat.S_IMODE(path.lstat().st_mode) for path in (root / ".memory").rglob("*")}
    assert modes <= {0o600, 0o700}


# the page that explains them


def codes() -> set[str]:
    """Every code of a problem that the package can make: the first argument of `Problem` and of a page's
    `add_problem` (what reads golden questions has its own, for one code)."""
    found = {"duplicate-id"}  # made in SQL
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name == "Problem" or (name == "add_problem" and ast.unparse(node.func) != "self.add_problem"):
                    found.add(str(node.args[0].value))
    return found


@pytest.mark.slow
def test_the_page_on_checks_explains_every_code_and_every_check_and_no_other() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", page, re.MULTILINE)) == codes()
    assert re.findall(r"^## `([a-z-]+)`$", page, re.MULTILINE) == [name for name, _look in CHECKS]


def test_problems_are_plain_values() -> None:
    assert Problem("a", "b", "c") == Problem("a", "b", "c", 0, "")
