"""What two real vocabularies count: of our own texts and of every tenth text of `lme_pool`, as data for the tests."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from bench.quality import SHARED
from bench.tokens.oracle import NAMES, Vocabularies
from bench.tokens.own import own

PATH = Path(__file__).parents[2] / "tests" / "data" / "token_counts.json"
EVERY = 10


def texts() -> dict[str, list[str]]:
    """Texts by kind; `lme_pool` only where the shared folder is."""
    made = {f"{half} {script}": some for half in ("fit", "test") for script, some in own(half).items()}
    path = SHARED / "bench" / "lme_pool" / "corpus.jsonl.gz"
    return made | ({"lme_pool": pool(path)} if path.is_file() else {})


def pool(path: Path) -> list[str]:
    """Every tenth text of the pool."""
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        return [json.loads(row)["text"] for row in rows][::EVERY]


def write(vocabularies: Vocabularies) -> int:
    """Write the counts beside the tests: by kind, for each text a pair in the order of `vocabularies`; how many."""
    kinds = texts()
    counted = iter(vocabularies.counts([text for some in kinds.values() for text in some]))
    made = {kind: [next(counted) for _ in some] for kind, some in kinds.items()}
    rows = [f"{json.dumps(kind)}: {json.dumps(some, separators=(',', ':'))}" for kind, some in made.items()]
    head = f'"command": "python -m bench.tokens count", "vocabularies": {json.dumps(NAMES)}'
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text("{" + ",\n".join((head, *rows)) + "}\n", encoding="utf-8")
    return sum(map(len, made.values()))
