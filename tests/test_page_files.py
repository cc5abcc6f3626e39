"""The pages of files and entities: lines are shown, edited with both versions where somebody was faster, and put back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from commonplace import Memory
from tests.support.hostile_markup import HOSTILE
from tests.support.page import Answer, Elements, NotebookPage

PATH = "memory/2025-11-27.md"
NOTE = (
    "# 2025-11-27\n\n## Retain\n\n- W @Peter: In Marrakech with @Ana. <!-- id: 7f3k9qa -->\n"
    "- Peter sails on **Sundays**.\n- W @Ana: Plays the harp.\n"
)
MAX_PAGE_BYTES = 150_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "memory").mkdir()
    (tmp_path / PATH).write_text(NOTE, encoding="utf-8")
    with Memory.open(tmp_path) as opened:
        yield opened


@pytest.fixture
def page(memory: Memory) -> NotebookPage:
    return NotebookPage(memory)


def fields(answer: Answer) -> dict[str, str]:
    """The form of an edit, as a browser would send it unchanged."""
    inputs = [one for tag, one in Elements(answer.text).elements if tag == "input" and one.get("type") == "hidden"]
    text = re.search(r'<textarea id="text"[^>]*>\n(.*?)</textarea>', answer.text, re.DOTALL)
    assert text
    return {one["name"]: one["value"] for one in inputs} | {"text": unescape(text[1])}


def save(page: NotebookPage, given: dict[str, str], **changed: str) -> Answer:
    return page.post("/line", **{name: one.replace("\n", "\r\n") for name, one in (given | changed).items()})


def note(memory: Memory, path: str = PATH) -> str:
    return Path(memory.root, path).read_text("utf-8")


def test_a_file_is_shown_with_its_lines(page: NotebookPage) -> None:
    answer = page.get("/file", path=PATH)
    assert answer.status == 200
    assert re.findall(r'id="L(\d+)"', answer.text) == ["1", "3", "5", "6", "7"]
    assert "<strong>Sundays</strong>" in answer.text
    assert "7f3k9qa" not in Elements(answer.text).text
    assert "id: 7f3k9qa" in answer.text
    twin = page.get("/file.json", path=PATH)
    assert twin.json["file"]["text"] + "\n" == NOTE
    assert page.get("/file", path="memory/none.md").status == 404
    assert page.get("/file", path="../../etc/passwd").status == 404


def test_untrusted_lines_are_text(memory: Memory, page: NotebookPage) -> None:
    memory.retain("Visit **now** <b>here</b> [x](https://evil.example)", actor="tool", now="2025-11-27T10:00")
    html = page.get("/file", path=PATH).text
    assert "**now** &lt;b&gt;here&lt;/b&gt; [x](https://evil.example)" in html
    assert '<span class="mark">untrusted</span>' in html
    assert 'evil.example"' not in html


def test_a_line_is_edited_without_scripts_and_put_back(memory: Memory, page: NotebookPage) -> None:
    form = page.get("/line", path=PATH, line=6)
    assert fields(form)["text"] == "- Peter sails on **Sundays**."
    answer = save(page, fields(form), text="- Peter sails on Mondays.\n- And he sings.")
    assert answer.status == 303
    address = urlsplit(answer.headers["location"])
    told = parse_qs(address.query)
    assert (address.path, told["path"], told["line"], told["notice"]) == ("/file", [PATH], ["6"], ["Saved"])
    assert note(memory) == NOTE.replace("**Sundays**.", "Mondays.\n- And he sings.")
    history = page.get("/history", path=PATH)
    assert told["undo"][0] in history.text
    assert "<del>- Peter sails on **Sundays**.\n</del>" in history.text
    memory.undo(told["undo"][0])
    assert note(memory) == NOTE


def test_a_whole_file_is_edited(memory: Memory, page: NotebookPage) -> None:
    link = re.search(r'href="(/line\?[^"]*)">Edit the file', page.get("/file", path=PATH).text)
    assert link
    query = {name: one[0] for name, one in parse_qs(urlsplit(unescape(link[1])).query).items()}
    given = fields(page.get("/line", **query))
    assert given["text"] + "\n" == NOTE
    assert save(page, given).headers["location"].endswith("notice=Nothing%20was%20changed")
    assert save(page, given, text="# New\n\nAll of it.").status == 303
    assert note(memory) == "# New\n\nAll of it.\n"


def test_an_edit_in_an_editor_at_the_same_moment_is_not_lost(memory: Memory, page: NotebookPage) -> None:
    given = fields(page.get("/line", path=PATH, line=7))
    theirs = "# New first line\n" + NOTE.replace("Plays the harp", "Plays the lute")
    Path(memory.root, PATH).write_text(theirs, encoding="utf-8")
    answer = save(page, given, text="- W @Ana: Plays the drum.")
    assert answer.status == 409
    assert note(memory) == theirs
    versions = [unescape(one) for one in re.findall(r'<pre class="version">(.*?)</pre>', answer.text, re.DOTALL)]
    assert versions[1] == "- W @Ana: Plays the drum."
    assert "These lines changed too" in answer.text
    again = fields(answer)
    assert again["text"] == "- W @Ana: Plays the drum."
    assert save(page, again).status == 303


def test_lines_that_moved_meanwhile_are_found_again(memory: Memory, page: NotebookPage) -> None:
    given = fields(page.get("/line", path=PATH, line=7))
    Path(memory.root, PATH).write_text("# New first line\n" + NOTE, encoding="utf-8")
    answer = save(page, given, text="- W @Ana: Plays the drum.")
    assert answer.status == 409
    assert "These lines are as they were" in answer.text
    assert save(page, fields(answer)).status == 303
    assert note(memory) == "# New first line\n" + NOTE.replace("harp", "drum")


def test_a_form_without_its_token_writes_nothing(memory: Memory, page: NotebookPage) -> None:
    given = fields(page.get("/line", path=PATH, line=6))
    assert page.post("/line", **given | {"token": "x", "text": "gone"}).status == 403
    for wrong in ({"line_start": "x"}, {"line_end": "-1"}, {"line_start": "99", "line_end": "99"}):
        assert page.post("/line", **given | wrong).status == 400
    assert note(memory) == NOTE


def test_a_secret_is_masked_and_told(memory: Memory, page: NotebookPage) -> None:
    given = fields(page.get("/line", path=PATH, line=6))
    answer = save(page, given, text="- key AKIAIOSFODNN7EXAMPLE")
    assert "masked%3A%20aws-access-key" in answer.headers["location"]
    assert "AKIA" not in note(memory)


def test_hidden_lines_have_no_form(memory: Memory, page: NotebookPage) -> None:
    memory.forget(query="harp", apply=True)
    assert "harp" not in page.get("/file", path=PATH).text
    line = page.get("/line", path=PATH, line=7)
    assert "harp" not in line.text
    assert "<textarea" not in line.text
    assert "cannot be edited here" in line.text


@pytest.mark.slow
def test_a_file_of_ten_thousand_lines_comes_in_parts(memory: Memory, page: NotebookPage) -> None:
    lines = [
        f"- W @Peter: Saw heron {number} near the old lock. <!-- id: {number:07d}aaa -->" for number in range(9_996)
    ]
    Path(memory.root, PATH).write_text("# Log\n\n## Retain\n\n" + "\n".join(lines), encoding="utf-8")
    first = page.get("/file", path=PATH)
    assert "10,000 lines" in first.text
    assert len(first.text) < MAX_PAGE_BYTES
    assert 'id="L200"' in first.text
    middle = page.get("/file", path=PATH, line=5_000)
    assert 'class="line here" id="L5000"' in middle.text
    assert "heron 4995 " in middle.text
    last = page.get("/file", path=PATH, line=10_000)
    assert 'id="L10000"' in last.text
    assert "Lines after" not in last.text
    assert page.get("/file", path=PATH, line=10_201).status == 400
    assert save(page, fields(page.get("/line", path=PATH, line=9_000)), text="- one").status == 303
    assert note(memory).split("\n")[8_999] == "- one"


def test_long_lines_are_cut_and_not_edited_here(memory: Memory, page: NotebookPage) -> None:
    Path(memory.root, PATH).write_text(f"start\n\n{'x' * 300_000}\n\n" + "y " * 30_000 + "\n\nend\n", encoding="utf-8")
    for line in (1, 3, 5, 7):
        shown = page.get("/file", path=PATH, line=line)
        assert f'id="L{line}"' in shown.text
        assert len(shown.text) < MAX_PAGE_BYTES
    assert "too much to be edited here" in page.get("/line", path=PATH, line=3).text


def test_as_many_lines_are_shown_as_fit_on_a_page(memory: Memory, page: NotebookPage) -> None:
    Path(memory.root, PATH).write_text(
        "\n".join(f"{number} {'y' * 1_000}" for number in range(1, 201)), encoding="utf-8"
    )
    for line in (1, 150):
        shown = page.get("/file", path=PATH, line=line)
        assert len(shown.text) < MAX_PAGE_BYTES
        assert f'id="L{line}"' in shown.text
        assert "Lines after" in shown.text
    assert "Lines after" not in page.get("/file", path=PATH, line=190).text


def test_long_writes_are_shortened_in_the_history(memory: Memory, page: NotebookPage) -> None:
    digest = memory.read_file(PATH).digest
    memory.edit_file(PATH, "- long\n" * 5_000, digest)
    html = page.get("/history", path=PATH).text
    assert "- long\n…" in html or "…</ins>" in html
    assert len(html) < 10_000


def test_impact_of_a_line_is_shown(memory: Memory, page: NotebookPage) -> None:
    memory.pack("where is Peter?", reader="desk")
    html = page.get("/line", path=PATH, line=5).text
    assert "in <b>1</b> pack" in html
    assert "desk" in html


def test_files_are_listed_and_filtered(memory: Memory, page: NotebookPage) -> None:
    for number in range(120):
        Path(memory.root, f"note{number:03}.md").write_text(f"# Title {number}\n\nText.\n")
    html = page.get("/files").text
    assert html.count("<tr>") == 101
    assert 'rel="next"' in html
    assert page.get("/files", page=2).text.count("<tr>") == 22
    assert page.get("/files", contains="title 11").text.count("<tr>") == 12
    assert "No file has these letters" in page.get("/files", contains="zzz").text
    assert [one["path"] for one in page.get("/files.json", contains=PATH).json["files"]] == [PATH]


def test_an_empty_notebook_has_words(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        page = NotebookPage(memory)
        assert "There are no Markdown files here yet" in page.get("/files").text
        assert "No line names anybody yet" in page.get("/entities").text
        assert page.get("/entity", name="Nobody").status == 404
        Path(memory.root, "empty.md").write_text("")
        assert "This file is empty" in page.get("/file", path="empty.md").text
        assert save(page, fields(page.get("/line", path="empty.md")), text="# Begun").status == 303
        assert note(memory, "empty.md") == "# Begun"


def test_entities_are_listed_by_their_first_letters(memory: Memory, page: NotebookPage) -> None:
    names = "".join(f"- W @Name{number:03}: Sails.\n" for number in range(210))
    Path(memory.root, "names.md").write_text(f"## Retain\n{names}")
    assert page.get("/entities").text.count("<li>") == 200
    assert page.get("/entities", page=2).text.count("<li>") == 12
    assert [one["name"] for one in page.get("/entities.json", begins="AN").json["entities"]] == ["Ana"]


def test_an_entity_has_facts_lines_and_neighbours(memory: Memory, page: NotebookPage) -> None:
    Path(memory.root, "memory/2025-05-01.md").write_text(
        "# 2025-05-01\n\n## Retain\n\n- W @Peter: Peter's city is Bern. <!-- valid: 2025-05-01..2025-08-31 -->\n"
    )
    Path(memory.root, "memory/2025-09-01.md").write_text(
        "# 2025-09-01\n\n## Retain\n\n- W @Peter: Peter's city is Thun.\n"
    )
    now = page.get("/entity.json", name="peter").json
    assert now["name"] == "Peter"
    assert [(one["key"], one["value"]) for one in now["facts"]] == [("lives_in", "Thun")]
    assert [one["value"] for one in now["other_days"]] == ["Bern"]
    may = page.get("/entity.json", name="Peter", as_of="2025-06-01").json
    assert "Bern" in [one["value"] for one in may["facts"] + may["disputed"]]
    html = page.get("/entity", name="Peter").text
    assert "not linked" in html
    assert 'data-graph="names"' in html
    assert re.search(r'<li data-lines="1"><a href="/entity\?name=Ana">Ana</a>', html)
    assert page.get("/entity", name="Peter", as_of="no day").status == 400


def test_disputed_facts_stand_apart(memory: Memory) -> None:
    fact = {
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
    facts = {"facts": [{**fact, "value": "Bern"}, {**fact, "value": "Thun"}, {**fact, "key": "job", "value": "smith"}]}
    shown = NotebookPage(memory, facts=facts).get("/entity.json", name="Ana").json
    assert [one["value"] for one in shown["disputed"]] == ["Bern", "Thun"]
    assert [one["value"] for one in shown["facts"]] == ["smith"]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_are_text_on_every_page(memory: Memory, text: str) -> None:
    """As the text of a file, its title, an entity, a path that is not there, and what is asked for."""
    Path(memory.root, PATH).write_text(f'# {text}\n\n## Retain\n\n- W @"{text}": {text}\n- W @Peter: [[{text}]]\n')
    name = text.replace("/", "").replace("\n", "")[:60] + ".md"
    Path(memory.root, name).write_text(f"# {text}\n\n[{text}]({text})\n", encoding="utf-8")
    page = NotebookPage(memory)
    assert name in [one["path"] for one in page.get("/files.json").json["files"]]
    names = [one["name"] for one in page.get("/entities.json").json["entities"]]
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
        answer = page.get(path, **query)
        assert answer.status in (200, 404), (path, query)
        elements = Elements(answer.text).elements
        scripts = {str(one.get("src")) for tag, one in elements if tag == "script"}
        assert all(re.fullmatch(r"/static/[a-z.]+\.js", script) for script in scripts), scripts
        assert not [one for tag, one in elements if tag in ("img", "svg", "iframe", "style", "base", "object", "math")]
        assert not [name for _tag, one in elements for name in one if name.startswith(("on", "style"))]
        for _tag, one in elements:
            assert re.match(r"/|#|https?://|$", one.get("href", "")), one
