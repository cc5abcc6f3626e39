"""Secrets that are said once and again: what is masked, and what is not touched.

`--tree DIR` names another source tree, whose recall on the corpora is not to be fallen short of. `--data DIR` is a
folder with `not_secrets.jsonl` ({id, text}) and `repeated_secrets.jsonl` ({id, text, secret}), which are counted only.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench import notebook
from bench.acceptance.measuring import Report, workspace
from bench.behaviour_parts.notebooks import SHARED
from commonplace import Memory
from commonplace.redact import find_secrets, redact
from commonplace.redact.exact_secrets import is_strong_value
from commonplace.shapes import Json

KEY = b"acceptance" * 3
ORDINARY_LINES, WEAK_VALUES = 3_000, 200
DATA = Path(__file__).parent / "data/attacks_blind"
MAX_ALTERED = 0.0005
RECALL = """
import gzip, json, sys
from commonplace.redact import redact
with gzip.open(sys.argv[1], "rt", encoding="utf-8") as lines:
    rows = [row for row in map(json.loads, lines) if len(row["secret"] or "") >= 8]
print(sum(row["secret"] not in redact(row["text"], key=b"acceptance" * 3).text for row in rows), len(rows))
"""


def corpus(name: str) -> list[Json]:
    """The rows of a shared corpus that may be looked at."""
    with gzip.open(SHARED / "corpora" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def recall_of(tree: Path) -> tuple[int, int]:
    """How many secrets of the corpus a source tree masks, and how many there are."""
    environment = os.environ | {"PYTHONPATH": str(tree.resolve() / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", RECALL, str(SHARED / "corpora/secrets/positives.jsonl.gz")]
    masked, number = subprocess.run(command, env=environment, check=True, capture_output=True).stdout.split()
    return int(masked), int(number)


def masked_values() -> Iterator[tuple[str, str]]:
    """Texts of the corpus with the secret that is masked in them, without the names of users before a password."""
    for row in corpus("secrets/positives"):
        text, secret = row["text"], row["secret"] or ""
        start = text.find(secret)
        spans = [(one.kind, one.start, one.end) for one in find_secrets(text, key=KEY)]
        inside = next((one for one in spans if one[1] <= start and start + len(secret) <= one[2]), None)
        is_user = inside is not None and inside[0] == "url-password" and text[start + len(secret)] == ":"
        if len(secret) >= 8 and inside is not None and not is_user:
            yield text, secret


def weak_values(seed: int) -> list[str]:
    """Texts with passwords and numbers that could be words, names, dates, rooms and ports."""
    lot = random.Random(seed)
    words = "Winter Berlin Falcon coffee monday Garden river Peter sunset dragon office Madrid printer summer kitchen"
    forms = (
        "password: {word}{number}",
        "the password is {word}{year}!",
        "PIN: {pin}",
        "passwort: {word}-{number}",
        "DB_PASSWORD={small}-service-{digit}",
        "password: {small} {other} {third} {fourth}",
        "curl -u admin:{word}{number} https://example.org/",
    )
    texts = []
    for number in range(WEAK_VALUES):
        word, other, third, fourth = lot.sample(words.split(), 4)
        texts.append(
            forms[number % len(forms)].format(
                word=word,
                small=word.lower(),
                other=other.lower(),
                third=third.lower(),
                fourth=fourth.lower(),
                number=lot.randint(10, 9_999),
                year=lot.randint(2018, 2026),
                pin=lot.randint(1_000, 9_999),
                digit=lot.randint(1, 9),
            )
        )
    return texts


def ordinary_lines(folder: Path) -> list[str]:
    """Lines of a notebook and of the clean corpus, and names, rooms, dates and ports as a person writes them."""
    root = folder / "notes"
    notebook.write(root, 1_500)
    lines = [line for path in sorted(root.rglob("*.md")) for line in path.read_text(encoding="utf-8").split("\n")]
    lines += [row["text"] for row in corpus("clean/paragraphs")]
    lines += [f"Port {number} in room {number % 100} since {2018 + number % 9}." for number in range(1_000, 1_300)]
    lines = [line for line in lines if line.strip() and not find_secrets(line) and "<private" not in line]
    return random.Random(22).sample(lines, ORDINARY_LINES)


def texts_in(memory: Memory) -> list[str]:
    """The texts of the captures in the journals, in order."""
    paths = sorted(Path(memory.root, ".memory/journal").glob("captures-*.jsonl"))
    return [json.loads(line)["text"] for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def count_repeats(sample: list[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """For the same text, the next message and another session: values that are gone, and how many were said again."""
    here = [secret not in redact(f"{text}\n\nIt was {secret} again.", key=KEY).text for text, secret in sample]
    counts = {"in the same text": (sum(here), len(here))}
    with workspace() as memory:
        for number, (text, secret) in enumerate(sample):
            memory.capture(text, session=f"s{number}")
            memory.capture(f"so it was {secret} again", session=f"s{number}")
        gone = [secret not in text for text, (_, secret) in zip(texts_in(memory)[1::2], sample, strict=True)]
        counts["in the next message"] = sum(gone), len(gone)
        strong = [secret for _, secret in sample if is_strong_value(secret)]
        for secret in strong:
            memory.capture(f"now elsewhere {secret} again", session="another")
        gone = [secret not in text for text, secret in zip(texts_in(memory)[2 * len(sample) :], strong, strict=True)]
        counts["in another session"] = sum(gone), len(gone)
    return counts


def count_altered_lines() -> int:
    """How many ordinary lines change after weak values were masked in other sessions."""
    with workspace() as memory, tempfile.TemporaryDirectory() as folder:
        lines = ordinary_lines(Path(folder))
        for number, text in enumerate(weak_values(seed=22)):
            memory.capture(text, session=f"weak-{number}")
        before = len(texts_in(memory))
        for line in lines:
            memory.capture(line, session="ordinary")
        return sum("⟦" in text for text in texts_in(memory)[before:])


def judge_lists(folder: Path, report: Report) -> None:
    """Count what is masked in two lists that nobody here has read."""
    for name in ("not_secrets", "repeated_secrets"):
        if not (folder / f"{name}.jsonl").is_file():
            report.add(name, f"skipped: there is no such list in {folder}")
            continue
        rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        texts = [redact(row["text"], key=KEY).text for row in rows]
        if name == "not_secrets":
            altered = sum(text != row["text"] for text, row in zip(texts, rows, strict=True))
            report.at_most(f"masked of {len(rows)} texts without a secret", altered, 1)
        else:
            left = sum(row["secret"] in text for text, row in zip(texts, rows, strict=True))
            report.at_most(f"left of {len(rows)} repeated secrets", left, 0)


def main() -> int:
    """Print the figures beside their bounds; 1 where one is beyond."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tree", type=Path, help="another source tree, whose recall is the bound")
    parser.add_argument(
        "--data", type=Path, default=DATA, help="a folder with not_secrets.jsonl and repeated_secrets.jsonl"
    )
    given = parser.parse_args()
    os.fsync = lambda _descriptor: None
    report = Report()
    masked, number = recall_of(Path(__file__).parents[2])
    report.at_least(f"masked of {number} secrets", masked, recall_of(given.tree)[0] if given.tree else 0)
    for where, (gone, all_of_them) in count_repeats(list(masked_values())).items():
        report.at_least(f"gone {where} of {all_of_them}", gone, all_of_them)
    paragraphs = corpus("clean/paragraphs")
    altered = sum(redact(row["text"], key=KEY).text != row["text"] for row in paragraphs)
    report.at_most(f"share altered of {len(paragraphs)} clean paragraphs", altered / len(paragraphs), MAX_ALTERED)
    report.at_most(f"altered of {ORDINARY_LINES} lines after {WEAK_VALUES} weak values", count_altered_lines(), 0)
    judge_lists(given.data, report)
    return int(report.is_beyond)


if __name__ == "__main__":
    sys.exit(main())
