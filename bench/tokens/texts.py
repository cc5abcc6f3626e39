"""Texts of many kinds: the shared corpora, our own files, seeded strings, a declaration in 26 languages."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import random
import re
import sysconfig
import tarfile
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 2_000  # texts of one kind
SHORTEST = 8
PARAGRAPH = re.compile(r"<p>(.*?)</p>", re.DOTALL)
LANGUAGES = {
    "German, French, Spanish, Portuguese": ("deu_1996", "fra", "spa", "por_BR"),
    "Italian, Dutch, Swedish, Polish, Czech": ("ita", "nld", "swe", "pol", "ces"),
    "Turkish, Vietnamese": ("tur", "vie"),
    "Russian, Ukrainian": ("rus", "ukr"),
    "Greek, Hebrew": ("ell_monotonic", "heb"),
    "Arabic, Persian": ("arb", "pes_1"),
    "Chinese": ("cmn_hans", "cmn_hant"),
    "Japanese": ("jpn",),
    "Korean": ("kor",),
    "Thai, Khmer": ("tha", "khm"),
    "Hindi, Bengali, Tamil, Telugu": ("hin", "ben", "tam", "tel"),
}


def kinds(shared: Path, declarations: Path) -> dict[str, list[str]]:
    """Texts of each kind, at most `MOST`, the same in every run on the same files."""
    rng = random.Random(7)
    english = list(_chats(shared))
    made = {
        "English, under 40 characters": (text for text in english if len(text) < 40),
        "English, 40 to 99": (text for text in english if 40 <= len(text) < 100),
        "English, 100 to 299": (text for text in english if 100 <= len(text) < 300),
        "English, 300 and more": (text for text in english if len(text) >= 300),
        "Markdown, shared": _notes(shared, rng),
        "Markdown, own": _chunks(sorted(ROOT.glob("docs/**/*.md")), rng),
        "code, own": _chunks(sorted(ROOT.glob("src/**/*.py")), rng),
        "code, Python's own in Python and C": _chunks(_installed(), rng),
        "JSON": (_json(rng) for _ in range(300)),
        "hashes": [*_rows(shared / "corpora/clean/hash_like.jsonl.gz"), *(_hashes(rng) for _ in range(300))],
        "URLs": (_url(rng) for _ in range(300)),
        "base64": (base64.b64encode(rng.randbytes(rng.randint(20, 200))).decode() for _ in range(300)),
        "emoji in English": (_with_emoji(rng.choice(english)[:300], rng) for _ in range(300)),
    }
    made |= {name: _paragraphs(declarations, codes) for name, codes in LANGUAGES.items()}
    return {kind: _sample([text for text in texts if len(text) >= SHORTEST], rng) for kind, texts in made.items()}


def _chats(shared: Path) -> Iterator[str]:
    for path in sorted((shared / "bench").glob("*/corpus.jsonl.gz")):
        yield from _rows(path)


def _notes(shared: Path, rng: random.Random) -> Iterator[str]:
    yield from _rows(shared / "corpora/clean/paragraphs.jsonl.gz")
    for path in sorted((shared / "corpora/vaults").glob("*.tar.gz")):
        with tarfile.open(path) as vault:
            for member in vault:
                if member.isfile() and member.name.endswith(".md"):
                    yield from _cut(vault.extractfile(member).read().decode(errors="replace"), rng)


def _rows(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            yield json.loads(row)["text"]


def _installed() -> list[Path]:
    library, headers = (Path(sysconfig.get_path(name)) for name in ("stdlib", "include"))
    return [*sorted(library.glob("*.py"))[:80], *sorted(headers.glob("*.h"))[:40]]


def _chunks(paths: Iterable[Path], rng: random.Random) -> Iterator[str]:
    for path in paths:
        yield from _cut(path.read_text(encoding="utf-8", errors="replace"), rng)


def _cut(text: str, rng: random.Random) -> Iterator[str]:
    at = 0
    while at < len(text):
        size = rng.randint(80, 1_500)
        yield text[at : at + size]
        at += size


def _paragraphs(declarations: Path, codes: Iterable[str]) -> Iterator[str]:
    for code in codes:
        for match in PARAGRAPH.finditer((declarations / f"{code}.html").read_text(encoding="utf-8")):
            yield html.unescape(match[1]).strip()


def _json(rng: random.Random) -> str:
    value = {
        "id": uuid.UUID(int=rng.getrandbits(128)).hex,
        "at": f"2025-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}T{rng.randint(0, 23):02d}:05:09.120Z",
        "values": [round(rng.random(), rng.randint(1, 6)) for _ in range(rng.randint(2, 9))],
        "ok": rng.random() < 0.5,
        "user": {"name": rng.choice(("ada", "peter", "li wei")), "age": rng.randint(1, 99), "tags": ["a-b", "x_y"]},
    }
    return json.dumps(value, indent=rng.choice((None, 2, 4)))


def _hashes(rng: random.Random) -> str:
    digests = (hashlib.sha256(rng.randbytes(8)).hexdigest()[: rng.choice((7, 12, 40, 64))] for _ in range(5))
    return rng.choice((" ".join(digests), f"{uuid.UUID(int=rng.getrandbits(128))} {rng.getrandbits(90)}"))


def _url(rng: random.Random) -> str:
    host = rng.choice(("docs.example.com", "git.example.org", "api.service-x.example.co.uk"))
    path = rng.choice(("issues", "src/main/java", "v2/users", "guides/getting-started"))
    return (
        f"https://{host}/{path}/{rng.randbytes(4).hex()}?id={rng.randint(1, 10**6)}&q=foo+bar#{rng.randbytes(2).hex()}"
    )


def _with_emoji(text: str, rng: random.Random) -> str:
    words = text.split(" ")
    for _ in range(len(words) // 6 + 1):
        words.insert(rng.randrange(len(words) + 1), chr(rng.choice((*range(0x1F300, 0x1F650), *range(0x2600, 0x2700)))))
    return " ".join(words)


def _sample(texts: list[str], rng: random.Random) -> list[str]:
    return texts if len(texts) <= MOST else rng.sample(texts, MOST)
