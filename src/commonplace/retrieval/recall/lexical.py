"""The lexical lane: query expansion over the vocabulary of the index, and BM25 with the exact top k at any size."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappush, heapreplace
from itertools import accumulate, compress, count, filterfalse, pairwise, repeat
from operator import contains, neg

from msgspec import Struct, structs

from commonplace.index import AllOf, AnyOf, Filter, Index, IndexedTurn, TokenQuery, name_marker
from commonplace.language import text
from commonplace.language.text import QueryTerm
from commonplace.lazy import lazy_pattern
from commonplace.retrieval.recall.score_bounds import ROUNDING, IndexedTerm, LengthNorm, ScoreBounds, inverse_frequency
from commonplace.retrieval.shares import HALF, QUARTER, TENTH

EXPANSION_WEIGHT = HALF  # what a word that occurs nowhere may mean, against a word that was said
DERIVED_WEIGHT = TENTH  # a word with the root of one that few records hold, against that one
MAX_FEW_RECORDS = 10  # where more hold a word, they are found without what is derived of it
# Words; what more of them may mean is not looked up, for it takes milliseconds each where they occur nowhere.
MAX_EXPANDED_TERMS = 6
MAX_COMPOUND_PAIRS = 24  # neighbours that are looked up as one word
MIN_PREFIX_CHARS = 7  # characters of a digest by which all of it is found
MAX_COMPLETIONS = 50  # versions or digests that begin as it was said, the shortest first; thousands of addresses may

Terms = tuple[text.QueryTerm, ...]
_WORD_RUN = lazy_pattern(r"[^\W_]+")


def expand_query_terms(index: Index, terms: Terms, query_text: str, languages: tuple[str, ...]) -> Terms:
    """The terms of a query as lines may hold them; `query_text` is where they come from."""
    joined = _drop_split_identifiers(index, _join_compounds(index, terms, text.joinable_word_pairs(query_text)))
    terms = tuple(_add_related_forms(index, term, languages) for term in joined)
    held = [(term, max(map(index.document_frequency, term.forms), default=0)) for term in terms]
    unknown = [term for term, count in held if not count]
    looked_up = [term for term in unknown if text.may_be_misspelt(term.word)][:MAX_EXPANDED_TERMS]
    few = [term for term, count in held if 0 < count <= MAX_FEW_RECORDS and term.weight >= 1]
    derivable = [term for term in few if text.may_be_misspelt(term.word)][: MAX_EXPANDED_TERMS - len(looked_up)]
    figures = [term for term in unknown if any(map(str.isdigit, term.word))][:MAX_EXPANDED_TERMS]
    loose = bool(looked_up) and text.is_language_uncertain(query_text)
    expanded: list[text.QueryTerm] = []
    for term in terms:
        variants = _spelling_variants(index, term, is_loose=loose) if term in looked_up else ()
        variants = _derived_terms(index, term) if term in derivable else variants
        expanded += (term, *variants, *(_numeric_variants(index, term) if term in figures else ()))
    singles = {single: term for term in unknown for single in term.singles}
    return (*expanded, *(_expansion_term(term, one, text.unspaced_spellings(one)) for one, term in singles.items()))


def _join_compounds(index: Index, terms: Terms, neighbour_pairs: frozenset[tuple[str, str]]) -> Terms:
    """The terms; two neighbours that occur in lines as one word are also searched for as that word."""
    together: dict[str, tuple[str, ...]] = {}
    neighbours = [pair for pair in pairwise(term.word for term in terms) if pair in neighbour_pairs]
    for one, other in neighbours[:MAX_COMPOUND_PAIRS]:
        forms = tuple(form for form in text.stem_in_all_languages(one + other) if index.document_frequency(form))
        for word in (one, other) if forms else ():
            together[word] = (*together.get(word, ()), *forms)
    return tuple(_add_forms(term, together.get(term.word, ())) for term in terms)


def _drop_split_identifiers(index: Index, terms: Terms) -> Terms:
    """The terms without identifiers that do not occur as a whole although each of their parts occurs."""
    known = {term.word for term in terms if _occurs_in_index(index, term)}
    parts = ((term, () if term.word in known else _identifier_parts(terms, at)) for at, term in enumerate(terms))
    return tuple(term for term, made in parts if not made or not known.issuperset(made))


def _identifier_parts(terms: Terms, position: int) -> tuple[str, ...]:
    """The words that a term is made of: what is between its signs, or the words before or behind it, joined."""
    word = terms[position].word
    if not word.isalnum():
        parts = tuple(_WORD_RUN.findall(word))
        return parts if len(parts) > 1 else ()
    behind = [term.word for term in terms[position + 1 :]]
    before = [term.word for term in terms[:position]]
    for size, joined in enumerate(accumulate(behind), 1):
        if joined == word:
            return tuple(behind[:size])
    for size, joined in enumerate(accumulate(before[::-1], lambda right, left: left + right), 1):
        if joined == word:
            return tuple(before[-size:])
    return ()


def _add_related_forms(index: Index, term: text.QueryTerm, languages: tuple[str, ...]) -> text.QueryTerm:
    """A term with the tokens of its stem, in a script whose lines are stored unstemmed; one that occurs nowhere with
    what else says the same."""
    stems = text.stem_by_script(term.word)
    if stems:
        begun = index.similar_tokens(min(stems), ())
        return _add_forms(term, tuple(token for token in begun if not stems.isdisjoint(text.stem_by_script(token))))
    others = () if _occurs_in_index(index, term) else text.equivalent_forms(term.word, languages)
    return _add_forms(term, tuple(form for other in others for form in text.stem_to_tokens(other, languages)))


def _spelling_variants(index: Index, term: text.QueryTerm, *, is_loose: bool) -> Iterator[text.QueryTerm]:
    """Words that an unknown word may mean: similar words, or the two words that it is made of."""
    forms = text.stem_in_all_languages(text.strip_particle(term.word))
    start, spellings = text.spelling_lookup_keys(forms[-1], loose=is_loose)
    splits = text.split_compound(term.word)
    parts = {form for split in splits for half in split for form in half}
    tokens = index.similar_tokens(start, (*forms, *spellings, *parts))
    similar = text.rank_near_tokens(forms, tokens, loose=is_loose)
    if similar:
        yield _expansion_term(term, term.word, similar)
    occurring = ([tuple(form for form in half if form in tokens) for half in split] for split in splits)
    for half in next((split for split in occurring if all(split)), ()):
        yield _expansion_term(term, half[0], half)


def _derived_terms(index: Index, term: text.QueryTerm) -> Iterator[text.QueryTerm]:
    """Words with the root of a word: `allergic` beside `allergies`."""
    if derived := text.derived_tokens(term.forms, lambda start: index.similar_tokens(start, ())):
        yield text.QueryTerm(term.word, derived, term.weight * DERIVED_WEIGHT)


def _numeric_variants(index: Index, term: text.QueryTerm) -> Iterator[text.QueryTerm]:
    """Words that a word with digits may stand for: a longer version or digest, or the parts that it is made of."""
    word = term.word
    if "." in word or len(word) >= MIN_PREFIX_CHARS:
        start = word + "." if "." in word else word
        longer = tuple(token for token in index.similar_tokens(start, ()) if token != word)
        if longer:
            yield _expansion_term(term, word, tuple(sorted(longer, key=len)[:MAX_COMPLETIONS]))
            return
    for part in text.segment_number(word, set(index.similar_tokens(word, text.candidate_segments(word)))):
        yield _expansion_term(term, part, (part,))


def _expansion_term(term: text.QueryTerm, word: str, forms: tuple[str, ...]) -> text.QueryTerm:
    return text.QueryTerm(word, forms, term.weight * EXPANSION_WEIGHT)


def _add_forms(term: text.QueryTerm, forms: tuple[str, ...]) -> text.QueryTerm:
    return structs.replace(term, forms=tuple(dict.fromkeys((*term.forms, *forms)))) if forms else term


def _occurs_in_index(index: Index, term: text.QueryTerm) -> bool:
    return any(map(index.document_frequency, term.forms))


K1, B = HALF + TENTH, HALF  # chat turns and notes are short: low saturation and weak length normalisation
TITLE_WEIGHT = QUARTER + TENTH  # an occurrence in the titles above a line, against one in the line
SCORING_BATCH = 100  # records scored at once
# Records that a filter lets through, or favoured; so few are scored one by one, without reading every word.
MAX_SCORED_DIRECTLY = 1_000
# Words; of more, lines are not read in order of their length: most of them hold some word again.
MAX_LENGTH_ORDERED_TERMS = 6


TermCounts = dict[int, int]  # how often a word of a query stands in a text, by the place of the word, in order
NO_COUNTS: TermCounts = {}


class Bm25Scorer:
    """BM25 of single records against the words of a query that occur at all, rarest first."""

    def __init__(self, index: Index, terms: tuple[QueryTerm, ...]) -> None:
        self.record_count, tokens = index.distinct_size()
        indexed_terms: list[IndexedTerm] = []
        for term in terms:
            frequencies = {form: count for form in term.forms if (count := index.document_frequency(form))}
            if frequencies:
                frequency = max(frequencies.values())
                idf = inverse_frequency(self.record_count, frequency) * term.weight
                counted = IndexedTerm(term.forms, tuple(frequencies), frequency, term.weight, idf, idf * (K1 + 1))
                indexed_terms.append(counted)
        self.terms = sorted(indexed_terms, key=lambda word: (word.frequency, word.forms))
        self.average_length = max(tokens / max(self.record_count, 1), 1.0)
        self.length_norm = LengthNorm(K1 * (1 - B), K1 * B / self.average_length)
        self.total_idf = sum(word.idf for word in self.terms) or 1.0
        self.examined_rows: set[int] = set()  # rows that were looked at under the filter of this recall
        self.scores: dict[int, float] = {}  # of those that match and that the filter lets through
        # For each word, how often it stands in the text of a row.
        self.term_counts: list[dict[int, int]] = [{} for _ in self.terms]
        self.complete_from = math.inf  # all rows that score so much are known
        self._form_patterns = [
            (place, form, f" {form} ") for place, word in enumerate(self.terms) for form in word.occurring_forms
        ]
        self._terms_by_form: dict[str, list[int]] = {}
        for place, word in enumerate(self.terms):
            for form in word.occurring_forms:
                self._terms_by_form.setdefault(form, []).append(place)
        self._title_counts: dict[str, TermCounts] = {}  # what titles hold: many lines stand under the same
        self._has_title_matches = False  # whether any of them holds a word
        self._title_counts_by_row: dict[int, TermCounts] = {}  # the same of the titles above a row

    def score_rows(self, index: Index, row_ids: Iterable[int], record_filter: Filter) -> None:
        """Take in how each of the rows matches, as far as it is not known and the filter lets it through."""
        fresh = [row_id for row_id in row_ids if row_id not in self.examined_rows]
        if not fresh:
            return
        self.examined_rows.update(fresh)
        holders = index.rows_by_token(tuple(self._terms_by_form), fresh)
        turns = index.read_turns(fresh if holders is None else set().union(*holders.values()), record_filter)
        tokens = {turn.row_id: turn.tokens for turn in turns}
        base, slope = self.length_norm.base, self.length_norm.slope
        norms = {turn.row_id: base + slope * turn.token_count for turn in turns}
        scores: dict[int, float] = {}
        for number, fresh_counts in enumerate(self._count_terms(tokens, holders)):
            word = self.terms[number]
            self.term_counts[number] |= fresh_counts
            bound = word.max_gain
            for row_id, often in fresh_counts.items():
                gain = bound * often / (often + norms[row_id])
                scores[row_id] = scores[row_id] + gain if row_id in scores else gain
        self.scores |= scores
        self._score_titles(turns, norms)

    def inherit(self, row_id: int, other: Bm25Scorer, other_row: int) -> None:
        """Let a row match as another one does for a scorer of the same terms, where that matches better."""
        if other.scores[other_row] > self.scores.get(row_id, 0.0):
            self.scores[row_id] = other.scores[other_row]
            for counts, other_counts in zip(self.term_counts, other.term_counts, strict=True):
                if other_row in other_counts:
                    counts[row_id] = other_counts[other_row]

    def coverage(self, row_id: int) -> float:
        """The share of the query's weight (idf) that a row has, in text or titles."""
        covered, over = 0.0, self._title_counts_by_row.get(row_id, NO_COUNTS)
        for place, word in enumerate(self.terms):
            if row_id in self.term_counts[place] or place in over:
                covered += word.idf
        return covered / self.total_idf

    def rows_with_every_word(self) -> set[int]:
        """The rows looked at that have all words of the query that occur and are not light, in text or titles."""
        counts, titles = self.term_counts, self._title_counts_by_row
        heavy = [place for place, word in enumerate(self.terms) if word.weight >= HALF]
        rows = {*counts[heavy[0]], *titles} if heavy else set[int]()
        return {row for row in rows if all(row in counts[at] or at in titles.get(row, NO_COUNTS) for at in heavy)}

    def _count_terms(self, tokens_by_row: dict[int, str], holders: dict[str, list[int]] | None) -> list[dict[int, int]]:
        """For each word how often it is in the texts, by row, as far as it does."""
        counts: list[dict[int, int]] = [{} for _ in self.terms]
        if holders is None:
            counted = self._count_in_texts(list(tokens_by_row.values()))
            for row_id, text_counts in zip(tokens_by_row, counted, strict=True):
                for place, often in text_counts.items():
                    counts[place][row_id] = often
            return counts
        for place, form, pattern in self._form_patterns:
            row_ids = list(filter(tokens_by_row.__contains__, holders[form]))
            texts = map(tokens_by_row.__getitem__, row_ids)
            counts_by_row = dict(zip(row_ids, map(str.count, texts, repeat(pattern)), strict=True))
            if not all(counts_by_row.values()):  # it stands in titles only
                counts_by_row = {row_id: often for row_id, often in counts_by_row.items() if often}
            if before := counts[place]:
                counts_by_row = before | {n: before.get(n, 0) + often for n, often in counts_by_row.items()}
            counts[place] = counts_by_row
        return counts

    def _score_titles(self, turns: Iterable[IndexedTurn], norms: dict[int, float]) -> None:
        """Take in what the titles above the turns hold: it counts for less than what the turns hold."""
        title_counts = self._title_counts
        fresh = list({turn.context for turn in turns} - title_counts.keys())
        all_titles = " ".join(fresh)  # most often there is no word of the query in any of them
        has_any = any(form in all_titles for form in self._terms_by_form)
        counts = self._count_in_texts(fresh) if has_any else [NO_COUNTS] * len(fresh)
        title_counts |= zip(fresh, counts, strict=True)
        self._has_title_matches = self._has_title_matches or any(counts)
        if not self._has_title_matches:
            return
        for turn in turns:
            if counts_above := title_counts[turn.context]:
                row_id, norm, score = turn.row_id, norms[turn.row_id], 0.0
                for place, (word, counts_by_row) in enumerate(zip(self.terms, self.term_counts, strict=True)):
                    if often := counts_by_row.get(row_id, 0) + TITLE_WEIGHT * counts_above.get(place, 0):
                        score += word.max_gain * often / (often + norm)
                self._title_counts_by_row[row_id], self.scores[row_id] = counts_above, score

    def _count_in_texts(self, texts: Sequence[str]) -> list[TermCounts]:
        """The number of times that each word occurs in each of the texts, which are given as tokens."""
        counts: list[TermCounts] = [{} for _ in texts]
        for place, form, pattern in self._form_patterns:
            for at in compress(count(), map(contains, texts, repeat(form))):  # sooner than what stands between spaces
                if count_in_text := texts[at].count(pattern):
                    counts[at][place] = counts[at].get(place, 0) + count_in_text
        return counts


