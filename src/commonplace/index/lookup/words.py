"""Reading words: where tokens stand, how often, and how long the records are that hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from commonplace.index import evidence, postings, settling
from commonplace.index.filters import condition
from commonplace.index.lookup.connected import Connected
from commonplace.index.protocol import Filter
from commonplace.index.sql import all_rows, numbers
from commonplace.index.wanted import Wanted

MOST_KEPT = 50_000  # words whose frequency is kept; counting a common one reads all of its postings
NEAR_KEPT, MOST_NEAR = 32, 300  # words whose likes are kept, and how many: all spellings of one are tried out


class Words(Connected):
    """Tokens, and the rows that hold them."""

    def size(self) -> tuple[int, int]:
        """How many records and captures there are and how many tokens their texts hold."""
        return settling.size(self._db)

    def evidence(self) -> int:
        """How many of them are captures."""
        return settling.evidence(self._db)

    def said(self) -> tuple[int, int]:
        """The same less the lines of episodes, which tell captures again: what is said once is counted once."""
        kept = self._kept_of_now()
        kept.said = kept.said or settling.said(self._db)
        return kept.said

    def frequency(self, token: str) -> int:
        """In how many of what `said` counts a token stands; 1 at least if it stands anywhere."""
        known = self._kept_of_now().frequencies
        if token not in known:
            if len(known) > MOST_KEPT:
                known.clear()
            known[token] = settling.frequency(self._db, token)
        return known[token]

    def near_tokens(self, beginning: str, spellings: Sequence[str]) -> tuple[str, ...]:
        """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""
        known, asked = self._kept_of_now().near, (beginning, *spellings)
        found = known.pop(asked, None)
        if found is None:
            found = postings.near_tokens(self._db, beginning, spellings)
        if len(found) <= MOST_NEAR:
            known[asked] = found  # what was asked for last comes last
        if len(known) > NEAR_KEPT:
            known.pop(next(iter(known)))
        return found

    def occurrences(self, token: str, title_weight: float) -> dict[int, float]:
        """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""
        return postings.occurrences(self._db, token, title_weight)

    def holding(self, tokens: Sequence[str]) -> list[int]:
        """The rows of the records that hold all of the tokens, in text or titles; captures are not even looked at."""
        return evidence.records_holding(self._db, tokens)

    def matching(self, wanted: Wanted, at_most: int = -1) -> list[int]:
        """The rows of the records and captures that hold what is wanted, in text, titles or marks, in order."""
        kept = self._kept_of_now()
        known = kept.holders.matching(wanted) if kept.is_small and at_most < 0 else None
        return postings.matching(self._db, wanted, at_most) if known is None else known

    def matching_among(self, wanted: Wanted, rows: Collection[int]) -> set[int]:
        """Those of the rows that hold what is wanted."""
        return postings.matching_among(self._db, wanted, rows)

    def holders(self, tokens: Sequence[str], rows: Collection[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None where it would take long to know."""
        kept = self._kept_of_now()
        return kept.holders.by_token(tokens, rows) if kept.is_small else None

    def by_length(self, rows: Iterable[int]) -> tuple[list[int], list[int]]:
        """The rows in order of how many tokens they hold, the shortest first, and these counts."""
        kept = self._kept_of_now()
        return kept.lengths.by_length(rows) if kept.is_small else postings.by_length(self._db, rows)

    def lengths(self, rows: Iterable[int], only: Filter) -> dict[int, int]:
        """Token counts of those of the rows that the filter lets through."""
        where, values = condition(only)
        found = all_rows(
            self._db,
            f"""select records.rowid, length from json_each(?) as asked
                cross join records on records.rowid = asked.value where {where}""",  # noqa: S608 - values are bound
            (numbers(rows), *values),
        )
        return dict(found)

    def tokens(self, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The tokens of the rows, each between two spaces of its own: of the text, and of the titles above."""
        found = all_rows(
            self._db,
            "select records.rowid, tokens, context from json_each(?) as asked"
            " cross join records on records.rowid = asked.value",
            (numbers(rows),),
        )
        return {row: (tokens, context) for row, tokens, context in found}
