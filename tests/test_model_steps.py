"""What a language model, or the agent itself, may change about a consolidation, and what is refused of its answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonplace import Memory
from commonplace.capture import Event
from commonplace.errors import BadArgument
from commonplace.models import answer_schema
from commonplace.models.answers import decode_answer
from commonplace.upkeep.consolidate import ConsolidationRun
from commonplace.upkeep.consolidate.orders import MAX_CLAIMS, MAX_TURN_CHARS, ClaimsAnswer, OrderAnswer
from tests.support.claim_grammar import run_cli
from tests.support.language_models import prompts_of, scripted_command
from tests.support.schemas import schema, validator

NOW = "2026-11-20T09:00"
TALK = (
    "I went to Lisbon with my sister Ines yesterday, the ferry was 40 euros.",
    "Please remember that I am allergic to shrimp.",
    "We decided to go back in May because of the light there.",
)
LISBON = {
    "text": "Mara went to Lisbon with her sister Ines on 1 November 2026.",
    "sources": ["1"],
    "quote": "I went to Lisbon with my sister Ines yesterday",
    "category": "event",
    "about": "Ines",
}


def claim(**other: Any) -> dict[str, Any]:
    return LISBON | other


def opened(folder: Path, toml: str = "") -> Memory:
    """A new workspace of Mara's."""
    folder.mkdir(exist_ok=True)
    (folder / "commonplace.toml").write_text(f'owner = "Mara"\n{toml}', encoding="utf-8")
    return Memory.open(folder)


def say(memory: Memory, *sentences: str, at: str = "2026-11-02T10:00", session: str = "s1", **more: Any) -> None:
    """Capture what Mara says."""
    memory.capture_all([Event(text=one, ts=at, session=session, **more) for one in sentences], now=NOW)


def consolidated(tmp_path: Path, *talk: str, **answers: object) -> tuple[Memory, ConsolidationRun]:
    """A workspace in which this was said, consolidated with these answers of a model."""
    memory = opened(tmp_path / "notes", scripted_command(tmp_path, **answers))
    say(memory, *talk or TALK)
    return memory, memory.consolidate(apply=True, now=NOW)


def lines(run: ConsolidationRun) -> list[str]:
    return [one.text for plan in run.plans for one in plan.lines]


def cli(memory: Memory, capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """What the command prints, of an error what it says."""
    ended, out, err = run_cli(capsys, *arguments, "--workspace", memory.root)
    assert ended == code, err
    return err if code else out


def rules_alone(tmp_path: Path, *talk: str) -> list[str]:
    memory = opened(tmp_path / "rules")
    say(memory, *talk or TALK)
    return lines(memory.consolidate(apply=True, now=NOW))


# claims


def test_a_model_words_claims_and_what_must_not_be_missed_stays_verbatim(tmp_path: Path) -> None:
    decided = claim(text="Mara decided to go back in May because of the light.", sources=["3"], quote=TALK[2], about="")
    memory, run = consolidated(tmp_path, claims={"claims": [LISBON, decided]})
    assert lines(run) == [LISBON["text"], TALK[1], decided["text"]]
    assert TALK[0] in rules_alone(tmp_path) or TALK[2] in rules_alone(tmp_path)
    (kept,) = (one for plan in run.plans for one in plan.lines if one.text == LISBON["text"])
    assert (kept.category, kept.entity, kept.trust, kept.time) == ("event", "Ines", "trusted", "2026-11-02T10:00")
    assert len(kept.sources) == 1
    (receipt,) = (one for plan in run.plans for one in plan.steps if one.step == "claims")
    assert receipt.result == tuple(lines(run))
    assert receipt.model.startswith("command:")
    assert TALK[2] in receipt.rules
    memory.close()


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"text": "Mara went to Lisbon with her sister Olga on 1 November 2026."}, "Olga"),
        ({"text": "Mara went to Lisbon with her sister Ines on 3 November 2026."}, "3 November 2026"),
        ({"text": "Mara paid 45 euros for the ferry to Lisbon."}, "45"),
        ({"quote": "I went to Lisbon with my cousin"}, "quote"),
        ({"quote": " "}, "quote"),
        ({"sources": ["7"]}, "there is no turn 7"),
        ({"sources": []}, "names no turn"),
        ({"text": ""}, "blank"),
        ({"text": "Mara ist mit ihrer Schwester Ines nach Lisbon gefahren, weil sie wollte."}, "Schwester"),
    ],
)
def test_what_its_turns_do_not_support_is_refused_and_the_rules_go_on(
    tmp_path: Path, wrong: dict[str, Any], why: str
) -> None:
    memory, run = consolidated(tmp_path, claims={"claims": [claim(**wrong)]})
    assert lines(run) == rules_alone(tmp_path)
    (note,) = (one for one in run.notes if "refused" in one)
    assert why in note
    memory.close()