class SearchLimits(Struct, frozen=True, kw_only=True):
    """The limits of a search: it returns the `k` best and ties, but once it has `enough_matches`, nothing that scores
    less than `min_share` of the best; with `entity_names` only what has one of them."""

    k: int
    enough_matches: int = 0
    min_share: float = 0.0
    entity_names: tuple[str, ...] = ()


def search_bm25(index: Index, scorer: Bm25Scorer, record_filter: Filter, limits: SearchLimits) -> dict[int, float]:
    """The best rows with exact scores; all that match, if they are fewer than `limits` asks for. A search for what
    bears a name goes on from where one for whatever the filter lets through has ended."""
    search = _Bm25Search(index, scorer, record_filter, limits)
    few: Iterable[int] | None = None
    if scorer.record_count <= MAX_SCORED_DIRECTLY:  # what holds a word is scored sooner than bounded
        words = AnyOf(tuple([form for word in scorer.terms for form in word.occurring_forms]))
        named = AnyOf(tuple(map(name_marker, limits.entity_names)))
        few = index.matching_rows(AllOf((named, words)) if named.parts else words) if scorer.terms else ()
    elif not limits.entity_names and (record_filter.scopes is not None or record_filter.since or record_filter.until):
        wider = structs.replace(record_filter, history=True)  # the same for questions about the past
        few = index.filtered_rows(wider, MAX_SCORED_DIRECTLY)  # quicker than a search, where they are few
    if few is None:
        search.run()
    else:
        search.score_exactly(few)
    least = search.threshold
    if not limits.entity_names:
        scorer.complete_from = least
    return {row_id: score for row_id, score in search.exact_scores.items() if score >= least}


