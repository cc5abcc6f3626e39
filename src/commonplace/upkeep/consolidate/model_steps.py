"""The steps of consolidation that a language model may improve; without a valid answer the rules' result remains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol, assert_never

from msgspec import Struct, structs

from commonplace.extract.candidates import Candidate
from commonplace.extract.clarity import is_unclear
from commonplace.extract.languages import ClaimType
from commonplace.language.text import name_key, sanitize_line
from commonplace.model import TRUSTS, Capture, least_trusted
from commonplace.models import Answer, StepOutcome
from commonplace.storage import files
from commonplace.storage.settings import ModelStep
from commonplace.truth import StatedLine, Vocabulary, compare_lines
from commonplace.upkeep.consolidate import orders
from commonplace.upkeep.consolidate.claim_record import ClaimRecord, LineRelation, read_claim_statements
from commonplace.upkeep.consolidate.claims import ID_CHARS, Passage, make_claim, speaker_of
from commonplace.upkeep.consolidate.duplicates import find_duplicate, sentence_similarity
from commonplace.upkeep.consolidate.episodes import MAX_SUMMARY_CHARS, EpisodeHeadline, EpisodeSentence
from commonplace.upkeep.consolidate.existing_records import ExistingRecords, resolve_relation
from commonplace.upkeep.consolidate.history import Interaction
from commonplace.upkeep.consolidate.verification import CitedText, find_quote, find_unsupported

MIN_PAIR_SIMILARITY = 0.15  # of the words of two lines, from which a model is asked about them
YIELDING_TYPES: tuple[ClaimType, ...] = ("decision", "relation")
MAX_REFUSED, MAX_REFUSED_CHARS = 10, 200  # lines of an answer that are told as refused, and characters of each


class StepModel(Protocol):
    """Who is asked: a chain of language models, or an agent that has answered already."""

    def run_step(self, step: ModelStep, prompt: str, answer_type: type[Answer]) -> StepOutcome[Answer]:
        """The answer of a step, None if there is none; raises nothing."""
        ...


class StepReceipt(Struct, frozen=True):
    """What a model made of a session in a step, beside the result of the rules, and what was refused and why."""

    step: ModelStep
    session: str
    model: str
    is_cached: bool = False
    result: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class ModelSteps:
    """The steps of one run. Each returns the rules' result where no answer is of use; `notes` say what failed."""

    def __init__(self, model: StepModel, owner: str, vocabulary: Vocabulary) -> None:
        self._model, self._owner, self._vocabulary = model, owner, vocabulary
        self._receipts: list[StepReceipt] = []
        self.notes: list[str] = []

    def take_receipts(self) -> tuple[StepReceipt, ...]:
        """The receipts since the last call."""
        taken, self._receipts = tuple(self._receipts), []
        return taken

    def choose_claims(self, interaction: Interaction, proposed: Sequence[ClaimRecord]) -> list[ClaimRecord]:
        """The claims that a model chose and worded, and of those that the rules `proposed` what must not be missed."""
        turns = orders.show_turns(interaction, self._owner)
        prompt = orders.write_prompt(orders.CLAIMS_TASK, (turn for turn, _capture in turns.values()))
        outcome = self._ask("claims", prompt, orders.ClaimsAnswer) if turns else StepOutcome()
        if outcome.answer is None:
            return list(proposed)
        captures = {key: capture for key, (_turn, capture) in turns.items()}
        answered, surplus = outcome.answer.claims[: orders.MAX_CLAIMS], outcome.answer.claims[orders.MAX_CLAIMS :]
        read = [_read_worded_claim(one, captures, self._owner, self._vocabulary) for one in answered]
        worded = [one for one in read if isinstance(one, ClaimRecord)]
        refused = [one for one in read if isinstance(one, str)]
        refused += [_describe_refusal(one.text, "one too many") for one in surplus]
        chosen = _merge_claims(interaction, proposed, worded) if worded else list(proposed)
        chosen_texts, texts = (tuple(one.text for one in claims) for claims in (chosen, proposed))
        heading = (interaction.session, outcome.model, outcome.is_cached)
        self._keep_receipt(StepReceipt("claims", *heading, chosen_texts, texts, tuple(refused)))
        return chosen

    def compare_claims(
        self, interaction: Interaction, claims: Sequence[ClaimRecord], existing: ExistingRecords
    ) -> list[ClaimRecord]:
        """The claims, with what a model says that they are to the lines nearest to them, where the rules see nothing,
        and notes on what was said of them before and cannot be used."""
        self.notes += (note for claim in claims if (note := _describe_relation_refusal(claim, existing)))
        open_pairs = _find_open_pairs(claims, existing)
        pairs = sorted(open_pairs, key=lambda two: -sentence_similarity(two[0].text, two[1].text))[: orders.MAX_PAIRS]
        lines = [[{"text": one.text, "day": one.time[:10]} for one in pair] for pair in pairs]
        shown_pairs = ({"pair": at, "new": new, "known_line": known} for at, (new, known) in enumerate(lines, 1))
        prompt = orders.write_prompt(orders.COMPARE_TASK, shown_pairs)
        outcome = self._ask("compare", prompt, orders.CompareAnswer) if pairs else StepOutcome()
        if outcome.answer is None:
            return list(claims)
        told: dict[str, ClaimRecord] = {}
        refused, result = list[str](), list[str]()
        open_numbers = set(range(1, len(pairs) + 1))
        for verdict in outcome.answer.pairs:
            if verdict.pair not in open_numbers:
                refused.append(_describe_refusal(f"pair {verdict.pair}", "there is none of this number, or no more"))
                continue
            open_numbers.remove(verdict.pair)
            new, known = pairs[verdict.pair - 1]
            shown = f"{verdict.relation}: {new.text} | {known.text}"
            if problem := _find_relation_problem(new, known, verdict.relation):
                refused.append(_describe_refusal(shown, problem))
            else:
                told[new.id] = structs.replace(new, related_id=known.id, relation=verdict.relation)
                result.append(shown)
        rules = [f"independent: {new.text} | {known.text}" for new, known in pairs]
        heading = (interaction.session, outcome.model, outcome.is_cached)
        self._keep_receipt(StepReceipt("compare", *heading, tuple(result), tuple(rules), tuple(refused)))
        return [told.get(one.id, one) for one in claims]

    def word_headline(
        self, interaction: Interaction, headline: EpisodeHeadline, sentences: tuple[EpisodeSentence, ...]
    ) -> EpisodeHeadline:
        """The headline in a model's words, if the captures support them; it rests on all `sentences` then. Only those
        captures are shown that are trusted as much as these."""
        trust = least_trusted(*(one.capture.origin for one in sentences))
        shown = orders.show_turns(interaction, self._owner)
        turns = [pair for pair in shown.values() if TRUSTS.index(pair[1].origin) >= TRUSTS.index(trust)]
        prompt = orders.write_prompt(orders.SUMMARY_TASK, (turn for turn, _capture in turns))
        outcome = self._ask("summary", prompt, orders.SummaryAnswer) if turns else StepOutcome()
        if outcome.answer is None:
            return headline
        cited = [_cite(capture, self._owner) for _turn, capture in turns]
        rules = (headline.title, headline.summary)
        worded = (sanitize_line(outcome.answer.title), sanitize_line(outcome.answer.summary))
        problems = []
        for line, most in zip(worded, (orders.MAX_TITLE_CHARS, MAX_SUMMARY_CHARS), strict=True):
            is_long = len(line) > most
            problems.append(f"it is longer than {most} characters" if is_long else find_unsupported(line, cited))
        refused = tuple(_describe_refusal(text, why) for text, why in zip(worded, problems, strict=True) if why)
        heading = (interaction.session, outcome.model, outcome.is_cached)
        self._keep_receipt(StepReceipt("summary", *heading, rules if refused else worded, rules, refused))
        if refused:
            return headline
        return structs.replace(headline, title=worded[0], summary=worded[1], sources=sentences)

    def _ask(self, step: ModelStep, prompt: str, answer_type: type[Answer]) -> StepOutcome[Answer]:
        outcome = self._model.run_step(step, prompt, answer_type)
        self.notes += [note for note in outcome.notes if note not in self.notes]
        return outcome

    def _keep_receipt(self, receipt: StepReceipt) -> None:
        if more := receipt.refused[MAX_REFUSED:]:
            receipt = structs.replace(receipt, refused=(*receipt.refused[:MAX_REFUSED], f"{len(more)} more"))
        self._receipts.append(receipt)
        self.notes += [f"{receipt.model}, step {receipt.step}: refused: {one}" for one in receipt.refused]