def test_a_quote_of_more_than_is_shown_of_a_turn_is_refused(tmp_path: Path) -> None:
    long = f"{TALK[0]} {'It rained and rained. ' * 100}"
    memory, run = consolidated(tmp_path, long, claims={"claims": [claim(quote=long[: MAX_TURN_CHARS + 1])]})
    assert LISBON["text"] not in lines(run)
    assert any("its quote is not in its turns" in note for note in run.notes)
    memory.close()


def test_where_a_model_words_less_than_the_rules_found_their_other_lines_stay(tmp_path: Path) -> None:
    talk = ("The staging database runs on port 6431.", "The mail server runs on port 2525.", TALK[0])
    by_rules = rules_alone(tmp_path, *talk)
    assert len(by_rules) == len(talk)
    memory, run = consolidated(tmp_path, *talk, claims={"claims": [claim(sources=["3"])]})
    assert sorted(lines(run)) == sorted([*talk[:2], LISBON["text"]])
    memory.close()


def test_the_schema_of_an_answer_has_an_end_and_an_answer_with_more_is_decoded() -> None:
    documented = answer_schema(OrderAnswer)["properties"]["claims"]
    assert documented["maxItems"] == MAX_CLAIMS
    assert documented["items"]["properties"]["text"]["maxLength"] > 0
    given = {"claims": [claim(text="x" * 1000)] * (MAX_CLAIMS + 1)}
    assert len(decode_answer(json.dumps(given), ClaimsAnswer).claims) == MAX_CLAIMS + 1


def test_only_so_many_claims_of_a_session_are_taken(tmp_path: Path) -> None:
    talk = [f"My locker number {number} is in hall {number + 10}." for number in range(20, 30)]
    given = [
        claim(
            text=f"The locker number {at} of Mara is in hall {at + 10}.", sources=[str(at - 19)], quote=said, about=""
        )
        for at, said in enumerate(talk, 20)
    ]
    memory, run = consolidated(tmp_path, *talk, claims={"claims": given})
    assert len([one for one in lines(run) if one.startswith("The locker")]) == MAX_CLAIMS
    assert sum("one too many" in note for note in run.notes) == len(given) - MAX_CLAIMS
    memory.close()


def test_what_strangers_and_tools_say_is_not_sent(tmp_path: Path) -> None:
    memory = opened(tmp_path / "notes", scripted_command(tmp_path))
    say(memory, *TALK)
    say(memory, "The stranger's words.", origin="untrusted")
    say(memory, "The tool's words.", actor="tool", type="tool_result")
    say(memory, "In another project.", scope="other", session="s2")
    memory.consolidate(apply=True, now=NOW)
    asked = prompts_of(tmp_path)
    assert any(TALK[0] in prompt for prompt in asked)
    assert not any("stranger" in prompt or "tool's" in prompt for prompt in asked)
    assert not any(TALK[0] in prompt and "another project" in prompt for prompt in asked)
    memory.close()


def test_a_claim_that_rests_on_an_agents_words_is_the_agents(tmp_path: Path) -> None:
    memory = opened(tmp_path / "notes", scripted_command(tmp_path, claims={"claims": [claim(sources=["1", "2"])]}))
    say(memory, TALK[0])
    say(memory, "Lisbon is lovely in November.", actor="agent")
    (kept,) = (one for plan in memory.consolidate(now=NOW).plans for one in plan.lines)
    assert (kept.text, kept.actor) == (LISBON["text"], "agent")
    memory.close()


def test_a_step_can_be_switched_off(tmp_path: Path) -> None:
    toml = scripted_command(tmp_path, claims={"claims": [LISBON]})
    memory = opened(tmp_path / "notes", f'{toml}[models.step.claims]\nprovider = "none"\n')
    say(memory, *TALK)
    run = memory.consolidate(now=NOW)
    assert lines(run) == rules_alone(tmp_path)
    assert not any("claims" in note for note in run.notes)
    assert not any("Choose what" in prompt for prompt in prompts_of(tmp_path))
    memory.close()


def test_the_ledger_says_what_a_model_made_without_any_text(tmp_path: Path) -> None:
    memory, run = consolidated(tmp_path, claims={"claims": [LISBON]})
    (path,) = Path(memory.root, ".memory/journal").glob("ledger-*.jsonl")
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    (step,) = (one for entry in entries for one in entry.get("steps", ()) if one["step"] == "claims")
    (receipt,) = (one for plan in run.plans for one in plan.steps if one.step == "claims")
    assert [len(step[name]) for name in ("result", "rules")] == [len(receipt.result), len(receipt.rules)]
    assert step["model"].startswith("command:")
    assert "Lisbon" not in json.dumps([entry for entry in entries if "steps" in entry])
    memory.close()


