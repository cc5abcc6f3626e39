"""Answers as text for a model: quoted, framed and cited, so that memory text cannot pose as instructions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from commonplace.errors import BadArgument, CommonplaceError
from commonplace.language.text import sanitize_line
from commonplace.model import mark_of_words
from commonplace.retrieval.pack import date_prefix, frame_lines, quote_line, speaker_prefix
from commonplace.shapes import Json, repair_text

TRUSTED = "trusted"
VIEW_SCHEMA = "commonplace.view.v1"
MAX_RESULTS = 50  # records, items or writes in an answer
PAGE_LINES = 60  # of `show`
MAX_TEXT_CHARS = 1_000  # of one of several texts; `show` has the whole


def bound_answer(answer: Json, page: int = 1) -> Json:
    """The answer with so many results as an agent reads, or one page of lines; a note says what is left out.

    Raises BadArgument for a page that there is not.
    """
    if answer["schema"] == VIEW_SCHEMA:
        return _cut_view(answer, page)
    bounded, notes = dict(answer), list(answer.get("notes", ()))
    for name, values in answer.items():
        if isinstance(values, list | tuple) and name != "notes":
            bounded[name] = [_cut_text(one) for one in values[:MAX_RESULTS]]
            notes += [f"{len(values) - MAX_RESULTS} more {name} are not shown"] if len(values) > MAX_RESULTS else []
    return bounded | {"notes": notes} if notes else bounded


def _cut_view(answer: Json, page: int) -> Json:
    lines = answer["text"].split("\n")
    pages, skipped = -(-len(lines) // PAGE_LINES), (page - 1) * PAGE_LINES
    if not 1 <= page <= pages:
        raise BadArgument(f"page must lie between 1 and {pages}, not {page}")
    if pages == 1:
        return answer
    shown = lines[skipped : skipped + PAGE_LINES]
    cut = {"text": "\n".join(shown), "notes": [f"page {page} of {pages}"]}
    if answer["line_end"] - answer["line_start"] + 1 != len(lines):  # a capture, which is one line of its journal
        return answer | cut
    start = answer["line_start"] + skipped
    end = start + len(shown) - 1
    records = [one for one in answer["records"] if one["line_start"] <= end and one["line_end"] >= start]
    return answer | cut | {"line_start": start, "line_end": end, "records": records}


def _cut_text(json_value: Any) -> Any:
    is_long = isinstance(json_value, dict) and len(json_value.get("text", "")) > MAX_TEXT_CHARS
    return json_value | {"text": f"{json_value['text'][:MAX_TEXT_CHARS]} …"} if is_long else json_value


NOTHING_FOUND = "nothing was found"


def answer_text(answer: Json) -> str:
    """An answer in words and its notes; memory text is in its frame, and every line of it cites."""
    masked = [f"masked: {', '.join(answer['redacted'])}"] if answer.get("redacted") else []
    notes = [quote_line(sanitize_line(note)) for note in answer.get("notes", ())]
    return repair_text("\n".join((*_DESCRIBE_BY_SCHEMA[answer["schema"]](answer), *masked, *notes)))


def error_text(error: CommonplaceError) -> str:
    """An error as text: what failed, why, and what to do: `not-found: no entity 'Peta' (did you mean Peter?)`."""
    hint = f" ({sanitize_line(error.hint)})" if error.hint else ""
    return quote_line(repair_text(f"{error.code}: {sanitize_line(error.message)}{hint}"))


def records_text(record_shapes: Iterable[Json]) -> str:
    """Records, framed."""
    return repair_text(frame_lines(_describe_record(record) for record in record_shapes))


def _describe_hits(answer: Json) -> Iterator[str]:
    marked = [("", hit) for hit in answer["hits"]]
    marked += [("(not confident) ", hit) for hit in answer.get("not_confident", ())]
    lines = [_describe_record(hit, f"{number}. {mark}") for number, (mark, hit) in enumerate(marked, 1)]
    yield frame_lines(lines) if lines else NOTHING_FOUND
    if lines and not answer["confident"]:
        yield f"no confident match (confidence {answer['confidence']:.2f})"


def _describe_pack(answer: Json) -> Iterator[str]:
    yield answer["text"] or f"nothing was found that fits into {answer['budget_tokens']} tokens"
    yield f"receipt {answer['receipt']}: {answer['tokens']} of {answer['budget_tokens']} tokens"


def _describe_view(answer: Json) -> Iterator[str]:
    is_file = answer["line_end"] - answer["line_start"] == answer["text"].count("\n")
    path, start = sanitize_line(answer["path"]), answer["line_start"]
    labels = {
        number: f"({_mark(one)}) "
        for one in answer["records"]
        if one["trust"] != TRUSTED
        for number in (range(one["line_start"], one["line_end"] + 1) if is_file else [start])
    }
    days = {
        one["line_start"] if is_file else start: date_prefix(one["text"], one["time"], path + answer["text"])
        for one in answer["records"]
    }
    lines = [
        quote_line(
            f"{number}: {days.get(number, '')}{labels.get(number if is_file else start, '')}{sanitize_line(line)}"
        )
        for number, line in enumerate(answer["text"].split("\n"), start)
    ]
    yield frame_lines((quote_line(f"# {path}#L{start}-L{answer['line_end']}"), *lines))
    if answer["records"]:
        yield "ids: " + ", ".join(f"L{one['line_start']} {one['id']}" for one in answer["records"])


def _describe_receipt(answer: Json) -> Iterator[str]:
    yield f"receipt {answer['id']} of {answer['ts']}: {answer['tokens']} of {answer['budget_tokens']} tokens"
    for one in answer["considered"]:
        verdict = "taken" if one["included"] else "left out"
        citation, reason = sanitize_line(one["citation"]), sanitize_line(one["reason"])
        yield quote_line(f"{verdict}: {one['id']} [{citation}] {one['score']:.3f} {reason}")


def _describe_retained(answer: Json) -> Iterator[str]:
    record = answer["record"]
    if record is None:
        yield "nothing was kept: the text asks for that"
    else:
        yield quote_line(f"kept as {record['id']} at {sanitize_line(record['citation'])} ({record['trust']})")
        for one in (*answer["replaces"], *answer["met"]):
            words = f"{one['effect']}: {one['id']} [{sanitize_line(one['citation'])}] {sanitize_line(one['text'])}"
            yield quote_line(f"{words} (waits as {one['pending']})" if one["pending"] else words)


def _describe_pending(answer: Json) -> Iterator[str]:
    lines = [
        quote_line(f"- {one['id']} ({one['reason']}: {sanitize_line(one['why'])}) {_quote_record_text(one)}")
        for one in answer["items"]
    ]
    yield frame_lines(lines) if lines else "nothing waits"


def _describe_decision(answer: Json) -> Iterator[str]:
    yield quote_line(f"{answer['deed']}: {answer['id']}, now in {sanitize_line(answer['path']) or 'no file'}")
    yield f"can be undone: {', '.join(answer['changes']) or 'nothing'}"


def _describe_audit(answer: Json) -> Iterator[str]:
    lines = []
    for one in answer["writes"]:
        change = f"{_json_string(one['before'])} → {_json_string(one['after'])}"
        lines.append(quote_line(f"- {one['change']} {one['ts']} {sanitize_line(one['path'])}: {change}"))
    yield frame_lines(lines) if lines else "nothing was written"


def _describe_forgotten(answer: Json) -> Iterator[str]:
    if answer["applied"]:
        yield f"hidden: {len(answer['selected'])} records; the person can undo it with `undo {answer['id']}`"
    if answer["pending"]:
        yield f"the person is asked: {', '.join(answer['pending'])} (`commonplace pending approve ID`)"
    elif not answer["applied"]:
        yield "nothing was hidden: the person has rejected it"


_DESCRIBE_BY_SCHEMA: dict[str, Callable[[Json], Iterable[str]]] = {
    "commonplace.hits.v1": _describe_hits,
    "commonplace.pack.v1": _describe_pack,
    VIEW_SCHEMA: _describe_view,
    "commonplace.timeline.v1": lambda answer: [records_text(answer["records"]) if answer["records"] else NOTHING_FOUND],
    "commonplace.receipt.v1": _describe_receipt,
    "commonplace.kept.v1": _describe_retained,
    "commonplace.taken.v1": lambda one: [f"{one['outcome']}{': ' if one['capture'] else ''}{one['capture']}"],
    "commonplace.pending.v1": _describe_pending,
    "commonplace.decided.v1": _describe_decision,
    "commonplace.audit.v1": _describe_audit,
    "commonplace.undone.v1": lambda one: [
        quote_line(f"{one['change']} was taken back in {sanitize_line(one['path'])}")
    ],
    "commonplace.forgotten.v1": _describe_forgotten,
}


def _describe_record(record_shape: Json, lead: str = "- ") -> str:
    """`- (2025-11-27) (agent) "text" [contacts.md#L5] id`; what nobody vouched for is a JSON string."""
    day = record_shape["time"][:10]
    date = f"({day}) " if day not in record_shape["citation"] else ""
    name = "" if record_shape["evidence"] else f" {sanitize_line(record_shape['id'])}"
    return quote_line(
        f"{lead}{date}{_quote_record_text(record_shape)}{_describe_values(record_shape)} "
        f"[{sanitize_line(record_shape['citation'])}]{name}"
    )


def _describe_values(record_shape: Json) -> str:
    """Which values a line replaced, or that it holds no more and what holds now."""
    earlier = record_shape.get("earlier", ())
    words = [f"earlier: {one['value']}{one['until'] and ', until '}{one['until']}" for one in earlier]
    words += [f"until {record_shape['until']}"] if record_shape.get("until") else []
    if later := record_shape.get("later"):
        words.append(f"later: {later['value']}{later['since'] and ', since '}{later['since']}")
    return f" ({sanitize_line('; '.join(words))})" if words else ""


def _quote_record_text(record_shape: Json) -> str:
    mark = "" if record_shape["trust"] == TRUSTED else _mark(record_shape)
    text = speaker_prefix(record_shape["text"], record_shape.get("speaker", ""), mark) + record_shape["text"]
    return f"({mark}) {_json_string(text)}" if mark else sanitize_line(text)


def _mark(record_shape: Json) -> str:
    """The mark of a record; what waits for review and is not the owner's was proposed by an agent."""
    return sanitize_line(record_shape.get("mark") or mark_of_words(record_shape["trust"], "agent"))


def _json_string(text: str) -> str:
    return msgspec.json.encode(repair_text(sanitize_line(text))).decode()
