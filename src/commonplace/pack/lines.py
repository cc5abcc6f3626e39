"""One record as one cited line: its marks, the title that it needs to be understood, its text, its source."""

from __future__ import annotations

from msgspec import Struct

from commonplace.model import Record
from commonplace.pack.policy import PackOptions
from commonplace.pack.quoting import quoted
from commonplace.text import fold, one_line

LONGEST = 16_000  # characters of one record that are looked at; the rest of a longer one is left to `show`
LONGEST_TITLE = 60  # characters; a longer title is a sentence of its own
GAP = "…"


class Line(Struct, frozen=True):
    """A line to be: what stands in front, the text with its own line breaks (`partial` if cut), the source."""

    lead: str
    text: str
    tail: str
    partial: bool = False

    @property
    def body(self) -> str:
        """The whole text on one line."""
        return one_line(self.text)

    def written(self, body: str) -> str:
        """The line with this much of its text."""
        return quoted(f"- {self.lead}{body} {self.tail}")


def line_of(record: Record, options: PackOptions) -> Line:
    """The line that shows a record."""
    text = record.text[:LONGEST]
    lead = "".join((*_marks(record, options), *_context(record, fold(text))))
    return Line(lead, text, f"[{one_line(record.source.citation)}]", len(record.text) > LONGEST)


def _marks(record: Record, options: PackOptions) -> list[str]:
    marks = [_date(record), "evidence" if record.is_evidence else ""]
    if record.kind == "opinion":
        marks.append("opinion" if record.confidence is None else f"opinion, c={record.confidence:g}")
    if record.trust == "unknown":
        marks.append("" if options.vouched(record) else "unverified")
    elif record.trust != "trusted":
        marks.append(record.trust)
    return [f"({one_line(mark)}) " for mark in marks if mark]


def _date(record: Record) -> str:
    """When it holds, or else when it was recorded; nothing where the text says so itself."""
    start = (record.valid_from or record.time)[:10]
    end = record.valid_to[:10]
    date = f"{start}..{end}" if end and end != start else start
    return "" if date in record.text else date


def _context(record: Record, folded: str) -> list[str]:
    """Who speaks and the nearest title, where the text alone does not say so."""
    title = one_line(record.heading[-1]) if record.heading else ""
    if len(title) > LONGEST_TITLE or title in ("Retain", record.time[:10]):
        title = ""
    speaker = one_line(record.speaker)
    lead = [f"{title} › "] if title and fold(title) not in folded else []
    return [*lead, f"{speaker}: "] if speaker and fold(speaker) not in folded else lead
