"""What belongs beside a line that was taken: the line that it leans on, and one that contradicts it."""

from __future__ import annotations

from collections.abc import Iterator

from commonplace.model import Form, Hit, Record
from commonplace.pack.dissent import contradict
from commonplace.pack.duplicates import said_by
from commonplace.pack.forms import Wanted, ending, shorter
from commonplace.pack.lines import line_of
from commonplace.pack.page import Page, Verdict
from commonplace.pack.policy import dissent_refusal, refusal
from commonplace.text import asks

MOST_COMPARED = 20  # of the best hits, whether they contradict a line
AGAINST = "against the line above"
LEANING: tuple[Form, ...] = ("dialogue", "capture", "paragraph")  # other lines are written to stand alone
REPLY = 6  # words; a longer answer tells what it is about, unless it points to something


def neighbour_of(page: Page, host: Verdict) -> tuple[Verdict, str] | None:
    """The line right before a hit that is not understood without it, and as much of that line as this needs.

    None for a line that tells what it is about, and where the line before may not enter or is shown.
    """
    record = host.hit.record
    if record.form not in LEANING or not _leans(record):
        return None
    before = page.options.before(record)
    if before is None or refusal(before, page.options) or not (_points(record) or _asks_other(before, record)):
        return None
    found = next((one for one in page.verdicts if one.hit.record.id == before.id), None)
    if found is None:
        found = Verdict(
            Hit(before, 0.0), "neighbour", line=line_of(before, page.options), said=said_by(before), of=host
        )
        page.verdicts.append(found)
    return None if found.shown or found.line is None else (found, ending(found.line))


def take_dissent(page: Page, host: Verdict, wanted: Wanted, most: int) -> None:
    """Take a line that contradicts one that was just taken, right below it, if it fits; a pack has one such line."""
    if any(one.part == "dissent" for one in page.taken):
        return
    for verdict in _dissenting(page, host):
        if verdict.shown or _takes(page, host, verdict, wanted=wanted, most=most):
            return


def _takes(page: Page, host: Verdict, verdict: Verdict, *, wanted: Wanted, most: int) -> bool:
    before = verdict.part, verdict.line, verdict.of, verdict.why
    verdict.part, verdict.of = "dissent", host
    verdict.line = line_of(verdict.hit.record, page.options, AGAINST)
    if page.offer(verdict, most, wanted, *shorter(verdict.line, wanted)[:1]):
        return True
    if before[0] == "recall":
        verdict.part, verdict.line, verdict.of, verdict.why = before
    return False


def _dissenting(page: Page, host: Verdict) -> Iterator[Verdict]:
    """What the index knows to speak against a line, then the best hits that contradict it; what may enter of both."""
    for record in page.options.against(host.hit.record):
        found = next((one for one in page.verdicts if one.hit.record.id == record.id), None)
        why = dissent_refusal(record, host.hit.record, page.options)
        if found is None:
            found = Verdict(Hit(record, 0.0), "dissent", why, said=said_by(record), of=host)
            page.verdicts.append(found)
        if not why:
            yield found
    hits = [one for one in page.verdicts if one.part == "recall"][:MOST_COMPARED]
    for one in hits:
        why = dissent_refusal(one.hit.record, host.hit.record, page.options)
        if not why and contradict(host.hit.record, one.hit.record):
            yield one


def _leans(record: Record) -> bool:
    """Whether a line may need the one before it: it points to something, or is so short that it must answer."""
    return _points(record) or len(record.text.split()) <= REPLY


def _points(record: Record) -> bool:
    from commonplace.facts.clarity import is_unclear

    return is_unclear(record.text, (record.speaker,) if record.speaker else ())


def _asks_other(before: Record, record: Record) -> bool:
    """Whether the line before is a question, and of somebody else."""
    return asks(before.text) and (before.speaker, before.actor) != (record.speaker, record.actor)
