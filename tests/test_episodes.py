"""What a person reads in an episode: a title, a summary, one line a fact, a few tags, and short annotations."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec import structs

from commonplace import Memory
from commonplace.capture import Event
from commonplace.extract.candidates import Candidate
from commonplace.extract.features import KnownNames, TopicSentence, choose_topics
from commonplace.language.text import fold_name, sanitize_line, split_sentences
from commonplace.model import Capture, Record
from commonplace.storage.journal import Journal
from commonplace.storage.workspace import parse_document
from commonplace.sync.index_entries import page_names
from commonplace.truth import Vocabulary
from commonplace.upkeep.consolidate import words_key
from commonplace.upkeep.consolidate.claims import Passage, make_claim
from commonplace.upkeep.consolidate.episodes import (
    MAX_SUMMARY_CHARS,
    MAX_TITLE_COLUMNS,
    Episode,
    EpisodeSentence,
    build_episode,
    make_headline,
    select_salient_sentences,
)
from commonplace.upkeep.consolidate.history import Interaction
from tests.support.claim_grammar import NOW, hear, keep, markdown, recalled
from tests.support.tombstones import leave_tombstones

FOLDER = "memory/episodes/"
POTTERY = (
    "Yesterday I signed up for a pottery class in Bern. It is like therapy for me. They have a kiln too.",
    "The pottery class costs 40 francs a month, and I love it.",
    "My sister Ana is allergic to peanuts.",
)


def talk(memory: Memory, *messages: str, speaker: str = "", session: str = "s", day: str = "2025-11-10") -> None:
    """The messages of one session, a minute apart; `Ana: …` is said by Ana, if `speaker` says so."""
    events = []
    for minute, message in enumerate(messages):
        name, _, words = message.partition(": ") if speaker == "named" else (speaker, "", message)
        detail = {"speaker": name} if name else {}
        events.append(Event(text=words, ts=f"{day}T09:{minute:02}:00", session=session, actor="owner", detail=detail))
    memory.capture_all(events, now=NOW)


def planned(memory: Memory) -> list[Episode]:
    return [episode for plan in keep(memory).plans for episode in plan.episodes]


def front_of(episode: Episode) -> dict[str, Any]:
    front: dict[str, Any] = yaml.safe_load(episode.data.decode().split("---\n")[1])
    return front


def details_of(episode: Episode) -> list[Record]:
    return [record for record in episode.records if record.form != "summary"]


def told_sentences(episode: Episode) -> list[str]:
    """Every sentence of the summary and of the details, without its speaker."""
    lines = [episode.summary, *(record.text for record in details_of(episode))]
    return [sanitize_line(one) for line in lines for one in split_sentences(line.partition(": ")[2])]


def one_episode(*sentences: str) -> Episode:
    """The episode of sentences that are each a message."""
    captures = [_capture(number, line) for number, line in enumerate(sentences)]
    told = tuple(EpisodeSentence(one, one.text, 0.5, "Owner") for one in captures)
    interaction = Interaction("s", "", tuple(captures))
    return build_episode(interaction, told, make_headline(interaction, told))


def _capture(number: int, text: str) -> Capture:
    return Capture(f"obs:{number}", f"2025-11-10T09:0{number % 10}", "message", "owner", text, "s")


# Sentences.


def test_no_sentence_is_told_twice() -> None:
    message = "I signed up for a pottery class in Bern. It is like therapy for me. Ana owns a kiln in the attic. She made it in 2019."
    captures = (_capture(1, message), _capture(2, "I signed up for a pottery class in Bern."))
    assert told_passages(captures, "I signed up", "Ana owns", "She made") == [
        "I signed up for a pottery class in Bern. It is like therapy for me.",  # it goes on about the class
        "Ana owns a kiln in the attic. She made it in 2019.",  # a line that is not understood without the one before
    ]
    assert told_passages(captures[:1], "She made") == ["Ana owns a kiln in the attic. She made it in 2019."]
    assert told_passages(captures[:1], "Ana owns") == ["Ana owns a kiln in the attic. She made it in 2019."]
    assert told_passages(captures[1:], "Ana owns") == []
    chain = (_capture(1, "Ana owns a kiln in the attic. She made it in 2019. She sold it in 2021."),)
    assert told_passages(chain, "She made", "She sold") == [chain[0].text], "all that hangs together is one line"
    other = _capture(2, "Rosa owns a boat in the harbour. She made it in 2019.")
    assert told_passages((*chain, other), "She made") == [chain[0].text], "the same words are told once"
    alike = [f"I have eaten more and more beans for three months {why}." for why in ("now", "because of Ana in 2019")]
    both = tuple(_capture(number, line) for number, line in enumerate(alike))
    assert told_passages(both, "I have") == alike[1:], "the better of two that begin with the same words"


def told_passages(captures: tuple[Capture, ...], *starts: str) -> list[str]:
    """What is told of captures if claims rest on the sentences that begin so."""
    claims = []
    for capture in captures:
        for start in (at for begin in starts if (at := capture.text.find(begin)) >= 0):
            span = (start, capture.text.index(".", start) + 1)
            claims.append(make_claim(Passage(capture, Candidate(span)), "Owner", Vocabulary()))
    found = select_salient_sentences(Interaction("s", "", captures), claims, lambda _capture, _sentence: True)
    return [one.sentence for one in found]


def test_the_summary_repeats_no_detail(memory: Memory) -> None:
    talk(memory, *POTTERY)
    (episode,) = planned(memory)
    assert details_of(episode)
    assert not [record.text for record in details_of(episode) if record.text in episode.summary]
    assert front_of(episode)["summary"] == episode.summary


def test_an_episode_of_one_sentence_has_no_details() -> None:
    episode = one_episode("The staging database runs on port 6431.")
    assert [record.form for record in episode.records] == ["summary"]
    assert b"Details" not in episode.data


def test_of_many_sentences_two_are_the_summary() -> None:
    lines = [f"Box {number} is in the {number}th cellar." for number in range(6)]
    assert len(details_of(one_episode(*lines))) == 4
    assert len(details_of(one_episode(*lines[:5]))) == 4


def test_a_sentence_that_is_too_long_for_a_summary_is_cut_there_and_whole_among_the_details() -> None:
    long = f"The recipe needs {', '.join(f'{number} grams of flour' for number in range(20))}, and a pan."
    episode = one_episode(long)
    assert len(episode.summary) <= MAX_SUMMARY_CHARS
    assert episode.summary.endswith("…")
    assert [record.text for record in details_of(episode)] == [f"Owner: {long}"]
    assert one_episode(long, "The pan is in the kitchen.").summary == "Owner: The pan is in the kitchen."


def test_the_summary_is_about_what_the_title_names() -> None:
    captures = tuple(_capture(at, line) for at, line in enumerate(("It rained in May.", "The kiln is in Bern.")))
    told = tuple(EpisodeSentence(one, one.text, 0.5, "Owner") for one in captures)
    interaction = Interaction("s", "", captures)
    assert make_headline(interaction, told, ("kiln",)).summary == "Owner: The kiln is in Bern."
    assert make_headline(interaction, told).summary == "Owner: It rained in May."


def test_a_headline_may_be_worded_elsewhere() -> None:
    captures = (_capture(1, "The kiln is in Bern."), structs.replace(_capture(2, "It is hot."), origin="unknown"))
    told = tuple(EpisodeSentence(one, one.text, 0.5, "Ana") for one in captures)
    interaction = Interaction("s", "", captures)
    worded = structs.replace(
        make_headline(interaction, told), title="Ana's kiln", summary="Ana has a hot kiln in Bern.", sources=told
    )
    episode = build_episode(interaction, told, worded)
    front = front_of(episode)
    assert (front["title"], front["summary"]) == ("Ana's kiln", "Ana has a hot kiln in Bern.")
    assert front["source"] == ["obs:1", "obs:2"]
    assert (episode.trust, front["confidence"]) == ("unknown", "medium")
    assert len(details_of(episode)) == 2, "it quotes none of them"


# Titles.

PHRASES = {
    "en": (POTTERY, "pottery class"),
    "de": (
        (
            "Gestern habe ich mich für einen Töpferkurs in Bern angemeldet.",
            "Der Töpferkurs kostet 40 Franken im Monat.",
            "Meine Schwester Ana ist allergisch gegen Erdnüsse.",
        ),
        "Töpferkurs",
    ),
    "es": (
        (
            "Ayer me apunté a un curso de cerámica en Sevilla.",
            "El curso de cerámica cuesta 40 euros al mes.",
            "Mi hermana Ana es alérgica a los cacahuetes.",
        ),
        "curso",
    ),
    "fr": (
        (
            "Hier je me suis inscrite à un cours de poterie à Lyon.",
            "Le cours de poterie coûte 40 euros par mois.",
            "Ma sœur Anne est allergique aux arachides.",
        ),
        "poterie",
    ),
    "zh": (("我昨天报名了陶艺课。", "陶艺课每个月四十元,我很喜欢。", "我姐姐对花生过敏。"), "陶艺课"),
    "ja": (
        (
            "昨日、陶芸教室に申し込みました。",
            "陶芸教室は月に四千円です。",
            "姉はピーナッツのアレルギーがあります。",
        ),
        "陶芸教室",
    ),
}


@pytest.mark.parametrize("language", PHRASES)
def test_a_title_names_what_people_talk_about(memory: Memory, language: str) -> None:
    messages, phrase = PHRASES[language]
    talk(memory, *messages)
    (episode,) = planned(memory)
    topics = episode.title.split(", ")
    assert phrase in topics
    assert 1 <= len(topics) <= 3
    assert all(any(topic in message for message in messages) for topic in topics), "in their words"
    assert parse_document(episode.path, episode.data).title == episode.title
    assert not parse_document(episode.path, episode.data).problems


def test_a_title_names_those_who_talk_if_they_are_several(memory: Memory) -> None:
    said = [f"{name}: {line}" for name, line in zip(("Caro", "Mel", "Caro"), POTTERY, strict=True)]
    talk(memory, *said, speaker="named")
    (episode,) = planned(memory)
    assert episode.title.startswith("Caro, Mel: ")
    assert "pottery class" in episode.title


def test_a_title_is_short_and_begins_with_the_best_sentence_where_no_phrase_stands_out() -> None:
    line = "We walked and talked and sang and then we walked and talked again until we were all too tired to walk."
    episode = one_episode(line)
    assert len(episode.title) <= MAX_TITLE_COLUMNS
    assert line.startswith(episode.title.removesuffix("…"))
    wide = "春" * 60
    assert one_episode(wide).title == f"{'春' * 34}…"


def test_a_word_that_is_common_in_the_notebook_names_no_topic(memory: Memory) -> None:
    def title_beside(other: str) -> str:
        root = Path(memory.root, other)
        root.mkdir()
        with Memory.open(root) as opened:
            for number in range(8):
                talk(opened, f"The {other} is fine, I think.", session=f"o{number}", day=f"2025-11-0{number + 1}")
            talk(opened, "My sister moved the kiln to the attic.", "I prefer the kiln, and my sister loves the attic.")
            return planned(opened)[-1].title

    assert not title_beside("kiln").startswith("kiln")
    assert title_beside("attic").startswith("kiln")


def test_topics_are_nouns_of_several_messages_in_their_widest_common_form() -> None:
    said = (
        "My choir sings in the old town hall.",
        "The town hall is cold.",
        "We sang at the town hall, and they sang.",
    )
    sentences = [TopicSentence(str(number), line, is_kept=False) for number, line in enumerate(said)]
    found = choose_topics(sentences, KnownNames(), lambda _token, _count: 1.0)
    assert found[0] == "town hall"
    assert "sang" not in found
    kept = [TopicSentence(str(number), line, is_kept=not number) for number, line in enumerate(("Our kiln.", *said))]
    assert choose_topics(kept[:2], KnownNames(), lambda _token, _count: 1.0)[0] == "kiln"
    named = [TopicSentence("1", 'I read "Food for Thought" on the train with Rosa.', is_kept=True)]
    assert choose_topics(named, KnownNames(), lambda _token, _count: 1.0)[0] == '"Food for Thought"'
    harbour = [TopicSentence("1", "The boat in the old harbour leaks.", is_kept=True)]
    assert choose_topics(harbour, KnownNames(), lambda _token, _count: 1.0) == ("boat", "harbour leaks")
    about = KnownNames(subjects=("old harbour",))
    assert choose_topics(harbour, about, lambda _token, _count: 1.0) == ("old harbour", "boat")
    told = [TopicSentence("1", "I told Melanie, and Mel found the kiln.", is_kept=True)]
    assert choose_topics(told, KnownNames(("Melanie",)), lambda _token, _count: 1.0) == ("kiln",)
    german = [TopicSentence("1", "Der laute Chor singt im Rathaus.", is_kept=True)]
    assert choose_topics(german, KnownNames(), lambda _token, _count: 1.0) == ("Chor", "Rathaus")


@pytest.mark.parametrize("op", ["forgotten", "rejected"])
def test_what_was_forgotten_or_rejected_is_not_told_and_names_no_topic(memory: Memory, op: str) -> None:
    line = "The tattoo on my shoulder is a small grey heron."
    talk(memory, "My sister Ana is allergic to peanuts.", line)
    before = memory.consolidate(now=NOW)
    assert any("tattoo" in episode.title for plan in before.plans for episode in plan.episodes)
    if op == "forgotten":
        leave_tombstones(memory.root, "dev", [line], NOW[:7])
    else:
        Journal(memory.root, "dev").append({"ts": NOW, "op": op, "words": [words_key(line)]}, "ledger")
    (episode,) = planned(memory)
    assert b"peanuts" in episode.data
    assert b"tattoo" not in episode.data


def test_what_an_agent_says_names_a_topic_only_where_it_is_told(memory: Memory) -> None:
    talk(memory, "My sister Ana is allergic to peanuts.")
    words = "The heron, the heron and the heron are in the harbour of herons."
    hear(memory, words, "2025-11-10T09:01", session="s", actor="agent")
    (episode,) = planned(memory)
    assert episode.title == "Ana, sister"


# Tags.


def test_tags_are_three_to_seven_those_of_the_vocabulary_first(memory: Memory) -> None:
    vocabulary = ["bern", "class", "francs", "month", "sister", "allergic", "peanuts", "love", "costs"]
    Path(memory.root, "memory").mkdir(exist_ok=True)
    talk(memory, *POTTERY)
    (bare,) = (episode for plan in memory.consolidate(now=NOW).plans for episode in plan.episodes)
    assert front_of(bare)["tags"] == ["ana", "pottery-class", "sister"]
    Path(memory.root, "memory/tags.yaml").write_text("tags: [sister, unused]\n")
    (one,) = (episode for plan in memory.consolidate(now=NOW).plans for episode in plan.episodes)
    assert front_of(one)["tags"] == ["sister", "ana", "pottery-class"]
    Path(memory.root, "memory/tags.yaml").write_text(f"tags: [{', '.join(vocabulary)}]\n")
    (many,) = planned(memory)
    assert len(front_of(many)["tags"]) == 7
    assert set(front_of(many)["tags"]) <= set(vocabulary)


def test_a_tag_has_letters_and_hyphens_alone() -> None:
    captures = (_capture(1, "The Samsung S22's box is at Rosa's."),)
    told = (EpisodeSentence(captures[0], captures[0].text, 0.5, "Owner"),)
    interaction = Interaction("s", "", captures)
    headline = make_headline(interaction, told, ("Samsung S22", "daughter's birthday", "Wi-Fi", "2025"))
    front = front_of(build_episode(interaction, told, headline))
    assert front["tags"] == ["samsung", "daughters-birthday", "wi-fi"]


# Annotations.


def annotated_lines(root: str) -> Iterator[tuple[str, bytes, list[str], int]]:
    for path, data in markdown(root).items():
        lines = data.decode().split("\n")
        yield from ((path, data, lines, number) for number, line in enumerate(lines) if line.endswith(" -->"))


def test_an_annotation_is_one_comment_and_says_nothing_that_holds_without_it(memory: Memory) -> None:
    talk(memory, *POTTERY, session="a")
    talk(memory, "Our choir sings in the town hall. My uncle Leo is allergic to cashew nuts.", session="f")
    said = (
        "Ana: Last Friday I went to a council meeting for adoption.",
        "Rosa: We went camping in the mountains last week.",
    )
    talk(memory, *said, speaker="named", session="g")
    talk(memory, "I ran a marathon in Bern on 3 November 2025.", "We will move to Oslo next year.", session="b")
    hear(memory, "We decided to use Postgres for Atlas.", scope="atlas", session="c")
    hear(memory, "The staging DB runs on port 6431.", session="d")
    hear(memory, "The staging DB moved to port 6432.", "2025-11-11T09:00", session="e", detail={"speaker": "Ana"})
    keep(memory, owner="Peter")
    memory.retain("W @Ana: Likes tea.", now=NOW)
    checked = 0
    for path, data, lines, number in annotated_lines(memory.root):
        head, _, comment = lines[number].partition("<!-- ")
        parts = comment.removesuffix(" -->").split(" · ")
        assert "<!--" not in comment
        whole = parse_document(path, data).records
        for part in (one for one in parts if not one.startswith("id:")):
            shorter = f"{head}<!-- {' · '.join(one for one in parts if one != part)} -->"
            page = "\n".join((*lines[:number], shorter, *lines[number + 1 :])).encode()
            assert list(map(_facts, parse_document(path, page).records)) != list(map(_facts, whole)), part
            checked += 1
    assert checked > 20


def _facts(record: Record) -> Record:
    """A record without its place."""
    return structs.replace(record, source=structs.replace(record.source, line_start=1, line_end=1, digest=""))


# Files.


def test_the_file_of_an_interrupted_run_is_kept_if_the_title_changes(memory: Memory) -> None:
    talk(memory, *POTTERY)
    (plan,) = memory.consolidate(now=NOW).plans
    (first,) = plan.episodes
    path = Path(memory.root, re.sub("_[a-z-]+-", "_another-title-", first.path))
    path.parent.mkdir(parents=True)
    path.write_bytes(first.data.replace(b"title: ", b"title: Another, "))
    keep(memory)
    assert [one for one in markdown(memory.root) if one.startswith(FOLDER)] == [
        path.relative_to(memory.root).as_posix()
    ]
    assert b"title: Another" in path.read_bytes()


def test_the_title_of_an_episode_is_no_name_of_anything() -> None:
    episode = one_episode("Oslo is cold.", "I moved to Oslo.")
    names = dict(page_names(parse_document(episode.path, episode.data.replace(b"title: ", b"title: Oslo "))))
    assert [name for name in names.values() if "Oslo" in name] == []


def test_a_summary_that_states_what_no_longer_holds_is_superseded(memory: Memory) -> None:
    hear(
        memory, "The staging DB runs on port 6431. It is in the cellar behind the green door of the house.", session="d"
    )
    (old,) = planned(memory)
    assert "6431" in old.summary
    assert "cellar" in old.summary
    assert [record.form for record in old.records] == ["summary"]
    hear(memory, "The staging DB moved to port 6432.", "2025-11-11T09:00", session="e")
    keep(memory)
    lines = recalled(memory, "which port does the staging DB use?", evidence="none")
    assert [line for line in lines if "6432" in line]
    assert not [line for line in lines if "6431" in line]


def test_talk_of_others_makes_episodes_that_repeat_nothing(memory: Memory, shared: Path) -> None:
    packed = shared / "bench" / "locomo" / "corpus.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(packed.read_bytes()).decode().split("\n") if line]
    mine = [row for row in rows if row["ns"] == min(one["ns"] for one in rows)]
    events = [
        Event(
            text=row["text"],
            ts=row["timestamp"],
            session=row["session"],
            actor="owner",
            detail={"speaker": row["speaker"]},
        )
        for row in mine
    ]
    said = {fold_name(sanitize_line(one)) for row in mine for one in split_sentences(row["text"])}
    memory.capture_all(events, now=mine[-1]["timestamp"][:16])
    run = memory.consolidate(apply=True, now=mine[-1]["timestamp"][:16])
    episodes = [episode for plan in run.plans for episode in plan.episodes]
    assert len(episodes) > 10
    starts = [" ".join(record.text.split()[:9]) for episode in episodes for record in details_of(episode)]
    assert len(starts) == len(set(starts)) > 10, "with the speaker, eight words"
    for episode in episodes:
        told = told_sentences(episode)
        assert not [one for one in told if fold_name(one) not in said], "verbatim"
        assert len(told) == len(set(told))
        assert 3 <= len(front_of(episode)["tags"]) <= 7
        assert 0 < len(episode.title) <= MAX_TITLE_COLUMNS
        assert 0 < len(episode.summary) <= MAX_SUMMARY_CHARS
