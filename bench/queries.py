"""Random query strings: no text, however odd, makes recall fail or changes the notebook."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from commonplace import Memory

NOW = "2025-11-30T09:00"
MANY = 100_000
NOTEBOOK = {
    "bank/entities/Ada-Lovelace.md": "---\naliases: [Ada]\n---\n# Ada Lovelace\n\nWrote the first program.\n",
    "bank/opinions.md": "- O(c=0.8) @Ada: Tea is better than coffee.\n",
    "memory/2025-11-27.md": "# 2025-11-27\n\n## Talk\n- 09:00 Ada: It is wet.\n\n## Retain\n- W @Bruno: 🌿 in 東京.\n",
    "memory/semantic/decisions.md": "# Decisions\n- Drink: tea <!-- project: kitchen · valid: 2025-01..2025-06 -->\n",
    "notes/plain.md": "# Plain\n\nNEAR the garden there is a port:8443 * and a column:text.\n",
}
WORDS = (
    "garden tea Ada Bruno wet Ada's what did we decide how do I who is likes prefers the of it did you say "
    "NEAR( NEAR/2 text: context: {text context}: rank AND OR NOT ^ * \" \"\" ' '' ( ) + - -- /* ; \\ % _ ? ?1 "
    ":a @x $y ` [[ ]] <!-- #tag id: \n- \x00 \x1b[31m \u202e \u200b \ufeff \ud800 \udfff \U0010ffff "
    "2025-13-99 9999-12-31 0001-01-01 24:61 8443 port:8443 heute 去年 yesterday before until since around in "
    "東京 ありがとう 안녕하세요 ประเทศไทย العربية עִבְרִית हिन्दी Ζεύς żółć ß ﬁ İ 🌿 👩\u200d👩\u200d👧 🇩🇪"
)
PHRASES = (
    *("last week", "in May 2023", "around Nov 27", "since Tuesday", "3 days ago", "between May and June"),
    *("in 10000 years", "99999999999 weeks ago", "around 9999-12-31", "before 0001-01-01", "who is Ada Lovelace"),
    *("\u0301" * 9, "a" * 300, "1" * 300),
)
PARTS = (*WORDS.split(" "), *PHRASES)
PLANES = (
    (0x20, 0x7E),
    (0xA0, 0x24F),
    (0x370, 0x6FF),
    (0x900, 0x1100),
    (0x3040, 0x9FFF),
    (0xAC00, 0xFFFF),
    (0x10000, 0x1FAFF),
)


def run() -> None:
    """Ask 100,000 random strings; say how many raised, and whether a byte of the notebook changed."""
    with tempfile.TemporaryDirectory(prefix="commonplace-queries-") as folder:
        root = write_notebook(Path(folder))
        before = contents(root)
        start = time.process_time()
        raised = ask(root, strings(MANY, seed=1))
        seconds = time.process_time() - start
        changed = "no" if contents(root) == before else "YES"
    print(f"{MANY:,} random queries: {len(raised)} raised, files changed: {changed}, {seconds:.0f} s of CPU")
    for query, error in raised[:10]:
        print(f"  {query!r}: {error!r}")


def strings(count: int, *, seed: int) -> Iterator[str]:
    """Random strings: words, names, times, operators of FTS5 and SQL, scripts, controls, surrogates, glued or not."""
    rng = random.Random(seed)
    for _ in range(count):
        parts = [_characters(rng) if rng.random() < 0.2 else rng.choice(PARTS) for _ in range(rng.randint(0, 8))]
        yield rng.choice(("", " ", " ", " ")).join(parts)


def ask(root: Path, queries: Iterator[str]) -> list[tuple[str, Exception]]:
    """The queries that raised, with what they raised; each is asked through the public library."""
    raised: list[tuple[str, Exception]] = []
    with Memory.open(root) as memory:
        memory.sync()
        for query in queries:
            try:
                memory.recall(query, k=3, now=NOW, sync=False)
            except Exception as error:  # noqa: BLE001 - whatever is raised is what is counted
                raised.append((query, error))
    return raised


def write_notebook(root: Path, texts: Mapping[str, str] = NOTEBOOK) -> Path:
    """A small notebook, its texts by their paths; without any, one that has something for every lane."""
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the notebook as it stands, the index and the journals aside."""
    files = sorted(path for path in root.rglob("*") if path.is_file() and ".memory" not in path.parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}


def _characters(rng: random.Random) -> str:
    first, last = rng.choice(PLANES)
    return "".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 6)))
