"""What is kept already and close to a draft: in the index, and among the drafts of the same run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from commonplace import text
from commonplace.consolidate.candidates import Near
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.past import Past, statement_key, value_key
from commonplace.facts import keyed, single_valued
from commonplace.index import Filter, Index
from commonplace.model import Record, Trust

RAREST = 3  # words of a draft by which neighbours are looked for
MOST_HOLDERS = 400  # records that hold such a word, of which the newest are looked at
MOST_NEAR = 16
MOST_OF_NAME = 60  # records that name an entity, of which what they state is read
RECORDS = Filter(evidence="none")
EPISODES = "memory/episodes/"
NO_HOMES = (".memory/", "memory/pending.md", "memory/working-buffer.md", EPISODES)
SAME_SHARE = 0.6  # of its words; what says more than that besides still tells something else


class Stated(Struct, frozen=True):
    """What a record or draft states of an entity: which, the key of the value, when, how far it is trusted."""

    id: str
    value: str
    time: str
    trust: Trust
    path: str = ""


class Shelf:
    """Looks up neighbours and rivals; what the run itself keeps is put on it."""

    def __init__(self, index: Index, past: Past) -> None:
        self._index, self._past = index, past
        self._own: dict[str, list[str]] = {}
        self._drafts: dict[str, Draft] = {}
        self._stated: dict[str, list[Stated]] = {}
        self._read: dict[str, tuple[tuple[str, str, str], ...]] = {}

    def put(self, draft: Draft) -> None:
        """Add a draft that is kept, so that the next one meets it."""
        self._drafts[draft.id] = draft
        for word in _words(draft.text):
            self._own.setdefault(word, []).append(draft.id)
        key = statement_key(draft.entity, draft.attribute)
        if key:
            stated = Stated(draft.id, value_key(draft.value), draft.time, draft.trust)
            self._stated.setdefault(key, []).append(stated)

    def drop(self, record_id: str) -> None:
        """Take off what was superseded in this run."""
        for group in self._stated.values():
            group[:] = [stated for stated in group if stated.id != record_id]
        self._drafts.pop(record_id, None)

    def near(self, draft: Draft) -> tuple[Near, ...]:
        """The records and drafts that share the draft's rarest words, most shared first."""
        words = _words(draft.text)
        own = Counter(found for word in words for found in self._own.get(word, ())[-MOST_HOLDERS:])
        mine = [self._drafts[found] for found, _n in own.most_common(MOST_NEAR) if found in self._drafts]
        kept = self._kept(words)
        return (
            *(Near(record.id, record.text, record.category, record.trust) for record in kept),
            *(Near(one.id, one.text, one.category, one.trust) for one in mine),
        )

    def _kept(self, words: list[str]) -> list[Record]:
        frequency = {word: count for word in words if (count := self._index.frequency(word))}
        rarest = sorted(frequency, key=lambda word: (frequency[word], word))[:RAREST]
        shared = Counter(row for word in rarest for row in self._holders(word))
        rows = self._index.fetch(row for row, _n in shared.most_common(MOST_NEAR))
        return [row.record for row in rows.values() if is_kept(row.record)]

    def _holders(self, word: str) -> Iterable[int]:
        rows = self._index.occurrences(word, 0.0)
        if len(rows) > 10 * MOST_HOLDERS:
            return ()
        return list(self._index.lengths(rows, RECORDS))[-MOST_HOLDERS:]

    def telling(self, stated: Stated) -> tuple[str, ...]:
        """What else tells the same: the captures on which a record rests, if they say nothing more, and what was
        made of those."""
        record = self._index.find(stated.id)
        sources = record.sources if record else ()
        rows = self._index.fetch(self._index.derived(sources))
        made = [row.record for row in rows.values() if row.record.id != stated.id]
        said = [found for source in sources if (found := self._index.find(source)) is not None and found.is_evidence]
        told = [one for one in (*made, *said) if record and says_no_more(one.text, record.text)]
        summaries = [one for path in {one.source.path for one in told} for one in self._summaries(path, told)]
        return tuple(dict.fromkeys(one.id for one in (*told, *summaries)))

    def _summaries(self, path: str, told: list[Record]) -> list[Record]:
        rows = self._index.fetch(self._index.rows_of(path)) if path.startswith(EPISODES) else {}
        texts = {text.one_line(one.text) for one in told}
        found = [row.record for row in rows.values()]
        return [one for one in found if one.form == "summary" and text.one_line(one.text) in texts]

    def rivals(self, draft: Draft) -> tuple[Stated, ...]:
        """What is stated already of the draft's attribute, where there can be but one value; newest first."""
        if not (draft.entity and draft.attribute and single_valued(draft.attribute)):
            return ()
        key = statement_key(draft.entity, draft.attribute)
        found = {stated.id: stated for stated in self._stated.get(key, ())}
        for record_id, value in self._past.stated.get(key, ()):
            record = self._index.find(record_id)
            if record is not None and is_kept(record):
                found.setdefault(record_id, _stated(record, value))
        for record in self._naming(draft.entity):
            for entity, attribute, value in self._triples(record):
                if (entity, attribute) == (text.name_key(draft.entity), draft.attribute):
                    found.setdefault(record.id, _stated(record, value_key(value)))
        found.pop(draft.id, None)
        return tuple(sorted(found.values(), key=lambda stated: (stated.time, stated.id), reverse=True))

    def _naming(self, entity: str) -> list[Record]:
        """The newest records whose words hold the name."""
        rows: set[int] | None = None
        for word in _words(entity):
            holders = set(self._index.occurrences(word, 1.0))
            rows = holders if rows is None else rows & holders
        seen = self._index.lengths(rows or (), RECORDS)
        newest = self._index.newest(seen, MOST_OF_NAME) if seen else []
        return [row.record for row in self._index.fetch(newest).values() if is_kept(row.record)]

    def _triples(self, record: Record) -> tuple[tuple[str, str, str], ...]:
        if record.id not in self._read:
            self._read[record.id] = keyed(record.text, record.entities, record.heading, now=record.time)
        return self._read[record.id]


def is_kept(record: Record) -> bool:
    """Whether a record is a line in its home, and still holds."""
    return not (record.superseded_by or record.is_evidence or record.source.path.startswith(NO_HOMES))


def says_no_more(told: str, kept: str) -> bool:
    """Whether most of what a text says is what a record keeps of it."""
    words, known = _words(told), set(_words(kept))
    return bool(words) and sum(word in known for word in words) >= SAME_SHARE * len(words)


def _stated(record: Record, value: str) -> Stated:
    return Stated(record.id, value, record.valid_from or record.time, record.trust, record.source.path)


def _words(written: str) -> list[str]:
    own = text.language(written)
    return list(dict.fromkeys(word for word in text.tokens(written, own) if not text.is_stop(word, own)))