def search_bm25_among(index: Index, scorer: Bm25Scorer, record_filter: Filter, row_ids: set[int]) -> dict[int, float]:
    """Exact scores of those of the rows that match; of very many, of as many that hold the rarest words as are few."""
    search = _Bm25Search(index, scorer, record_filter, SearchLimits(k=1))
    if len(row_ids) <= MAX_SCORED_DIRECTLY:
        search.score_exactly(row_ids)
        return search.exact_scores
    few: set[int] = set()
    for form in (form for word in scorer.terms for form in word.occurring_forms):
        more = index.select_matching_rows(form, row_ids)
        if len(few) + len(more) > MAX_SCORED_DIRECTLY:
            break
        few |= more
    search.score_exactly(few)
    return search.exact_scores


class _Bm25Search:
    """One search under way: what is known exactly, and the bar that a record must reach."""

    def __init__(self, index: Index, scorer: Bm25Scorer, record_filter: Filter, limits: SearchLimits) -> None:
        self.index, self.scorer, self.record_filter, self.limits = index, scorer, record_filter, limits
        self.exact_scores: dict[int, float] = {}
        self.top_scores: list[float] = []  # a heap of the k best exact scores
        self.best_score = 0.0  # the best of all
        self.examined_rows: set[int] = set()

    @property
    def threshold(self) -> float:
        """The score below which a record is not needed: that of the k-th best, or a share of the best once there are
        enough."""
        exact_count, limits = len(self.top_scores), self.limits
        floor = limits.min_share * self.best_score if exact_count >= limits.enough_matches else 0.0
        return max(self.top_scores[0], floor) if exact_count == limits.k else floor

    def run(self) -> None:
        """Score every record that can be among the results."""
        score_bounds = ScoreBounds(self.scorer.terms, self.scorer.length_norm, self.limits.entity_names)
        below, known = score_bounds.total_bound, self.scorer.complete_from
        # So high that few reach it, for their best decides what is not searched for; what reaches `known` was.
        need = max(score_bounds.two_term_bound, below / 2) if known == math.inf else known
        while need > 0:
            self._score_reaching(score_bounds, need, below)
            below = need - ROUNDING
            if self.threshold >= below:
                return
            need = max(self.threshold, score_bounds.lower_threshold(need))

    def _score_reaching(self, score_bounds: ScoreBounds, threshold: float, upper_bound: float) -> None:
        """Score all that can gain `threshold` and more, where none that is unseen gains more than `upper_bound`."""
        row_ids, most = self._unexamined_rows(score_bounds, threshold, upper_bound)
        at = 0
        while at < (end := bisect_right(most, -self.threshold, key=neg)):
            self.score_exactly(row_ids[at : min(at + SCORING_BATCH, end)])
            at += SCORING_BATCH
        self.examined_rows.update(row_ids)

    def _unexamined_rows(
        self, score_bounds: ScoreBounds, threshold: float, upper_bound: float
    ) -> tuple[list[int], list[float]]:
        """Rows that can gain so much, and for each what it can score at the most; these descend."""
        row_ids = self._matching_rows(score_bounds.query_reaching(threshold))
        if len(row_ids) <= SCORING_BATCH or len(self.scorer.terms) > MAX_LENGTH_ORDERED_TERMS:
            return row_ids, [math.inf] * len(row_ids)
        repeated = set(self._matching_rows(score_bounds.query_repeated(threshold)))
        others, lengths = self.index.sort_by_length(filterfalse(repeated.__contains__, row_ids))
        scores = score_bounds.bound_by_length(threshold, upper_bound)
        most = {length: scores(length) for length in set(lengths)}
        return [*repeated, *others], [math.inf] * len(repeated) + [most[length] for length in lengths]

    def _matching_rows(self, token_query: TokenQuery | None) -> list[int]:
        row_ids = self.index.matching_rows(token_query) if token_query else ()
        return list(filterfalse(self.examined_rows.__contains__, row_ids))

    def score_exactly(self, row_ids: Iterable[int]) -> None:
        """Score those of the rows that the filter lets through, exactly."""
        rows = list(row_ids)
        self.examined_rows.update(rows)
        self.scorer.score_rows(self.index, rows, self.record_filter)
        scores, best, k = self.scorer.scores, self.top_scores, self.limits.k
        fresh_scores = {row_id: scores[row_id] for row_id in rows if row_id in scores}
        self.exact_scores |= fresh_scores
        self.best_score = max(self.best_score, max(fresh_scores.values(), default=0.0))
        for score in fresh_scores.values():
            if len(best) < k:
                heappush(best, score)
            elif score > best[0]:
                heapreplace(best, score)
