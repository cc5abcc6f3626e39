"""The pages say what is true: generated ones are up to date, links lead somewhere, examples run, named tests exist."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import commonplace.memory
from commonplace.cli import main
from commonplace.cli.commands import COMMANDS
from commonplace.storage.config import SETTINGS
from commonplace.storage.settings import MAIN_SETTINGS
from commonplace.upkeep.checks import CHECKS

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path
    for folder in (".", "docs", "changelog.d", "tests/transcripts")
    for path in (ROOT / folder).glob("**/*.md" if folder != "." else "*.md")
)
FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\[]*\]\(([^)\s]+)\)")
RUN = ("README.md", "docs/getting-started", "docs/guides")  # pages whose examples are whole programs
NETWORK = {"socket", "ssl", "urllib", "http", "ftplib", "smtplib", "xmlrpc", "asyncio", "requests", "httpx", "aiohttp"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def prose(path: Path) -> str:
    """A page without its blocks of code."""
    return FENCE.sub("", path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# Generated pages.


def test_the_generated_pages_are_up_to_date(generator: ModuleType) -> None:
    for page, text in generator.pages().items():
        path = ROOT / "docs" / "reference" / page
        assert path.read_text(encoding="utf-8") == text, f"{page} is out of date: run `make docs`"


def test_the_generator_writes_pages_that_are_stale_and_says_which(
    generator: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generator, "REFERENCE", tmp_path)
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert generator.main() == 1
    assert "cli.md is out of date" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["generate.py"])
    assert generator.main() == 0
    assert {path.name for path in tmp_path.iterdir()} == set(generator.pages())
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert generator.main() == 0


def test_every_command_and_each_of_its_options_is_documented(generator: ModuleType) -> None:
    page = generator.cli()
    for command in COMMANDS:
        section = page.partition(f"\n## {command.name}\n")[2].partition("\n## ")[0]
        assert command.summary in section
        assert ("`--json` prints [" in section) is bool(command.shapes), command.name
        for action in command.parser()._actions:
            assert action.help, f"{command.name} {action.dest}"
            for option in action.option_strings:
                assert option in (page if action.dest in generator.COMMON else section), f"{command.name} {option}"


def test_every_setting_and_every_variable_is_documented(generator: ModuleType) -> None:
    page = generator.settings()
    main, _, advanced = page.partition("\n## Advanced\n")
    for setting in SETTINGS:
        row = f"| `{setting.key}` | {setting.type}"
        assert (row in main, row in advanced) == (setting.key in MAIN_SETTINGS, setting.key not in MAIN_SETTINGS)
        assert setting.purpose in page
    assert len(MAIN_SETTINGS) <= 15
    assert {setting.key for setting in SETTINGS} >= set(MAIN_SETTINGS)
    source = (ROOT / "src/commonplace/storage/config.py").read_text(encoding="utf-8")
    for variable in re.findall(r'get\("([A-Z_]+)"', source):
        assert f"`{variable}`" in page or variable == "HOME"


def test_every_shape_and_every_field_of_it_is_documented(generator: ModuleType) -> None:
    page = generator.shapes()
    for path in generator.SCHEMAS.glob("*.json"):
        assert f"\n## {path.name.removesuffix('.schema.json')}\n" in page
    for command in COMMANDS:
        assert f"| `{command.name}` | " in page
    assert "| `hits[].reasons[].name` | string |" in page


def test_every_check_is_explained_to_who_operates() -> None:
    page = (ROOT / "docs/guides/operating.md").read_text(encoding="utf-8")
    for check, _look in CHECKS:
        assert f"`{check}`" in page, check


# Links.


def anchors(path: Path) -> set[str]:
    """The anchors that the titles of a page have on the usual hosts."""
    titles = re.findall(r"^#+ (.+)$", prose(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


def links() -> Iterator[tuple[Path, str]]:
    for path in PAGES:
        for target in LINK.findall(re.sub(r"`[^`\n]*`", "", prose(path))):
            yield path, target


def test_every_internal_link_leads_somewhere() -> None:
    lost = []
    for path, target in links():
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        if not there.exists() or (anchor and anchor not in anchors(there)):
            lost.append(f"{name(path)}: {target}")
    assert not lost


def test_no_page_outside_the_tree_of_docs_is_alone() -> None:
    linked = {(path.parent / target.partition("#")[0]).resolve() for path, target in links()}
    folders = [there for there in linked if there.is_dir()]
    for path in (ROOT / "docs").rglob("*.md"):
        assert path in linked or path.parent in folders, f"nothing links to {name(path)}"


# Examples.


def examples(path: Path) -> list[str]:
    blocks = (match[0].split("\n", 1) for match in FENCE.finditer(path.read_text(encoding="utf-8")))
    return [body.rpartition("```")[0] for opening, body in blocks if opening == "```python"]


WITH_PYTHON = [path for path in PAGES if examples(path)]
RUNNABLE = [path for path in WITH_PYTHON if name(path).startswith(RUN)]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Somebody who follows the pages: with a home, notes of their own, and the demo beside them."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", f"{tmp_path}/state")
    for variable in ("COMMONPLACE_WORKSPACE", "COMMONPLACE_NOW", "OPENCLAW_STATE_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    assert main(["demo"]) == 0
    capsys.readouterr()
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("path", RUNNABLE, ids=name)
def test_the_python_examples_of_a_page_run(path: Path, reader: Path) -> None:
    for number, example in enumerate(examples(path)):
        file = reader / f"example_{number}.py"
        file.write_text(example, encoding="utf-8")
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr


def test_the_readme_and_both_kinds_of_guide_have_examples_to_run() -> None:
    assert {name(path) for path in RUNNABLE} >= {"README.md", "docs/getting-started/first-notebook.md"}


@pytest.mark.parametrize("path", WITH_PYTHON, ids=name)
def test_the_python_examples_of_a_page_can_be_read(path: Path) -> None:
    for example in examples(path):
        ast.parse(example)


@pytest.mark.slow
def test_the_example_of_the_library_runs(reader: Path) -> None:
    found = doctest.testmod(commonplace.memory)
    assert found.attempted >= 3
    assert found.failed == 0


def test_the_readme_names_the_two_commands_and_what_follows_them() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for command in ("make demo", "make test"):
        assert f"\n{command} " in readme
    for line in re.findall(r"^commonplace (\w+)", readme, re.MULTILINE):
        assert line in {command.name for command in COMMANDS}


# Promises.


def known_tests() -> set[str]:
    paths = (path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("test_*.py"))
    sources = (path.read_text(encoding="utf-8") for path in paths)
    return {found for source in sources for found in re.findall(r"^ *def (test_\w+)\(", source, re.MULTILINE)}


def test_every_test_that_a_page_names_exists() -> None:
    known = known_tests()
    for path in PAGES:
        named = set(re.findall(r"`(test_\w+)`", path.read_text(encoding="utf-8")))
        assert named <= known, f"{name(path)} names {sorted(named - known)}"


def test_every_promise_names_a_test() -> None:
    page = (ROOT / "docs/promise.md").read_text(encoding="utf-8")
    promises = page.partition("\n# What can happen")[0]
    for promise in re.split(r"\n\* ", promises)[1:]:
        assert "`test_" in promise, promise
    assert len(re.findall(r"\n\* \*\*", promises)) >= 20


@pytest.mark.slow
def test_nothing_that_could_reach_the_network_is_imported_but_for_the_endpoint_that_settings_name() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        if name(path) == "src/commonplace/models/endpoints.py":
            continue
        if name(path).startswith(tuple(f"src/commonplace/serve/{part}/" for part in ("http", "client", "page"))):
            continue  # the daemon listens on loopback at most (test_daemon_http.py, test_page_doors.py)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            reaching = {one.partition(".")[0] for one in names if not one.startswith("urllib.parse")}
            assert not reaching & NETWORK, name(path)


# Size and style.


def test_decisions_fit_55_lines_and_the_architecture_100() -> None:
    for path in (ROOT / "docs/adr").glob("*.md"):
        assert path.read_text(encoding="utf-8").count("\n") <= 55, name(path)
    assert (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").count("\n") <= 100


def test_decisions_are_numbered_without_a_gap() -> None:
    numbers = sorted(int(path.name[:3]) for path in (ROOT / "docs/adr").glob("*.md"))
    assert numbers == list(range(1, len(numbers) + 1))


GENERATED = (
    "docs/reference/cli.md",
    "docs/reference/errors.md",
    "docs/reference/json.md",
    "docs/reference/operations.md",
    "docs/reference/settings.md",
)
OURS = ("README.md", "docs/promise.md", "docs/getting-started", "docs/guides", *GENERATED)
TWO_SENTENCES = re.compile(r"[a-z)`*”\"][.?!] +[A-Z`*]")


def test_docs_have_one_sentence_per_line() -> None:
    found = []
    for path in PAGES:
        if name(path).startswith(OURS):
            for line in prose(path).split("\n"):
                plain = re.sub(r"`[^`]*`|\([^)]*\)|\*\*[^*]*\*\*", "x", line)
                if TWO_SENTENCES.search(plain) and not line.startswith("|") and "[Schema]" not in line:
                    found.append(f"{name(path)}: {line}")
    assert not found


def test_no_page_names_a_place_on_this_machine() -> None:
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"/work/|/root/|/tmp/pytest", text), name(path)
