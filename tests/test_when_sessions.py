"""Sessions named by their order: which are meant, and what only sounds like one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonplace.language import when
from commonplace.language.when import session_ordinals
from commonplace.language.word_data import load_session_words

# What is said, and the first and last place; `-1` is the last of all.
NAMED = """
What did we decide in our first session? | 1
What did I say in session 12? | 12
session number 12 | 12
session no. 12 | 12
What happened in session #7? | 7
Summarise sessions 3 through 5 | 3 to 5
Summarise sessions 3-5 | 3 to 5
from session 3 to session 5 | 3 to 5
between sessions 3 and 6 | 3 to 6
between session 3 and session 6 | 3 to 6
sessions 2 and 4 | 2, 4
the third and fifth sessions | 3, 5
the third and the fifth session | 3, 5
from the third to the fifth session | 3 to 5
the third to fifth sessions | 3 to 5
the third - fifth sessions | 3 to 5
in the 12th session | 12
our twenty-first session | 21
in our twenty-sixth session | 26
our ninety-ninth session | 99
the 45th session | 45
What was the twenty-second conversation about? | 22
what did we say the last time we spoke? | -1
the last time you and I spoke | -1
What did you suggest last time? | -1
what did I tell you when we last spoke? | -1
What was it we last talked about? | -1
What did I say in our last conversation about trains? | -1
the third to last session | -3
in der sechsundzwanzigsten Sitzung | 26
in der 45. Sitzung | 45
als wir zuletzt gesprochen haben | -1
als wir das letzte Mal gesprochen haben | -1
Letztes Mal, als wir gesprochen haben, ging es um Kuchen | -1
Was habe ich dir beim letzten Mal erzählt? | -1
Das letzte Mal, als wir über Kuchen sprachen | -1
Was haben wir zuletzt beim Kuchen beschlossen? | -1
Was haben wir in unserem letzten Gespräch über Kuchen gesagt? | -1
das Thema unseres letzten Gesprächs | -1
Was wurde bei unserem letzten Treffen zum Kuchen beschlossen? | -1
dans la vingt-sixième séance | 26
notre vingt et unième conversation | 21
la dernière fois que nous avons parlé | -1
quand nous avons parlé la dernière fois | -1
La dernière fois, qu'est-ce que je t'ai dit ? | -1
La fois dernière, tu m'as parlé d'un livre | -1
notre dernier échange | -1
2 sessions ago we spoke about cake | -2
one session ago | -1
two conversations ago | -2
What did you tell me in our last conversation? | -1
In the previous session, what did I say? | -1
the most recent chat | -1
the second to last session | -2
the session before last | -2
the last three sessions | -3 to -1
the past few sessions | -5 to -1
the first two conversations | 1 to 2
since session 5 | 5 to -1
since our fifth session | 5 to -1
until session 5 | 1 to 5
before session 5 | 1 to 4
after our first session | 2 to -1
before our last chat | 1 to -2
our third meeting | 3
our first session's topic | 1
Was war in unserer ersten Sitzung? | 1
in der letzten Sitzung | -1
vor zwei Sitzungen | -2
vor einer Sitzung | -1
in Sitzung 12 | 12
in der 3. Sitzung | 3
in den letzten drei Gesprächen | -3 to -1
in den letzten paar Gesprächen | -3 to -1
notre dernière conversation | -1
notre conversation dernière | -1
notre première séance | 1
il y a deux sessions | -2
les trois dernières sessions | -3 to -1
les trois premières sessions | 1 to 3
nuestra última conversación | -1
nuestra sesión última | -1
en la primera sesión | 1
las últimas dos sesiones | -2 to -1
las dos últimas sesiones | -2 to -1
hace dos sesiones | -2
na última conversa | -1
nella nostra prima sessione | 1
due sessioni fa | -2
in onze eerste sessie | 1
twee sessies geleden | -2
в нашей последней беседе | -1
две сессии назад | -2
i vår första session | 1
för två sessioner sedan | -2
第一次会话 | 1
第3次对话 | 3
上次聊天说了什么 | -1
上上次聊天 | -2
上次会话的内容 | -1
上个会话 | -1
三次会话之前 | -3
会话12 | 12
前回のセッション | -1
最初の会話 | 1
3回目のセッション | 3
2回前のセッション | -2
第12会话 | 12
"""

NOT_NAMED = """
our last conversation about trains
our first chat with Anna
What did I say in our last chat with Anna?
Was haben wir im letzten Gespräch mit Anna gesagt?
the last time I was there, what did you see?
Where did we go last time?
What did Anna say last time?
What did Anna say on the boat last time?
Was hat Anna zuletzt gesagt?
Das letzte Mal, als ich dort war, was hast du gesagt?
Quand avons-nous parlé pour la dernière fois ?
La dernière fois que j'étais à Gand, qu'as-tu dit ?
our previous conversation
our previous chat about the retreat
the second meeting with his siblings
the second meeting
the last session of the day
study sessions
in this session
the next session
session 12b
session 2024-05-01
session 0
0 sessions ago
sessions 5 to 3
before session 1
after the last session
the chat
the third time
"""


def cases(table: str) -> list[tuple[str, str]]:
    return [tuple(part.strip() for part in line.split("|")) for line in table.strip().split("\n")]


def places(text: str) -> str:
    found = when.find_session_ranges(text)
    return ", ".join(f"{one.first} to {one.last}" if one.first != one.last else f"{one.first}" for one in found)


@pytest.mark.parametrize(("text", "meaning"), cases(NAMED))
def test_a_session_is_named_by_its_place(text: str, meaning: str) -> None:
    assert places(text) == meaning
    assert all(text[one.start : one.end] == one.phrase for one in when.find_session_ranges(text))


@pytest.mark.parametrize("text", NOT_NAMED.strip().split("\n"))
def test_what_only_sounds_like_a_session_by_its_place_is_none(text: str) -> None:
    assert places(text) == ""


def test_places_pick_out_of_so_many_sessions() -> None:
    def among(text: str, count: int) -> list[int]:
        return [place for one in when.find_session_ranges(text) for place in one.indexes(count)]

    assert among("session 3", 10) == [2]
    assert among("2 sessions ago", 10) == [8]
    assert among("the last three sessions", 10) == [7, 8, 9]
    assert among("the last three sessions", 2) == [0, 1]
    assert among("since session 9", 10) == [8, 9]
    assert among("sessions 2 and 4", 10) == [1, 3]
    assert among("session 11", 10) == []
    assert among("20 sessions ago", 10) == []


def test_no_pattern_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    meant = {text: places(text) for text, _ in cases(NAMED)}
    idle = []
    for pattern in session_ordinals.SESSION_RULES:
        kept = {other: meaning for other, meaning in session_ordinals.SESSION_RULES.items() if other != pattern}
        monkeypatch.setattr(session_ordinals, "SESSION_RULES", kept)
        session_ordinals._session_grammar.cache_clear()
        if all(places(text) == meaning for text, meaning in meant.items()):
            idle.append(pattern)
        monkeypatch.undo()
    session_ordinals._session_grammar.cache_clear()
    assert idle == []


def test_every_language_calls_its_sessions_something() -> None:
    assert all("session" in table for table in load_session_words())


WORDS = [
    "session",
    "sessions",
    "12",
    "3",
    "the",
    "last",
    "first",
    "ago",
    "to",
    "and",
    "our",
    "before",
    "#7",
    "会话",
    "-",
]


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=10).map(" ".join))
def test_no_text_breaks_it(text: str) -> None:
    for one in when.find_session_ranges(text):
        assert text[one.start : one.end] == one.phrase != ""
        assert one.first
        assert one.last
        assert all(0 <= place < 7 for place in one.indexes(7))
