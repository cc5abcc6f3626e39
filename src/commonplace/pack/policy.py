"""Which records may enter a pack at all, and the choices of the caller that decide it."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from commonplace.model import Record, Trust

JOURNALS = ".memory/"
QUEUE = "memory/pending.md"
RELIED_ON: tuple[Trust, ...] = ("trusted", "unknown")


def stands_in_markdown(record: Record) -> bool:
    """Whether an `unknown` record can only come from owner or agent.

    What tools, the web and other people say is `untrusted`, and what the system says never becomes a line; so a line
    of a Markdown file whose trust is unknown was written for an agent or lowered by its owner. Captures need a voucher.
    """
    return not record.source.path.startswith(JOURNALS)


class PackOptions(Struct, frozen=True, kw_only=True):
    """How to pack.

    `count` counts the tokens of a text; the budget is kept by it. An `automatic` pack, one that no reader asked for,
    holds trusted records and those unknown ones that `vouched` accepts (`untrusted` lets the others in, marked); an
    explicit pack shows all but quarantined ones, marked. `max_items` limits the lines after the core. Records that are
    `near_duplicate` similar (0..1) collapse. The core takes `core_share` of the budget at most. Nothing is packed from
    the paths in `conflicts`: copies that a sync tool set aside, files with merge markers.
    """

    count: Callable[[str], int]
    automatic: bool = True
    untrusted: bool = False
    max_items: int = 24
    near_duplicate: float = 0.8
    core_share: float = 0.4
    conflicts: frozenset[str] = frozenset()
    vouched: Callable[[Record], bool] = stands_in_markdown


def is_never_automatic(record: Record) -> bool:
    """Whether it enters no automatic pack whatever else is true of it; very many such must not crowd out the others."""
    return record.trust not in RELIED_ON or (record.is_evidence and record.trust != "trusted")


def refusal(record: Record, options: PackOptions) -> str:
    """Why a record may not enter, as the receipt says it; empty if it may."""
    if record.trust == "quarantined":
        return "trust: quarantined"
    if record.source.path in options.conflicts:
        return "in a file with a conflict"
    if options.automatic and record.source.path == QUEUE:
        return "waits for review"
    if record.is_evidence and options.automatic and record.trust != "trusted":
        return f"evidence: {record.trust}"
    if not options.automatic or options.untrusted or record.trust == "trusted":
        return ""
    if record.trust == "unknown" and options.vouched(record):
        return ""
    return f"trust: {record.trust}"


def core_refusal(record: Record, options: PackOptions) -> str:
    """The same for a line of the core, which no recall has looked over."""
    if record.superseded_by:
        return f"superseded by {record.superseded_by}"
    if record.form == "heading":
        return "a heading; its lines name it"
    return refusal(record, options)
