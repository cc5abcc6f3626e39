"""Which records may enter a pack, and the options of the caller that decide it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.model import TRUSTS, Hit, PackPart, Record, Trust
from commonplace.storage.settings import Settings
from commonplace.storage.workspace import QUEUE_PATH

CAPTURE_FOLDER = ".memory/"
AUTOMATIC_TRUSTS: tuple[Trust, ...] = ("trusted", "unknown")


def share_of(percent: int) -> float:
    """The share that a setting in percent means, from 0 to 1."""
    return percent / 100


class PackOptions(Struct, frozen=True, kw_only=True):
    """How to pack.

    `count_tokens` counts the tokens of a text; the budget is kept by it. An `automatic` pack, one that no reader asked
    for, holds trusted records and unknown ones of files (`untrusted` lets the others in, marked); an explicit pack
    shows all but quarantined ones, marked. `max_items` limits the hits after the core. Records that are
    `near_duplicate` similar (0..1) collapse. The core, standing instructions and the newest lines of the task under way
    take their `share` of the budget at most. Nothing is packed from the paths in `conflicts`, captured in the session
    `current_session`, or `shown` to the reader elsewhere, by id or path. `current_value` gives a line that recall has
    not ranked with the values before and after its own, `previous_line` the line right before another,
    `disputing_lines` those that speak against it; a line that `has_changed_source` is marked. Hits below `floor` (0..1)
    times the best stay out; where `states_only`, captures that only ask or request something do. `find_retelling` finds
    the record that says all that a capture does.
    """

    count_tokens: Callable[[str], int]
    automatic: bool = True
    untrusted: bool = False
    max_items: int = 24
    near_duplicate: float = 0.8
    core_share: float = 0.4
    standing_share: float = share_of(Settings().pack_standing_percent)
    tail_share: float = share_of(Settings().pack_tail_percent)
    conflicts: frozenset[str] = frozenset()
    previous_line: Callable[[Record], Record | None] = lambda _record: None
    disputing_lines: Callable[[Record], tuple[Record, ...]] = lambda _record: ()
    current_session: str = ""
    shown: frozenset[str] = frozenset()
    current_value: Callable[[Record], Hit] = lambda record: Hit(record, 0.0)
    has_changed_source: Callable[[Record], bool] = lambda _record: False
    now: str = ""
    floor: float = 0.0
    states_only: bool = False
    find_retelling: Callable[[Hit], Record | None] = lambda _hit: None


def is_never_automatic(record: Record) -> bool:
    """Whether it enters no automatic pack whatever else is true of it; very many such must not crowd out the others."""
    return record.trust not in AUTOMATIC_TRUSTS or (record.is_evidence and record.trust != "trusted")


def refusal_reason(record: Record, options: PackOptions, part: PackPart = "recall") -> str:
    """The reason why a record is refused as this part of a pack, as the receipt states it; empty if it is admitted.

    What waits for review may contradict a line that is shown; a question may stand before its answer.
    """
    if part == "core" and (record.superseded_by or record.form == "heading"):  # which no recall has looked over
        return f"superseded by {record.superseded_by}" if record.superseded_by else "a heading; its lines name it"
    if record.trust == "quarantined":
        return "trust: quarantined"
    if record.source.path in options.conflicts:
        return "in a file with a conflict"
    if options.shown and not options.shown.isdisjoint((record.id, record.source.path)):
        return "shown to the reader elsewhere"
    if options.current_session and record.is_evidence and record.session == options.current_session:
        return "said in this conversation"
    if record.source.path == QUEUE_PATH and part != "dissent":
        return "waits for review"
    if record.is_evidence and options.automatic and record.trust != "trusted":
        return f"evidence: {record.trust}"
    if options.automatic and record.speech_act == "noise":
        return "noise: it states nothing"
    if options.states_only and record.speech_act and part != "neighbour":
        return f"only a {record.speech_act}"
    if not options.automatic or options.untrusted or record.trust == "trusted":
        return ""
    # A line of a file whose trust is unknown was written for an agent, or lowered by its owner: what tools, the web and
    # other people say is `untrusted`, and what the system says never becomes a line.
    if record.trust == "unknown" and not record.source.path.startswith(CAPTURE_FOLDER):
        return ""
    return f"trust: {record.trust}"


def dissent_refusal_reason(record: Record, host: Record, options: PackOptions) -> str:
    """The reason why a line that contradicts a shown one is refused; empty if it is admitted.

    Unasked it must be trusted no less than that line, or anybody could set something beside what is known.
    """
    if options.automatic and TRUSTS.index(record.trust) < TRUSTS.index(host.trust):
        return f"trust: {record.trust}, less than what it contradicts"
    return refusal_reason(record, options, "dissent")
