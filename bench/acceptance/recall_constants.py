"""The numbers that recall rests on: literals in its code, and numbers in the data that it reads, beside another tree.

Counted in the code are the literals of whole and broken numbers in `src/commonplace/retrieval`, found by `ast`: each
place where one is written, wherever it stands (a constant, a default, a slice), but 0, 1, 2, their negatives, and
`True` and `False`; `-4.4` is one number. Numbers within strings and docstrings are text.

Counted in the data are the numbers of every `.json` and `.jsonl` file in `src/commonplace/data`, with the same
exceptions, but for files that only others read: `selector.json` (which sentences of talk are worth a line), the sample
notebook with its questions, and the drill. What is left are the tables of words and keys.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

from msgspec import json

import commonplace
from bench.acceptance.measuring import Figures, Report, run_command

TRIVIAL = (0, 1, 2)
OF_OTHERS = ("selector.json", "sample_questions.json", "sample", "drill")  # data that retrieval does not read
MAX_SHARE = 0.5  # of the numbers of the other tree


def main() -> int:
    """Print the numbers of each part, ours | base; 1 where there are more than half as many."""
    return run_command(__doc__, lambda _given: counted(Path(commonplace.__file__).parent), judge)


def counted(package: Path) -> Figures:
    """The count of numbers of each package of retrieval, and of its data, in `src/commonplace` of a tree."""
    figures: Figures = {}
    for path in sorted((package / "retrieval").rglob("*.py")):
        name = path.relative_to(package / "retrieval").parts[0].removesuffix(".py")
        figures[name] = figures.get(name, 0) + len(code_numbers(path.read_text("utf-8")))
    figures["data"] = sum(
        data_numbers(line)
        for path in sorted((package / "data").rglob("*.json*"))
        if path.relative_to(package / "data").parts[0] not in OF_OTHERS
        for line in (path.read_bytes().splitlines() if path.suffix == ".jsonl" else [path.read_bytes()])
    )
    return figures


def code_numbers(source: str) -> list[float]:
    """The literals of numbers in a module, but 0, 1 and 2, in no order."""
    constants = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    return [value for value in constants if type(value) in (int, float) and value not in TRIVIAL]


def data_numbers(text: bytes) -> int:
    """How many numbers a JSON text has, but 0, 1, 2 and their negatives."""
    return _count(json.decode(text))


def judge(ours: Figures, base: Figures | None, report: Report) -> None:
    """Half as many at most as the other tree has."""
    for name, count in ours.items():
        report.add(name, count if base is None else f"{count} | {base.get(name, 0)}")
    whole = sum(ours.values())
    if base is None:
        report.add("all", whole)
    else:
        report.at_most("all", whole, MAX_SHARE * sum(base.values()), sum(base.values()))


def _count(value: Any) -> int:
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, list):
        return sum(map(_count, value))
    return int(type(value) in (int, float) and abs(value) not in TRIVIAL)


if __name__ == "__main__":
    sys.exit(main())
