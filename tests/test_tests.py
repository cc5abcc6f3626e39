"""The rules that the tests themselves keep."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(path for folder in ("tests", "bench") for path in (ROOT / folder).rglob("test_*.py"))


def imported_test_files(text: str) -> Iterator[str]:
    """The names that a text imports from test files."""
    for node in ast.walk(ast.parse(text)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{name}" for name in names]
        yield from (name for name in names if any(part.startswith("test_") for part in name.split(".")))


@pytest.mark.slow
def test_no_test_file_imports_another() -> None:
    """What two of them need is a fixture of a `conftest.py` or stands in `tests/support`."""
    found = [
        f"{path.relative_to(ROOT)}: {name}" for path in FILES for name in imported_test_files(path.read_text("utf-8"))
    ]
    assert not found


@pytest.mark.parametrize("path", [path for path in FILES if "crash" not in path.parts], ids=lambda path: path.stem)
def test_what_asks_for_a_sample_is_marked_for_the_full_size(path: Path) -> None:
    text = path.read_text("utf-8").replace("import sample_size", "")
    assert ("sample_size(" in text) == ("mark.sampled" in text)


@pytest.mark.parametrize(
    "text",
    [
        "from tests.test_pack import words",
        "from test_pack import words",
        "import tests.test_pack as pack",
        "from tests import test_pack",
    ],
)
def test_the_rule_finds_every_way_to_import_a_test_file(text: str) -> None:
    assert list(imported_test_files(text))
