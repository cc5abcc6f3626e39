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
    """A line to be: the text with its own line breaks (`partial` if cut), and what makes it understood.

    A heading above several lines may tell `date`, `title` and `evidence`; a line that it does not tell them to has
    `dated` and `titled` in front, which are empty where path, title or text say so. `labels` (opinion, trust, what the
    line is here for) and `said` (who speaks) are always the line's own. `span` is the place in `path`: `#L12`.
    """

    text: str
    path: str
    span: str
    body: str = ""  # the whole text on one line
    date: str = ""
    title: str = ""
    dated: str = ""
    titled: str = ""
    labels: str = ""
    said: str = ""
    evidence: bool = False
    partial: bool = False

    @property
    def lead(self) -> str:
        """What stands in front of the text of a line by itself."""
        return f"{self.dated}{_bracketed(_evidence(self))}{self.labels}{self.titled}{self.said}"

    def written(self, body: str) -> str:
        """The line by itself, with this much of its text."""
        return quoted(f"- {self.lead}{body} [{self.path}{self.span}]")

    def below(self, body: str, *, told: bool) -> str:
        """The line below a heading with its path; `told` if its date and title stand there too."""
        lead = f"{self.labels}{self.said}" if told else f"{self.dated}{self.labels}{self.titled}{self.said}"
        return quoted(f"- {lead}{body} [{self.span}]")


def line_of(record: Record, options: PackOptions, label: str = "") -> Line:
    """The line that shows a record; `label` says what it is here for, if it is no plain hit."""
    text = record.text[:LONGEST]
    folded = fold(text)
    path, title, date = one_line(record.source.path), _title(record), _date(record)
    speaker = one_line(record.speaker)
    titled = f"{title} › " if title and fold(title) not in folded else ""
    return Line(
        text=text,
        path=path,
        span=record.source.citation[len(record.source.path) :],
        body=one_line(text),
        date="" if date in path or date in title else date,
        title=title,
        dated="" if date in record.text or date in path or date in titled else f"({date}) ",
        titled=titled,
        labels=_bracketed((*_labels(record, options), label)),
        said=f"{speaker}: " if speaker and fold(speaker) not in folded else "",
        evidence=record.is_evidence,
        partial=len(record.text) > LONGEST,
    )


def heading(line: Line, *, told: bool) -> str:
    """What stands above several lines of one file; `told` if it tells the date and title of all of them."""
    title = f" › {line.title}" if told and line.title else ""
    marks = _bracketed((line.date if told else "", *_evidence(line)))
    return quoted(f"# {line.path}{title} {marks}".rstrip())


def subheading(line: Line) -> str:
    """What stands above several lines of one date and title, below the heading of their file."""
    return quoted(f"## {' '.join(part for part in (line.title, _bracketed((line.date,))) if part)}".rstrip())


def _evidence(line: Line) -> tuple[str, ...]:
    return ("evidence",) if line.evidence else ()


def _bracketed(marks: tuple[str, ...]) -> str:
    return "".join(f"({one_line(mark)}) " for mark in marks if mark)


def _labels(record: Record, options: PackOptions) -> tuple[str, ...]:
    opinion = trust = ""
    if record.kind == "opinion":
        opinion = "opinion" if record.confidence is None else f"opinion, c={record.confidence:g}"
    if record.trust == "unknown":
        trust = "" if options.vouched(record) else "unverified"
    elif record.trust != "trusted":
        trust = record.trust
    return opinion, trust


def _date(record: Record) -> str:
    """When it holds, or else when it was recorded."""
    start = (record.valid_from or record.time)[:10]
    end = record.valid_to[:10]
    return one_line(f"{start}..{end}" if end and end != start else start)


def _title(record: Record) -> str:
    """The nearest title; none where it says nothing, or is a sentence of its own; no date that the path says too."""
    title = one_line(record.heading[-1]) if record.heading else ""
    date = record.time[:10]
    if date and date in title and date in record.source.path:
        title = title.replace(date, "").strip(" ,;:()–—-")
    return "" if len(title) > LONGEST_TITLE or title in ("Retain", date) else title
