"""The types of the program: frozen values that every package takes and returns."""

from __future__ import annotations

from typing import Any, Literal, get_args

from msgspec import Struct

Kind = Literal["world", "experience", "opinion", "observation"]
Category = Literal[
    "fact", "preference", "decision", "event", "plan", "lesson", "tool", "person", "project", "procedure", "note"
]
Trust = Literal["trusted", "unknown", "untrusted", "quarantined"]
Actor = Literal["owner", "agent", "tool", "system"]
CaptureType = Literal["message", "tool_result", "note", "alert"]
NoteKind = Literal["decision", "correction", "fact", "note"]
TranscriptFormat = Literal["auto", "jsonl", "openclaw", "openclaw-mem", "claude-code", "chatgpt", "claude", "chat"]
HookHost = Literal["openclaw", "claude-code"]
Form = Literal["retain", "dialogue", "keyvalue", "row", "item", "paragraph", "heading", "code", "summary", "capture"]
Evidence = Literal["none", "auto", "only", "stated"]
SpeechAct = Literal["", "request", "question", "noise"]
PackPart = Literal["core", "standing", "correction", "recall", "neighbour", "dissent", "tail"]
Role = Literal["core", "log", "warm", "bank", "entity", "episode", "buffer", "pending", "archive", "note"]
ChangeKind = Literal["added", "modified", "removed", "moved", "unchanged"]

KINDS: tuple[Kind, ...] = get_args(Kind)
CATEGORIES: tuple[Category, ...] = get_args(Category)
TRUSTS: tuple[Trust, ...] = ("quarantined", "untrusted", "unknown", "trusted")  # least trusted first
VISIBLE_TRUSTS: tuple[Trust, ...] = ("trusted", "unknown", "untrusted")  # to who asks; what is quarantined is not
CAPTURE_PREFIX = "obs:"  # of the ids of captures
MIN_CITED_CHARS = len(CAPTURE_PREFIX) + 6  # of such an id in a citation; more where several captures begin so
SPEECH_ACTS: tuple[SpeechAct, ...] = ("request", "question", "noise")
ACTORS: tuple[Actor, ...] = get_args(Actor)
MAX_QUESTION_CHARS = 20_000  # of the text of a query
# Parts of recall that can be switched off: what is added to a score, its factors, how words are weighed.
RECALL_SWITCHES = (
    *("about", "lexical", "session", "near", "answers", "close", "entity", "kind", "time", "event", "vector"),
    "order",
    *("addressed", "agent", "answer", "length", "retells", "speaker"),
    *("confidence", "ended", "evidence", "file", "form", "importance", "recent", "trust"),
    *("emphasis", "light", "members", "spellings"),
)


def mark_of_words(trust: Trust, actor: Actor | Literal[""] = "", speaker: str = "") -> str:
    """The mark of words that are not the owner's, which every frame prints in parentheses before them; empty for his.

    Automatic packs contain `agent` and `unverified` only. `actor` and `speaker` say whose words they are, as far as
    that is known.
    """
    if trust == "trusted":
        return ""
    if trust == "unknown":
        return "agent" if actor == "agent" else "unverified"
    if trust == "quarantined" or actor == "owner":
        return trust if trust == "quarantined" else "quoted"
    name = " ".join(speaker.translate(_MARK_CHARACTERS).split())[:MAX_MARK_NAME_CHARS]
    return f"from {name or 'a tool'}"


MAX_MARK_NAME_CHARS = 60
_MARK_CHARACTERS = str.maketrans("()", "  ")  # what would end a mark


class Problem(Struct, frozen=True):
    """A problem in a user's text: a value, never an exception. `line` is 1-based, 0 for the whole file."""

    code: str
    message: str
    path: str
    line: int = 0
    hint: str = ""


