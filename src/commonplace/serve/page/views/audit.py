"""Audit: every write, the receipts of packs, one of them and its pack made again, and what is to be forgotten."""

from __future__ import annotations

from collections import Counter
from typing import Any

from starlette.responses import Response

from commonplace.errors import BadArgument
from commonplace.serve.page.app import Visit
from commonplace.serve.page.reasons import explain_entry
from commonplace.serve.page.rendering import list_difference
from commonplace.shapes import Json
from commonplace.storage.workspace import QUEUE_PATH

WRITES_PER_PAGE = 20
MAX_ACT_WRITES = 2_000  # that are undone together
RECEIPTS_PER_PAGE = 50
LEFT_OUT_PER_PAGE = 50
FORGETTINGS_PER_PAGE = 20
SELECTED_PER_PAGE = 50
GONE_SHOWN = 100  # lines that go, in the preview of an erasure
DAY_CHARS = len("2026-11-27")  # a clock may go back within a day
WISH = ("query", "entity", "session", "scope", "since", "until")


async def audit(visit: Visit) -> Response:
    """A page of the writes, newest first; those of one act are one group, on the page on which it begins, and can be
    undone together."""
    first = (visit.page - 1) * WRITES_PER_PAGE
    found = (await visit.ask("audit", at_most=WRITES_PER_PAGE + 1 + bool(first), skip=max(first - 1, 0)))["writes"]
    before = _act_key(found.pop(0)) if first and found else ()
    groups: dict[tuple[str, ...], list[Json]] = {}
    for write in found[:WRITES_PER_PAGE]:
        groups.setdefault(_act_key(write), []).append(write)
    groups.pop(before, None)
    last = next(reversed(groups), ())
    if len(found) > WRITES_PER_PAGE and _act_key(found[-1]) == last:
        every = (await visit.ask("audit", act=found[-1]["act"], at_most=MAX_ACT_WRITES))["writes"]
        groups[last] = [one for one in every if _act_key(one) == last]
    for write in (one for group in groups.values() for one in group[:WRITES_PER_PAGE]):
        write["sources"] = await visit.find_sources(write["from"])
    shown = [_describe_act(group) for group in groups.values()]
    return visit.render("audit.html", groups=shown, page=visit.page, has_more=len(found) > WRITES_PER_PAGE)


def _act_key(write: Json) -> tuple[str, ...]:
    """What the writes of one act have in common."""
    return (write["act"], write["ts"]) if write["act"] else (write["change"],)


def _describe_act(writes: list[Json]) -> Json:
    """The writes of an act, what was done, and which of them can be undone; of a consolidation what it added."""
    deed, counts = writes[0]["act"].partition(" ")[0], Counter[str]()
    for write in writes if deed == "consolidate" else ():
        added = [
            words for sign, words, mark in list_difference(write["before"], write["after"]) if sign == "+" and mark
        ]
        is_episode, is_queue = write["path"].startswith("memory/episodes/"), write["path"] == QUEUE_PATH
        name = "episode" if is_episode else "proposal" if is_queue else "line kept"
        counts[name] += 1 if is_episode else sum("~~" not in words for words in added)
    return {
        "deed": deed,
        "counts": {name: counts[name] for name in ("line kept", "proposal", "episode") if counts[name]},
        "open": [one["change"] for one in writes if not one["undone"]],
        "count": len(writes),
        "writes": writes[:WRITES_PER_PAGE],
    }


async def receipts(visit: Visit) -> Response:
    """A page of the receipts, newest first; the next one begins in the day in which this one ends."""
    until, skip = visit.read("until"), visit.read_number("skip")
    found = (await visit.ask("receipts", at_most=RECEIPTS_PER_PAGE + 1, until=until, skip=skip))["receipts"]
    shown, older = found[:RECEIPTS_PER_PAGE], {}
    for one in shown:
        one["record"] = await visit.find(one["first"]) if one["first"] and not one["query"] else None
    if len(found) > RECEIPTS_PER_PAGE:
        day = shown[-1]["ts"][:DAY_CHARS]
        of_day = sum(one["ts"].startswith(day) for one in shown)
        older = {"until": day, "skip": of_day + (skip if until == day else 0)}
    return visit.render("receipts.html", receipts=shown, older=older, is_first=not (until or skip))


