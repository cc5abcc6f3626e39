"""The size of the program: lines, files, data, untyped dictionaries, and the share of names that are not unique."""

from __future__ import annotations

import ast
import statistics
import sys
from pathlib import Path

from tests.test_structure import SHARED_CLASS_NAMES, SHARED_FUNCTION_NAMES, Function, Module, modules_by_name

PACKAGE = Path(__file__).parents[2] / "src" / "commonplace"
MAX_LINES, MAX_FILES, MAX_UNTYPED = 59_369, 300, 40
MAX_LINES_WITH_TABLES = 66_357  # of the tree before sentences were selected, less 2,000
UNTYPED = "dict[str, Any]"


def main() -> int:
    """Print the figures; 1 when one of them is beyond its bound."""
    modules = [Module(path.relative_to(PACKAGE).as_posix(), path.read_text("utf-8")) for path in _files("*.py")]
    lines = {module.path: module.text.count("\n") for module in modules}
    largest = max(lines, key=lines.__getitem__)
    untyped = sum(UNTYPED in line for module in modules for line in module.text.split("\n"))
    shares = [_shared_names(modules, ast.ClassDef), _shared_names(modules, Function)]
    measured = [
        ("lines of Python", sum(lines.values()), MAX_LINES),
        ("lines of Python and word tables", sum(lines.values()) + _table_lines(), MAX_LINES_WITH_TABLES),
        ("files of Python", len(lines), MAX_FILES),
        (f"lines with {UNTYPED}", untyped, MAX_UNTYPED),
        ("classes whose name another module has", shares[0], SHARED_CLASS_NAMES),
        ("functions whose name another module has", shares[1], SHARED_FUNCTION_NAMES),
    ]
    for name, value, bound in measured:
        shown, limit = (f"{one:.1%}" if isinstance(bound, float) else f"{one:,}" for one in (value, bound))
        print(f"{name}: {shown} (at most {limit}){'' if value <= bound else '  <- beyond the bound'}")
    print(f"median file: {statistics.median(lines.values()):.0f} lines; largest: {lines[largest]}, {largest}")
    data = {path.relative_to(PACKAGE).as_posix(): path.stat().st_size for path in _files("*") if path.suffix != ".py"}
    print(f"data files: {len(data)}, {sum(data.values()):,} bytes")
    for path, size in sorted(data.items(), key=lambda item: -item[1]):
        print(f"  {size:>9,}  {path}")
    return int(any(value > bound for _name, value, bound in measured))


def _table_lines() -> int:
    """The lines of the tables of words, patterns and keys."""
    tables = [*(PACKAGE / "data" / "languages").rglob("*.json"), PACKAGE / "data" / "predicates.json"]
    return sum(path.read_text("utf-8").count("\n") for path in tables)


def _files(pattern: str) -> list[Path]:
    return sorted(path for path in PACKAGE.rglob(pattern) if path.is_file() and "__pycache__" not in path.parts)


def _shared_names(modules: list[Module], kind: type[ast.AST] | tuple[type[ast.AST], ...]) -> float:
    """The share of the top-level definitions of a kind whose name another module has."""
    places = modules_by_name(tuple(modules), kind).values()
    return sum(len(paths) for paths in places if len(paths) > 1) / sum(map(len, places))


if __name__ == "__main__":
    sys.exit(main())
