"""What a procedure is called and known by: its title, its words, the id of its shape, and how alike two are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from commonplace.skills.commands import head
from commonplace.skills.slots import normal
from commonplace.skills.vocabulary import words_of
from commonplace.text import one_line, query_terms, sentences, similarity
from commonplace.workspace.ids import derived_id
from commonplace.workspace.slug import slug

SIMILAR = 0.5
NAME_WEIGHT, GOAL_WEIGHT = 0.6, 0.4
MOST_GOAL = 160  # characters
MOST_TITLE = 60
NAME_WORDS = 5
MOST_NEAR = 200  # procedures that one is compared with
MEMO = 4096  # procedures and goals whose words are kept at hand
LEAST_GOAL = 2  # words with a meaning; `do it` names no goal

_COURTESIES = (
    r"^(?:\W*\b(?:hey|hi|hello|ok|okay|now|then|so|please|kindly|just|can you|could you|would you|will you|let's|lets"
    r"|i need you to|i want you to|we need to|i'd like you to|go ahead and|bitte|kannst du|s'il te plaît|por favor)\b)+"
)


def shape_id(steps: Iterable[str], scope: str) -> str:
    """The id of a sequence of steps whatever their values: 12 characters; each scope has its own."""
    return derived_id(" ; ".join(map(normal, steps)), 0, f"procedure:{scope}")


def alike(steps: Sequence[str], goal: str, other_steps: Sequence[str], other_goal: str) -> float:
    """How alike two procedures are, 0..1: 0.6 of the words of what they call, 0.4 of the words of their goals."""
    name = similarity(_called(tuple(steps)), _called(tuple(other_steps)))
    return NAME_WEIGHT * name + GOAL_WEIGHT * similarity(_words(goal), _words(other_goal))


class Nearest:
    """Finds the most similar of many procedures by looking at those that share its rarest words."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[tuple[str, ...], str]] = {}
        self._postings: dict[str, dict[str, None]] = {}

    def add(self, name: str, steps: Sequence[str], goal: str) -> None:
        """Know a procedure, or know it better."""
        self._known[name] = (tuple(steps), goal)
        for word in {*_called(tuple(steps)), *_words(goal)}:
            self._postings.setdefault(word, {})[name] = None

    def find(self, steps: Sequence[str], goal: str) -> str:
        """The id of the procedure that is most alike, the first by id of equals; empty if none is alike enough."""
        met = [self._postings.get(word, {}) for word in {*_called(tuple(steps)), *_words(goal)}]
        near: dict[str, None] = {}
        for posting in sorted(met, key=lambda one: (len(one), list(one)[:1])):
            near |= posting
            if len(near) >= MOST_NEAR:
                break
        scored = ((-alike(steps, goal, *self._known[name]), name) for name in list(near)[:MOST_NEAR])
        likeness, nearest = min(scored, default=(0.0, ""))
        return nearest if -likeness >= SIMILAR else ""


def called(steps: Iterable[str]) -> list[str]:
    """The words of what steps call: `npm publish`, `git push` are npm, publish, git, push."""
    return [word for step in steps for word in re.findall(r"\w+", head(step).lower())]


def words(text: str) -> list[str]:
    """The words of a text that mean something, folded and stemmed; numbers and versions left out."""
    terms = query_terms(text, ("en",))
    return [term.forms[0] for term in terms if not any(char.isdigit() for char in term.word)]


def means(text: str) -> list[frozenset[str]]:
    """The same words, each with every form in which another language's text may hold it."""
    terms = query_terms(text, ("en",))
    return [frozenset(term.forms) for term in terms if not any(char.isdigit() for char in term.word)]


def is_assent(text: str) -> bool:
    """Whether a message only lets the work go on."""
    said = re.findall(r"[\w'-]+", text.casefold())
    return len(said) <= 6 and all(word in words_of("assent") for word in said)


def goal_of(text: str) -> str:
    """The goal that a message names: its first sentence with at least two words that mean something."""
    flat = [one_line(sentence) for sentence in sentences(text)]
    telling = next((sentence for sentence in flat if len(words(sentence)) >= LEAST_GOAL), one_line(text))
    return cut(telling, MOST_GOAL)


def title_of(goal: str) -> str:
    """A goal as a heading, without the courtesies in front."""
    plain = re.sub(r"[#`*_<>\[\]|]", "", goal)
    bare = re.sub(_COURTESIES, "", plain, flags=re.IGNORECASE)
    title = cut(bare.strip(" .,:;!?") or plain.strip(), MOST_TITLE).strip(" .,:;!?")
    return title[:1].upper() + title[1:]


def name_of(goal: str) -> str:
    """The name of a skill for this goal: `publish-package-npm`."""
    return slug(" ".join(_telling(goal)) or goal)


def trigger_of(goal: str) -> str:
    """The words that call for this goal; the goal itself in a script that does not set blanks between words."""
    telling = _telling(goal)
    spaced = set(re.findall(r"[\w'-]+", goal.casefold()))
    return " ".join(telling) if telling and spaced.issuperset(telling) else cut(goal, MOST_TITLE)


def topic_of(steps: Sequence[str]) -> str:
    """The page that a procedure goes to: named after what is called most, the first of equals."""
    programs = [head(step).partition(" ")[0] for step in steps]
    most = max(programs, key=programs.count, default="")
    name = slug(most) if re.search(r"\w", most) else "procedures"
    return f"on-{name}" if name.startswith("lessons") else name  # that name is another page's


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, cut between words."""
    if len(text) <= most:
        return text
    return text[: most - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"


def _telling(goal: str) -> list[str]:
    terms = query_terms(goal, ("en",))
    return [term.word for term in terms if not any(char.isdigit() for char in term.word)][:NAME_WORDS]


@lru_cache(MEMO)
def _called(steps: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(called(steps))


@lru_cache(MEMO)
def _words(goal: str) -> tuple[str, ...]:
    return tuple(words(goal))
