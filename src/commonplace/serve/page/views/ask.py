"""Ask: hits with their reasons in words, the pack that a host would get, and why a line is not found."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from commonplace.errors import BadArgument
from commonplace.model import CATEGORIES, KINDS
from commonplace.serve.page.app import Visit
from commonplace.serve.page.reasons import explain_entry, explain_score
from commonplace.shapes import Json
from commonplace.storage.workspace import QUEUE_PATH

HITS_PER_PAGE, MAX_PAGES = 10, 50
BUDGET_SETTING = "pack.budget_tokens"
SLIDER_BUDGET, MAX_BUDGET = 8_000, 1_000_000  # tokens
MAX_LEFT_OUT = 100
MAX_CHOICES = 5  # of lines, and of captures
# The stages of a search: what each is called, and why a line that is lost there is not shown.
STAGES = {
    "index": ("In the notebook", "the notebook has no such line"),
    "filter": ("Filters", "a filter keeps it out"),
    "waits": ("Filters", "it waits for your decision in Review"),
    "words": ("Words in common", "it has no word of the question"),
    "lanes": ("Found", "nothing in the question leads to it"),
    "told": ("Not told already", "a better hit says the same"),
    "rank": ("Rank", "others fit the question better"),
    "pack": ("Pack", "the pack leaves it out"),
}
# Fields of the form, and the arguments of recall that each is; those that take several values take one here.
SINGLE_FIELDS = {"since": "since", "until": "until", "scope": "scope", "evidence": "evidence"}
LIST_FIELDS = {"kind": "kinds", "category": "categories", "entity": "entities"}
FLAG_FIELDS = {"history": "history", "all": "all_scopes"}
FILTER_FIELDS = (*SINGLE_FIELDS, *LIST_FIELDS, *FLAG_FIELDS)


async def ask(visit: Visit) -> Response:
    """The hits of a question, page by page; nothing but the form without one."""
    if not visit.read("q") and not _filters(visit):
        return _render(visit, "ask.html", answer=None)
    arguments, page = await _read_question(visit), min(visit.page, MAX_PAGES)
    last = page * HITS_PER_PAGE
    answer = await visit.ask("recall", **arguments, k=last + 1)
    hits = [explain_score(one) for one in answer["hits"]]
    hits += [explain_score(one) | {"not_confident": True} for one in answer.get("not_confident", [])]
    paging = {"page": page, "has_more": len(hits) > last and page < MAX_PAGES}
    shown = {**answer, "hits": hits[last - HITS_PER_PAGE : last]}
    return _render(visit, "ask.html", answer=shown, **paging, is_question=bool(arguments["text"]))


async def ask_pack(visit: Visit) -> Response:
    """The pack of a question within a budget, and from its receipt what was left out and why."""
    settings = (await visit.ask("list_settings"))["settings"]
    default = next(one["value"] for one in settings if one["key"] == BUDGET_SETTING)
    budget, is_automatic = _read_number(visit, "budget", default), bool(visit.read("automatic"))
    values: dict[str, Any] = {"budget": budget, "max_budget": max(SLIDER_BUDGET, budget), "automatic": is_automatic}
    if not visit.read("q"):
        return _render(visit, "pack.html", pack=None, **values)
    arguments = await _read_question(visit)
    pack = await visit.ask("pack", **arguments, budget_tokens=budget, automatic=is_automatic, receipt=True)
    receipt = await visit.ask("why", receipt=pack["receipt"], words=True)
    packed = [explain_entry(one) for one in receipt["considered"] if one["included"]]
    left_out = [one for one in receipt["considered"] if not one["included"]]
    shown = {"pack": pack, "packed": packed, "receipt_notes": receipt["notes"], "left_out_count": len(left_out)}
    shown["left_out"] = [*map(explain_entry, left_out[:MAX_LEFT_OUT])]
    return _render(visit, "pack.html", **values, **shown)


async def ask_why_not(visit: Visit) -> Response:
    """What each stage of recall did with a line that was expected, and the changes that would show it."""
    line, budget = visit.read("line"), _read_number(visit, "budget", 0)
    if not line or not visit.read("q"):
        return _render(visit, "why_not.html", report=None, line=line, budget=budget)
    arguments = await _read_question(visit)
    told = await visit.ask("why_not", **arguments, reference=line, budget_tokens=budget or None)
    choices = [] if told["id"] or "#L" in line else await _find_lines(visit, line)
    stages = [one | {"title": STAGES[one["name"]][0]} for one in told["stages"]]
    for one in stages:
        one["found_by"] = explain_score(one)["found_by"] if one["name"] == "lanes" else []
    lost = next((one["filter"] if one["filter"] in STAGES else one["name"] for one in stages if not one["passed"]), "")
    changes = [one | _describe_change(visit, one) for one in told["changes"]]
    report = told | {"stages": stages, "changes": changes, "lost": STAGES[lost][1] if lost else "", "choices": choices}
    return _render(visit, "why_not.html", report=report, line=line, budget=budget)


async def _find_lines(visit: Visit, words: str) -> list[Json]:
    """The lines, captures and waiting items that words remembered of one fit best, wherever they stand."""
    wide = {"text": words, "k": MAX_CHOICES, "history": True, "all_scopes": True, "sync": False}
    among = ({"evidence": "none"}, {"evidence": "only"}, {"paths": [QUEUE_PATH]})
    return [one for only in among for one in (await visit.ask("recall", **wide, **only))["hits"]]


def _render(visit: Visit, template: str, **values: Any) -> Response:
    """A view of the question, with what its form holds and the addresses of the other views of it."""
    filters = _filters(visit)
    address = urlencode([(name, value) for name, value in {"q": visit.read("q"), **filters}.items() if value])
    form: Json = {"kinds": KINDS, "categories": CATEGORIES, "filters": dict.fromkeys(FILTER_FIELDS, "") | filters}
    return visit.render(template, question=visit.read("q"), form=form, same=address, **values)


def _filters(visit: Visit) -> dict[str, str]:
    return {name: value for name in FILTER_FIELDS if (value := visit.read(name))}


async def _read_question(visit: Visit) -> dict[str, Any]:
    """The arguments of recall: the question, taken apart as people write searches, and the filters of the form."""
    search = await visit.ask("search", text=visit.read("q"))
    arguments = {name: value for name, value in search.items() if name != "schema" and (value or name == "text")}
    filters = _filters(visit)
    arguments |= {argument: filters[name] for name, argument in SINGLE_FIELDS.items() if name in filters}
    arguments |= {argument: True for name, argument in FLAG_FIELDS.items() if name in filters}
    for name, argument in LIST_FIELDS.items():
        if name in filters:
            arguments[argument] = [*arguments.get(argument, []), filters[name]]
    return arguments


def _read_number(visit: Visit, name: str, default: int) -> int:
    """A parameter that is a whole number up to the largest budget. Raises BadArgument."""
    written = visit.read(name) or str(default)
    if not written.isdecimal() or len(written) > len(str(MAX_BUDGET)):
        raise BadArgument(f"{name} is a whole number up to {MAX_BUDGET}, not {written!r}")
    return min(int(written), MAX_BUDGET)


def _describe_change(visit: Visit, change: Json) -> Json:
    """A change in words, and the address that tries it; empty where the form has no field for it."""
    fields = {argument: name for name, argument in (SINGLE_FIELDS | LIST_FIELDS | FLAG_FIELDS).items()}
    asked = {"q": visit.read("q"), **_filters(visit)}
    words, address = [], "/ask"
    for argument, value in change["arguments"].items():
        values = value if isinstance(value, (list, tuple)) else [value]
        if argument == "text":
            asked["q"] += f" {change['word']}"
            words.append(f"with the word {change['word']}")
        elif argument == "paths" and QUEUE_PATH in values:
            asked["q"] += f" path:{QUEUE_PATH}"
            words.append("among what waits for your decision")
        elif argument == "k":
            asked["page"] = str(-(-value // HITS_PER_PAGE))
            words.append(f"on page {asked['page']}")
        elif argument == "budget_tokens":
            address, asked["budget"] = "/ask/pack", str(value)
            words.append(f"with a budget of {value} tokens")
        elif argument in fields and len(values) < 2:
            asked[fields[argument]] = "1" if value is True else str(*values) if value else ""
            name = fields[argument]
            words.append(f"with {name} {asked[name]}" if value else f"without {name}")
        else:
            address = ""
            words.append(f"with {argument} {', '.join(map(str, values))}" if value else f"without {argument}")
    return {"words": ", ".join(words), "address": f"{address}?{urlencode(asked)}" if address else ""}
