"""A pack being filled: its candidates, duplicates, the layout of its lines, the tokens that are left."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from operator import attrgetter

from msgspec import Struct

from commonplace.language.text import detect_language, fold_name, tokenize
from commonplace.model import Hit, Interval, PackPart, Record
from commonplace.retrieval.pack.lines import (
    ELLIPSIS,
    MAX_RECORD_CHARS,
    MIN_OPENING_CHARS,
    Layer,
    LineForm,
    PackLine,
    QueryTokens,
    RowStyle,
    fit_line,
    frame_lines,
    make_pack_line,
    render_heading,
    render_subheading,
)
from commonplace.retrieval.pack.policy import PackOptions
from commonplace.retrieval.recall import content_tokens


class RecordContent(Struct, frozen=True, dict=True):
    """The content of a record, prepared for comparison."""

    id: str
    tokens: frozenset[str]
    names: frozenset[str]
    text: str = ""
    time: str = ""

    @cached_property
    def mentioned_times(self) -> set[Interval]:
        """The times that it names, as they were when it was said."""
        from commonplace.language.when import find_time_phrases

        return {phrase.interval for phrase in find_time_phrases(self.text, self.time)} if self.time else set()


def content_of(record: Record) -> RecordContent:
    """The tokens of a record's text and who it is about."""
    names = (record.speaker,) if record.speaker else record.entities
    text = record.text[:MAX_RECORD_CHARS]
    return RecordContent(record.id, frozenset(tokenize(text)), frozenset(map(fold_name, names)), text, record.time)


def duplicate_reason(content: RecordContent, accepted_contents: list[RecordContent], threshold: float) -> str:
    """The reason why a record is refused that another one is, or that is similar to it (Jaccard), states no other fact
    and has no content word besides; empty if there is none."""
    size = len(content.tokens)
    for one in accepted_contents:
        if one.id == content.id:
            return "already in the pack"
        other = len(one.tokens)
        if size < threshold * other or other < threshold * size:
            continue
        both = len(one.tokens & content.tokens)
        about_others = one.names and content.names and one.names.isdisjoint(content.names)
        if not both or both < threshold * (size + other - both) or about_others:
            continue
        is_same = one.mentioned_times == content.mentioned_times
        if is_same and not content_tokens(content.tokens - one.tokens, detect_language(content.text)):
            return f"near-duplicate of {one.id}"
    return ""


HeadingContext = tuple[str, str]
POSITION_KEY = attrgetter("position", "key")  # of placed lines


class PlacedLine(Struct, frozen=True):
    """A line with as much of its text as is shown; `position` is its byte offset in its file, `key` its record's id.

    A line that is `attached_to` another (the key of that one) is printed right below it, in the file `host_path`.
    """

    key: str
    line: PackLine
    body: str
    position: int
    attached_to: str = ""
    host_path: str = ""

    @property
    def context(self) -> HeadingContext:
        """The headings that it may share with other lines of its file."""
        return self.line.date, self.line.title

    @property
    def group(self) -> str:
        """The file among whose lines it is laid out."""
        return self.host_path or self.line.path


PackRow = tuple[str, str]  # as printed, and the key of its line, empty for a heading


