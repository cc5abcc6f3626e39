"""What is kept already and close to a draft: in the index, and among the drafts of the same run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from commonplace import text
from commonplace.consolidate.candidates import Near
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.lines import STRUCK, said_by
from commonplace.consolidate.past import Past, statement_key, value_key, words_key
from commonplace.consolidate.rivals import Stated
from commonplace.consolidate.routing import PAGES
from commonplace.facts import keyed
from commonplace.index import Filter, Index
from commonplace.model import Capture, Record, Trust, least_trusted
from commonplace.text.shingles import is_taken, shingles

RAREST = 3  # words of a draft by which neighbours are looked for
MOST_HOLDERS = 1_000  # records and captures that hold such a word; one that more hold tells nothing apart
LATEST = 200  # drafts of the same run that hold a word, and lines that name an entity, which are looked at
MOST_NEAR = 16
MOST_OF_NAME = 60  # records that name an entity, of which what they state is read
RECORDS = Filter(evidence="none")
EPISODES = "memory/episodes/"
NO_HOMES = (".memory/", "memory/pending.md", "memory/working-buffer.md", EPISODES)
SAME_SHARE = 0.6  # of its words; what says more than that besides still tells something else

Triples = tuple[tuple[str, str, str], ...]


class Shelf:
    """Looks up neighbours, rivals and sources; what the run itself keeps is put on it.

    A line that is superseded by the very draft that is looked at counts as if it were not: a run that was stopped
    finds again what it found at first.
    """

    def __init__(self, index: Index, past: Past) -> None:
        self._index, self._past = index, past
        self._own: dict[str, list[str]] = {}
        self._drafts: dict[str, Draft] = {}
        self._over: dict[str, Draft] = {}
        self._gone: set[str] = set()
        self._stating: dict[str, list[str]] = {}
        self._named: dict[str, list[Record]] = {}
        self._read: dict[str, Triples] = {}

    def put(self, draft: Draft) -> None:
        """Add a draft that is kept, so that the next one meets it."""
        self._drafts[draft.id] = draft
        for word in _words(draft.text):
            self._own.setdefault(word, []).append(draft.id)
        self._stating.setdefault(statement_key(draft.entity, draft.attribute), []).append(draft.id)

    def drop(self, record_id: str) -> None:
        """Take off what was superseded in this run."""
        self._gone.add(record_id)
        draft = self._drafts.pop(record_id, None)
        if draft is not None:
            self._over[record_id] = draft

    def find(self, record_id: str) -> Record | None:
        """The record or capture of this id, as the index knows it."""
        return self._index.find(record_id)

    def stands(self, draft: Draft) -> bool:
        """Whether the line of a draft stands in its home already."""
        record = self._index.find(draft.id)
        return record is not None and not record.source.path.startswith(NO_HOMES)

    def stated(self, record: Record, value: str = "", time: str = "") -> Stated:
        """A record as what states something: the key of the value, and when it was said, if the ledger knows."""
        told = self._past.told.get(record.id)
        when = time or (told.time if told else "") or record.time or record.valid_from
        path, start = record.source.path, record.valid_from
        return Stated(record.id, record.text, value, when, record.trust, record.sources, path, start)

    def page_of(self, entity: str) -> str:
        """The page of an entity, by its name or another that it bears; empty if it has none."""
        found = self._index.pages((text.name_key(entity),))
        return next((path for _key, path in found if path.startswith(PAGES)), "")

    def trust_of(self, capture: Capture) -> Trust:
        """How far a capture is trusted: what an agent says, no further than the least trusted of its sources."""
        if capture.actor != "agent" or not capture.from_:
            return capture.origin
        basis = [found.trust for source in capture.from_ if (found := self._index.find(source)) is not None]
        return least_trusted(capture.origin, *basis)

    def is_taken(self, said: str) -> bool:
        """Whether a text was taken word for word from what cannot be trusted."""
        own = shingles(said)
        return is_taken(own, len(self._index.shared(own)))

    # what says the same

    def near(self, draft: Draft) -> tuple[Near, ...]:
        """The records and drafts that share the draft's rarest words, most shared first; those it can be seen with."""
        words = _words(draft.text)
        own = Counter(found for word in words for found in self._own.get(word, ())[-LATEST:])
        mine = [self._drafts[found] for found, _n in own.most_common(MOST_NEAR) if found in self._drafts]
        kept = {record.id: record for record in (*self._twin(draft), *self._kept(words))}
        return (
            *(_near(record) for record in kept.values() if self._counts(record, draft)),
            *(Near(one.id, one.text, one.category, one.trust, one.entities) for one in mine if _is_seen(one, draft)),
        )

    def _twin(self, draft: Draft) -> Iterator[Record]:
        """The line that says these very words, however many captures hold them."""
        record = self._index.find(self._past.said.get(words_key(draft.text), ""))
        if record is not None:
            yield record

    def _kept(self, words: list[str]) -> list[Record]:
        frequency = {word: count for word in words if (count := self._index.frequency(word))}
        rarest = sorted(frequency, key=lambda word: (frequency[word], word))[:RAREST]
        few = (word for word in rarest if frequency[word] <= MOST_HOLDERS)
        shared = Counter(row for word in few for row in self._holders(word))
        rows = self._index.fetch(row for row, _n in shared.most_common(MOST_NEAR))
        return [row.record for row in rows.values()]

    def _holders(self, word: str) -> list[int]:
        return list(self._index.lengths(self._index.occurrences(word, 0.0), RECORDS))

    def _counts(self, record: Record, draft: Draft) -> bool:
        """Whether a record is a line in its home that still holds, and can be seen where the draft can."""
        kept = not (record.is_evidence or record.source.path.startswith(NO_HOMES) or record.text.startswith(STRUCK))
        holds = record.superseded_by in ("", draft.id) and record.id not in self._gone
        return kept and holds and record.id != draft.id and record.scope in ("", draft.scope)

    # what states the same attribute

    def rivals(self, draft: Draft) -> tuple[Stated, ...]:
        """What is stated already of the draft's attribute, where there can be but one value, in the same scope;
        newest first."""
        if not draft.is_exclusive:
            return ()
        key = statement_key(draft.entity, draft.attribute)
        found = {one.id: one for one in self._stated_now(draft, key)}
        for record_id, said in self._past.stated.get(key, {}).items():
            record = self._index.find(record_id)
            if record is not None and self._past.knows(record) and self._rivals(record, draft):
                found.setdefault(record_id, self.stated(record, said.value, said.time))
        for record in self._naming(draft.entity):
            if self._rivals(record, draft):
                for entity, attribute, value in self._triples(record):
                    if (entity, attribute) == (text.name_key(draft.entity), draft.attribute):
                        found.setdefault(record.id, self.stated(record, value_key(value)))
        return tuple(sorted(found.values(), key=lambda stated: (stated.time, stated.id), reverse=True))

    def known(self, draft: Draft) -> str:
        """What states the draft's value already but holds no more; empty if nothing does."""
        key, value = statement_key(draft.entity, draft.attribute), value_key(draft.value)
        over = (self._over[found] for found in self._stating.get(key, ()) if found in self._over)
        for one in over:
            if value_key(one.value) == value and one.scope == draft.scope:
                return one.id
        for said in self._past.stated.get(key, {}).values():
            if said.value == value and said.record != draft.id:
                record = self._index.find(said.record)
                if record is not None and record.superseded_by and record.scope == draft.scope:
                    return record.id
        return ""

    def _stated_now(self, draft: Draft, key: str) -> Iterator[Stated]:
        kept = (self._drafts[found] for found in self._stating.get(key, ()) if found in self._drafts)
        for one in kept:
            if one.scope == draft.scope and one.id != draft.id:
                yield Stated(one.id, one.text, value_key(one.value), one.time, one.trust, one.sources)

    def _rivals(self, record: Record, draft: Draft) -> bool:
        return self._counts(record, draft) and record.scope == draft.scope

    def _naming(self, entity: str) -> list[Record]:
        """The newest records whose words hold the name, and of which the ledger does not know what they state."""
        key = text.name_key(entity)
        if key not in self._named:
            rows: set[int] | None = None
            for word in _words(entity):
                holders = set(self._index.occurrences(word, 1.0))
                rows = holders if rows is None else rows & holders
            newest = self._index.newest(self._index.lengths(rows or (), RECORDS), LATEST)
            records = (row.record for row in self._index.fetch(newest).values())
            self._named[key] = [one for one in records if not self._past.knows(one)][:MOST_OF_NAME]
        return self._named[key]

    def _triples(self, record: Record) -> Triples:
        if record.id not in self._read:
            self._read[record.id] = keyed(said_by(record), record.entities, record.heading, now=record.time)
        return self._read[record.id]

    # what tells it besides

    def telling(self, stated: Stated, more: Iterable[str], made_of: Mapping[str, list[Record]]) -> tuple[str, ...]:
        """What else tells the same: the captures on which a statement rests, and `more` that repeat it, if they say
        nothing else; and what was made of those, in this run (`made_of`, by capture) or before."""
        sources = dict.fromkeys((*stated.sources, *self._past.repeats.get(stated.id, ()), *more))
        made = [row.record for row in self._index.fetch(self._index.derived(tuple(sources))).values()]
        said = [record for one in sources if (record := self._index.find(one)) is not None and record.is_evidence]
        new = [record for one in sources for record in made_of.get(one, ())]
        return retelling(stated, (*made, *said, *new))


def retelling(stated: Stated, records: Iterable[Record]) -> tuple[str, ...]:
    """Those of the records that tell what was stated, and hardly anything else; of an episode that does so in a
    detail also the summary, which says nothing that its details do not."""
    other = {one.id: one for one in records if one.id != stated.id}.values()
    told = [one for one in other if one.form != "summary" and says_no_more(said_by(one), stated.text)]
    paths = {one.source.path for one in told}
    summaries = [one for one in other if one.form == "summary" and one.source.path in paths]
    return tuple(one.id for one in (*told, *summaries))


def says_no_more(told: str, kept: str) -> bool:
    """Whether most of what a text says is what a record keeps of it."""
    words, known = _words(told), set(_words(kept))
    return bool(words) and sum(word in known for word in words) >= SAME_SHARE * len(words)


def _near(record: Record) -> Near:
    named = (*record.entities, *record.heading[-1:])
    return Near(record.id, said_by(record), record.category, record.trust, named)


def _is_seen(one: Draft, draft: Draft) -> bool:
    return one.id != draft.id and one.scope in ("", draft.scope)


def _words(written: str) -> list[str]:
    own = text.language(written)
    return list(dict.fromkeys(word for word in text.tokens(written, own) if not text.is_stop(word, own)))
