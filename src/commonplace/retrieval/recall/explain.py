"""Explain a recall: the arithmetic of each score, and the smallest changes of a query that show a record."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, structs

from commonplace.language.text import fold_name, query_terms
from commonplace.model import Hits, Query, Record
from commonplace.retrieval.recall.filters import RecallArguments
from commonplace.retrieval.recall.pipeline import RecallTrace, ScoredCandidate
from commonplace.retrieval.recall.score_policy import PRIORS
from commonplace.retrieval.recall.scoring import (
    ANSWER_FEATURES,
    FACTOR_SIGN,
    SCORE_DIGITS,
    SCORE_PARTS,
    format_arithmetic,
    prior_limit,
    raise_hit,
)


def format_number(number: float) -> str:
    """A number in as many figures behind the point as a score has, without noughts at the end."""
    return f"{number:.{SCORE_DIGITS}f}".rstrip("0").rstrip(".")


class RecallExplanation(Struct, frozen=True):
    """Hits with their arithmetic: `query_lines` says how the question was read, `arithmetic` has lines for each hit, in
    order, and `part_lines` what each part that occurs is."""

    hits: Hits
    query_lines: tuple[str, ...]
    arithmetic: tuple[tuple[str, ...], ...]
    part_lines: tuple[str, ...]


def explain_recall(trace: RecallTrace) -> RecallExplanation:
    """The arithmetic of the hits of a recall, and how its query was read."""
    hits = trace.hits
    arithmetic = tuple(tuple(_hit_arithmetic(trace, scored)) for scored in trace.ranking[: trace.query.k])
    return RecallExplanation(hits, tuple(_describe_parsed_query(trace)), arithmetic, tuple(_describe_parts(hits)))


def _hit_arithmetic(trace: RecallTrace, scored: ScoredCandidate) -> Iterator[str]:
    """The strengths of the lanes, then the sum and the product."""
    hit, signals, matches = scored.hit, scored.signals, trace.lane_input.matches
    shown = {name: format_number(value) for name, value in structs.asdict(signals).items() if value or name == "length"}
    match = matches.get(scored.row_id)
    if match and signals.lexical:
        best = max(matches.values())
        bm25 = f" (BM25 {format_number(match)} of {format_number(best)})"
        shown["lexical"] += bm25 if signals.lexical == match / best else " (of its capture)"
    token_count = scored.indexed_record.token_count
    shown["length"] += f" ({token_count} tokens)" if token_count else ""
    yield "found: " + " · ".join(f"{name} {value}" for name, value in shown.items())
    yield from format_arithmetic(hit.reasons, hit.score)


def _describe_parsed_query(trace: RecallTrace) -> Iterator[str]:
    """The parsed question: words with their weights, names, times, and the expected kind of answer."""
    parsed, scorer = trace.parsed, trace.lane_input.scorer
    weights = {word.forms: word.idf for word in scorer.terms}
    yield f"searched: {scorer.record_count} records of {format_number(scorer.average_length)} tokens on average"
    words, said = [], set[str]()
    for term in parsed.terms:
        name = f"what is of {term.word}" if term.is_hypernym else term.word
        name += f" (as {term.forms[0]})" if name in said else ""  # a word beside the one that was said
        said.add(name)
        words.append(f"{name} {format_number(weights[term.forms]) if term.forms in weights else '–'}")
    if words:
        yield f"words and their weights (– is in no record): {' · '.join(words)}"
    if parsed.entity_names:
        yield f"names: {', '.join(dict.fromkeys(parsed.entity_names.values()))}"
    for window in parsed.time_windows:
        stretch = f"{window.interval.start or '…'} to {window.interval.end or '…'}"
        yield f"time: {'around the middle of ' if window.is_centered else ''}{stretch}"
    if parsed.sessions.positions:
        places = ", ".join(str(place) for place in parsed.sessions.positions)
        yield f"sessions, in order of time: {places} of {parsed.sessions.count}"
    if parsed.intent != "any":
        yield f"asked for: {parsed.intent}"
    if parsed.order:
        yield f"asked for: the {parsed.order} of its like"
    if parsed.answer_type != "any":
        yield f"the answer may be: a {parsed.answer_type}"
    if parsed.disabled:
        yield f"switched off: {', '.join(sorted(parsed.disabled))}"


def _describe_parts(hits: Hits) -> Iterator[str]:
    """A description of each part that occurs, from the documentation of its function."""
    named = {reason.name for hit in hits.hits for reason in hit.reasons}
    formulas = {name: part.formula for name, part in SCORE_PARTS.items()}
    formulas |= {name + FACTOR_SIGN: part.formula for name, part in {**ANSWER_FEATURES, **PRIORS}.items()}
    formulas |= {"limit" + FACTOR_SIGN: prior_limit.__doc__ or "", "exact" + FACTOR_SIGN: raise_hit.__doc__ or ""}
    for name, formula in formulas.items():
        if name in named:
            yield f"{name.removesuffix(FACTOR_SIGN):<12} = {formula}"


MAX_SUGGESTED_K = 1_000  # a larger k is no advice
NEARBY_RANK_FACTOR = 5  # times k: up to there, to ask for more hits is a smaller change than another word
DEEPER_RANK_FACTOR = 20  # hits; so many times NEAR are looked through where words of the line alone do not show it
MAX_TRIED_WORDS = 6  # of the line, the rarest first


class Counterfactual(Struct, frozen=True):
    """Arguments of recall or pack that show the line, in place of those that were given, the rank, and the word
    added."""

    arguments: RecallArguments
    rank: int
    word: str = ""


def find_counterfactuals(
    trace: RecallTrace, record: Record, *, unblocked_query: Query, rank: int
) -> tuple[Counterfactual, ...]:
    """Changes that show the record, the smallest first; `unblocked_query` is the query as its filters let the record
    through, and `rank` that of the record then (0: it has none)."""
    filters = {
        name: getattr(unblocked_query, name)
        for name in trace.query.__struct_fields__
        if getattr(trace.query, name) != getattr(unblocked_query, name)
    }
    if filters and (change := _try_arguments(trace, record, filters)):
        return (change,)
    evidence = tuple(_try_evidence_filter(trace, record, filters))
    more = tuple(_try_more_hits(trace, record, filters, rank))
    word = tuple(_try_added_word(trace, record, filters))
    is_near = more and more[0].arguments["k"] <= NEARBY_RANK_FACTOR * trace.query.k
    return (*evidence, *more, *word) if is_near else (*evidence, *word, *more)


def distinguishing_words(trace: RecallTrace, record: Record) -> list[str]:
    """Words of a line that the question lacks, the rarest first; as the line has them."""
    index, languages = trace.lane_input.index, trace.lane_input.languages
    own = {form for term in trace.parsed.terms for form in term.forms if not term.is_hypernym}
    own |= {form for term in query_terms(trace.query.question, languages) for form in term.forms}
    terms = [term for term in query_terms(record.text, languages) if not own.intersection(term.forms)]
    rarity = {term.word: max(map(index.document_frequency, term.forms), default=0) for term in terms}
    words = [word for word in rarity if rarity[word] and fold_name(word)]
    return sorted(words, key=lambda word: (rarity[word], not word.isalpha(), -len(word), word))[:MAX_TRIED_WORDS]


def _try_arguments(
    trace: RecallTrace, record: Record, arguments: RecallArguments, added_word: str = ""
) -> Counterfactual | None:
    """The change, if it shows the record."""
    hits = trace.retrace(**arguments).hits.hits
    rank = next((rank for rank, hit in enumerate(hits, 1) if hit.record.id == record.id), 0)
    return Counterfactual(arguments, rank, added_word) if rank else None


def _try_evidence_filter(trace: RecallTrace, record: Record, filter_arguments: RecallArguments) -> list[Counterfactual]:
    """A line that repeats a better hit is seen by itself among captures alone, or among records alone."""
    if not (record.is_evidence or record.sources) or "evidence" in filter_arguments:
        return []
    change = _try_arguments(trace, record, {**filter_arguments, "evidence": "only" if record.is_evidence else "none"})
    return [change] if change else []


def _try_more_hits(trace: RecallTrace, record: Record, arguments: RecallArguments, rank: int) -> list[Counterfactual]:
    """As many hits as it takes: the rank at depth may differ from that among fewer."""
    k = max(rank, trace.query.k + 1)
    while rank and k <= MAX_SUGGESTED_K:
        if change := _try_arguments(trace, record, {**arguments, "k": k}):
            least = max(change.rank, trace.query.k + 1)
            return [(_try_arguments(trace, record, {**arguments, "k": least}) if least < k else None) or change]
        k = k * 3 // 2 + 1
    return []


def _try_added_word(trace: RecallTrace, record: Record, filter_arguments: RecallArguments) -> list[Counterfactual]:
    """A word of the line that the question lacks, or two where none is enough, or two and as many hits as it takes."""
    words = distinguishing_words(trace, record)
    together = " ".join(words[:2])
    for word in (*words, *([together] if len(words) > 1 else [])):
        if change := _try_arguments(trace, record, {**filter_arguments, "text": f"{trace.query.text} {word}"}, word):
            return [change]
    deeper_k = NEARBY_RANK_FACTOR * DEEPER_RANK_FACTOR
    deeper = {**filter_arguments, "text": f"{trace.query.text} {together}", "k": deeper_k}
    change = _try_arguments(trace, record, deeper, together) if words else None
    least = _try_arguments(trace, record, {**deeper, "k": change.rank}, together) if change else None
    return [least or change] if change else []
