"""What a person reads on each page of a notebook that is empty, broken, busy or gone, and at times around midnight."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory, errors
from commonplace.serve.page.views import FORMS, PAGES
from tests.support.page import Visitor, write_note

NOW = "2025-11-27T18:00"
EMPTY = {  # of each page what it says of an empty notebook
    "/today": "This notebook is empty. What you capture or write shows up here by itself.",
    "/ask": "Ask in your own words.",
    "/ask?q=walnut": "Nothing was found. Use other words, or fewer filters.",
    "/ask/pack": "A pack is the cited lines that an agent gets for a question",
    "/ask/pack?q=walnut": "Nothing was found that fits into the budget.",
    "/ask/why-not": "Name a line that you expected among the hits",
    "/ask/why-not?q=walnut&line=a.md%23L1": "There is no such line in the notebook's index.",
    "/review": "Nothing waits for you.",
    "/audit": "Nothing was written in the last 90 days.",
    "/audit/receipts": "No pack was made yet",
    "/audit/forget": "Nothing was hidden or erased.",
    "/audit/forget?query=walnut": "Nothing has what you named.",
    "/health": "The notebook is empty.",
    "/health?check=1": "Nothing is wrong",
    "/files": "There are no Markdown files here yet.",
    "/entities": "No line names anybody yet",
}
UNKNOWN = {  # addresses that name nothing, what is said of them, and where the page leads from there
    "/file?path=nope.md": ("No file 'nope.md'.", "/files"),
    "/line?path=nope.md": ("No file 'nope.md'.", "/files"),
    "/entity?name=Nobody": ("No entity 'Nobody'.", "/entities"),
    "/capture?id=nope": ("No record or file 'nope'.", "/today"),
    "/audit/receipt?id=nope": ("No receipt 'nope'.", "/audit/receipts"),
    "/audit/replay?id=nope": ("No receipt 'nope'.", "/audit/receipts"),
    "/audit/forget?references=nope": ("No record or file 'nope'.", "/audit/forget"),
}
NAMELESS = {"/capture": "/today", "/file": "/files", "/line": "/files", "/history": "/files", "/entity": "/entities"}
READ_ALONE = ("/feed", "/ask", "/ask/pack", "/ask/why-not")  # without a question they ask for nothing


@pytest.mark.parametrize("address", EMPTY)
def test_an_empty_notebook_says_on_each_page_what_would_be_there(memory: Memory, address: str) -> None:
    visitor = Visitor(memory, NOW)
    page = visitor.get(address)
    assert (page.status, EMPTY[address] in page.words) == (200, True), page.words


def test_every_page_has_its_empty_state_or_needs_a_name() -> None:
    plain = {address.partition("?")[0] for address in (*EMPTY, *UNKNOWN)}
    assert PAGES.keys() - plain == {"/feed", "/history"}


@pytest.mark.parametrize("address", UNKNOWN)
def test_what_does_not_exist_is_named_with_the_way_to_what_does(memory: Memory, address: str) -> None:
    page = Visitor(memory, NOW).get(address)
    message, leads_to = UNKNOWN[address]
    assert page.status == 404
    assert "It is not there" in page.words
    assert message in page.words
    assert leads_to in [given["href"] for name, given in page.parsed.elements if name == "a"][-1]
    assert leads_to == "/audit/forget" or "commonplace " not in page.words  # of use in a terminal only


@pytest.mark.parametrize("address", NAMELESS)
def test_an_address_without_its_name_says_so(memory: Memory, address: str) -> None:
    page = Visitor(memory, NOW).get(address)
    assert (page.status, "The address names no" in page.words) == (400, True)
    assert f'href="{NAMELESS[address]}">All' in page.html


def test_a_notebook_without_dates_is_not_called_empty(memory: Memory) -> None:
    write_note(memory, "notes.md", "Tea is in the left cupboard.\n")
    page = Visitor(memory, NOW).get("/today")
    assert "No line here has a date yet" in page.words
    assert "empty" not in page.words


def test_what_is_wrong_with_a_file_is_said_where_the_file_is(memory: Memory) -> None:
    """Bad front matter and an id that occurs twice: on its page, in the list, on Today and among the checks."""
    twice = "- W @Ana: Sails <!-- id: aaaaaa -->\n"
    write_note(memory, "broken.md", f"---\ntitle: [broken\n---\n{twice}{twice}")
    visitor = Visitor(memory, NOW)
    problems = visitor.get("/file.json?path=broken.md").json["file"]["problems"]
    assert problems
    pages = {
        address: visitor.get(address) for address in ("/file?path=broken.md", "/files", "/today", "/health?check=1")
    }
    assert [page.status for page in pages.values()] == [200] * len(pages)
    for problem in problems:
        assert problem["message"] in pages["/file?path=broken.md"].words
        assert problem["message"] in pages["/health?check=1"].words
    assert f"{len(problems)} problems were found" in pages["/health?check=1"].words
    assert f"{len(problems)} problems in files" in pages["/today"].words
    assert f"broken.md {len(problems)} problems" in pages["/files"].words


FAILURES: dict[str, tuple[errors.CommonplaceError, int, str, str]] = {
    "locked": (errors.LockBusy("/notes/.memory/index.sqlite", 5), 503, "Not just now", "was locked for more than 5 s"),
    "late": (errors.DeadlinePassed("the deadline has passed"), 504, "That took too long", "The deadline has passed."),
    "full": (errors.TooBusy("256 questions wait already"), 503, "Not just now", "256 questions wait already."),
    "gone": (errors.WorkspaceNotFound("/notes"), 503, "Not just now", "No workspace at '/notes'."),
    "lost": (errors.SuspiciousLoss(30, 40), 409, "It was not done", "30 of 40 records are missing from the files"),
    "a bug": (errors.InternalError("KeyError"), 500, "That did not work", "KeyError"),
}


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("address", [one for one in PAGES if one not in READ_ALONE])
def test_an_operation_that_fails_is_told_on_each_page(memory: Memory, address: str, failure: str) -> None:
    error, status, title, message = FAILURES[failure]
    operations = (
        "activity",
        "search",
        "pending",
        "audit",
        "receipts",
        "why",
        "replay",
        "forgettings",
        "status",
        "files",
    )
    operations += ("read_file", "entities", "entity", "show")
    visitor = Visitor(memory, NOW, **dict.fromkeys(operations, error))
    page = visitor.get(f"{address}?path=a.md&name=Ana&id=r-1&page=1")
    assert (page.status, page.header("content-type")) == (status, "text/html; charset=utf-8")
    assert title in page.words
    assert message in page.words
    is_retried = status >= 500
    assert (f'href="{address}?path=a.md&amp;name=Ana&amp;id=r-1&amp;page=1">Try again' in page.html) is is_retried
    assert '<nav aria-label="Pages">' in page.html
    twin = visitor.get(f"{address}.json?path=a.md&name=Ana&id=r-1")
    assert (twin.status, twin.json["code"]) == (status, error.code)


@pytest.mark.parametrize("address", sorted(FORMS.keys() - {"/line"}))  # that one keeps what was written
def test_a_form_that_fails_leads_back_to_the_page_that_sent_it(memory: Memory, address: str) -> None:
    error = errors.LockBusy("/notes/.memory/lock", 5)
    operations = ("approve", "undo", "forget")
    visitor = Visitor(memory, NOW, **dict.fromkeys(operations, error))
    fields = {"deed": "hide" if "forget" in address else "approve", "item": "a", "change": "a", "query": "walnut"}
    answer = visitor.post(address, back="/review?page=2", **fields)
    assert (answer.status, 'href="/review?page=2">Back' in answer.html) == (503, True)
    assert ">Try again<" not in answer.html
    for evil in ("//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"):
        assert re.search(r'href="/(evil\.example|today)">Back', visitor.post(address, back=evil, **fields).html)


# Times.

EAST, WEST = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # 14 hours before UTC, and 11 behind it
MIDNIGHTS = {EAST: "2025-11-27T10:00:00+00:00", WEST: "2025-11-28T11:00:00+00:00"}  # those before 2025-11-28


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """What sets the clock, and the zone of the machine."""
    moment = 0.0

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> Any:
            return datetime.fromtimestamp(moment, tz)

    def set_to(iso_time: str, zone: str, minutes: int = 0) -> None:
        nonlocal moment
        moment = datetime.fromisoformat(iso_time).timestamp() + 60 * minutes
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    with monkeypatch.context() as patched:
        patched.setattr("datetime.datetime", Clock)
        yield set_to
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("setting", "machine"), [(EAST, WEST), (WEST, EAST), ("local", EAST), ("local", WEST)])
def test_times_days_plots_and_filters_are_those_of_the_zone_of_the_notebook(
    tmp_path: Path, set_clock: Callable[..., None], setting: str, machine: str
) -> None:
    """A minute before midnight and a minute after it; the machine is elsewhere where the notebook names a zone."""
    midnight = MIDNIGHTS[machine if setting == "local" else setting]
    Path(tmp_path, "commonplace.toml").write_text(f'timezone = "{setting}"\n', encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        visitor = Visitor(memory)
        for name, minutes, day in (("before", -1, "2025-11-27"), ("after", 1, "2025-11-28")):
            set_clock(midnight, machine, minutes)
            memory.capture(f"The harbour bell rang {name} midnight.", session="s")
            assert visitor.get("/today.json").json["today"] == day
        shown = (("2025-11-27", "before", "23:59"), ("2025-11-28", "after", "00:01"))
        for day, name, minute in shown:
            page = visitor.get(f"/today?day={day}")
            assert re.findall(r"bell rang (\w+) midnight", page.words) == [name]
            assert re.search(rf'<time datetime="{day}T{minute}[^"]*">{day} {minute}</time>', page.html)
            days = {one["day"]: one["captures"] for one in visitor.get(f"/today.json?day={day}").json["days"]}
            assert days[day] == 1
            hits = visitor.get(f"/ask?q=harbour+bell&since={day}&until={day}")
            assert re.findall(r"bell rang (\w+) midnight", hits.words) == [name]
        totals = {one["day"]: one["total"] for one in visitor.get("/health.json").json["growth"]}
        assert (totals["2025-11-27"], totals["2025-11-28"]) == (1, 2)


def test_an_hour_that_clocks_show_twice_or_never_stays_on_its_day(
    tmp_path: Path, set_clock: Callable[..., None]
) -> None:
    """In Berlin 2025-10-26 has 25 hours, and 2025-03-30 has 23."""
    Path(tmp_path, "commonplace.toml").write_text('timezone = "Europe/Berlin"\n', encoding="utf-8")
    moments = ("2025-03-29T23:00", "2025-03-30T21:59", "2025-10-25T22:00", "2025-10-26T00:30", "2025-10-26T01:30")
    with Memory.open(tmp_path) as memory:
        for number, moment in enumerate((*moments, "2025-10-26T22:59")):
            set_clock(f"{moment}:00+00:00", EAST)
            memory.capture(f"Bell number {number} rang.", session="s")
        visitor = Visitor(memory)
        pages = [visitor.get(f"/today?day={day}").html for day in ("2025-03-30", "2025-10-26")]
    spring, autumn = (sorted(re.findall(r'">2025-\d\d-\d\d (\d\d:\d\d)</time>', page)) for page in pages)
    assert (spring, autumn) == (["00:00", "23:59"], ["00:00", "02:30", "02:30", "23:59"])