class SectionLayout:
    """Lines by their files, and what they cost: the sum of their rows, each counted once by itself."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._row_cost = cache(lambda text: count(f"{text}\n"))
        self._texts: dict[tuple[str, str, RowStyle, str], str] = {}
        self._groups: dict[str, dict[str, PlacedLine]] = {}
        self._costs: dict[str, int] = {}
        self._added_costs: dict[str, dict[tuple[str, str, str, str], int]] = {}  # by file, until a line of it changes

    @property
    def cost(self) -> int:
        """The cost of all rows."""
        return sum(self._costs.values())

    def put(self, placed_line: PlacedLine) -> None:
        """Place a line, in place of any of the same key."""
        self._groups.setdefault(placed_line.group, {})[placed_line.key] = placed_line
        self._update_cost(placed_line.group)

    def remove(self, placed_line: PlacedLine) -> None:
        """Take a line out."""
        del self._groups[placed_line.group][placed_line.key]
        self._update_cost(placed_line.group)

    def rows(self) -> list[PackRow]:
        """All rows, files in the order in which their first lines were placed, lines in the order of their file."""
        return [row for group in self._groups.values() if group for row in self._rows_of_group(list(group.values()))]

    def added_cost(self, placed_line: PlacedLine) -> int:
        """The approximate cost of placing a line; a subheading that two lines of one date may get is not counted."""
        costs = self._added_costs.setdefault(placed_line.group, {})
        key = placed_line.key, placed_line.body, placed_line.line.labels, placed_line.attached_to
        if key not in costs:
            costs[key] = self._compute_added_cost(placed_line)
        return costs[key]

    def _compute_added_cost(self, placed_line: PlacedLine) -> int:
        group = self._groups.get(placed_line.group, {})
        if placed_line.key in group:
            return self._cost_alone(placed_line) - self._cost_alone(group[placed_line.key])
        if not group or placed_line.attached_to:
            return self._cost_alone(placed_line)
        mains = [other for other in group.values() if not other.attached_to]
        if len(mains) == 1:
            pair = sorted((mains[0], placed_line), key=POSITION_KEY)
            together = self._cost_of_rows(self._rows_under_heading(pair))
            return min(self._cost_alone(placed_line), together - self._cost_alone(mains[0]))
        has_heading = any(other.context == placed_line.context for other in group.values())
        return self._row_cost(self._render_row(placed_line, "told" if has_heading else "below"))

    def _cost_alone(self, placed_line: PlacedLine) -> int:
        return self._row_cost(self._render_row(placed_line, "alone"))

    def _update_cost(self, path: str) -> None:
        group = list(self._groups[path].values())
        self._added_costs.pop(path, None)
        self._costs[path] = self._cost_of_rows(self._rows_of_group(group))

    def _rows_of_group(self, group: list[PlacedLine]) -> list[PackRow]:
        """The lines of a file, each with what is beside it right below it, with its own whole citation."""
        attached: dict[str, list[PackRow]] = {}
        for one in group:
            if one.attached_to:
                attached.setdefault(one.attached_to, []).append((self._render_row(one, "alone"), one.key))
        rows: list[PackRow] = []
        for main in self._rows_in_order([placed_line for placed_line in group if not placed_line.attached_to]):
            rows += (main, *attached.pop(main[1], ()))
        return [*rows, *(row for beside in attached.values() for row in beside)]

    def _rows_in_order(self, group: list[PlacedLine]) -> list[PackRow]:
        """The rows of a file's lines: below headings, or each by itself if that costs no more tokens."""
        ordered = sorted(group, key=POSITION_KEY)
        apart = [(self._render_row(placed_line, "alone"), placed_line.key) for placed_line in ordered]
        if len(group) < 2:
            return apart
        together = list(self._rows_under_heading(ordered))
        return together if self._cost_of_rows(together) < self._cost_of_rows(apart) else apart

    def _rows_under_heading(self, ordered: list[PlacedLine]) -> Iterable[PackRow]:
        """One heading; then lines that share date and title with no other, then the others below theirs."""
        contexts: dict[HeadingContext, list[PlacedLine]] = {}
        for placed_line in ordered:
            contexts.setdefault(placed_line.context, []).append(placed_line)
        has_one_context = len(contexts) == 1
        yield render_heading(ordered[0].line, has_shared_context=has_one_context), ""
        sections = [some for titles, some in contexts.items() if len(some) > 1 and any(titles) and not has_one_context]
        inside = {placed_line.key for some in sections for placed_line in some}
        form: RowStyle = "told" if has_one_context else "below"
        outside = (one for one in ordered if one.key not in inside)
        yield from ((self._render_row(one, form), one.key) for one in outside)
        for some in sections:
            yield render_subheading(some[0].line), ""
            yield from ((self._render_row(placed_line, "told"), placed_line.key) for placed_line in some)

    def _render_row(self, placed_line: PlacedLine, style: RowStyle) -> str:
        key = placed_line.key, placed_line.body, style, placed_line.line.labels
        if key not in self._texts:
            self._texts[key] = placed_line.line.render(placed_line.body, style)
        return self._texts[key]

    def _cost_of_rows(self, rows: Iterable[PackRow]) -> int:
        return sum([self._row_cost(text) for text, _key in rows])


CUT_BY_BUDGET = "cut by budget"
NOTHING_TO_SHOW = "nothing to show"

SECTION_BY_PART: dict[PackPart, PackPart] = {"neighbour": "recall", "dissent": "recall"}  # they stand among the hits


class PackCandidate(Struct):
    """One candidate and what became of it; `form` is set while it is in the pack, `line` is empty if it may not enter.

    A neighbour or a dissenting line is here for another one: `host` is the verdict on that. An older value stands below
    a newer one: `newer` is what became of that, and `host` the line below which it stands.
    """

    hit: Hit
    part: PackPart
    refusal: str = ""
    line: PackLine = PackLine("", "", "")
    content: RecordContent | None = None
    form: LineForm | None = None
    host: PackCandidate | None = None
    newer: PackCandidate | None = None

    @property
    def section(self) -> PackPart:
        """The part of the pack that it belongs to."""
        return SECTION_BY_PART.get(self.part, self.part)

    def placed_line(self, body: str) -> PlacedLine:
        """Its line with this much of its text."""
        record, is_beside = self.hit.record, self.part == "dissent" or self.hit.earlier_than
        host = (self.host.hit.record.id, self.host.line.path) if is_beside and self.host else ()
        return PlacedLine(record.id, self.line, body, record.source.byte_start, *host)