def apply_told_relation(claim: ClaimRecord, undated_since: str) -> ClaimRecord:
    """The claim with what a model said that it is to a known line, as far as the rules of truth allow it.

    The same is skipped, and a fuller line gathers the sources of the known one, only if all that the one says is in the
    other, which is trusted as much. A replacement replaces a line only if they give two values of one thing, read as if
    they were written; else it is a conflict, which waits for a person.
    """
    known = next((one for one in claim.similar if one.id == claim.related_id), None)
    if known is None or claim.effect is not None or _find_relation_problem(claim, known, claim.relation):
        return claim
    match claim.relation:
        case "same":
            return structs.replace(claim, effect="supports", conflicts=(known,))
        case "fuller":
            sources = (*claim.gathered, *(known.sources or (known.id,)))
            return structs.replace(claim, gathered=tuple(dict.fromkeys(sources)))
        case "replacement":
            written = tuple(structs.replace(one, is_talk=False) for one in claim.statements)
            stated = StatedLine(written, claim.time, claim.scope, claim.trust)
            met = compare_lines(stated, known.comparable, undated_since)
            effect = met[0] if met and met[0] in ("replaces", "is over") else "conflicts"
            return structs.replace(claim, effect=effect, conflicts=(known,))
        case "independent":
            return claim
        case _:
            assert_never(claim.relation)


