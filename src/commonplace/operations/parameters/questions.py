"""What is asked: recall, packs, receipts, lines, facts, and test questions."""

from __future__ import annotations

from typing import Annotated, Literal

from commonplace import model
from commonplace.operations.parameters import basics
from commonplace.operations.parameters.basics import ClockRequest, Request, about


class QuestionRequest(ClockRequest, frozen=True):
    """A question in words."""

    text: Annotated[str, about("The question, in plain words. A whole question finds more than single words.")]


class SearchRequest(ClockRequest, frozen=True):
    """What a person typed into a search field."""

    text: Annotated[str, about("Words, and among them `path:x`, `tag:x`, `entity:x`, `kind:x`, `before:x`, `after:x`.")]


class RecallRequest(QuestionRequest, kw_only=True, frozen=True):
    """A question to memory, and which records may answer it."""

    kinds: Annotated[tuple[model.Kind, ...], about("Only these kinds of statement.")] = ()
    categories: Annotated[tuple[model.Category, ...], about("Only these categories.")] = ()
    entities: Annotated[tuple[str, ...], about("Only records that name these people, places or things.")] = ()
    tags: Annotated[tuple[str, ...], about("Only records that have all of these tags.")] = ()
    paths: Annotated[
        tuple[str, ...], about("Only records of these files and folders, by the beginning of a name on their path.")
    ] = ()
    phrases: Annotated[tuple[str, ...], about("Only records that say these words in this order.")] = ()
    since: basics.Since = ""
    until: basics.Until = ""
    around: Annotated[str, about("Prefer records near this time.")] = ""
    scope: basics.QueryScope = None
    all_scopes: basics.AllScopes = False
    shared: basics.Shared = True
    as_of: basics.AsOf = ""
    known_at: basics.KnownAt = ""
    history: Annotated[bool, about("Include superseded records.")] = False
    evidence: Annotated[
        model.Evidence, about("Search captures too (`auto`), no captures (`none`), or captures only (`only`).")
    ] = "auto"
    trust: Annotated[tuple[model.Trust, ...], about("Only records with these levels of trust.")] = model.VISIBLE_TRUSTS
    sync: Annotated[bool, about("Check the files for changes first.")] = True
    k: Annotated[int | None, about("The maximum number of records; setting `recall.k` if absent.")] = None


HeardSession = Annotated[
    str, about("A session whose captures are left out, because the model still has them in its context.")
]
ShownReferences = Annotated[
    tuple[str, ...], about("Ids of records and paths of files that the reader has before him: they are left out.")
]


class PackRequest(RecallRequest, kw_only=True, frozen=True):
    """A question to memory, and what a pack of cited lines for it may hold."""

    budget_tokens: Annotated[int | None, about("The token budget; setting `pack.budget_tokens` if absent.")] = None
    automatic: Annotated[
        bool, about("Build the pack that a host would get: nothing untrusted, and the current task at the end.")
    ] = False
    session: basics.PackSession = ""
    core: Annotated[bool | None, about("Whether MEMORY.md comes first; setting `pack.core` if absent.")] = None
    heard: HeardSession = ""
    standing: Annotated[
        bool, about("Whether an automatic pack has standing instructions and preferences, which share no word with it.")
    ] = True
    shown: ShownReferences = ()
    reader: Annotated[
        str, about("The session that reads the pack, for its receipt; `session` or `heard` if empty.")
    ] = ""


class PackWithReceiptRequest(PackRequest, kw_only=True, frozen=True):
    """Options of a pack, and whether the answer contains the id of the receipt."""

    receipt: Annotated[bool, about("Include the id of the receipt that explains the pack.")] = False


class CoreRequest(ClockRequest, kw_only=True, frozen=True):
    """A pack of the core and the standing instructions alone."""

    budget_tokens: Annotated[int | None, about("The token budget; setting `pack.budget_tokens` if absent.")] = None
    scope: basics.QueryScope = None
    heard: HeardSession = ""
    shown: ShownReferences = ()


class RecallLineRequest(RecallRequest, frozen=True):
    """A question to memory, and a line that should answer it."""

    reference: Annotated[str, about("The line: `PATH#L12`, or the id of a record or capture.")]


class WhyNotRequest(RecallLineRequest, kw_only=True, frozen=True):
    """A question to memory, and a line that should be among the hits or in the pack."""

    budget_tokens: Annotated[int | None, about("Explain a pack with this token budget instead of the hits.")] = None
    automatic: Annotated[bool, about("With a budget: explain the pack that a host would get.")] = False
    session: basics.PackSession = ""


class WhyRequest(Request, frozen=True):
    """A receipt, and perhaps one of its records."""

    receipt: Annotated[str, about("The id of a receipt, as returned by `pack`, or `last`.")] = "last"
    record: Annotated[str | None, about("Show only this record of the receipt.")] = None
    words: Annotated[bool, about("Add what each line says today, and what it said if that changed.")] = False


class ReceiptsRequest(ClockRequest, kw_only=True, frozen=True):
    """A list of receipts, newest first."""

    until: basics.Until = ""
    at_most: Annotated[int, about("The maximum number of receipts.")] = 50
    skip: basics.Skip = 0