class PackDraft:
    """A pack being filled. `room_tokens` is what is left for lines, by the sum of what each costs."""

    def __init__(self, budget_tokens: int, options: PackOptions) -> None:
        self.budget_tokens, self.options = budget_tokens, options
        self.frame_tokens = options.count_tokens(frame_lines(()))
        self.room_tokens = budget_tokens - self.frame_tokens
        self.candidates: list[PackCandidate] = []
        self.accepted: list[PackCandidate] = []  # in the order in which they came in
        parts: tuple[PackPart, ...] = ("core", "standing", "correction", "recall", "tail")
        self._sections = {part: SectionLayout(options.count_tokens) for part in parts}

    def consider(self, hit: Hit, part: PackPart, refusal: str = "") -> PackCandidate:
        """A new candidate, with its line unless it is refused."""
        candidate = PackCandidate(hit, part, refusal)
        if not refusal:
            candidate.line, candidate.content = make_pack_line(hit, self.options), content_of(hit.record)
        self.candidates.append(candidate)
        return candidate

    def offer(
        self, candidate: PackCandidate, max_tokens: int, query_tokens: QueryTokens, gist: str = ""
    ) -> LineForm | None:
        """Take a line with its gist, if given, else in the largest form, if it fits into `max_tokens` of the room."""
        line, max_tokens = candidate.line, min(max_tokens, self.room_tokens)
        if not line.body:
            candidate.refusal = NOTHING_TO_SHOW
            return None
        if gist and (shown := self.add(candidate, gist, max_tokens)):
            return shown
        shown = fit_line(line, max_tokens, lambda body: self.added_cost(candidate, body), query_tokens)
        return self._accept_form(candidate, shown)

    def add(self, candidate: PackCandidate, body: str, max_tokens: int) -> LineForm | None:
        """Take a line with exactly this much of its text, if that fits into `max_tokens` of the room."""
        form = LineForm(_layer_of_body(candidate, body), body, self.added_cost(candidate, body))
        return self._accept_form(candidate, form if form.tokens <= min(max_tokens, self.room_tokens) else None)

    def lengthen_to(self, candidate: PackCandidate, body: str) -> bool:
        """Show more of a line of which only a part is shown, if there is room for it."""
        form = candidate.form
        if not form or len(body) <= len(form.body) or (more := self.added_cost(candidate, body)) > self.room_tokens:
            return False
        self._lay_out_form(candidate, LineForm(_layer_of_body(candidate, body), body, form.tokens + more))
        return True

    def lengthen(self, candidate: PackCandidate, query_tokens: QueryTokens) -> None:
        """Show more of a line of which only a part is shown, as far as there is room."""
        if candidate.form and candidate.form.layer != "L2":
            spent, room = candidate.form.tokens, candidate.form.tokens + self.room_tokens
            shown = fit_line(candidate.line, room, lambda body: spent + self.added_cost(candidate, body), query_tokens)
            if shown and len(shown.body) > len(candidate.form.body):
                self._lay_out_form(candidate, shown)

    def drop(self, candidate: PackCandidate) -> None:
        """Take a line out again."""
        if candidate.form:
            self._sections[candidate.section].remove(candidate.placed_line(candidate.form.body))
            self.accepted.remove(candidate)
            self.room_tokens += candidate.form.tokens
        candidate.form, candidate.refusal = None, CUT_BY_BUDGET

    def added_cost(self, candidate: PackCandidate, body: str) -> int:
        """The cost of adding a line: exact for the first one, in its frame; approximate for the others."""
        placed = candidate.placed_line(body)
        if not self.accepted:
            return self.options.count_tokens(frame_lines((placed.line.render(body),))) - self.frame_tokens
        return self._sections[candidate.section].added_cost(placed)

    def has_room(self, candidate: PackCandidate) -> bool:
        """Whether a line could come in at all, with whatever part of its text."""
        body = candidate.line.body
        return self.added_cost(candidate, body if len(body) <= MIN_OPENING_CHARS else ELLIPSIS) <= self.room_tokens

    def rows(self) -> list[tuple[PackPart, PackRow]]:
        """All rows, those of the core first, those of the tail last."""
        return [(part, row) for part, section in self._sections.items() for row in section.rows()]

    def text(self) -> str:
        """The whole, framed."""
        return frame_lines(text for _part, (text, _key) in self.rows())

    def _accept_form(self, candidate: PackCandidate, form: LineForm | None) -> LineForm | None:
        candidate.refusal = "" if form else CUT_BY_BUDGET
        if form:
            self._lay_out_form(candidate, form)
            self.accepted.append(candidate)
        return form

    def _lay_out_form(self, candidate: PackCandidate, form: LineForm) -> None:
        section = self._sections[candidate.section]
        before = section.cost
        section.put(candidate.placed_line(form.body))
        if not self.accepted or self.accepted == [candidate]:
            self.room_tokens -= form.tokens - (candidate.form.tokens if candidate.form else 0)
        else:
            self.room_tokens -= section.cost - before
        candidate.form = form


def _layer_of_body(candidate: PackCandidate, body: str) -> Layer:
    return "L2" if body == candidate.line.body else "L1"