# compare


def replies_to_update(tmp_path: Path, relation: str, new: str, known: str) -> tuple[Memory, ConsolidationRun]:
    """A known line, then a new one, which a model compares with it."""
    answers = {"pairs": [{"pair": 1, "relation": relation}]}
    memory = opened(tmp_path / "notes")
    say(memory, known, at="2026-11-01T10:00", session="old")
    assert known in lines(memory.consolidate(apply=True, now=NOW))
    memory.close()
    memory = opened(tmp_path / "notes", scripted_command(tmp_path, pairs=answers))
    say(memory, new, at="2026-11-03T10:00", session="new")
    return memory, memory.consolidate(apply=True, now=NOW)


KNOWN = "Please remember that the boiler in the cellar is serviced by Petra Klein every autumn."
AGAIN = "Please remember that Petra Klein services the boiler in our cellar in autumn."
OTHER = "Please remember that the boiler in the cellar is serviced by Jonas Wirth every autumn."


def test_what_a_model_calls_the_same_is_not_written_again(tmp_path: Path) -> None:
    memory, run = replies_to_update(tmp_path, "same", AGAIN, KNOWN)
    assert lines(run) == []
    assert [one.reason for plan in run.plans for one in plan.skipped] == ["known"]
    memory.close()


def test_what_a_model_calls_independent_is_written(tmp_path: Path) -> None:
    memory, run = replies_to_update(tmp_path, "independent", AGAIN, KNOWN)
    assert lines(run) == [AGAIN]
    memory.close()


def test_the_same_with_another_name_is_written_whatever_a_model_says(tmp_path: Path) -> None:
    memory, run = replies_to_update(tmp_path, "same", OTHER, KNOWN)
    assert OTHER in lines(run) or OTHER in [item.text for plan in run.plans for item in plan.pending]
    memory.close()


def test_a_replacement_that_the_rules_do_not_see_waits_for_a_person(tmp_path: Path) -> None:
    moved = "Please remember that Jonas Wirth looks after our boiler in the cellar now."
    memory, run = replies_to_update(tmp_path, "replacement", moved, KNOWN)
    assert lines(run) == []
    (item,) = (item for plan in run.plans for item in plan.pending)
    assert (item.text, item.reason, len(item.against)) == (moved, "conflict", 1)
    memory.close()


def test_a_fuller_line_gathers_the_captures_of_the_known_one(tmp_path: Path) -> None:
    fuller = "Please remember that Petra Klein from Bonn services the boiler in our cellar in autumn."
    memory, run = replies_to_update(tmp_path, "fuller", fuller, KNOWN)
    (kept,) = (one for plan in run.plans for one in plan.lines)
    assert kept.text == fuller
    assert len(kept.gathered) == 1
    memory.close()


# the agent as the model


def answer_to(order: dict[str, Any], *claims: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"schema": "commonplace.order-answer.v1", "order": order["id"], "claims": list(claims), **more}


def test_an_agent_consolidates_its_session_by_an_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    memory = opened(tmp_path / "notes")
    say(memory, *TALK)
    order = json.loads(cli(memory, capsys, "consolidate", "--order"))
    validator("commonplace.order.v1").validate(order)
    assert [(turn["id"], turn["speaker"], turn["text"]) for turn in order["turns"]] == [
        (str(at), "Mara", said) for at, said in enumerate(TALK, 1)
    ]
    assert order["turns"][0]["time"] == "Monday 2026-11-02T10:00"
    say(memory, "This was said after the order.", at="2026-11-02T10:05")
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(answer_to(order, LISBON, claim(text="Mara went to Oslo."))), encoding="utf-8")
    answered = json.loads(cli(memory, capsys, "consolidate", "--answer", str(path), "--json"))
    assert LISBON["text"] in [one["text"] for one in answered["kept"]]
    assert answered["applied"]
    assert any("Oslo" in note for note in answered["notes"])
    assert LISBON["text"] in Path(memory.root, "memory/2026-11-02.md").read_text(encoding="utf-8")
    after = json.loads(cli(memory, capsys, "consolidate", "--order"))
    assert [turn["text"] for turn in after["turns"]] == ["This was said after the order."]
    with pytest.raises(BadArgument, match="no open order"):
        memory.consolidate(answer=answer_to(order, LISBON))
    memory.close()


MOVED = "Jonas Wirth looks after our boiler in the cellar now."


