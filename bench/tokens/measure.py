"""Print how far the token estimate lies from two vocabularies, for each kind of text, beside characters / 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.quality import SHARED
from bench.tokens import texts
from bench.tokens.oracle import Vocabularies
from commonplace.language.tokens import count_tokens

COLUMNS = (
    "kind",
    "texts",
    "under",
    "total",
    "5 %",
    "95 %",
    "o200k under",
    "total",
    "cl100k under",
    "total",
    "chars / 4",
)


@dataclass(frozen=True)
class Error:
    """Estimates of some texts against their true counts."""

    estimates: Sequence[float]
    counts: Sequence[int]

    def under(self) -> float:
        """The share of texts whose estimate is below the count."""
        return sum(a < b for a, b in zip(self.estimates, self.counts, strict=True)) / len(self.counts)

    def total(self) -> float:
        """How far the sum of the estimates is above the sum of the counts, as a share of the latter."""
        return sum(self.estimates) / sum(self.counts) - 1

    def quantile(self, share: float) -> float:
        """The error of single texts, as a share of the count, that `share` of the texts do not exceed."""
        errors = sorted(a / b - 1 for a, b in zip(self.estimates, self.counts, strict=True))
        return errors[min(int(share * len(errors)), len(errors) - 1)]


def run(vocabularies: Vocabularies) -> None:
    """Print a row for each kind of text."""
    if not (SHARED / "corpora").is_dir():
        print(f"no corpora at {SHARED}: the token estimate was not measured")
        return
    kinds = texts.kinds(SHARED, vocabularies.declarations())
    counts = iter(vocabularies.counts([text for some in kinds.values() for text in some]))
    print("Against the dearer of both (chars / 4 too), then each; total: of all texts; 5 %, 95 %: of single texts.")
    print(f"| {' | '.join(COLUMNS)} |\n|---|{'---:|' * (len(COLUMNS) - 1)}")
    for kind, some in kinds.items():
        print(row(kind, some, [next(counts) for _ in some]))


def row(kind: str, some: Sequence[str], counts: Sequence[tuple[int, int]]) -> str:
    """One row; the dearer vocabulary is chosen text by text."""
    estimates = [count_tokens(text) for text in some]
    dearer = [max(pair) for pair in counts]
    error = Error(estimates, dearer)
    o200k, cl100k = (Error(estimates, one) for one in zip(*counts, strict=True))
    quarter = Error([len(text) / 4 for text in some], dearer)
    cells = [
        f"{error.under():.1%}",
        *(f"{share:+.0%}" for share in (error.total(), error.quantile(0.05), error.quantile(0.95))),
    ]
    for each in (o200k, cl100k):
        cells += [f"{each.under():.1%}", f"{each.total():+.0%}"]
    return f"| {' | '.join((kind, str(len(some)), *cells, f'{quarter.total():+.0%}'))} |"
