"""Look up records without ranking: lines by citation or id, records of an entity, a timeline."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, dropwhile, groupby

from msgspec import Struct, structs

from commonplace.errors import BadArgument, NotFound
from commonplace.index import AllOf, AnyOf, Filter, Index, IndexedRecord, name_marker
from commonplace.language import text
from commonplace.language.when import calendar_words
from commonplace.language.word_data import LANGUAGES
from commonplace.lazy import lazy_pattern
from commonplace.model import (
    VISIBLE_TRUSTS,
    EntityView,
    Query,
    Record,
    RelatedName,
    RelatedNames,
    View,
    is_short_id,
)
from commonplace.retrieval.recall.citations import parse_citation, parse_line_reference, resolve_citation
from commonplace.retrieval.recall.entity_names import expand_aliases, rows_on_entity_pages
from commonplace.retrieval.recall.filters import build_record_filter
from commonplace.retrieval.recall.query import parse_query
from commonplace.retrieval.recall.time_lanes import narrow_to_period, window_period
from commonplace.storage.workspace import BOM, path_date, path_role
from commonplace.truth import NameTable

HIDDEN_LINE = "(forgotten)"  # in place of a line that `forget` hides
JOURNAL_FOLDER = ".memory/journal/"
ARTIFACT_FOLDER = ".memory/artifacts/"  # where a text lies that is too long for a line of a journal


def show_reference(
    index: Index,
    read: Callable[[str], bytes],
    reference: str,
    *,
    earlier_lines: Callable[[str], Iterable[str]] = lambda _path: (),
) -> View:
    """A record by id, captures by the beginning of theirs, or lines by `PATH`, `PATH#L12` or `PATH#L12-L15`; of a
    citation with an anchor (`PATH#L12~k3f9a…`) the `ResolvedCitation`. Raises NotFound, BadArgument."""
    with index.snapshot():
        if parse_citation(reference) is None or find_cited(index, reference) or reference in index.stamps():
            return _view_reference(index, read, reference)
        resolved = resolve_citation(index, read, reference, earlier_lines)
        records = _records_on_lines(index, resolved.path, resolved.line_start, resolved.line_end)
        return structs.replace(resolved, records=records)


def find_cited(index: Index, reference: str) -> tuple[Record, ...]:
    """The record with this id, or else all captures that the beginning of an id (`obs:vhbsvh`) may mean."""
    record = index.find(reference)
    if record is not None:
        return (record,)
    return index.find_captures(reference) if is_short_id(reference) else ()


def _view_reference(index: Index, read: Callable[[str], bytes], reference: str) -> View:
    records = find_cited(index, reference)
    if records:
        source = records[0].source
        path, first, last = source.path, source.line_start, source.line_end
    else:
        path, first, last = (reference, 0, 0) if reference in index.stamps() else parse_line_reference(reference)
        first = 1 if path == reference else first  # a last line of 0 is the end of the file
    captured = tuple(record for record in records if record.is_evidence)
    if path.startswith(JOURNAL_FOLDER) and not captured:
        of_journal = (row.record for row in index.fetch(index.rows_of_file(path)).values())
        captures = [one for one in of_journal if first <= one.source.line_start <= (last or first)]
        captured = tuple(sorted(captures, key=lambda one: one.source.line_start))
    if captured:  # a person reads what was said, not the line of JSON that keeps it
        end = max(record.source.line_end for record in captured if record.source.path == path)
        return View(path, captured[0].source.line_start, end, "\n".join(record.text for record in captured), captured)
    is_artifact = path.startswith(ARTIFACT_FOLDER) and not _is_hidden_artifact(index, read, path)
    if path not in index.stamps() and not is_artifact:
        import difflib

        raise NotFound("record or file", reference, tuple(difflib.get_close_matches(path, [*index.stamps()], 2)))
    return view_lines(index, path, read(path), (first, last))


def view_lines(index: Index, path: str, data: bytes, extent: tuple[int, int]) -> View:
    """The lines of a file from a first to a last one (0: its end), without those that are hidden, and their records.
    Raises BadArgument."""
    lines = split_lines(data)
    first, last = extent[0], min(extent[1] or len(lines), len(lines))
    if not 1 <= first <= last:
        raise BadArgument(f"{path!r} has {len(lines)} lines; `{first}-{extent[1] or last}` asks for others")
    for number in hidden_lines(index, path):
        lines[number - 1 : number] = [HIDDEN_LINE]
    return View(path, first, last, "\n".join(lines[first - 1 : last]), _records_on_lines(index, path, first, last))


def split_lines(data: bytes) -> list[str]:
    """The lines of a file, without an empty one behind its last newline."""
    return data.removeprefix(BOM).decode("utf-8", "replace").removesuffix("\n").split("\n")


def hidden_lines(index: Index, path: str) -> frozenset[int]:
    """The numbers of the lines of a file that `forget` hides."""
    places = (place for place in index.hidden_places() if place.path == path)
    return frozenset(number for place in places for number in range(place.first_line, place.last_line + 1))


def _is_hidden_artifact(index: Index, read: Callable[[str], bytes], path: str) -> bool:
    """Whether a hidden capture has this artifact."""
    name = path.rpartition("/")[2].encode()
    places = [place for place in index.hidden_places() if place.path.startswith(JOURNAL_FOLDER)]
    lines = {one: read(one).split(b"\n") for one in {place.path for place in places}}
    return any(name in line for one in places for line in lines[one.path][one.first_line - 1 : one.last_line])


def _records_on_lines(index: Index, path: str, first_line: int, last_line: int) -> tuple[Record, ...]:
    records = [row.record for row in index.fetch(index.rows_of_file(path, first_line, last_line)).values()]
    return tuple(sorted(records, key=lambda record: (record.source.line_start, record.source.byte_start, record.id)))


VISIBLE_RECORDS = Filter(trusts=VISIBLE_TRUSTS, evidence="none")
VISIBLE_CAPTURES = Filter(trusts=VISIBLE_TRUSTS, evidence="only")
MAX_SHARED_LINES = 500  # of a name, the newest, in which others are looked for
MAX_CHECKED_ROWS = 500  # whose text is read for a list of names
MANY_ROWS, ROWS_LOOKED_THROUGH = 1_000, 10_000
NAMELESS_FORMS = ("heading", "keyvalue", "row")  # whose capitals are those of a title
_CLAUSE = lazy_pattern(r"[\w-]+(?:[ '’](?!s\b)[\w-]+)*")  # words with nothing but blanks between
RECORDS_READ_PER_SHOWN = 8  # of records that name an entity, several retell one thing


def find_entity_records(
    index: Index, name: str, at_most: int, name_table: NameTable, *, until: str = ""
) -> EntityView | None:
    """The records of the entity's page in order, and those that name it, newest first, each thing once, if wanted those
    before an ISO minute; the captures that name it where no record does. None if nothing names it."""
    written = text.sanitize_line(name)
    key, keys = _all_keys(index, written, name_table)
    page = rows_on_entity_pages(index, keys)
    matching = _rows_with_words(index, keys)
    rows_by_id: dict[int, IndexedRecord] = {}
    mentioned: list[int] = []
    for seen in (VISIBLE_RECORDS, VISIBLE_CAPTURES):
        visible = structs.replace(seen, until=until)
        shown, read_count = index.token_counts(page, seen), RECORDS_READ_PER_SHOWN * at_most + len(page)
        mentioned = index.newest_mentioning_rows(keys, visible, read_count)
        matched = select_newest_rows(index, matching, visible, read_count)
        newest = index.newest_of_rows({*mentioned, *matched} - set(page), read_count)
        rows_by_id = index.fetch([*(row_id for row_id in page if row_id in shown), *newest])
        others = [rows_by_id[row_id].record for row_id in newest if row_id in rows_by_id]
        others = [one for one in others if any(map(_Naming.of(one).names, keys))]
        others = sorted(others, key=lambda one: one.time, reverse=True)
        if others or shown:
            break
    names = index.written_names(keys)
    if not names and not others:
        return None
    marked = {rows_by_id[row_id].record.id for row_id in mentioned if row_id in rows_by_id}
    shown_records = tuple(_distinct_records(others)[:at_most])
    return EntityView(
        names.get(key, written),
        tuple(rows_by_id[row_id].record for row_id in page if row_id in rows_by_id),
        shown_records,
        tuple(one.id for one in shown_records if one.id not in marked),
    )


def find_related_names(index: Index, name: str, at_most: int, name_table: NameTable) -> RelatedNames | None:
    """The names that share lines with a name, linked or in words only. None if nothing has it."""
    written = text.sanitize_line(name)
    key, keys = _all_keys(index, written, name_table)
    if not (names := index.written_names(keys)) and not _rows_with_words(index, keys):
        return None
    page = index.token_counts(rows_on_entity_pages(index, keys), VISIBLE_RECORDS)
    marked = {*page, *index.newest_mentioning_rows(keys, VISIBLE_RECORDS, MAX_SHARED_LINES)}
    worded = _rows_with_words(index, keys) if len(marked) < MAX_SHARED_LINES else []
    matched = select_newest_rows(index, worded, VISIBLE_RECORDS, MAX_SHARED_LINES)
    rows = {*page, *index.newest_of_rows(marked | {*matched}, MAX_SHARED_LINES)}
    groups, by_first_word = group_names(index, name_table), defaultdict[str, list[str]](list)
    for other in (other for bearer, own in groups.items() if bearer != key for other in own):
        by_first_word[other.split(" ")[0]].append(other)
    bearers = {path: name_table.resolve(title) for path, title in index.entity_pages()}
    shared = Counter[str]()
    for row_id, one in index.fetch(rows).items():
        naming = _Naming.of(one.record)
        if row_id in marked or any(map(naming.names, keys)):
            near = (other for word in naming.words for other in by_first_word.get(word, ()))
            shared.update(
                {bearers.get(one.record.source.path, key), *map(name_table.resolve, filter(naming.names, near))}
            )
    del shared[key]
    nearest = sorted(shared.items(), key=lambda one: (-one[1], one[0]))[:at_most]
    related = tuple(RelatedName(next(iter(groups.get(one, {one: one}).values())), lines) for one, lines in nearest)
    return RelatedNames(names.get(key, written), related)


def group_names(index: Index, name_table: NameTable) -> dict[str, dict[str, str]]:
    """The folded names of each entity, with how they are written, that of its bearer first; those with the most linked
    lines first, and then those in words only. A day is no entity, nor is a file of the notebook that is linked."""
    named = [*index.entities(), *((key, name, 0) for key, name in _names_in_words(index).items())]
    paths = dict(reversed(index.pages_by_name([key for key, _name, _count in named])))  # an entity's page comes first
    lines = Counter[str]()
    groups: dict[str, dict[str, str]] = {}
    for key, name, count in named:
        role = path_role(paths[key]) if key in paths else "entity"
        if (role == "entity" or (role == "note" and not name.islower())) and not path_date(name):
            bearer = name_table.resolve(key)
            lines[bearer] += count
            groups.setdefault(bearer, {}).setdefault(key, name)
    written = index.written_names(tuple(groups))
    order = [bearer for bearer, _count in lines.most_common()]
    return {one: {one: written.get(one) or next(iter(groups[one].values()))} | groups[one] for one in order}


def _names_in_words(index: Index) -> dict[str, str]:
    """The names of two words or more, each with a capital, that several of the newest lines have, by folded name."""
    newest = index.fetch(index.newest_filtered_rows(VISIBLE_RECORDS, ROWS_LOOKED_THROUGH)[:MAX_CHECKED_ROWS])
    records = (one.record for one in newest.values() if one.record.form not in NAMELESS_FORMS)
    lines = Counter(name for record in records for name in _find_long_names(record.text))
    return {text.name_key(name): name for name, count in lines.items() if count > 1}


def _find_long_names(line: str) -> set[str]:
    clauses = (groupby(one.split(), lambda word: word[0].isupper() > word.isupper()) for one in _CLAUSE.findall(line))
    runs = [run for clause in clauses for is_name, one in clause if is_name and len(run := list(one)) > 1]
    no_names = calendar_words(weak=True) | text.stop_words(text.detect_language(line)) if runs else ()
    named = (list(dropwhile(lambda word: text.fold_name(word) in no_names, run)) for run in runs)
    return {" ".join(run) for run in named if len(run) > 1}


def count_naming_lines(index: Index, groups: Sequence[Mapping[str, str]]) -> list[int]:
    """How many records have one of the folded names of each entity, linked or, if it has capitals, in their words; of
    many no fewer than that, and of some those that have the words of the name, wherever they stand."""
    marked = [{*index.matching_rows(AnyOf(tuple(map(name_marker, own))), MANY_ROWS)} for own in groups]
    capitalised = [[key for key, name in own.items() if not name.islower()] for own in groups]
    others = [
        {*_rows_with_words(index, keys, MANY_ROWS)} - rows for keys, rows in zip(capitalised, marked, strict=True)
    ]
    few = sorted(filter(None, others), key=len)
    checked = [rows for rows, total in zip(few, accumulate(map(len, few)), strict=True) if total <= MAX_CHECKED_ROWS]
    texts = {row: _Naming.of(one.record) for row, one in index.fetch(set[int]().union(*checked)).items()}
    visible = index.token_counts(set[int]().union(*marked, *others), VISIBLE_RECORDS)
    every = {key: count for key, _name, count in index.entities()}
    counts = []
    for keys, own, linked, worded in zip(capitalised, groups, marked, others, strict=True):
        named = {row for row in worded if row not in texts or any(map(texts[row].names, keys))}
        at_least = sum(every.get(key, 0) for key in own) if len(linked) == MANY_ROWS else 0
        counts.append(max(len((linked | named) & visible.keys()), at_least))
    return counts


def _all_keys(index: Index, written: str, name_table: NameTable) -> tuple[str, tuple[str, ...]]:
    """The folded name of the bearer of a name, and all names that it has."""
    key = name_table.resolve(written)
    names = dict.fromkeys((key, *sorted(name_table.names_of(key))))
    return key, tuple(names | expand_aliases(index, (text.name_key(written),)))


def _rows_with_words(index: Index, keys: Iterable[str], at_most: int = -1) -> list[int]:
    """The rows that have all words of one of the names."""
    parts = (tuple(AnyOf(term.forms) for term in text.query_terms(name, LANGUAGES)) for name in keys)
    expressions = tuple(map(AllOf, filter(None, parts)))
    return index.matching_rows(AnyOf(expressions), at_most) if expressions else []


def select_newest_rows(index: Index, row_ids: list[int], record_filter: Filter, at_most: int) -> list[int]:
    """The newest of the rows that the filter lets through; many are looked up among the newest of all rows, which the
    index remembers."""
    if len(row_ids) > MANY_ROWS:
        wanted, newest = set(row_ids), index.newest_filtered_rows(record_filter, ROWS_LOOKED_THROUGH)
        selected = [row_id for row_id in newest if row_id in wanted][:at_most]
        if len(selected) == at_most:
            return selected
    return index.newest_of_rows(index.token_counts(row_ids, record_filter), at_most)


class _Naming(Struct, frozen=True):
    """What a record names: the folded names of its marks, and its folded text, whole and without the words that begin
    with a small letter, each between two blanks."""

    marks: frozenset[str]
    folded: str
    capitals: str

    @classmethod
    def of(cls, record: Record) -> _Naming:
        """By the marks of a record and its text; what others say in the same episode does not count."""
        marks = (*record.entities, *record.links, record.speaker) if not _is_of_episode(record) else ()
        words = [word for word in record.text.replace("'", " ").split() if not word[0].islower()]
        folded, capitals = (f" {text.name_key(one)} " for one in (record.text, " ".join(words)))
        names = (mark.rsplit("/", 1)[-1].removesuffix(".md") for mark in marks)
        return cls(frozenset(map(text.name_key, names)), folded, capitals)

    @property
    def words(self) -> set[str]:
        """The words with which a name may begin here."""
        return {*self.capitals.split(), *(mark.split(" ")[0] for mark in self.marks)}

    def names(self, key: str) -> bool:
        """Whether the record has this name, by a mark or in its text."""
        return key in self.marks or (f" {key} " in self.folded and f" {key.split(' ')[0]} " in self.capitals)


def _distinct_records(records: list[Record]) -> list[Record]:
    """The records without those that retell a capture or repeat the text of another; facts come before episodes."""
    kept: set[str] = set()
    sources: set[str] = set()
    texts: set[str] = set()
    for record in sorted(records, key=lambda record: (_is_of_episode(record), -len(record.text))):
        key = text.name_key(record.text)
        if key in texts or (_is_of_episode(record) and not sources.isdisjoint(record.sources)):
            continue
        kept.add(record.id)
        texts.add(key)
        sources.update(record.sources)
    return [record for record in records if record.id in kept]


def _is_of_episode(record: Record) -> bool:
    return path_role(record.source.path) == "episode"


def find_surroundings(index: Index, query: Query, record_id: str, at_most: int) -> tuple[Record, ...]:
    """The `at_most` records nearest to a record that pass the filters of the query, in order, with itself: lines of the
    same file, or captures of the same session. Raises NotFound."""
    middle = next(iter(find_cited(index, record_id)), None)
    if middle is None:
        raise NotFound("record", record_id)
    here = index.row_of_record(middle.id)
    anyhow = build_record_filter(structs.replace(query, evidence="auto"))
    record_filter = structs.replace(anyhow, since="", until="", decided=False)
    of_session = middle.is_evidence and middle.session
    row_ids = index.rows_of_session(middle.session) if of_session else index.rows_of_file(middle.source.path)
    seen = index.token_counts(row_ids, record_filter)
    order = [row_id for row_id in row_ids if row_id in seen]
    position = order.index(here) if here in seen else 0
    first = max(0, min(position - (at_most - 1) // 2, len(order) - at_most))
    rows_by_id = index.fetch(order[first : first + at_most])
    return tuple(rows_by_id[row_id].record for row_id in order[first : first + at_most])


def list_timeline(index: Index, query: Query, at_most: int, *, skip: int = 0) -> tuple[Record, ...]:
    """Dated records that the query lets through, in order of time; the newest `at_most` of them, but for the first
    `skip`."""
    record_filter = build_record_filter(query)
    for window in parse_query(index, query).time_windows:
        record_filter = narrow_to_period(record_filter, window_period(window))
    if not record_filter.since and not record_filter.until:
        record_filter = structs.replace(record_filter, since="0001-01-01T00:00")
    rows_by_id = index.fetch(index.newest_filtered_rows(record_filter, skip + at_most)[skip:])
    records = [indexed_record.record for indexed_record in rows_by_id.values()]
    records.sort(key=lambda record: (record.time or record.valid_from, record.source.path, record.source.line_start))
    return tuple(records)