def _describe_relation_refusal(claim: ClaimRecord, existing: ExistingRecords) -> str:
    """Why what an agent said that a claim is to a known line cannot be used; empty if it can, or if it said nothing."""
    if not claim.related_id:
        return ""
    known = next((one for one in existing.find_similar(claim) if one.id == claim.related_id), None)
    problem = _find_relation_problem(claim, known, claim.relation) if known else "no line of this id holds here"
    shown = f"{claim.relation} {claim.related_id}: {claim.text}"
    return f"{orders.AGENT_MODEL}, step compare: refused: {_describe_refusal(shown, problem)}" if problem else ""


def _find_relation_problem(claim: ClaimRecord, known_line: ClaimRecord, relation: LineRelation) -> str:
    """Why a claim cannot be the same as a known line, or fuller; empty if it can."""
    if relation not in ("same", "fuller"):
        return ""
    line, other = (known_line, claim) if relation == "same" else (claim, known_line)
    if line.trust_rank < other.trust_rank:
        return "one of the two lines is trusted more"
    cited = CitedText(line.id, line.speaker or line.said_by, line.time, " ".join((line.text, *line.entities)))
    named = claim.entities if other is claim else ()  # also where it says only `she`; of a known line, the heading too
    return find_unsupported(" ".join((other.text, *named)), (cited,))