class Source(Struct, frozen=True, gc=False):
    """The location of a record.

    `path` is relative to the workspace with `/`; lines are 1-based and inclusive; `byte_start` is the offset of the
    first line's first byte, `byte_end` the offset after the last line's last byte, its newline not included; `digest`
    is that of the bytes in between. `short_id` is the shortest unique beginning of the id of a capture, by which it is
    cited; empty for Markdown.
    """

    path: str
    line_start: int
    line_end: int
    byte_start: int
    byte_end: int
    digest: str
    short_id: str = ""

    @property
    def location(self) -> str:
        """The path and lines: `path#L12` or `path#L12-L15`."""
        lines = f"#L{self.line_start}"
        return self.path + (lines if self.line_end == self.line_start else f"{lines}-L{self.line_end}")

    @property
    def citation(self) -> str:
        """The source as printed: of a capture `obs:vhbsvh`, without the name of the device; else its location."""
        return self.short_id or self.location


class Record(Struct, frozen=True, gc=False):
    """One retrievable memory with the lines that it was read from.

    `text` is a verbatim slice of the file (inner line breaks and indentation included); `heading` the titles above it,
    outermost first; `time` when it was recorded and `valid_from`/`valid_to` when it holds (ISO dates or minutes, both
    ends inclusive); `confidence` and `importance` lie in 0..1; `sources` are what its annotation names with `from:`.
    """

    id: str
    text: str
    source: Source
    form: Form = "paragraph"
    kind: Kind = "world"
    category: Category = "note"
    heading: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    speaker: str = ""
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    triggers: tuple[str, ...] = ()
    time: str = ""
    valid_from: str = ""
    valid_to: str = ""
    confidence: float | None = None
    importance: float | None = None
    trust: Trust = "trusted"
    scope: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""
    sources: tuple[str, ...] = ()
    annotated: bool = False  # the line carries an explicit `id:`
    session: str = ""  # of a capture, as the next one
    actor: Actor | Literal[""] = ""  # who said or did it; empty for what stands in Markdown
    speech_act: SpeechAct = ""  # of an owner's capture that states nothing: what it does instead
    recorded: str = ""  # when it was written down, as the index settles it; empty where no ledger line says so yet
    believed: float | None = None  # of an opinion that is shown: its confidence by now, from the evidence
    days_for: int = 0  # that speak for the opinion, after the first, and against it
    days_against: int = 0

    @property
    def is_evidence(self) -> bool:
        """Whether this is a capture as it is in the journal, and no line of Markdown."""
        return bool(self.actor)

    @property
    def opinion_mark(self) -> str:
        """The mark of an opinion with its confidence; empty for what is none."""
        sure = self.confidence if self.believed is None else self.believed
        return "" if self.kind != "opinion" else "opinion" if sure is None else f"opinion, c={sure:g}"

    @property
    def mark(self) -> str:
        """The mark of its words; a line with an id of its own that is not the owner's was written for an agent."""
        return mark_of_words(self.trust, self.actor or ("agent" if self.annotated else ""), self.speaker)


class Document(Struct, frozen=True):
    """One parsed Markdown file: its records in order, its links and its problems."""

    path: str
    digest: str
    role: Role
    title: str
    records: tuple[Record, ...] = ()
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Capture(Struct, frozen=True):
    """One captured event, redacted, as the journal stores it. `from_` names the captures or records it came from,
    `keys` are digests of its names at its source. The `id` is empty until it is in the journal; `recorded` is when it
    was written there, empty where that is `ts`."""

    id: str
    ts: str
    type: CaptureType
    actor: Actor
    text: str
    session: str = ""
    agent: str = ""
    scope: str = ""
    origin: Trust = "trusted"
    detail: dict[str, Any] = {}
    from_: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    recorded: str = ""


class Change(Struct, frozen=True):
    """The change that a sync found for one file; `path_before` is set for a file that moved."""

    kind: ChangeKind
    path: str
    path_before: str = ""


def day_of(time: str) -> str:
    """The day of an ISO minute; of a time that is less exact, or none, what there is."""
    return time[: len("2025-11-27")]


class Interval(Struct, frozen=True, order=True):
    """A half-open period of local time, `start <= t < end`; ISO minutes (`2025-11-27T00:00`); an empty end is open."""

    start: str
    end: str

    @property
    def last_day(self) -> str:
        """Its last day, of an end at midnight the day before; empty if the end is open."""
        from datetime import datetime, timedelta

        return day_of((datetime.fromisoformat(self.end) - timedelta(minutes=1)).isoformat()) if self.end else ""


