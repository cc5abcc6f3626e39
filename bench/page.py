"""The page that shows what the benches found: each puts its part between marks of its own."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs/benchmarks.md"


def put(page: Path, part: str, text: str) -> None:
    """Put a text between `<!-- part -->` and `<!-- /part -->`; ValueError if the page has no such marks."""
    opening, closing = f"<!-- {part} -->", f"<!-- /{part} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(opening)
    _, ended, after = rest.partition(closing)
    if not (found and ended):
        raise ValueError(f"{page.name} has no place for {part!r}: write {opening} and {closing} where it belongs")
    page.write_text(f"{before}{opening}\n\n{text}\n\n{closing}{after}", encoding="utf-8")
