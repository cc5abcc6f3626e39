"""What an index must be able to do, whatever keeps it, and the values that pass in and out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from commonplace.index.wanted import Wanted
from commonplace.model import Evidence, Interval, Kind, Problem, Record, Role, Trust

if TYPE_CHECKING:
    from commonplace.errors import CommonplaceError
    from commonplace.workspace.sweep import Sweep

Stamp = tuple[int, int, int, int]  # size, mtime in ns, ctime in ns, inode
OPEN_START, OPEN_END = "0000", "9999"  # of what holds, and nobody knows since when or until when
MentionRole = Literal["speaker", "mention", "page"]
Mention = tuple[int, str, str]  # row, folded name, role


class FileRow(Struct, frozen=True):
    """A file as last read. `origin` is where it stood at first sight."""

    path: str
    origin: str
    digest: str
    stamp: Stamp
    role: Role = "note"
    title: str = ""
    records: int = 0


class Entry(Struct, frozen=True):
    """A record made ready for the index: its tokens, the stretch of time it holds in, the entities it names.

    `tokens` and `context` are index tokens, each between two spaces of its own; `starts`/`ends` are inclusive ISO
    minutes, OPEN_START or OPEN_END where one of them is not known, and empty where neither is;
    `mentions` are (folded name, role, name as written), `events` the half-open stretches of time that its text names.
    """

    record: Record
    tokens: str
    context: str
    length: int
    text_digest: str
    starts: str = ""
    ends: str = ""
    mentions: tuple[tuple[str, MentionRole, str], ...] = ()
    events: tuple[tuple[str, str], ...] = ()


class FileEntries(Struct, frozen=True):
    """All that the index keeps of one file; `names` are (folded name, name) of the page, `entity` that it is one."""

    file: FileRow
    entries: tuple[Entry, ...]
    names: tuple[tuple[str, str], ...] = ()
    entity: bool = False
    problems: tuple[Problem, ...] = ()


class LedgerFacts(Struct, frozen=True):
    """What new ledger lines say: trust by record id, text digest, or both; moved files, use, what went on purpose.

    A move is (path, first place, when and where the line stands): of two moves to one path the later by that counts.
    """

    origins: tuple[tuple[str, Trust], ...] = ()
    moves: tuple[tuple[str, str, str], ...] = ()
    included: tuple[str, ...] = ()
    used: tuple[str, ...] = ()
    explained: tuple[str, ...] = ()


class Filter(Struct, frozen=True):
    """Which records a query may see; None or empty means any.

    `scopes` lists the scopes to be seen (the shared one is the empty string). `since` (inclusive) and `until`
    (exclusive) are ISO minutes; where it is `bounded`, of what holds all through from one to the other only that of
    which both ends are known. `as_of` is an ISO minute too: only what was known before it and held until it.
    `history` shows superseded records too; `evidence` says whether captures are let through, or they alone; `vouched`
    lets only trusted ones through.
    """

    kinds: tuple[Kind, ...] = ()
    categories: tuple[str, ...] = ()
    scopes: tuple[str, ...] | None = None
    trusts: tuple[Trust, ...] = ()
    since: str = ""
    until: str = ""
    bounded: bool = False
    as_of: str = ""
    history: bool = False
    evidence: Evidence = "auto"
    vouched: bool = False


class Row(Struct, frozen=True, gc=False):
    """A record as the index keeps it, with its row number and tokens."""

    row: int
    record: Record
    tokens: str
    context: str
    length: int


class Turn(Struct, frozen=True, gc=False):
    """What scoring needs of a record; `tokens` and `context` as in `Row`."""

    row: int
    tokens: str
    context: str
    length: int
    speaker: str
    actor: str
    text: str


class Dialogue(Struct, frozen=True, eq=False, weakref=True):
    """Turns of one dialogue in order, and how many it has in all; None stands where turns are left out or hidden.

    As long as nothing changes, and one filter is asked for, the same dialogue may be the same object.
    """

    turns: tuple[Turn | None, ...]
    size: int


class Index(Protocol):
    """The derived index. Reading methods may be called at any time; writing methods inside `transaction()`."""

    inode: int  # of the file that was opened, to tell whether it was swapped since
    unkept: CommonplaceError | None  # why it is in memory only; None for one in a file

    def transaction(self) -> AbstractContextManager[None]:
        """A write transaction; rolled back if the block raises. Raises LockBusy."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Reading in one state: what other processes write meanwhile is seen after it. May be nested."""

    def stop(self) -> None:
        """Break off what reads in another thread: it raises Interrupted, and so does every later question until
        `go_on`; what is being written is left to its end. The only method that any thread may call."""

    def go_on(self) -> None:
        """Answer again after `stop`."""

    def close(self) -> None:
        """Let go of the database."""

    def size_in_bytes(self) -> int:
        """How much room it takes, here or on its disk."""

    # writing
    def drop(self, path: str) -> None:
        """Remove a file and all that came from it."""

    def put(self, file: FileEntries) -> None:
        """Add a file that is not there."""

    def replace(self, file: FileEntries, records: Sequence[Record], prepare: Callable[[Record], Entry]) -> None:
        """Put a changed file, given without its entries, in place of what is there.

        Records that say what they said stay as they are; only of the others entries are made.
        """

    def witness(self, entries: Sequence[Entry], keys: Sequence[str]) -> None:
        """Add captures as evidence, and the keys under which their sources know them."""

    def taint(self, hashes: Collection[int]) -> None:
        """Take in the shingles of what cannot be trusted; `settle` finds the records that were taken from it."""

    def forget_evidence(self) -> None:
        """Drop every capture, every key and every taint, to read the journals anew."""

    def note(self, source: str, problems: Sequence[Problem]) -> None:
        """Keep what is wrong with `source` in place of what was noted before."""

    def stamp(self, path: str, stamp: Stamp) -> None:
        """Note that a file was touched but says the same."""

    def learn(self, facts: LedgerFacts) -> None:
        """Take in what new ledger lines say."""

    def forget_ledger(self) -> None:
        """Drop all that ledger lines said, to read them anew."""

    def settle(self) -> int:
        """Settle ids, supersession and trust after drops and puts; returns how many ids are gone, unexplained."""

    def remember(self, key: str, value: str) -> None:
        """Keep a small fact about the index itself."""

    # reading
    def state(self) -> tuple[int, int]:
        """What differs after every change of the index, whoever made it."""

    def be_at(self, look: Sweep, journals: Mapping[str, int] | None = None) -> None:
        """Note that this look at the files has nothing new to tell, nor have journals of these sizes."""

    def at(self) -> tuple[Sweep, Mapping[str, int] | None] | None:
        """The last look of which that was noted, and those sizes, if nothing was written since."""

    def recalled(self, key: str) -> str:
        """The small fact under `key`, empty if there is none."""

    def files(self) -> dict[str, FileRow]:
        """Every file by path. Not to be changed."""

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, as it was when the file was last read. Not to be changed."""

    def misplaced(self) -> frozenset[str]:
        """Files that were read under another first place than the ledger knows by now."""

    def captured(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which something was captured already."""

    def standing(self, hashes: Collection[int], trusts: Sequence[Trust]) -> dict[int, bool]:
        """Those of the shingles that stand in records of these trusts; true for those that are all of such a record.

        The first question makes the index keep the shingles of its records. Raises LockBusy then.
        """

    def shared(self, hashes: Collection[int]) -> frozenset[int]:
        """Those of the shingles that stand in captures that cannot be trusted."""

    def origin(self, path: str) -> str:
        """Where the file at `path` stood at first sight, as the ledger knows it; `path` itself otherwise."""

    def counts(self) -> dict[str, int]:
        """How many files, records, entities, problems … there are."""

    def size(self) -> tuple[int, int]:
        """How many records and captures there are and how many tokens their texts hold."""

    def evidence(self) -> int:
        """How many of them are captures."""

    def said(self) -> tuple[int, int]:
        """The same less the lines of episodes, which tell captures again: what is said once is counted once."""

    def frequency(self, token: str) -> int:
        """In how many of what `said` counts a token stands; 1 at least if it stands anywhere."""

    def near_tokens(self, beginning: str, spellings: Sequence[str]) -> tuple[str, ...]:
        """The tokens that begin so, and those of the spellings that stand anywhere; sorted, each once."""

    def occurrences(self, token: str, title_weight: float) -> dict[int, float]:
        """How often a token stands in each record that holds it; in the titles above it counts `title_weight`."""

    def holding(self, tokens: Sequence[str]) -> list[int]:
        """The rows of the records that hold all of the tokens, in text or titles; captures are not even looked at."""

    def outlines(self, rows: Iterable[int]) -> list[tuple[int, str, str, str]]:
        """(row, id, path, digest of the text) of rows, in order."""

    def matching(self, wanted: Wanted, at_most: int = -1) -> list[int]:
        """The rows of the records and captures that hold what is wanted, in text, titles or marks, in order."""

    def matching_among(self, wanted: Wanted, rows: Collection[int]) -> set[int]:
        """Those of the rows that hold what is wanted."""

    def holders(self, tokens: Sequence[str], rows: Collection[int]) -> dict[str, list[int]] | None:
        """Those of the rows that hold each of the tokens; None where it would take long to know."""

    def by_length(self, rows: Iterable[int]) -> tuple[list[int], list[int]]:
        """The rows in order of how many tokens they hold, the shortest first, and these counts."""

    def few(self, only: Filter, at_most: int) -> list[int] | None:
        """The rows that the filter lets through, in any order; None if there are more than `at_most`."""

    def lengths(self, rows: Iterable[int], only: Filter) -> dict[int, int]:
        """Token counts of those of the rows that the filter lets through."""

    def tokens(self, rows: Iterable[int]) -> dict[int, tuple[str, str]]:
        """The tokens of the rows, each between two spaces of its own: of the text, and of the titles above."""

    def telling(self, stretch: Interval, only: Filter, at_most: int) -> list[tuple[int, str, str]]:
        """(row, start, end) of the times in a stretch that lines tell of and the filter lets through, latest first."""

    def sessions(self, only: Filter) -> tuple[str, ...]:
        """The names of the sessions in which something was said that the filter lets through, in order of time."""

    def said_in(self, names: Collection[str], only: Filter, at_most: int) -> list[int]:
        """The rows of sessions that the filter lets through, newest first, not more than `at_most`."""

    def dialogues(self, rows: Iterable[int]) -> dict[int, str]:
        """The name of the dialogue of each of the rows that is a turn of one."""

    def read_dialogues(self, names: Sequence[str], around: Collection[int], only: Filter) -> list[Dialogue]:
        """Dialogues by name as wholes, in order; of long ones what is near the rows `around`."""

    def turns(self, rows: Iterable[int], only: Filter) -> list[Turn]:
        """What scoring needs of those of the rows that the filter lets through, in any order."""

    def digests_of(self, rows: Iterable[int]) -> dict[int, str]:
        """The digest of the text of each of the rows."""

    def rows_with(self, wanted: Iterable[str]) -> list[tuple[int, str]]:
        """(row, digest) of every record that has one of the texts of these digests."""

    def all_digests(self) -> set[str]:
        """The digests of all texts, each of which may stand in several records; of what is quarantined none."""

    def read_texts(self, wanted: Iterable[str]) -> Iterator[tuple[str, str]]:
        """(digest, text) of each of the digests that is there, once."""

    def fetch(self, rows: Iterable[int]) -> dict[int, Row]:
        """Whole records by row number, in the order asked; of a set in that of the numbers."""

    def count(self, only: Filter, at_most: int) -> list[int]:
        """Rows that the filter lets through, newest first, not more than `at_most`."""

    def newest(self, rows: Iterable[int], at_most: int) -> list[int]:
        """Of these rows the newest, then by path and line, not more than `at_most`."""

    def known_names(self, keys: Sequence[str]) -> dict[str, str]:
        """Those of the folded names that an entity or page bears, with the name as written."""

    def known(self, keys: Sequence[str]) -> tuple[str, ...]:
        """Those of the folded names that an entity or page bears, in the order asked."""

    def mentions(self, keys: Sequence[str]) -> list[Mention]:
        """(row, key, role) of the records that name the entities."""

    def mentions_among(self, keys: Sequence[str], rows: Iterable[int]) -> list[Mention]:
        """The same of these rows only, and those of them that stand on the pages of the entities."""

    def speaking(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the folded names under which somebody speaks."""

    def newest_naming(self, keys: Sequence[str], only: Filter, at_most: int) -> list[int]:
        """The rows that name the entities and that the filter lets through, newest first."""

    def pages(self, keys: Sequence[str]) -> list[tuple[str, str]]:
        """(key, path) of the pages that bear the names."""

    def rows_of(self, path: str) -> list[int]:
        """The rows of a file, in order."""

    def tagged(self) -> list[tuple[str, str]]:
        """(tag, path) of every record that bears a tag, by tag and path."""

    def bearing(self, tag: str) -> list[int]:
        """The rows of the records that bear a tag."""

    def derived(self, sources: Sequence[str]) -> list[int]:
        """The rows of the records that rest on any of these sources."""

    def session(self, session: str) -> list[int]:
        """The rows of the captures of a session, in order of time."""

    def rows_with_ids(self, ids: Iterable[str]) -> list[int]:
        """The rows of the records with these ids."""

    def row_of(self, record_id: str) -> int:
        """The row of the record with this id; 0 if there is none."""

    def before(self, record: Record, only: Filter) -> Record | None:
        """The turn right before another in its dialogue, or the paragraph before another below the same titles; None if
        there is none or the filter hides it."""

    def disputing(self, records: Sequence[str], only: Filter) -> list[tuple[str, int]]:
        """(id, row) of what says that it replaces any of the records, whether it does, and the filter lets through."""

    def find(self, record_id: str) -> Record | None:
        """The record with this id."""

    def scopes(self) -> tuple[str, ...]:
        """The scopes in use, sorted, without the shared one."""

    def entities(self) -> list[tuple[str, str, int]]:
        """(folded name, name, number of records) of every entity, most named first."""

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong in the files, by path and line."""

    def conflicts(self) -> frozenset[str]:
        """Paths of files in which two versions are mixed, or that are one of two: never to be packed."""

    def dump(self) -> list[str]:
        """The content in a canonical form, one line an item: equal indexes dump equally."""