def answered_relation(
    tmp_path: Path, relation: str, new: str = MOVED, known_id: str = ""
) -> tuple[ConsolidationRun, str]:
    """What an agent's answer makes of a new line, which it says is this to KNOWN, or to a line of another id; and the
    id of KNOWN."""
    with opened(tmp_path / "notes") as memory:
        say(memory, KNOWN, at="2026-11-01T10:00", session="old")
        (known,) = (one for plan in memory.consolidate(apply=True, now=NOW).plans for one in plan.lines)
        stranger = "- Jonas Wirth looks after our boiler badly. <!-- origin: untrusted -->\n"
        Path(memory.root, "memory/stranger.md").write_text(stranger, encoding="utf-8")
        say(memory, new, at="2026-11-03T10:00", session="new")
        order = memory.order(session="new")
        assert {one.text for one in order.known_lines} <= {KNOWN}
        assert (new != MOVED) or order.known_lines
        told = {"text": new, "sources": ["1"], "quote": new, "known_id": known_id or known.id, "relation": relation}
        return memory.consolidate(answer=answer_to({"id": order.id}, told), now=NOW), known.id


def test_an_order_names_the_known_lines_that_are_near_and_the_answer_may_replace_one(tmp_path: Path) -> None:
    run, known_id = answered_relation(tmp_path, "replacement")
    (item,) = (item for plan in run.plans for item in plan.pending)
    assert (item.text, item.against, run.notes) == (MOVED, (known_id,), ())


def test_an_order_names_a_known_line_though_an_episode_that_retells_it_is_found_in_its_place(tmp_path: Path) -> None:
    serviced = "The server in the cellar is serviced by Petra Klein on port 8443."
    with opened(tmp_path / "notes") as memory:
        say(memory, serviced, at="2026-11-01T10:00", session="old")
        (known,) = (one for plan in memory.consolidate(apply=True, now=NOW).plans for one in plan.lines)
        say(memory, "Jonas Wirth looks after our server in the cellar now.", at="2026-11-03T10:00", session="new")
        found = [hit.record for hit in memory.recall("who looks after our server in the cellar?", evidence="none").hits]
        assert [record.form for record in found] == ["summary"]
        assert [line.id for line in memory.order(session="new").known_lines] == [known.id]


def test_an_agent_may_name_a_line_that_shares_no_word(tmp_path: Path) -> None:
    heating = "From Monday on Jonas Wirth does the heating."
    run, known_id = answered_relation(tmp_path, "replacement", heating)
    (item,) = (item for plan in run.plans for item in plan.pending)
    assert (item.text, item.against) == (heating, (known_id,))


def test_what_an_agent_calls_the_same_is_written_if_it_names_somebody_else(tmp_path: Path) -> None:
    run, known_id = answered_relation(tmp_path, "same")
    assert lines(run) == [MOVED]
    assert any(f"same {known_id}" in note for note in run.notes)


def test_a_relation_to_a_line_that_is_not_there_is_refused_with_a_note(tmp_path: Path) -> None:
    run, _known_id = answered_relation(tmp_path, "replacement", known_id="nothere")
    assert lines(run) == [MOVED]
    assert [note for note in run.notes if "replacement nothere" in note and "no line of this id" in note]


def test_a_session_that_is_named_is_ordered_and_without_any_there_are_no_turns(tmp_path: Path) -> None:
    memory = opened(tmp_path / "notes")
    assert memory.order().turns == ()
    say(memory, TALK[0], session="first")
    say(memory, TALK[1], session="second", at="2026-11-03T10:00")
    assert memory.order().session == "first"
    assert memory.order(session="second").session == "second"
    assert memory.order(session="third").turns == ()
    memory.close()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("", "no JSON object"),
        ("[]", "no JSON object"),
        ("{}", "schema"),
        ('{"schema": "commonplace.order-answer.v1", "order": "gone"}', "no open order"),
        ('{"schema": "commonplace.order-answer.v1", "order": "x", "claims": [{"text": 3}]}', "claims"),
    ],
)
def test_an_answer_that_is_none_is_refused_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str, why: str
) -> None:
    memory = opened(tmp_path / "notes")
    say(memory, *TALK)
    path = tmp_path / "answer.json"
    path.write_text(given, encoding="utf-8")
    before = sorted(Path(memory.root).rglob("*.md"))
    shown = cli(memory, capsys, "consolidate", "--answer", str(path), code=2)
    assert why in shown
    assert sorted(Path(memory.root).rglob("*.md")) == before
    memory.close()


def test_the_schema_of_an_answer_is_that_of_the_docs() -> None:
    documented = schema("commonplace.order-answer.v1")
    asked = answer_schema(OrderAnswer)
    assert {*documented["properties"]} == {*asked["properties"]}
    assert documented["required"] == asked["required"]
    validator("commonplace.order-answer.v1").validate(
        {"schema": "commonplace.order-answer.v1", "order": "x", "claims": [LISBON]}
    )
