"""Find in a clause what opens it, its verbs of change and the value that it gives up, and take them out."""

from __future__ import annotations

from commonplace.truth.change_words import GONE, NO_CONTENT, ChangeWords, Phrase, labels_of

MAX_GIVEN_UP = 4  # content words of a value given up
_EDGES = labels_of("mark preposition copula gone")
_NEGATIONS = labels_of("negation retraction")
_DETERMINERS = labels_of("definite indefinite preposition any_more soft")
_CHANGE, _OPENINGS = labels_of("change"), labels_of("correction opening mark")


def find_changes(phrases: list[Phrase], words: ChangeWords) -> tuple[bool, tuple[str, ...]]:
    """Whether the phrases have a cue of change, and the stems of the value given up, which is labelled as gone."""
    finder = _ChangeFinder(phrases, words)
    finder.cut_openings()
    finder.find_verbs()
    finder.find_given_up()
    return finder.has_cue, tuple(finder.given_up)


class _ChangeFinder:
    def __init__(self, phrases: list[Phrase], words: ChangeWords) -> None:
        self.phrases, self.words = phrases, words
        self.has_cue = False
        self.given_up: list[str] = []

    def cut_openings(self) -> None:
        while self.phrases:
            first, after = self.phrases[0], self.phrases[1:2]
            is_correction = "correction" in first.labels
            stands_apart = " " in first.low or "soft" in first.labels or not self.words.is_spaced
            stands_apart = stands_apart or any("mark" in phrase.labels for phrase in after)
            if first.labels.isdisjoint(_OPENINGS) or (is_correction and not stands_apart):
                return
            self.has_cue |= is_correction and bool(after)
            del self.phrases[0]

    def find_verbs(self) -> None:
        """Take out verbs of change with their preposition; where they stand is as behind a copula."""
        for at, phrase in enumerate(self.phrases):
            if "changed" not in phrase.labels:
                continue
            to = self._next_labelled(at + 1, "to", 6)
            if self.words.language in ("en", "fr", "es") and to < 0:
                continue
            self.has_cue = True
            phrase.labels = _CHANGE
            start = self._next_labelled(0, "from", len(self.phrases))
            if start >= 0:
                to = self._next_labelled(start + 2, "to", 5)
                if to > start:
                    self._give_up(start + 1, to, start)
                    phrase.labels, self.phrases[to].labels = GONE, _CHANGE
                    continue
            if to < 0:  # the German verb stands at the end
                to = self._next_labelled(0, "to", at)
                phrase.labels = GONE if to >= 0 else _CHANGE
            if to >= 0:
                self.phrases[to].labels = _CHANGE if to > at or self.words.is_spaced else GONE

    def find_given_up(self) -> None:
        phrases = self.phrases
        for at, phrase in enumerate(phrases):
            labels = phrase.labels
            if "instead" in labels and at + 1 < len(phrases):
                but = self._next_labelled(at + 1, "but", 8)
                self._give_up(at + 1, but if but > 0 else self._phrase_end(at + 1), at, but)
            elif "instead behind" in labels and at:
                start = at
                while start and not phrases[start - 1].labels & _EDGES:
                    start -= 1
                self._give_up(start, at, start, at)
            elif labels & _NEGATIONS:
                but = self._next_labelled(at + 1, "but", 10)
                if but > 0:
                    self._give_up(self._contrasted(at + 1, but), but, at, but)
                elif at and "mark" in phrases[at - 1].labels:
                    self._give_up(at + 1, self._phrase_end(at + 1), at)
            else:
                continue
            if self.given_up:
                return

    def _contrasted(self, start: int, but: int) -> int:
        """Where the value given up begins: at the preposition of the new one, if both have it (`not on A but on B`)."""
        leads = [phrase.low for phrase in self.phrases[but + 1 : but + 2] if "preposition" in phrase.labels]
        return next((at for at in range(start, but) if self.phrases[at].low in leads), start)

    def _give_up(self, start: int, end: int, first: int, last: int = -1) -> None:
        """Take the phrases from `first` to the end out; those from `start` are the value given up, if it is one."""
        part = self.phrases[start:end]
        content = [phrase for phrase in part if not phrase.labels & NO_CONTENT and not self.words.is_light(phrase.low)]
        head = next((phrase for phrase in part if not phrase.labels & _DETERMINERS), None)
        gerund = self.words.language == "en" and head is not None and head.low.endswith("ing") and len(part) > 1
        if not content or len(content) > MAX_GIVEN_UP or gerund or (head and "additive" in head.labels):
            return
        for phrase in content:
            self.given_up.append(self.words.number(phrase) or self.words.stem(phrase.low))
        self.has_cue = True
        kept = range(first + 1, start) if "retraction" in self.phrases[first].labels else ()  # the verb
        for at in range(first, max(end, last + 1)):
            if at not in kept:
                self.phrases[at].labels = GONE

    def _phrase_end(self, start: int) -> int:
        """The place where the phrase that begins here ends: at a mark, or a preposition that begins another."""
        for at in range(start, len(self.phrases)):
            labels = self.phrases[at].labels
            if "mark" in labels or (at > start and "preposition" in labels and "of" not in labels):
                return at
        return len(self.phrases)

    def _next_labelled(self, start: int, label: str, reach: int) -> int:
        for at in range(start, min(len(self.phrases), start + reach)):
            if label in self.phrases[at].labels:
                return at
        return -1