class ReceiptRequest(Request, frozen=True):
    """A receipt."""

    receipt_id: Annotated[str, about("The id of a receipt, as returned by `pack`, or `last`.")] = "last"


class ExplainPackRequest(ReceiptRequest, frozen=True):
    """A receipt, and perhaps a record whose score is explained."""

    record_id: Annotated[str | None, about("Explain how the score of this record was calculated.")] = None


class CorrectionRequest(ClockRequest, frozen=True):
    """What was wrong, and what is right instead."""

    reference: Annotated[str, about("The id of the record or capture that was wrong, `PATH#L12` or `PATH#L12-L15`.")]
    text: Annotated[str, about("What is right, in a sentence that can be understood on its own.")]


class ReplayRequest(Request, frozen=True):
    """A pack to be made again."""

    receipt: Annotated[str, about("The id of a receipt, `last`, or `last~1` for the one before it.")] = "last"
    question: Annotated[str, about("The question, word for word, if the receipt has only its digest.")] = ""


class CompareReceiptsRequest(Request, frozen=True):
    """Two receipts: ids, `last`, or `last~1` for the one before it."""

    before: Annotated[str, about("The earlier receipt.")] = "last~1"
    after: Annotated[str, about("The later receipt.")] = "last"


class ShowRequest(Request, frozen=True):
    """A record or lines of a file."""

    reference: Annotated[
        str, about("An id, `obs:vhbsvh`, `PATH`, `PATH#L12` or `PATH#L12-L15`, with or without `~ANCHOR`.")
    ]


class NameRequest(Request, frozen=True):
    """A name."""

    name: Annotated[str, about("The name of a person, place or thing.")]


class FactsRequest(NameRequest, kw_only=True, frozen=True):
    """A person, place or thing by name, and the days of its facts."""

    as_of: basics.AsOf = ""
    known_at: basics.KnownAt = ""
    all_values: Annotated[bool, about("Show the values of all days, not only those that hold.")] = False
    newest: Annotated[
        int | None, about("Of lines that name it and are not known to have a fact, read only so many, the newest.")
    ] = None
    scope: basics.QueryScope = None
    all_scopes: basics.AllScopes = False
    now: basics.Now = None


class EntityRequest(NameRequest, kw_only=True, frozen=True):
    """A person, place or thing by name."""

    at_most: basics.ResultCount = 50
    until: basics.Until = ""
    now: basics.Now = None


class RelatedRequest(NameRequest, kw_only=True, frozen=True):
    """A person, place or thing by name."""

    at_most: Annotated[int, about("The maximum number of names.")] = 50


class EntitiesRequest(Request, kw_only=True, frozen=True):
    """A part of the list of names."""

    begins: Annotated[str, about("Only names that begin so, whatever their case and accents.")] = ""
    skip: basics.Skip = 0
    at_most: Annotated[int, about("The maximum number of names.")] = 1_000_000


class FilesRequest(Request, kw_only=True, frozen=True):
    """A part of the list of files."""

    contains: Annotated[str, about("Only files with this in their path or title.")] = ""
    skip: basics.Skip = 0
    at_most: Annotated[int, about("The maximum number of files.")] = 1_000_000


class ReadFileRequest(Request, frozen=True):
    """Lines of a file."""

    path: basics.FilePath
    line_start: Annotated[int, about("The first line.")] = 1
    line_end: Annotated[int, about("The last line; the end of the file if 0.")] = 0


class TimelineRequest(ClockRequest, kw_only=True, frozen=True):
    """A period."""

    since: basics.Since = ""
    until: basics.Until = ""
    around: Annotated[str, about("The records nearest to this time, or to the record with this id.")] = ""
    scope: basics.QueryScope = None
    all_scopes: basics.AllScopes = False
    evidence: Annotated[
        model.Evidence, about("List captures too (`auto`), no captures (`none`), or captures only (`only`).")
    ] = "none"
    by: Annotated[
        Literal["time", "recorded", "importance"],
        about("By the `time` of records, oldest first; or by when they were `recorded` or their `importance`, newest."),
    ] = "time"
    skip: basics.Skip = 0
    at_most: basics.ResultCount = 50


class ActivityRequest(ClockRequest, kw_only=True, frozen=True):
    """The days that are counted."""

    days: Annotated[int, about("How many days are counted.")] = 30
    until: Annotated[str, about("The last of these days; today if empty.")] = ""
    scope: basics.QueryScope = None
    all_scopes: basics.AllScopes = False


class ResumeRequest(ClockRequest, kw_only=True, frozen=True):
    """A request to resume, within a token budget."""

    session: Annotated[
        str, about("The session whose working memory is shown; may be omitted if there is only one.")
    ] = ""
    budget_tokens: Annotated[int | None, about("The token budget; 3000 if absent.")] = None
    scope: basics.QueryScope = None
    all_scopes: basics.AllScopes = False


class QuestionFileRequest(ClockRequest, frozen=True):
    """A file of questions."""

    path: Annotated[str, about("The file with the questions.")] = "memory/golden.md"


class GoldenRequest(QuestionFileRequest, kw_only=True, frozen=True):
    """A file of questions, and how they are asked."""

    k: Annotated[int | None, about("The number of hits to search; setting `recall.k` if absent.")] = None
    update: Annotated[bool, about("Store the ranks, so that later runs can be compared with them.")] = False
