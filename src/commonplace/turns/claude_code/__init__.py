"""The rules of Claude Code's turns: what a session and a prompt get from memory, and whose words are captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.turns.claude_code import place as places
from commonplace.turns.nouns import Prompted, Turned

if TYPE_CHECKING:
    from commonplace.memory import Memory
    from commonplace.turns.claude_code.place import Options, Place
    from commonplace.turns.nouns import Hooked

__all__ = ["prompt", "turn"]

MOST_SHOWN = 10_000  # characters; the host puts a longer text into a file, and shows the model how it begins
START_TOKENS = 2_000
MOST_ASKED = 2_000  # characters at each end of a long prompt; the question stands before or after what was pasted
GOES_ON = ("resume", "fork")  # of a session that has its words before it


def prompt(memory: Memory, hooked: Hooked) -> Prompted:
    """What a session is told when it starts, and what bears on a prompt before the model reads it."""
    options, place = places.options_of(hooked.options), places.place_of(hooked)
    if place.is_headless and options.headless == "off":
        return Prompted(skipped="a program's session, and the option `headless` is `off`")
    if place.event == "SessionStart":
        return _start(memory, place, options)
    if place.event == "UserPromptSubmit":
        return _asked(memory, hooked, place, options)
    return Prompted(skipped=f"nothing is recalled at {place.event!r}")


def turn(memory: Memory, hooked: Hooked) -> Turned:
    """What was said and done since the last hook, captured once, however often the host tells it."""
    from commonplace.turns.claude_code import events, transcripts

    options, place = places.options_of(hooked.options), places.place_of(hooked)
    if place.is_headless and options.headless == "off":
        return Turned(skipped="a program's session, and the option `headless` is `off`")
    if place.event in transcripts.BOUNDARIES:
        return transcripts.take(memory, hooked.event, place, options)
    stream = events.stream_of(hooked.event, place, options)
    if isinstance(stream, str):
        return Turned(skipped=stream)
    done = memory.ingest(stream, format="claude-code", owner=places.owner_of(options), scope=place.scope)
    notes = tuple(one.reason for one in done.examples)
    return Turned(done.captured, done.known, notes=(*memory.notes, *notes))


def _start(memory: Memory, place: Place, options: Options) -> Prompted:
    """The core and where work stands; a session that goes on has read that, and gets the core as it is now."""
    budget = START_TOKENS if options.start_tokens is None else options.start_tokens
    while True:
        text, notes = _told(memory, place, budget)
        if len(text) <= MOST_SHOWN:
            return Prompted(text, skipped="" if text else "there is nothing to tell yet", notes=notes)
        budget = _less(budget, len(text))


def _told(memory: Memory, place: Place, budget: int) -> tuple[str, tuple[str, ...]]:
    if place.source in GOES_ON:
        packed = memory.core(budget_tokens=budget, scope=place.scope)
        return packed.text, packed.notes
    session = place.session if place.source == "compact" else ""
    resumed = memory.resume(session=session, budget_tokens=budget, scope=place.scope)
    return resumed.text, memory.notes


def _asked(memory: Memory, hooked: Hooked, place: Place, options: Options) -> Prompted:
    """What bears on the prompt; what was said in this session is left out as long as the model has it before it."""
    from commonplace.turns.claude_code import transcripts

    said = hooked.event.get("prompt")
    text = said.strip() if isinstance(said, str) else ""
    if not text:
        return Prompted(skipped="nothing was asked in words")
    if len(text) > 2 * MOST_ASKED:
        text = f"{text[:MOST_ASKED]}\n{text[-MOST_ASKED:]}"
    heard = "" if transcripts.is_compacted(memory.root, place.session) else place.session
    budget = memory.settings.pack_budget_tokens if options.budget_tokens is None else options.budget_tokens
    while True:
        packed = memory.pack(text, budget_tokens=budget, automatic=True, core=False, scope=place.scope, heard=heard)
        if len(packed.text) <= MOST_SHOWN:
            why = "" if packed.text else "nothing bears on it"
            return Prompted(packed.text, "", packed.receipt_id, why, packed.notes)
        budget = _less(budget, len(packed.text))


def _less(budget: int, characters: int) -> int:
    """A budget whose text may be short enough for the host; smaller each time it is asked for."""
    return min(budget - 1, budget * MOST_SHOWN // characters)