def _read_worded_claim(
    worded: orders.WordedClaim, turns: dict[str, Capture], owner: str, vocabulary: Vocabulary
) -> ClaimRecord | str:
    """The claim that a model worded, if its captures support it; else what is refused, and why."""
    line = sanitize_line(worded.text)
    unknown = [one for one in worded.sources if one not in turns]
    captures = [turns[one] for one in dict.fromkeys(worded.sources) if one in turns]
    quote = worded.quote if len(worded.quote) <= orders.MAX_TURN_CHARS else ""  # more than was shown of a turn
    quoted = [(one, span) for one in captures if (span := find_quote(quote, one.text))]
    cited = [_cite(one, owner) for one in captures]
    problem = f"there is no turn {unknown[0]}" if unknown else "" if captures else "it names no turn"
    problem = problem or ("" if quoted else "its quote is not in its turns") or find_unsupported(line, cited)
    if problem:
        return _describe_refusal(line, problem)
    capture, span = quoted[0]
    claim = make_claim(Passage(capture, Candidate(span, category=worded.category)), owner, vocabulary)
    about = sanitize_line(worded.about)
    is_named = about and any(name_key(about) in name_key(f"{one.speaker} {one.text}") for one in cited)
    entity = about if is_named else claim.entity
    ordered = worded if isinstance(worded, orders.OrderedClaim) else None
    return structs.replace(
        claim,
        id="c" + files.text_digest(f"{claim.id}\0{line}")[:ID_CHARS],
        text=line,
        trust=least_trusted(*(one.origin for one in captures)),
        actor="agent" if any(one.actor == "agent" for one in captures) else capture.actor,
        sources=(capture.id, *(one.id for one in captures if one.id != capture.id)),
        entity=entity,
        entities=(entity,) if entity else (),
        related_id=ordered.known_id if ordered else "",
        relation=ordered.relation if ordered else "independent",
    )


def _describe_refusal(line: str, problem: str) -> str:
    """What is refused and why, for a note: on one line, and short whatever a model answered."""
    shown = [sanitize_line(one) for one in (line, problem)]
    cut = [one if len(one) <= MAX_REFUSED_CHARS else f"{one[:MAX_REFUSED_CHARS]}…" for one in shown]
    return f"{cut[0]} ({cut[1]})"


def _cite(capture: Capture, owner: str) -> CitedText:
    return CitedText(capture.id, speaker_of(capture, owner) or capture.agent, capture.ts, capture.text)


def _merge_claims(
    interaction: Interaction, proposed: Sequence[ClaimRecord], worded: Sequence[ClaimRecord]
) -> list[ClaimRecord]:
    """What the rules found that must not be missed, and what a model worded of other sentences, in order of the
    captures; a decision, who somebody is, and what is unclear by itself yield to the words of the model. Other lines of
    the rules fill up where it worded less, so that no answer makes a notebook poorer."""
    position = {capture.id: at for at, capture in enumerate(interaction.captures)}
    covered = {one.id for one in proposed if any(_is_of_same(one, own) for own in worded)}
    yielding = {one.id for one in proposed if one.claim_type in YIELDING_TYPES or is_unclear(one.text, (one.speaker,))}
    kept = [one for one in proposed if one.must_keep and one.id not in covered & yielding]
    others = [one for one in worded if not any(_is_of_same(one, own) for own in kept)]
    passed_over = [one for one in proposed if not one.must_keep and one.id not in covered]
    room = max(0, len(proposed) - len(kept) - len(others))
    return sorted((*kept, *others, *passed_over[:room]), key=lambda one: position[one.sources[0]])


def _is_of_same(claim: ClaimRecord, other: ClaimRecord) -> bool:
    """Whether the quotes of two claims are from the same sentence of the same capture."""
    return claim.sources[0] == other.sources[0] and (claim.quote in other.quote or other.quote in claim.quote)


def _find_open_pairs(
    claims: Iterable[ClaimRecord], existing: ExistingRecords
) -> Iterator[tuple[ClaimRecord, ClaimRecord]]:
    """Each claim that nobody has related to a known line, with the nearest, if the rules see neither a repetition nor
    another value in it, and it may be shown to a model."""
    for claim in claims:
        read = structs.replace(claim, statements=read_claim_statements(claim, existing.vocabulary))
        read = resolve_relation(structs.replace(read, similar=existing.find_similar(read)), "")
        if claim.related_id or read.effect or find_duplicate(read, read.similar):
            continue
        shown = [one for one in read.similar if one.trust not in ("untrusted", "quarantined")]
        nearest = max(shown, key=lambda one: sentence_similarity(claim.text, one.text), default=None)
        if nearest and sentence_similarity(claim.text, nearest.text) >= MIN_PAIR_SIMILARITY:
            yield claim, nearest