async def receipt(visit: Visit) -> Response:
    """One receipt: what was packed, with its words then and today, and a page of what was left out."""
    found = await visit.ask("why", receipt=visit.read("id", "last"), words=True)
    packed = [one for one in found["considered"] if one["included"]]
    left_out = [one for one in found["considered"] if not one["included"]]
    first = (visit.page - 1) * LEFT_OUT_PER_PAGE
    return visit.render(
        "receipt.html",
        receipt={name: value for name, value in found.items() if name != "considered"},
        packed=[*map(explain_entry, packed)],
        left_out=[*map(explain_entry, left_out[first : first + LEFT_OUT_PER_PAGE])],
        left_out_count=len(left_out),
        page=visit.page,
        pages=max(-(-len(left_out) // LEFT_OUT_PER_PAGE), 1),
    )


async def replay(visit: Visit) -> Response:
    """The pack of a receipt made again, and everything that differs."""
    found = await visit.ask("replay", receipt=visit.read("id", "last"), question=visit.read("q"))
    return visit.render("replay.html", replay=found, receipt=visit.read("id", "last"))


async def forget(visit: Visit) -> Response:
    """What a wish would hide, or which files erasing would change; without a wish, what was hidden and erased."""
    wish = {name: visit.read(name) for name in (*WISH, "references")}
    is_given, is_erasing = any(wish.values()), bool(visit.read("erase"))
    preview = await visit.ask("forget", **_read_wish(wish), erase=is_erasing) if is_given else None
    skip = (visit.page - 1) * FORGETTINGS_PER_PAGE
    listed = {} if is_given else await visit.ask("forgettings", at_most=FORGETTINGS_PER_PAGE + 1, skip=skip)
    selected = preview["selected"] if preview else []
    first = (visit.page - 1) * SELECTED_PER_PAGE
    return visit.render(
        "forget.html",
        wish=wish,
        is_given=is_given,
        is_erasing=is_erasing,
        selected=selected[first : first + SELECTED_PER_PAGE],
        reasons=Counter(one["reason"] for one in selected),
        places={one["citation"].partition("#")[0] for one in selected if "#" in one["citation"]},
        captures=sum(one["citation"].startswith("obs:") for one in selected),
        files=_cut_texts(preview["files"]) if preview else [],
        undos=sum(one["path"].startswith(".memory/changes/") for one in preview["files"]) if preview else 0,
        similar=preview["similar"] if preview else [],
        page=visit.page,
        pages=max(-(-len(selected) // SELECTED_PER_PAGE), 1),
        forgettings=listed.get("forgettings", [])[:FORGETTINGS_PER_PAGE],
        has_more=len(listed.get("forgettings", [])) > FORGETTINGS_PER_PAGE,
    )


def _cut_texts(changed: list[Json]) -> list[Json]:
    """The files with the first lines that go, of all together no more than a page may have."""
    left, shown = GONE_SHOWN, []
    for one in changed:
        shown.append(one | {"texts": one["texts"][:left], "more": len(one["texts"][left:])})
        left = max(left - len(one["texts"]), 0)
    return shown


def _read_wish(wish: dict[str, str]) -> dict[str, Any]:
    """The parameters of a wish: ids and citations are separated by blanks or new lines."""
    return {**{name: wish[name] for name in WISH if wish[name]}, "references": wish["references"].split()}


async def forget_now(visit: Visit) -> Response:
    """Hide what a wish concerns, erase it, or put it into the queue."""
    wish = _read_wish({name: visit.form.get(name, [""])[-1].strip() for name in (*WISH, "references")})
    deed = visit.sent("deed")
    if deed == "later":
        preview = await visit.ask("forget", **wish)
        named = [one["id"] for one in preview["selected"] if one["reason"] == "named"]
        asked = await visit.ask("propose_forget", references=named)
        return visit.go_on("/review", f"{len(asked['pending'])} items wait for your decision.")
    if deed not in ("hide", "erase"):
        raise BadArgument(f"nothing can be {deed!r}")
    done = await visit.ask("forget", **wish, apply=True, erase=deed == "erase")
    count = f"{len(done['selected']):,} {'record' if len(done['selected']) == 1 else 'records'}"
    if not done["applied"]:
        return visit.go_on("/audit/forget", "Nothing fits, so nothing was hidden.")
    if deed == "hide":
        return visit.go_on("/audit/forget", f"{count} are hidden from every answer.", done["id"])
    erased = count if done["selected"] else "what was hidden"
    return visit.go_on("/audit/forget", f"Erased for good: {erased}. Its manifest is the first below.")
