"""The pages of files and entities: lines are shown, edited with both versions where somebody was faster, and put back."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from commonplace import Memory
from commonplace.serve.page.app import keep_newest
from commonplace.serve.page.views.files import MAX_DRAFTS
from tests.support.hostile_markup import HOSTILE
from tests.support.page import MAX_PAGE_BYTES, Answer, Visitor, write_note

PATH = "memory/2025-11-27.md"
NOTE = (
    "# 2025-11-27\n\n## Retain\n\n- W @Peter: In Marrakech with @Ana. <!-- id: 7f3k9qa -->\n"
    "- Peter sails on **Sundays**.\n- W @Ana: Plays the harp.\n"
)


@pytest.fixture
def memory(memory: Memory) -> Memory:
    write_note(memory, PATH, NOTE)
    return memory


@pytest.fixture
def visitor(memory: Memory) -> Visitor:
    return Visitor(memory)


def fields(answer: Answer) -> dict[str, str]:
    """The form of an edit, as a browser would send it unchanged."""
    (form,) = [form for form in answer.parsed.forms if form.action == "/line"]
    return dict(form.fields)


def save(visitor: Visitor, given: dict[str, str], **changed: str) -> Answer:
    return visitor.post("/line", **{name: one.replace("\n", "\r\n") for name, one in (given | changed).items()})


def save_and_follow(visitor: Visitor, given: dict[str, str], **changed: str) -> Answer:
    answer = save(visitor, given, **changed)
    assert answer.status == 303
    return visitor.get(answer.header("location"))


def note(memory: Memory, path: str = PATH) -> str:
    return Path(memory.root, path).read_text("utf-8")


def test_a_file_is_shown_with_its_lines(visitor: Visitor) -> None:
    answer = visitor.get("/file", path=PATH)
    assert answer.status == 200
    assert re.findall(r'id="L(\d+)"', answer.html) == ["1", "3", "5", "6", "7"]
    assert "<strong>Sundays</strong>" in answer.html
    assert "7f3k9qa" not in answer.parsed.text
    assert "id: 7f3k9qa" in answer.html
    twin = visitor.get("/file.json", path=PATH)
    assert twin.json["file"]["text"] + "\n" == NOTE
    assert visitor.get("/file", path="memory/none.md").status == 404
    assert visitor.get("/file", path="../../etc/passwd").status == 404


def test_untrusted_lines_are_text(memory: Memory, visitor: Visitor) -> None:
    memory.retain("Visit **now** <b>here</b> [x](https://evil.example)", actor="tool", now="2025-11-27T10:00")
    html = visitor.get("/file", path=PATH).html
    assert "**now** &lt;b&gt;here&lt;/b&gt; [x](https://evil.example)" in html
    assert '<span class="mark">untrusted</span>' in html
    assert 'evil.example"' not in html


def test_a_line_is_edited_without_scripts_and_put_back(memory: Memory, visitor: Visitor) -> None:
    form = visitor.get("/line", path=PATH, line=6)
    assert fields(form)["text"] == "- Peter sails on **Sundays**."
    answer = save(visitor, fields(form), text="- Peter sails on Mondays.\n- And he sings.")
    assert answer.status == 303
    address = urlsplit(answer.header("location"))
    told = parse_qs(address.query)
    assert (address.path, told["path"], told["line"]) == ("/file", [PATH], ["6"])
    assert note(memory) == NOTE.replace("**Sundays**.", "Mondays.\n- And he sings.")
    history = visitor.get("/history", path=PATH)
    assert told["undo"][0] in history.html
    assert "− - Peter sails on **Sundays**. + - Peter sails on Mondays. + - And he sings." in history.words
    memory.undo(told["undo"][0])
    assert note(memory) == NOTE


def test_a_whole_file_is_edited(memory: Memory, visitor: Visitor) -> None:
    link = re.search(r'href="(/line\?[^"]*)">Edit the file', visitor.get("/file", path=PATH).html)
    assert link
    query = {name: one[0] for name, one in parse_qs(urlsplit(unescape(link[1])).query).items()}
    given = fields(visitor.get("/line", **query))
    assert given["text"] + "\n" == NOTE
    assert "Nothing was changed" in visitor.get(save(visitor, given).header("location")).words
    assert save(visitor, given, text="# New\n\nAll of it.").status == 303
    assert note(memory) == "# New\n\nAll of it.\n"


def test_an_edit_in_an_editor_at_the_same_moment_is_not_lost(memory: Memory, visitor: Visitor) -> None:
    given = fields(visitor.get("/line", path=PATH, line=7))
    theirs = "# New first line\n" + NOTE.replace("Plays the harp", "Plays the lute")
    write_note(memory, PATH, theirs)
    answer = save_and_follow(visitor, given, text="- W @Ana: Plays the drum.")
    assert note(memory) == theirs
    for shown in (answer, visitor.get(answer.address)):  # opened again, it is as it was
        assert shown.status == 200
        assert re.findall(r'<pre class="version">(.*?)</pre>', shown.html, re.DOTALL) == [
            "- Peter sails on **Sundays**."
        ]
        assert "These lines changed too" in shown.words
        assert fields(shown)["text"] == "- W @Ana: Plays the drum."
    write_note(memory, PATH, theirs + "- one more\n")  # a conflict about a conflict
    again = save_and_follow(visitor, fields(answer))
    assert (fields(again)["text"], note(memory)) == ("- W @Ana: Plays the drum.", theirs + "- one more\n")
    assert "Saved" in save_and_follow(visitor, fields(again)).words
    assert "What you wrote earlier is not kept any more." in visitor.get(again.address).words


def test_lines_that_moved_meanwhile_are_found_again(memory: Memory, visitor: Visitor) -> None:
    given = fields(visitor.get("/line", path=PATH, line=7))
    write_note(memory, PATH, "# New first line\n" + NOTE)
    answer = save_and_follow(visitor, given, text="- W @Ana: Plays the drum.")
    assert "These lines are as they were" in answer.html
    assert "Saved" in save_and_follow(visitor, fields(answer)).words
    assert note(memory) == "# New first line\n" + NOTE.replace("harp", "drum")


def test_a_form_without_its_token_writes_nothing(memory: Memory, visitor: Visitor) -> None:
    given = fields(visitor.get("/line", path=PATH, line=6))
    assert visitor.post("/line", **given | {"token": "x", "text": "gone"}).status == 403
    for wrong in ({"line_start": "x"}, {"line_end": "-1"}, {"line_end": "9" * 30}):
        assert visitor.post("/line", **given | wrong).status == 400
    assert note(memory) == NOTE


def test_what_cannot_be_saved_is_not_lost(memory: Memory, visitor: Visitor) -> None:
    """Lines that are not there, words that are forgotten, and a file that is gone."""
    given = fields(visitor.get("/line", path=PATH, line=6))
    answer = save_and_follow(visitor, given, text="mine", line_start="99", line_end="99")
    assert "Nothing was written. 'memory/2025-11-27.md' has 7 lines" in answer.words
    assert fields(answer)["text"] == "mine"
    Path(memory.root, PATH).unlink()
    answer = save_and_follow(visitor, given, text="mine")
    assert (answer.status, "The file is gone" in answer.words) == (200, True)
    assert '<pre class="version">mine</pre>' in answer.html
    assert "<textarea" not in answer.html


def test_only_the_last_drafts_are_kept(visitor: Visitor) -> None:
    given = fields(visitor.get("/line", path=PATH, line=6)) | {"digest": "another"}
    answers = [save_and_follow(visitor, given, text=f"draft {number}") for number in range(MAX_DRAFTS + 1)]
    kept = ["Somebody else changed" in visitor.get(answer.address).words for answer in answers]
    assert kept == [False, *[True] * MAX_DRAFTS]


def test_a_secret_is_masked_and_told(memory: Memory, visitor: Visitor) -> None:
    given = fields(visitor.get("/line", path=PATH, line=6))
    answer = save(visitor, given, text="- key AKIAIOSFODNN7EXAMPLE")
    assert "masked: aws-access-key" in visitor.get(answer.header("location")).words
    assert "AKIA" not in note(memory)


def test_a_line_says_who_wrote_it_what_its_trust_means_and_what_it_rests_on(memory: Memory, visitor: Visitor) -> None:
    said = memory.capture("The mill opens at 9 on Mondays.", actor="agent", now="2025-11-28T09:30")
    kept = memory.retain(
        "The mill opens at 9.", actor="agent", sources=[said.id, "gone00"], now="2025-11-28T10:00"
    ).record
    assert kept is not None
    line = visitor.get("/line", path=kept.source.path, line=kept.source.line_start)
    assert "Written by an agent" in line.words
    assert "Trust unknown nobody vouched for it: it was written by an agent or a tool" in line.words
    assert "Rests on The mill opens at 9 on Mondays. 2025-11-28 09:30 said by the agent" in line.words
    assert "and 1 more by its id, below" in line.words
    (link,) = [given["href"] for tag, given in line.parsed.elements if given.get("href", "").startswith("/capture")]
    assert "The mill opens at 9 on Mondays." in visitor.get(link).words
    marks = [given["title"] for _tag, given in line.parsed.elements if given.get("class") == "mark"]
    assert {mark[:20] for mark in marks} == {"nobody vouched for it"[:20]}
    memory.retain("The mill has a cat.", now="2025-11-28T11:00")
    assert "Trust trusted Written by you" in visitor.get("/line", path=kept.source.path, line=5).words
    assert "Written by hand, or before" in visitor.get("/line", path=PATH, line=6).words


def test_hidden_lines_have_no_form(memory: Memory, visitor: Visitor) -> None:
    memory.forget(query="harp", apply=True)
    assert "harp" not in visitor.get("/file", path=PATH).html
    line = visitor.get("/line", path=PATH, line=7)
    assert "harp" not in line.html
    assert "<textarea" not in line.html
    assert "cannot be edited here" in line.html


@pytest.mark.slow
def test_a_file_of_ten_thousand_lines_comes_in_parts(memory: Memory, visitor: Visitor) -> None:
    lines = [
        f"- W @Peter: Saw heron {number} near the old lock. <!-- id: {number:07d}aaa -->" for number in range(9_996)
    ]
    write_note(memory, PATH, "# Log\n\n## Retain\n\n" + "\n".join(lines))
    first = visitor.get("/file", path=PATH)
    assert "10,000 lines" in first.html
    assert len(first.body) < MAX_PAGE_BYTES
    assert 'id="L200"' in first.html
    middle = visitor.get("/file", path=PATH, line=5_000)
    assert 'class="line here" id="L5000"' in middle.html
    assert "heron 4995 " in middle.html
    last = visitor.get("/file", path=PATH, line=10_000)
    assert 'id="L10000"' in last.html
    assert "Lines after" not in last.html
    assert visitor.get("/file", path=PATH, line=10_201).status == 400
    assert save(visitor, fields(visitor.get("/line", path=PATH, line=9_000)), text="- one").status == 303
    assert note(memory).split("\n")[8_999] == "- one"


def test_long_lines_are_cut_and_not_edited_here(memory: Memory, visitor: Visitor) -> None:
    write_note(memory, PATH, f"start\n\n{'x' * 300_000}\n\n" + "y " * 30_000 + "\n\nend\n")
    for line in (1, 3, 5, 7):
        shown = visitor.get("/file", path=PATH, line=line)
        assert f'id="L{line}"' in shown.html
        assert len(shown.body) < MAX_PAGE_BYTES
    line = visitor.get("/line", path=PATH, line=3)
    assert ("too long to be edited here" in line.words, "<textarea" in line.html) == (True, False)
    assert len(line.body) < MAX_PAGE_BYTES


@pytest.mark.parametrize("letter", ["y", "<", '"', "字"])
def test_as_many_lines_are_shown_as_fit_on_a_page_and_these_can_be_edited(
    memory: Memory, visitor: Visitor, letter: str
) -> None:
    text = "\n".join(f"{number} {letter * 1_000}" for number in range(1, 201))
    write_note(memory, PATH, text)
    for line in (1, 150):
        shown = visitor.get("/file", path=PATH, line=line)
        assert len(shown.body) < MAX_PAGE_BYTES
        assert f'id="L{line}"' in shown.html
        assert "Lines after" in shown.html
        link = re.search(r'href="(/line\?[^"]*)">Edit these lines', shown.html)
        assert link
        form = visitor.get(unescape(link[1]))
        assert len(form.body) < MAX_PAGE_BYTES
        write_note(memory, PATH, f"{text}\nand more")
        conflict = save_and_follow(visitor, fields(form))
        assert len(conflict.body) < MAX_PAGE_BYTES
        assert fields(conflict) == fields(form) | {name: fields(conflict)[name] for name in ("digest", "draft", "back")}
        write_note(memory, PATH, text)
    assert "Lines after" not in visitor.get("/file", path=PATH, line=200).html
    asked = visitor.get("/line", path=PATH, line=1, last=9_999_999)  # by hand: not all of it
    assert (asked.status, len(asked.body) < MAX_PAGE_BYTES) == (200, True)


def test_long_writes_are_shortened_in_the_history(memory: Memory, visitor: Visitor) -> None:
    digest = memory.read_file(PATH).digest
    memory.edit_file(PATH, "- long\n" * 5_000, digest)
    html = visitor.get("/history", path=PATH).html
    assert re.search(r"… 4,9\d\d more lines", html)
    assert len(html) < 10_000


def test_impact_of_a_line_is_shown(memory: Memory, visitor: Visitor) -> None:
    memory.pack("where is Peter?", reader="desk")
    html = visitor.get("/line", path=PATH, line=5).html
    assert "This line was in 1 pack, read in 1 session." in " ".join(html.split())
    assert "desk" in html


def test_files_are_listed_and_filtered(memory: Memory, visitor: Visitor) -> None:
    for number in range(120):
        write_note(memory, f"note{number:03}.md", f"# Title {number}\n\nText.\n")
    html = visitor.get("/files").html
    assert html.count("<tr>") == 101
    address = re.search(r'rel="next" href="([^"]*)"', visitor.get("/files", contains="title", notice="Saved").html)
    assert address
    assert address[1] == "/files?contains=title&amp;page=2"  # what was said of the last action is over
    assert visitor.get(unescape(address[1])).html.count("<tr>") == 21
    assert "There are no more." in visitor.get("/files", page=3).words
    assert visitor.get("/files", page=2).html.count("<tr>") == 22
    assert visitor.get("/files", contains="title 11").html.count("<tr>") == 12
    assert "No file has these letters" in visitor.get("/files", contains="zzz").html
    assert [one["path"] for one in visitor.get("/files.json", contains=PATH).json["files"]] == [PATH]


def test_an_empty_notebook_has_words(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        visitor = Visitor(memory)
        assert "There are no Markdown files here yet" in visitor.get("/files").html
        assert "No line names anybody yet" in visitor.get("/entities").html
        assert visitor.get("/entity", name="Nobody").status == 404
        write_note(memory, "empty.md", "")
        assert "This file is empty" in visitor.get("/file", path="empty.md").html
        assert save(visitor, fields(visitor.get("/line", path="empty.md")), text="# Begun").status == 303
        assert note(memory, "empty.md") == "# Begun"


def test_entities_are_listed_by_their_first_letters(memory: Memory, visitor: Visitor) -> None:
    names = "".join(f"- W @Name{number:03}: Sails.\n" for number in range(210))
    write_note(memory, "names.md", f"## Retain\n{names}")
    assert visitor.get("/entities").html.count("<li>") == 200
    assert visitor.get("/entities", page=2).html.count("<li>") == 12
    assert [one["name"] for one in visitor.get("/entities.json", begins="AN").json["entities"]] == ["Ana"]


def test_an_entity_has_facts_lines_and_neighbours(memory: Memory, visitor: Visitor) -> None:
    write_note(
        memory,
        "memory/2025-05-01.md",
        "# 2025-05-01\n\n## Retain\n\n- W @Peter: Peter's city is Bern. <!-- valid: 2025-05-01..2025-08-31 -->\n",
    )
    write_note(memory, "memory/2025-09-01.md", "# 2025-09-01\n\n## Retain\n\n- W @Peter: Peter's city is Thun.\n")
    now = visitor.get("/entity.json", name="peter").json
    assert now["name"] == "Peter"
    assert [(one["key"], one["value"]) for one in now["facts"]] == [("lives_in", "Thun")]
    assert [one["value"] for one in now["other_days"]] == ["Bern"]
    may = visitor.get("/entity.json", name="Peter", as_of="2025-06-01").json
    assert "Bern" in [one["value"] for one in may["facts"] + may["disputed"]]
    html = visitor.get("/entity", name="Peter").html
    assert "not linked" in html
    assert 'data-graph="names"' in html
    assert re.search(r'<li data-lines="1"><a href="/entity\?name=Ana">Ana</a>', html)
    assert visitor.get("/entity", name="Peter", as_of="no day").status == 400


@pytest.mark.slow
def test_an_entity_says_which_lines_were_left_out_and_leads_to_them(memory: Memory, visitor: Visitor) -> None:
    lines = "".join(f"- W @Rob: Saw heron {number}.\n" for number in range(700))
    write_note(memory, "log.md", f"## Retain\n{lines}")
    write_note(
        memory, "bank/entities/Rob.md", "# Rob\n\n" + "".join(f"- Likes boat {number}.\n" for number in range(60))
    )
    first = visitor.get("/entity", name="Rob")
    assert "those of the newest 300 lines that name it. 460 older lines were not read." in first.words
    assert "These are not all lines that name it" in first.words
    assert "Read on in the file" in first.words
    seen = [visitor.get("/entity.json", name="Rob", page=page).json for page in range(1, 16)]
    found = {one["text"] for page in seen for one in (*page["timeline"], *page["undated"])}
    assert {f"@Rob: Saw heron {number}." for number in range(700)} <= found
    assert [page["has_more"] for page in seen] == [True] * 13 + [False] * 2
    for read in (600, 900):
        address = re.search(r'href="([^"]*)">Read older lines too', visitor.shown.html if read > 600 else first.html)
        assert address
        older = visitor.get(unescape(address[1]))
        assert ("older lines were not read" in older.words) is (read < 760)
    assert len(first.body) < MAX_PAGE_BYTES


FACT = {
    "subject": "ana",
    "key": "city",
    "scope": "",
    "trust": "trusted",
    "since": "",
    "until": "",
    "end": "",
    "ended_by": "",
    "one": True,
    "holds": True,
    "support": 1,
    "sources": [],
}


def test_disputed_facts_stand_apart(memory: Memory) -> None:
    facts = {
        "unread": 0,
        "facts": [{**FACT, "value": "Bern"}, {**FACT, "value": "Thun"}, {**FACT, "key": "job", "value": "smith"}],
    }
    visitor = Visitor(memory, facts=facts)
    shown = visitor.get("/entity.json", name="Ana").json
    assert [one["value"] for one in shown["disputed"]] == ["Bern", "Thun"]
    assert [one["value"] for one in shown["facts"]] == ["smith"]
    page = visitor.get("/entity", name="Ana", as_of="2025-06-01").words
    assert "no newer one replaces an older" in page  # one may be newer by its days
    assert "what was said later, even of an earlier day" in page


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_text_on_every_page(memory: Memory, text: str) -> None:
    """As the text of a file, its title, an entity, a path that is not there, and what is asked for."""
    write_note(memory, PATH, f'# {text}\n\n## Retain\n\n- W @"{text}": {text}\n- W @Peter: [[{text}]]\n')
    name = text.replace("/", "").replace("\n", "")[:60] + ".md"
    write_note(memory, name, f"# {text}\n\n[{text}]({text})\n")
    visitor = Visitor(memory)
    assert name in [one["path"] for one in visitor.get("/files.json").json["files"]]
    names = [one["name"] for one in visitor.get("/entities.json").json["entities"]]
    calls: list[tuple[str, dict[str, Any]]] = [
        ("/files", {"contains": text}),
        ("/files", {}),
        ("/file", {"path": PATH}),
        ("/file", {"path": text}),
        ("/file", {"path": name}),
        ("/line", {"path": name}),
        *(("/line", {"path": PATH, "line": number}) for number in (1, 5, 6)),
        ("/line", {"path": PATH, "line": 1, "last": 6}),
        ("/history", {"path": text}),
        ("/entities", {"begins": text}),
        ("/entities", {}),
        *(("/entity", {"name": name, "as_of": ""}) for name in (*names, text)),
    ]
    for path, query in calls:
        answer = visitor.get(path, **query)
        assert answer.status in (200, 404), (path, query)
        elements = answer.parsed.elements
        scripts = {str(one.get("src")) for tag, one in elements if tag == "script"}
        assert all(re.fullmatch(r"/static/[a-z.]+\.js", script) for script in scripts), scripts
        assert not [one for tag, one in elements if tag in ("img", "svg", "iframe", "style", "base", "object", "math")]
        assert not [name for _tag, one in elements for name in one if name.startswith(("on", "style"))]
        for _tag, one in elements:
            assert re.match(r"/|#|https?://|$", one.get("href", "")), one


def test_what_steers_is_shown_as_a_sign_and_stays_in_the_fields_of_forms(memory: Memory, visitor: Visitor) -> None:
    """Escape sequences, and overrides of the direction, which show a text in another order than it is."""
    path, text = "memory/\u202egnp.md", "pay \u202e001$\u202c\x1b]0;t\x07\x9b2J \u2067now\u2069, \u200fא"
    Path(memory.root, path).write_text(f"# {text}\n\n- {text}\n- &#x202e;{text} <!-- origin: untrusted -->\n", "utf-8")
    for address, given in (("/file", {"path": path}), ("/files", {}), ("/ask", {"q": text}), ("/ask", {"kind": text})):
        answer = visitor.get(address, **given)
        fieldless = re.sub(r"<input[^>]*>", "", answer.html)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", fieldless)
    assert "pay \ufffd001$\ufffd␛]0;t␇\ufffd2J \ufffdnow\ufffd, \u200fא" in visitor.get("/file", path=path).html
    form = fields(visitor.get("/line", path=path, line=3))
    assert (form["path"], form["text"]) == (path, f"- {text}")
    assert save(visitor, form).status == 303
    assert note(memory, path).split("\n")[2] == f"- {text}"


def test_what_was_said_is_shown_where_a_fact_or_a_hit_cites_it(memory: Memory) -> None:
    said = memory.capture(
        "My employer is Hollerbach <b>Verlag</b>.", actor="tool", session="mail", now="2025-11-28T10:00"
    )
    source = memory.show(said.id).records[0].source
    visitor, place = Visitor(memory), source.location
    for reference in (said.id, source.citation, place):
        page = visitor.get("/capture", id=reference)
        assert re.search(r"My employer is Hollerbach <b>Verlag</b>\. .* untrusted .*Said by a tool .*mail", page.words)
    assert visitor.get("/capture", id="obs:nothing").status == 404
    assert visitor.get("/capture", id=PATH).status == 404
    fact = {**FACT, "value": "Hollerbach", "sources": [{"id": said.id, "citation": place}]}
    html = Visitor(memory, facts={"facts": [fact], "unread": 0}).get("/entity", name="Ana").html
    assert f'href="/capture?id={quote(place)}">what was said</a>' in html
    assert f'href="/capture?id={quote(source.citation)}"' in visitor.get("/ask", q="employer hollerbach").html


def test_a_line_is_corrected_and_forgotten_from_where_it_is_shown(memory: Memory, visitor: Visitor) -> None:
    found = visitor.get("/ask", q="Peter sails").html
    assert re.search(r'href="/line\?path=memory/2025-11-27.md&amp;line=\d+">Correct</a>', found)
    assert re.search(r'href="/audit/forget\?references=[^"]+">Forget…</a>', found)
    assert "What would be hidden" in visitor.get("/audit/forget", references=f"{PATH}#L6").words
    assert f"references={quote(PATH)}%23L6" in visitor.get("/line", path=PATH, line=6).html


def test_the_timeline_of_a_name_ends_at_the_day_that_is_asked_for(memory: Memory, visitor: Visitor) -> None:
    write_note(memory, "memory/2025-09-01.md", "## Retain\n- W @Peter: Came home.\n")
    write_note(memory, "memory/2025-10-01.md", "## Retain\n- W @Peter: Left again.\n")
    page = visitor.get("/entity", name="Peter", as_of="September 2025").words
    assert "Came home." in page
    assert "Left again." not in page
    assert "Left again." in visitor.get("/entity", name="Peter").words


def test_a_longer_name_that_may_be_the_same_is_asked_about(memory: Memory, visitor: Visitor) -> None:
    write_note(memory, "more.md", "## Retain\n- W @Peter-Holt: Sails.\n- W @Peters: Sail.\n")
    assert "Also written as Peter Holt ?" in visitor.get("/entity", name="Peter").words
    assert "Also written as Peter ?" in visitor.get("/entity", name="Peter Holt").words
    write_note(memory, "memory/aliases.yaml", "Peter Holt: [Peter]\n")
    assert "Also written as" not in visitor.get("/entity", name="Peter").words


def test_what_is_told_again_is_new() -> None:
    kept: dict[str, int] = {}
    for number, name in enumerate("abac"):
        keep_newest(kept, name, number, 2)
    assert kept == {"a": 2, "c": 3}