class SearchFilters(Struct, frozen=True):
    """Words, and which records may answer them: with all of the `tags` and `phrases`, of these `paths`, and so on; what
    is empty means all. `since` and `until` are ISO dates or minutes."""

    text: str
    kinds: tuple[Kind, ...] = ()
    categories: tuple[Category, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    since: str = ""
    until: str = ""


class Query(SearchFilters, frozen=True, kw_only=True):
    """A query to the memory.

    `now` is the clock (ISO minute, local time) against which time words are read; `around` is a date or minute too;
    `as_of` asks for what held on that day, `known_at` for what was recorded by then. `evidence` says whether captures
    are searched beside records (`auto`), not at all, or alone. `without` are parts of recall that are switched off
    (`RECALL_SWITCHES`).
    """

    now: str
    k: int = 10
    around: str = ""
    as_of: str = ""
    known_at: str = ""
    scope: str = ""
    all_scopes: bool = False
    shared: bool = True
    history: bool = False
    trust: tuple[Trust, ...] = VISIBLE_TRUSTS
    evidence: Evidence = "auto"
    without: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """Its text as far as it is looked at."""
        return self.text[:MAX_QUESTION_CHARS]

    @property
    def scopes(self) -> tuple[str, ...] | None:
        """The scopes that it sees, the shared one as the empty string; None if it sees all."""
        if self.all_scopes:
            return None
        return tuple(dict.fromkeys(("", self.scope))) if self.shared else (self.scope,)


class Reason(Struct, frozen=True, gc=False):
    """One named part of a score."""

    name: str
    value: float


class OtherValue(Struct, frozen=True, gc=False):
    """A value of the same thing at another time: the day at which it ended, or since which it holds, and its record."""

    value: str
    day: str
    id: str


class Hit(Struct, frozen=True, gc=False):
    """A record, its score and the named parts the score is made of.

    `repeated` are the ids of captures and records that say the same and are no hits of their own; `merged` are those of
    them that have words which the record lacks. `earlier` are the values that its own replaced, the last one first,
    `later` is a newer one; `earlier_than` is the id of a newer line that must stand above it wherever it is shown.
    `day` is when its value was said, if others are known, and `until` the day at which it ended. `rules_rank` is its
    rank by score, from 1, if a language model put the hits in order; else 0.
    """

    record: Record
    score: float
    reasons: tuple[Reason, ...] = ()
    repeated: tuple[str, ...] = ()
    merged: tuple[Hit, ...] = ()
    earlier: tuple[OtherValue, ...] = ()
    later: OtherValue | None = None
    earlier_than: str = ""
    day: str = ""
    until: str = ""
    rules_rank: int = 0

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the other lines that are one thing with it: what its record was made of, and what repeats it."""
        return tuple(dict.fromkeys((*self.record.sources, *self.repeated)))


class Hits(Struct, frozen=True):
    """The answer to a query: hits best first, whether the first can be relied on, and notes for the reader.

    `confidence`, from 0 to 1, is the probability that the first hit answers; `confident` is true if that is high
    enough. `lane_notes` are those of the notes that never quote the query. `not_confident` are the other records of a
    small notebook, with score 0, for nothing in the question found them.
    """

    query: Query
    hits: tuple[Hit, ...]
    confident: bool = False
    notes: tuple[str, ...] = ()
    candidates: tuple[Hit, ...] = ()  # considered and ranked below the hits
    confidence: float = 0.0
    lane_notes: tuple[str, ...] = ()
    not_confident: tuple[Hit, ...] = ()


class PackItem(Struct, frozen=True):
    """One rendered line of a pack. `layer` is L0 (one line), L1 (best sentences) or L2 (whole); `source` its record's.

    `part` says why it is in the pack: the core, a standing instruction, a hit, the line before a hit, a contradicting
    line, or the newest lines of the current task. `earlier`, `later` and `earlier_than` are those of its hit.
    """

    record_id: str
    citation: str
    text: str
    layer: Literal["L0", "L1", "L2"]
    tokens: int
    kind: Kind
    trust: Trust
    part: PackPart = "recall"
    score: float = 0.0
    earlier: tuple[OtherValue, ...] = ()
    later: OtherValue | None = None
    earlier_than: str = ""
    source: Source = Source("", 0, 0, 0, 0, "")


class Pack(Struct, frozen=True):
    """Cited lines within a budget: `text` is what goes into the prompt, `tokens` counts all of it.

    `notes` are for the reader, as in Hits.
    """

    query: str
    text: str
    items: tuple[PackItem, ...]
    tokens: int
    budget_tokens: int
    receipt_id: str = ""
    notes: tuple[str, ...] = ()


class ReceiptEntry(Struct, frozen=True, rename={"record_id": "id"}):
    """One candidate in a receipt: its record, its score, and why it was taken or left out; never its text.

    `digest` is that of the lines of one that was taken; empty in receipts of older versions.
    """

    record_id: str
    citation: str
    included: bool
    reason: str
    score: float = 0.0
    reasons: tuple[Reason, ...] = ()
    tokens: int = 0
    digest: str = ""


class PackBasis(Struct, frozen=True):
    """What a pack was made of, and for whom: enough to make it again and to say what has changed since.

    `session` is the one that read it; `options` are the parameters of the request that differ from their defaults, and
    `withheld` those that are not kept, because they are words of the question; `corrections` are the captures that were
    to be in it as such. `settings` has the digest of each
    setting that is not as it is by default, `paths` that of each file from which a line was taken; `files` and
    `captures` are digests of all files, and of how far the journals of captures went.
    """

    automatic: bool
    session: str = ""
    options: dict[str, Any] = {}
    withheld: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    files: str = ""
    captures: str = ""
    paths: dict[str, str] = {}


class Receipt(Struct, frozen=True):
    """The explanation of a pack; `query` stays empty unless the settings ask for it, `basis` is missing in receipts of
    older versions."""

    id: str
    ts: str
    query_digest: str
    budget_tokens: int
    tokens: int
    lanes: tuple[str, ...]
    considered: tuple[ReceiptEntry, ...]
    timings_ms: dict[str, float] = {}
    notes: tuple[str, ...] = ()
    query: str = ""
    scope: str = ""
    basis: PackBasis | None = None


class View(Struct, frozen=True):
    """Lines of a file as they are on disk, and the records on them."""

    path: str
    line_start: int
    line_end: int
    text: str
    records: tuple[Record, ...]


class EntityView(Struct, frozen=True):
    """Everything about an entity: the records of its own page in order, and those that mention it, newest first;
    `unlinked` are the ids of those of the latter that name it in words only, without a mark or link."""

    name: str
    page: tuple[Record, ...]
    mentions: tuple[Record, ...]
    unlinked: tuple[str, ...] = ()


class RelatedName(Struct, frozen=True):
    """A name, and how many lines it shares with another one."""

    name: str
    lines: int


class RelatedNames(Struct, frozen=True):
    """A name as written, and those that share lines with it, the nearest first."""

    name: str
    related: tuple[RelatedName, ...]


class InitResult(Struct, frozen=True):
    """A workspace and the files that `init` made in it."""

    root: str
    created: tuple[str, ...]


class Health(Struct, frozen=True):
    """The result of `check`: the checks that ran, and every problem."""

    checks: tuple[str, ...]
    problems: tuple[Problem, ...]


def is_short_id(reference: str) -> bool:
    """Whether a reference can be the beginning of the id of a capture, by which that is cited."""
    return len(reference) >= MIN_CITED_CHARS and reference.startswith(CAPTURE_PREFIX)


def is_cited_as(record_id: str, reference: str) -> bool:
    """Whether a reference is this id, or a beginning of it by which a capture may be cited."""
    return record_id == reference or (is_short_id(reference) and record_id.startswith(reference))


def least_trusted(*trusts: Trust) -> Trust:
    """The lowest of several trusts; `unknown` for none."""
    return min(trusts, key=TRUSTS.index, default="unknown")
