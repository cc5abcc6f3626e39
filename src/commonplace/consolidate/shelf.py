"""What is kept already and close to a draft: in the index, and among the drafts of the same run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from commonplace import text
from commonplace.consolidate.candidates import Near
from commonplace.consolidate.drafts import Draft
from commonplace.consolidate.duplicates import needed
from commonplace.consolidate.lines import STRUCK, said_by
from commonplace.consolidate.past import Past, Statement, statement_key, value_key, words_key
from commonplace.consolidate.rivals import Stated
from commonplace.consolidate.routing import PAGES
from commonplace.facts import keyed
from commonplace.index import Index
from commonplace.model import Capture, Record, Trust, least_trusted
from commonplace.text.shingles import is_taken, shingles

RAREST = 3  # words of a draft by which neighbours are looked for
MANY = 100  # lines that hold one of them; of so many those that hold all that a repetition must
MOST_NEAR = 16
MOST_OF_NAME = 200  # records that name an entity, the newest, of which what they state is read
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
        self._own: list[tuple[Draft, list[str]]] = []  # the drafts that are kept, each with its words
        self._holders: dict[str, set[int]] = {}  # places in that list, by word
        self._frequency: dict[str, int] = {}
        self._drafts: dict[str, Draft] = {}
        self._gone: set[str] = set()
        self._stating: dict[str, dict[str, Draft]] = {}  # those that hold, by what they are about
        self._over: dict[tuple[str, str, str], str] = {}  # those that do not, by that, the value and the scope
        self._standing: dict[str, dict[str, list[tuple[Record, Statement]]]] = {}
        self._named: dict[str, list[Record]] = {}
        self._read: dict[str, Triples] = {}

    def put(self, draft: Draft) -> None:
        """Add a draft that is kept, so that the next one meets it."""
        self._drafts[draft.id] = draft
        words = _words(draft.text)
        for word in words:
            self._holders.setdefault(word, set()).add(len(self._own))
        self._own.append((draft, words))
        self._stating.setdefault(statement_key(draft.entity, draft.attribute), {})[draft.id] = draft

    def drop(self, record_id: str) -> None:
        """Take off what was superseded in this run."""
        self._gone.add(record_id)
        draft = self._drafts.pop(record_id, None)
        if draft is not None:
            key = statement_key(draft.entity, draft.attribute)
            del self._stating[key][record_id]
            self._over.setdefault((key, value_key(draft.value), draft.scope), record_id)

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
        """The records and drafts that may say what the draft says, of those that it can be seen with.

        What says the same holds every word that is needed to say it, so it is among those that hold the rarest of
        them. Of many those come first that hold the most of these words, and then the most alike.
        """
        words = _words(draft.text)
        telling = sorted(needed(draft.text).intersection(words)) or words
        kept = {one.id: one for one in (*self._twin(draft), *self._kept(draft, words, telling))}
        mine = self._mine(draft, words, telling)
        return (
            *(_near(one) for one in kept.values() if self._counts(one, draft)),
            *(Near(one.id, one.text, one.category, one.trust, one.entities) for one in mine),
        )

    def _twin(self, draft: Draft) -> Iterator[Record]:
        """The line that says these very words, however many captures hold them."""
        said = self._past.said.get(words_key(draft.text))
        record = self._index.find(said) if said else None
        if record is not None:
            yield record

    def _kept(self, draft: Draft, words: list[str], telling: list[str]) -> Iterator[Record]:
        """The lines in their homes that hold one of the rarest telling words or, of very many, all of those words."""
        rarest = sorted(filter(self._held, telling), key=self._held)[:RAREST]
        asked = [telling] if _are_many(map(self._held, rarest), telling, words) else [[word] for word in rarest]
        few = {row for some in asked for row in self._index.holding(some)}
        homes = [row for row, _id, path, _digest in self._index.outlines(few) if not path.startswith(NO_HOMES)]
        if len(homes) > MOST_NEAR:
            said = self._index.tokens(homes)
            homes.sort(key=lambda row: _unlike(words, telling, said[row][0].split()))
        found = (one for some in _parts(homes) for one in self._records(some))
        return islice((one for one in found if self._counts(one, draft)), MOST_NEAR)

    def _held(self, word: str) -> int:
        """How many records hold a word."""
        if word not in self._frequency:
            self._frequency[word] = len(self._index.holding((word,)))
        return self._frequency[word]

    def _records(self, rows: Sequence[int]) -> list[Record]:
        """The records of rows, in the order of these."""
        found = self._index.fetch(rows)
        return [found[row].record for row in rows]

    def _mine(self, draft: Draft, words: list[str], telling: list[str]) -> list[Draft]:
        """The same among the drafts of this run."""
        holders = sorted((self._holders.get(word, set()) for word in telling), key=len)
        rarest = [some for some in holders if some][:RAREST]
        are_many = _are_many(map(len, rarest), telling, words)
        few = set.intersection(*holders) if are_many else set[int]().union(*rarest)
        seen = [place for place in sorted(few) if self._is_seen(self._own[place][0], draft)]
        if len(seen) > MOST_NEAR:
            seen.sort(key=lambda place: _unlike(words, telling, self._own[place][1]))
        return [self._own[place][0] for place in seen[:MOST_NEAR]]

    def _is_seen(self, one: Draft, draft: Draft) -> bool:
        return one.id in self._drafts and one.id != draft.id and one.scope in ("", draft.scope)

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
        known = self._known_to_state(key)
        for record, said in (*known.get("", ()), *known.get(draft.id, ())):
            if self._rivals(record, draft):
                found.setdefault(record.id, self.stated(record, said.value, said.time))
        for record in self._naming(draft.entity):
            if self._rivals(record, draft):
                for entity, attribute, value in self._triples(record):
                    if (entity, attribute) == (text.name_key(draft.entity), draft.attribute):
                        found.setdefault(record.id, self.stated(record, value_key(value)))
        return tuple(sorted(found.values(), key=lambda stated: (stated.time, stated.id), reverse=True))

    def known(self, draft: Draft) -> str:
        """What states the draft's value already but holds no more; empty if nothing does."""
        key, value = statement_key(draft.entity, draft.attribute), value_key(draft.value)
        if over := self._over.get((key, value, draft.scope)):
            return over
        for said in self._past.stated.get(key, {}).values():
            if said.value == value and said.record != draft.id:
                record = self._index.find(said.record)
                if record is not None and record.superseded_by and record.scope == draft.scope:
                    return record.id
        return ""

    def _stated_now(self, draft: Draft, key: str) -> Iterator[Stated]:
        for one in self._stating.get(key, {}).values():
            if one.scope == draft.scope and one.id != draft.id:
                yield Stated(one.id, one.text, value_key(one.value), one.time, one.trust, one.sources)

    def _known_to_state(self, key: str) -> dict[str, list[tuple[Record, Statement]]]:
        """The lines that state this, as the ledger knows, and that nobody changed since; by what supersedes each."""
        if key not in self._standing:
            found = self._standing[key] = {}
            for record_id, said in self._past.stated.get(key, {}).items():
                record = self._index.find(record_id)
                if record is not None and self._past.knows(record):
                    found.setdefault(record.superseded_by, []).append((record, said))
        return self._standing[key]

    def _rivals(self, record: Record, draft: Draft) -> bool:
        return self._counts(record, draft) and record.scope == draft.scope

    def _naming(self, entity: str) -> list[Record]:
        """The newest lines whose words hold the name, and of which the ledger does not know what they state."""
        key = text.name_key(entity)
        if key not in self._named:
            outlines = self._index.outlines(self._index.holding(_words(entity)))
            homes = (one for one in outlines if not one[2].startswith(NO_HOMES))
            unknown = [row for row, record_id, _path, digest in homes if not self._past.tells(record_id, digest)]
            self._named[key] = self._records(self._index.newest(unknown, MOST_OF_NAME))
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


def _are_many(counts: Iterable[int], telling: list[str], words: list[str]) -> bool:
    """Whether so many hold one of the rarest words that only those that hold all are looked at; where none of the words
    is needed, all of them are."""
    return sum(counts) > MANY and telling is not words


def _unlike(words: list[str], telling: list[str], others: list[str]) -> tuple[int, float]:
    """To sort by: how many of the telling words the others lack, then how little they share with all the words."""
    held = set(others)
    return sum(word not in held for word in telling), -text.similarity(words, others)


def _parts(rows: Sequence[int]) -> Iterator[Sequence[int]]:
    return (rows[start : start + MOST_NEAR] for start in range(0, len(rows), MOST_NEAR))


def _words(written: str) -> list[str]:
    own = text.language(written)
    return list(dict.fromkeys(word for word in text.tokens(written, own) if not text.is_stop(word, own)))
