"""A name and its aliases find the same lines, in recall and in `entity`, which lists distinct facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.errors import NotFound


def write(root: Path, **texts: str) -> None:
    for name, content in texts.items():
        path = root / f"memory/{name.replace('__', '.')}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")


def best_two(root: Path, query: str) -> list[str]:
    with Memory.open(root) as memory:
        return [hit.record.text for hit in memory.recall(query, k=2).hits]


def about(root: Path, name: str) -> list[str]:
    with Memory.open(root) as memory:
        view = memory.entity(name)
        return [record.text for record in (*view.page, *view.mentions)]


@pytest.mark.parametrize("is_marked", [True, False])
def test_an_alias_finds_the_lines_of_a_name_and_the_name_those_of_the_alias(tmp_path: Path, is_marked: bool) -> None:
    plays, sells = "Mara Keller plays the cello.", "Mimi sells honey."
    if is_marked:
        plays, sells = "@Mara-Keller: plays the cello.", "@Mimi: sells honey."
    others = "\n".join(f"- W @Tom: plays the flute and sells book {n}." for n in range(12))
    write(tmp_path, log__md=f"## Retain\n- W {plays}\n- W {sells}\n{others}\n")
    assert (plays in best_two(tmp_path, "Mimi"), sells in best_two(tmp_path, "Mara Keller")) == (False, False)
    write(tmp_path, aliases__yaml="Mara Keller: [Mimi]\n")
    assert set(best_two(tmp_path, "Mimi")) == set(best_two(tmp_path, "Mara Keller")) == {plays, sells}
    assert set(about(tmp_path, "Mimi")) == set(about(tmp_path, "Mara Keller")) == {plays, sells}


def test_headings_of_contacts_are_entities(tmp_path: Path) -> None:
    write(tmp_path, contacts__md="# Contacts\n\n## Haruki Onodera\nKoto maker.\n\n- Lives in Kyoto\n- Phone: 5550112\n")
    assert set(about(tmp_path, "Haruki Onodera")) == {"Koto maker.", "Lives in Kyoto", "Phone: 5550112"}


def test_an_entity_is_found_by_its_name_in_plain_text(tmp_path: Path) -> None:
    write(tmp_path, log__md="My daughter Lena plays the cello.\n\nWe met in the lena valley.\n\nMilena is here.\n")
    assert about(tmp_path, "Lena") == ["My daughter Lena plays the cello."]
    with Memory.open(tmp_path) as memory:
        memory.capture("My son Jonas starts school.", ts="2025-11-10T09:00")
    assert about(tmp_path, "Jonas") == ["My son Jonas starts school."]
    with pytest.raises(NotFound):
        about(tmp_path, "Valley")


def test_an_entity_lists_each_thing_once(tmp_path: Path) -> None:
    said = [
        ("Andrew", "I adopted a dog named Toby last week. He is a puppy."),
        ("Audrey", "That is wonderful! I went to the park with my four dogs yesterday."),
        ("Andrew", "I started a new job as a financial analyst at Novartis in Basel. It is great."),
    ]
    with Memory.open(tmp_path) as memory:
        for n, (speaker, sentence) in enumerate(said):
            memory.capture(sentence, ts=f"2025-11-10T09:0{n}", session="s", detail={"speaker": speaker})
        memory.consolidate(apply=True, now="2025-11-20T08:00")
        records = memory.entity("Andrew").mentions
    assert len(records) >= 2
    assert len({source for record in records for source in record.sources}) == len(records)
    assert not [record.text for record in records if "park" in record.text]


def test_what_is_called_by_an_alias_replaces_what_is_called_by_the_name(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2025-01-02.md").write_text("## Retain\n- W Mimi lives in Bern.\n", encoding="utf-8")
    (tmp_path / "memory/2025-03-02.md").write_text("## Retain\n- W Mara lives in Basel.\n", encoding="utf-8")
    assert "Mimi lives in Bern." in best_two(tmp_path, "Who lives in Bern?")
    write(tmp_path, aliases__yaml="Mara: [Mimi]\n")
    assert best_two(tmp_path, "Who lives in Bern?") == ["Mara lives in Basel."]
    with Memory.open(tmp_path) as memory:
        assert memory.check().problems == ()  # a rebuild gives the same


FEAST = """## Retain
- W @Marta-Quist: Sings on Mondays.
- W Marta Quist and Lukas Brehm expect a child.
- W @Lukas-Brehm: Bakes, see [the day](2025-11-10.md), [[lessons-learned]] and [[decisions]].
- W Marta counts what Tom Quist sold.
- W @Runa: Marta Quist is her cousin.
"""


def write_feast(root: Path) -> None:
    write(root, feast__md=FEAST, **dict.fromkeys(("2025-11-10__md", "procedural/lessons-learned__md"), "# Notes\n"))
    (root / "decisions.md").write_text("# What we decided\n", encoding="utf-8")


def test_names_that_stand_in_one_line_share_it_without_a_link(tmp_path: Path) -> None:
    write_feast(tmp_path)
    with Memory.open(tmp_path) as memory:
        related = {one.name: one.lines for one in memory.related("Marta Quist").related}
        assert related == {"Lukas Brehm": 1, "Runa": 1}
        assert {one.name: one.lines for one in memory.related("Lukas Brehm").related} == {"Marta Quist": 1}


def test_a_name_that_no_line_links_any_more_stays_listed_while_lines_have_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        for said in (
            "Runa McFell is married to Tom Holt.",
            "In May Runa McFell sold a lathe.",
            "May Runa's wish hold!",
        ):
            memory.retain(said, now="2026-11-28T09:00")
        memory.capture("Runa McFell moved to Bern on 10 June 2026.", ts="2026-11-28T09:02", session="s")
        memory.consolidate(apply=True, now="2026-11-28T10:00")
        assert "Runa McFell" in dict(memory.entities())
        for write in memory.audit():
            if "consolidate" in write.by:
                memory.undo(write.change_id)
        assert memory.entities() == (("Runa McFell", 2),)
        assert memory.entities(begins="runa") == (("Runa McFell", 2),)
        assert [(one.name, one.lines) for one in memory.related("Tom Holt").related] == [("Runa McFell", 1)]
        assert memory.related("Runa McFell").related == ()
        memory.capture("Tilda Brehm and Runa McFell came.", ts="2026-11-28T11:00", session="t")
        assert memory.related("Tilda Brehm").related == ()
        with pytest.raises(NotFound):
            memory.related("Nobody Here")


def test_the_list_of_names_counts_the_lines_that_their_pages_show(tmp_path: Path) -> None:
    write_feast(tmp_path)
    with Memory.open(tmp_path) as memory:
        listed = dict(memory.entities())
        assert listed == {"Marta Quist": 3, "Lukas Brehm": 2, "Runa": 1}  # neither days nor files of the notebook
        assert listed == {name: len(memory.entity(name).mentions) for name in listed}


def test_a_name_and_its_declared_alias_are_one_entity(tmp_path: Path) -> None:
    write_feast(tmp_path)
    lines = "## Retain\n- W @Mimi: Came late.\n- W @Mimi @Runa: Danced.\n"
    write(tmp_path, aliases__yaml="Marta Quist: [Mimi]\n", more__md=lines)
    page = tmp_path / "bank/entities/Runa-Holt.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\naliases: [Runa]\n---\n# Runa Holt\n\nSails.\n", encoding="utf-8")
    with Memory.open(tmp_path) as memory:
        assert dict(memory.entities()) == {"Marta Quist": 5, "Lukas Brehm": 2, "Runa Holt": 3}
        assert memory.entities(begins="mi") == (("Marta Quist", 5),)
        assert memory.entity("Runa") == memory.entity("Runa Holt")
        assert memory.entity("Runa").name == "Runa Holt"
        assert len(memory.entity("Mimi").mentions) == 5
        assert {one.name: one.lines for one in memory.related("Mimi").related} == {"Runa Holt": 2, "Lukas Brehm": 1}
