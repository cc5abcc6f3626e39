"""Steps ask the models that the settings name, within the limits of the day; whatever a model does, the rules go on."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from commonplace import Memory
from commonplace.errors import BadSettings
from commonplace.memory.models import open_model_chain
from commonplace.models import StepOutcome
from commonplace.models.answers import InvalidAnswer, answer_schema, decode_answer
from commonplace.storage.config import parse_settings
from commonplace.storage.model_calls import CACHE_FOLDER, USAGE_PATH, ModelUsage, read_model_usage
from tests.support.language_models import (
    GREEN,
    HEAD,
    PRINTS_GREEN,
    WAITS,
    Colour,
    ask,
    chat,
    command_settings,
    dripping,
    in_turn,
    ledger,
    program,
    reply,
    settings,
    silent,
    tool_use,
)
from tests.support.schemas import validator
from tests.support.vector_server import Answer, serving

NOW = "2025-11-30T09:00"
DAY = NOW[:10]
ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, and an environment of its own."""
    for name, value in (("HOME", "home"), ("XDG_STATE_HOME", "state")):
        monkeypatch.setenv(name, str(tmp_path / value))
    monkeypatch.setenv("COMMONPLACE_NOW", NOW)
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def usage(root: Path) -> ModelUsage:
    return read_model_usage(str(root), DAY)


def fallback(url: str) -> str:
    return f'[models.fallback]\nprovider = "openai"\nmodel = "spare"\nendpoint = "{url}"'


# Each provider.


@pytest.mark.parametrize(
    ("base", "path"), [("/v1", "/v1/chat/completions"), ("/x/chat/completions/", "/x/chat/completions")]
)
def test_an_endpoint_with_the_api_of_openai_is_asked_for_json_of_the_schema(root: Path, base: str, path: str) -> None:
    with serving(chat()) as server:
        outcome = ask(root, settings(server.url + base), prompt="Which colour?")
    assert outcome == StepOutcome(Colour("green"), "openai:tiny")
    asked_path, headers, body = server.asked[0]
    assert (asked_path, body["model"]) == (path, "tiny")
    assert body["messages"] == [{"role": "user", "content": "Which colour?"}]
    assert body["response_format"]["json_schema"]["schema"] == answer_schema(Colour)
    assert "Authorization" not in headers


@pytest.mark.parametrize("base", ["", "/", "/v1"])
def test_an_endpoint_with_the_api_of_anthropic_has_to_use_a_tool(
    root: Path, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_KEY", "sesame")
    with serving(tool_use({"colour": "green"})) as server:
        outcome = ask(root, settings(server.url + base, provider="anthropic", limits='key_env = "NOTES_KEY"'))
    assert outcome == StepOutcome(Colour("green"), "anthropic:tiny")
    path, headers, body = server.asked[0]
    assert (path, headers["x-api-key"]) == ("/v1/messages", "sesame")
    assert body["tool_choice"] == {"type": "tool", "name": body["tools"][0]["name"]}
    assert body["tools"][0]["input_schema"] == answer_schema(Colour)
    assert [(line["input_tokens"], line["output_tokens"]) for line in ledger(root)] == [(11, 5)]


def test_a_program_reads_the_prompt_with_the_schema_and_prints_the_answer(root: Path, tmp_path: Path) -> None:
    code = "import json, os, sys; print(json.dumps({'colour': sys.stdin.read() + os.getcwd() + sys.argv[1]}))"
    toml = command_settings(f"{program(tmp_path, code)} 'an argument; $HOME'")
    outcome = ask(root, toml, prompt="Which colour?" * 8_000)
    assert outcome.answer is not None
    assert outcome.answer.colour.startswith("Which colour?" * 8_000)
    assert json.dumps(answer_schema(Colour), separators=(",", ":")) in outcome.answer.colour
    assert outcome.answer.colour.endswith("/an argument; $HOME")
    assert outcome.model == f"command:{Path(sys.executable).name}"


def test_an_agents_command_line_is_started_without_our_hooks_and_outside_a_session(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"CLAUDECODE": "1", "CODEX_SANDBOX": "seatbelt", "AGENT": "mine", "NOTES_KEY": "sesame"}.items():
        monkeypatch.setenv(name, value)
    names = ("COMMONPLACE_HOOKS", "CLAUDECODE", "CODEX_SANDBOX", "AGENT", "NOTES_KEY")
    code = f"import json, os; print(json.dumps({{'colour': ' '.join(str(os.environ.get(n)) for n in {names!r})}}))"
    outcome = ask(root, command_settings(program(tmp_path, code)))
    assert outcome.answer == Colour("off None None mine sesame")


def test_a_step_has_a_model_of_its_own_and_no_key_goes_to_another_endpoint(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTES_KEY", "sesame")
    with serving(chat()) as server, serving(chat()) as other:
        tables = f'[models.step.compare]\nmodel = "small"\n[models.step.rerank]\nendpoint = "{other.url}"'
        toml = settings(server.url, tables, limits='key_env = "NOTES_KEY"')
        models = [ask(root, toml, step).model for step in ("claims", "compare", "rerank")]
    assert models == ["openai:tiny", "openai:small", "openai:tiny"]
    assert [headers["Authorization"] for _path, headers, _body in server.asked] == ["Bearer sesame"] * 2
    assert ["Authorization" in headers for _path, headers, _body in other.asked] == [False]


class Inner(Struct):
    """A part of an answer."""

    colours: list[Colour]


class Outer(Struct):
    """An answer of several types."""

    inner: Inner
    others: dict[str, Colour] = {}


def test_a_schema_is_an_object_without_references() -> None:
    schema = answer_schema(Outer)
    assert (schema["type"], schema["required"]) == ("object", ["inner"])
    assert schema["properties"]["inner"]["properties"]["colours"]["items"] == answer_schema(Colour)
    assert "$" not in json.dumps(schema)


# Nothing is sent unless a provider is named, and nothing that is a secret.


def test_nothing_is_sent_unless_a_provider_is_named(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sesame")
    with serving(chat()) as server:
        toml = settings(server.url).replace('provider = "openai"', "")
        assert ask(root, toml) == ask(root, "") == StepOutcome()
        assert (
            ask(root, toml + fallback(server.url)) == StepOutcome()
        )  # a fallback alone names nothing to fall back from
        with pytest.raises(BadSettings, match=r"models.step.claims needs models.step.claims.provider"):
            ask(root, f'{toml}[models.step.claims]\nmodel = "small"')
    assert server.asked == []
    assert not (root / ".memory").exists()


def test_what_is_sent_is_redacted(root: Path) -> None:
    secret = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
    with serving(chat()) as server:
        ask(root, settings(server.url), prompt=f"The token is {secret}, <private>and Ana is ill</private>.")
    sent = server.asked[0][2]["messages"][0]["content"]
    assert "⟦secret:github-pat:" in sent
    assert secret not in sent
    assert "Ana" not in sent


def test_a_prompt_that_cannot_be_redacted_is_not_sent(root: Path) -> None:
    (root / ".memory").mkdir()
    (root / ".memory/key").write_bytes(b"short")
    with serving(chat()) as server:
        outcome = ask(root, settings(server.url))
    assert server.asked == []
    assert "no model was asked for claims" in outcome.notes[0]


# Bad behaviour: no answer, a note, and never an error.

PROSE = "Ich kann Ihnen dabei leider nicht helfen."
BAD_ANSWERS: dict[str, tuple[Answer, str]] = {
    "garbage": (reply(b"\x00\xff<html>"), "not what this interface answers"),
    "nothing": (reply(b""), "not what this interface answers"),
    "another interface": (reply({"choices": [{"text": GREEN}]}), "not what this interface answers"),
    "no choice": (reply({"choices": []}), "its answer is empty"),
    "an empty text": (chat(""), "its answer is empty"),
    "a refusal": (chat(None, refusal="No."), "it declines to answer"),
    "another language": (chat(PROSE), "the shape"),
    "half JSON": (chat(GREEN[:-3]), "the shape"),
    "a wrong schema": (chat('{"color": "green"}'), "the shape"),
    "a wrong type": (chat('{"colour": 7}'), "the shape"),
    "more than asked for": (chat('{"colour": "green", "delete": true}'), "the shape"),
    "deep JSON": (chat('{"colour":' + "[" * 100_000), "the shape"),
    "too often": (reply({"error": "slow down"}, 429), "it answers 429"),
    "an error": (reply({"error": "out of memory"}, 500), "it answers 500"),
    "a wrong key": (reply({}, 401), "is the key right"),
    "ten megabytes": (reply(b" " * 10_000_000), "more than 1000000 bytes"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_an_endpoint_that_answers_badly_leaves_a_note(root: Path, name: str) -> None:
    answer, why = BAD_ANSWERS[name]
    with serving(answer) as server:
        outcome = ask(root, settings(server.url))
    assert (outcome.answer, outcome.model) == (None, "")
    assert [note for note in outcome.notes if note.startswith("openai:tiny gave no answer for claims: ")]
    assert why in outcome.notes[0]
    assert PROSE not in outcome.notes[0]
    assert len(ledger(root)) == len(server.asked) <= 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (tool_use({"colour": "green"}, stop_reason="refusal"), "it declines to answer"),
        (tool_use({"color": "green"}), "the shape"),
        (reply({"content": [], "stop_reason": "end_turn"}), "its answer is empty"),
        (reply({"content": [{"type": "text", "text": PROSE}]}), "the shape"),
        (reply({"type": "error", "error": {"type": "overloaded_error"}}, 529), "it answers 529"),
    ],
    ids=["refusal", "schema", "nothing", "prose", "overloaded"],
)
def test_an_endpoint_of_anthropic_that_answers_badly_leaves_a_note(root: Path, answer: Answer, why: str) -> None:
    with serving(answer) as server:
        outcome = ask(root, settings(server.url, provider="anthropic"))
    assert outcome.answer is None
    assert why in outcome.notes[0]


def test_a_redirect_is_not_followed(root: Path) -> None:
    with serving(chat()) as other, serving(reply({}, 307)) as server:
        server.location = f"{other.url}/chat/completions"
        assert "sends elsewhere" in ask(root, settings(server.url)).notes[0]
    assert other.asked == []


def test_a_dead_endpoint_leaves_a_note(root: Path) -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # nobody listens
        outcome = ask(root, settings(f"http://127.0.0.1:{bound.getsockname()[1]}"))
    assert "connection refused" in outcome.notes[0]


@pytest.mark.parametrize("begins_with", [b"HTTP/1.1 200 OK\r\nX-Slow: ", HEAD], ids=["head", "body"])
def test_an_endpoint_that_drips_is_cut_off_as_a_whole(root: Path, begins_with: bytes) -> None:
    with dripping(begins_with) as url:
        outcome = ask(root, settings(url, limits="timeout_ms = 100"))
    assert "no answer within 0.1 s" in outcome.notes[0]


def test_a_silent_endpoint_is_not_waited_for(root: Path) -> None:
    with silent() as server:
        outcome = ask(root, settings(server.url, limits="timeout_ms = 50"))
    assert "no answer within 0.05 s" in outcome.notes[0]


def test_a_key_that_cannot_be_sent_is_not_repeated(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(chat()) as server:
        toml = settings(server.url, limits='key_env = "NOTES_KEY"')
        assert "the environment variable 'NOTES_KEY' is not set" in ask(root, toml).notes[0]
        for key in ("open\nsesame", "öffne → sesame"):
            monkeypatch.setenv("NOTES_KEY", key)
            outcome = ask(root, toml)
            assert "has characters that cannot be sent" in outcome.notes[0]
            assert "sesame" not in outcome.notes[0]
    assert server.asked == []


BAD_PROGRAMS: dict[str, tuple[str, str]] = {
    "silence": (WAITS + PRINTS_GREEN, "no answer within"),
    "silence with its streams closed": ("import os; os.close(1)\n" + WAITS, "no answer within"),
    "a slow drip": (f"for _ in range(500_000): print(end=' ', flush=True)\n{WAITS}", "no answer within"),
    "a part, then silence": (f"print('{{', flush=True)\n{WAITS}", "no answer within"),
    "garbage": ("import os; os.write(1, bytes(range(256)))", "the shape"),
    "nothing": ("", "the shape"),
    "prose": (f"print({PROSE!r})", "the shape"),
    "half JSON": (f"print('{GREEN[:-3]}')", "the shape"),
    "a wrong schema": ("print('{}')", "the shape"),
    "a failure": (f"print('{GREEN}'); raise SystemExit(3)", "ended with code 3"),
    "a crash": ("import os; os.kill(os.getpid(), 9)", "ended with code -9"),
    "ten megabytes": ("print('x' * 10_000_000)", "more than 1000000 bytes"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD_PROGRAMS)
def test_a_program_that_answers_badly_leaves_a_note(root: Path, tmp_path: Path, name: str) -> None:
    code, why = BAD_PROGRAMS[name]
    timeout_ms = 300 if why == "no answer within" else 60_000
    toml = command_settings(program(tmp_path, code)).replace("[models]", f"[models]\ntimeout_ms = {timeout_ms}")
    outcome = ask(root, toml)
    assert outcome.answer is None
    assert why in outcome.notes[0]


@pytest.mark.parametrize(
    ("command", "why"),
    [("/nowhere/to/be/found", "'/nowhere/to/be/found' does not start: no such file"), ("/", "permission denied")],
)
def test_a_program_that_does_not_start_leaves_a_note(root: Path, command: str, why: str) -> None:
    assert why in ask(root, command_settings(command)).notes[0]


STARTS_ANOTHER = """
import os, socket, subprocess, sys
code = "import socket, sys; s = socket.create_connection(('127.0.0.1', {port})); print(flush=True); s.send(s.recv(9))"
child = subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE)
child.stdout.readline()
print("x" * 10_000_000)
"""


@pytest.mark.slow
def test_a_program_is_killed_with_the_programs_that_it_started(root: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = STARTS_ANOTHER.format(port=listener.getsockname()[1])
        assert "more than" in ask(root, command_settings(program(tmp_path, code))).notes[0]
        listener.settimeout(60)
        child, _address = listener.accept()
    with child:
        child.settimeout(60)
        try:
            child.sendall(b"alive?")
            echo = child.recv(9)
        except ConnectionError:
            echo = b""
    assert echo == b""


# A chain.


def test_the_fallback_is_asked_when_the_model_fails(root: Path) -> None:
    with serving(reply({}, 500)) as server, serving(chat()) as other:
        outcome = ask(root, settings(server.url, fallback(other.url)))
    assert (outcome.answer, outcome.model) == (Colour("green"), "openai:spare")
    assert outcome.notes == ("openai:tiny gave no answer for claims: it answers 500",)
    assert [(line["model"], line["outcome"]) for line in ledger(root)] == [
        ("tiny", "unavailable"),
        ("spare", "answered"),
    ]


def test_an_invalid_answer_is_asked_for_once_more_with_the_error(root: Path) -> None:
    with serving(in_turn(chat('{"colour": 7}'), chat())) as server:
        outcome = ask(root, settings(server.url))
    assert (outcome.answer, outcome.notes) == (Colour("green"), ())
    first, second = (body["messages"][0]["content"] for _path, _headers, body in server.asked)
    assert second.startswith(first)
    assert "Expected `str`, got `int` - at `$.colour`" in second
    assert [line["outcome"] for line in ledger(root)] == ["invalid", "answered"]


def test_it_is_asked_for_no_more_than_twice(root: Path) -> None:
    with serving(in_turn(chat("no"), chat("no"), chat())) as server:
        assert ask(root, settings(server.url)).answer is None
    assert len(server.asked) == 2


def test_a_model_that_failed_twice_is_not_asked_again_in_the_run(root: Path) -> None:
    with serving(reply({}, 500)) as server, serving(chat()) as other:
        (root / "commonplace.toml").write_text(settings(server.url, fallback(other.url)), encoding="utf-8")
        with Memory.open(root) as memory:
            chain = open_model_chain(memory.workspace)
            outcomes = [chain.run_step("claims", prompt, Colour) for prompt in ("one", "two", "three")]
    assert [outcome.model for outcome in outcomes] == ["openai:spare"] * 3
    assert (len(server.asked), len(other.asked)) == (2, 3)
    assert outcomes[-1].notes == ("openai:tiny is not asked for claims: it failed 2 times in this run",)


@pytest.mark.parametrize(
    "text",
    [GREEN, f"```json\n{GREEN}\n```", f"Sure!\n```\n{GREEN}\n```\nAnything else?", f"Here it is: {GREEN} – enjoy."],
)
def test_json_may_be_fenced_or_have_words_around_it(text: str) -> None:
    assert decode_answer(text, Colour) == Colour("green")


@pytest.mark.parametrize(
    "text", ["", "{", "}{", "```", "[]", "[1]", "null", f"{GREEN} {GREEN}", "\ud800", '{"colour": "\\ud800"}']
)
def test_anything_else_is_no_answer(text: str) -> None:
    with pytest.raises(InvalidAnswer):
        decode_answer(text, Colour)


# The limits of a day.

ASKS = """
import sys
from pathlib import Path
from tests.support.language_models import ask
print(flush=True)
sys.stdin.readline()
answers = [ask(Path(sys.argv[1]), prompt=f"{sys.argv[2]} {number}").answer for number in range(4)]
print(sum(answer is not None for answer in answers))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "calls"),
    [("calls_per_day = 10", 10), ("tokens_per_day = 200_000", 25)],
    ids=["calls", "tokens"],
)
def test_eight_processes_at_once_never_exceed_a_limit(root: Path, limits: str, calls: int) -> None:
    with serving(chat(tokens=(1_000, 7_000))) as server:
        (root / "commonplace.toml").write_text(settings(server.url, limits=limits), encoding="utf-8")
        started = [
            subprocess.Popen(
                [sys.executable, "-c", ASKS, str(root), str(number)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=ROOT,
            )
            for number in range(8)
        ]
        for process in started:
            assert process.stdout is not None
            assert process.stdout.readline() == "\n"
        for process in started:
            assert process.stdin is not None
            process.stdin.write("\n")
            process.stdin.flush()
        answers = [int(process.communicate(timeout=60)[0]) for process in started]
    assert len(server.asked) == sum(answers) == usage(root).calls == len(ledger(root))
    assert usage(root).tokens == 8_000 * len(server.asked) <= 200_000
    assert 0 < len(server.asked) <= calls
    if "calls" in limits:
        assert len(server.asked) == calls


def test_a_call_is_counted_before_it_is_made_with_the_most_that_it_can_take(root: Path) -> None:
    counted: list[ModelUsage] = []

    def answer(body: dict[str, Any]) -> tuple[int, bytes]:
        counted.append(usage(root))
        return chat()(body)

    with serving(answer) as server:
        ask(root, settings(server.url), prompt="ä" * 500)
    assert counted[0].calls == 1
    assert counted[0].tokens >= 1_000 + 8_000
    assert usage(root) == ModelUsage(1, 10)


def test_tokens_that_a_model_does_not_report_are_estimated(root: Path, tmp_path: Path) -> None:
    ask(root, command_settings(program(tmp_path, PRINTS_GREEN)), prompt="Which colour is it? " * 20)
    line = ledger(root)[0]
    assert 80 <= line["input_tokens"] <= 120
    assert 3 <= line["output_tokens"] <= 10
    assert usage(root).tokens == line["input_tokens"] + line["output_tokens"]


def test_another_day_begins_at_zero_and_a_clock_that_is_put_back_does_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(chat()) as server:
        toml = settings(server.url, limits="calls_per_day = 1")
        for day, is_answered in (("2025-11-30", True), ("2025-12-01", True), ("2025-11-30", False)):
            monkeypatch.setenv("COMMONPLACE_NOW", f"{day}T09:00")
            assert (ask(root, toml, prompt=f"{day} {is_answered}").answer is not None) is is_answered
    assert len(server.asked) == 2


def test_without_a_readable_count_nothing_is_asked(root: Path) -> None:
    (root / ".memory").mkdir()
    (root / USAGE_PATH).write_text("{", encoding="utf-8")
    with serving(chat()) as server:
        assert "damaged; remove it" in ask(root, settings(server.url)).notes[0]
        with Memory.open(root) as memory:
            assert memory.status()["model_calls"] == 200
    assert server.asked == []


def test_status_shows_the_usage_of_today_if_a_model_is_named(root: Path) -> None:
    with Memory.open(root) as memory:
        assert "model_calls" not in memory.status()
    with serving(chat()) as server:
        ask(root, settings(server.url))
    with Memory.open(root) as memory:
        status = memory.status()
    assert [status[key] for key in ("model_calls", "model_calls_per_day", "model_tokens", "model_tokens_per_day")] == [
        1,
        200,
        10,
        200_000,
    ]
    validator("commonplace.status.v1").validate({"schema": "commonplace.status.v1", **status})


# The ledger.


def test_the_ledger_has_each_call_and_nothing_that_was_sent_or_answered(root: Path) -> None:
    with serving(in_turn(chat('{"tuba": "trombone"}'), chat('{"colour": "zucchini"}'))) as server:
        assert ask(root, settings(server.url), prompt="What about the xylophone?").answer == Colour("zucchini")
    lines = ledger(root)
    fields = {"v", "id", "ts", "salt", "prev", "crc"}
    fields |= {"op", "step", "provider", "model", "input_tokens", "output_tokens", "ms", "outcome"}
    assert [set(line) for line in lines] == [fields, fields]
    assert (lines[1]["step"], lines[1]["provider"], lines[1]["model"]) == ("claims", "openai", "tiny")
    written = b"".join(path.read_bytes() for path in (root / ".memory/journal").iterdir())
    for word in (b"xylophone", b"zucchini", b"trombone", b"tuba"):
        assert word not in written
    with Memory.open(root) as memory:
        assert not memory.check().problems


def test_the_arguments_of_a_program_are_in_no_note_and_no_ledger(root: Path, tmp_path: Path) -> None:
    outcome = ask(root, command_settings(f"{program(tmp_path, 'raise SystemExit(3)')} --key sesame"))
    assert "sesame" not in " ".join(outcome.notes)
    assert "sesame" not in json.dumps(ledger(root))


# The cache.


def test_the_same_is_not_asked_twice(root: Path) -> None:
    with serving(chat()) as server:
        toml = settings(server.url)
        first, second = ask(root, toml), ask(root, toml)
        assert (first.is_cached, second.is_cached) == (False, True)
        assert first.answer == second.answer == Colour("green")
        ask(root, toml, prompt="Another?")
        ask(root, toml, step="compare")
        ask(root, toml.replace("tiny", "huge"))
    assert len(server.asked) == len(ledger(root)) == 4


def test_the_cache_is_for_its_owner_only_and_holds_no_prompt(root: Path) -> None:
    with serving(chat()) as server:
        ask(root, settings(server.url), prompt="What about the xylophone?")
    (path,) = (root / CACHE_FOLDER).iterdir()
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert path.read_bytes() == b'{"colour":"green"}'
    assert "xylophone" not in path.name


def test_only_valid_answers_are_cached_and_a_damaged_one_is_asked_for_again(root: Path) -> None:
    with serving(in_turn(chat("no"), chat("no"), chat())) as server:
        toml = settings(server.url)
        assert ask(root, toml).answer is None
        assert ask(root, toml).answer == Colour("green")
        (path,) = (root / CACHE_FOLDER).iterdir()
        path.write_bytes(b'{"colour":"gr')
        assert not ask(root, toml).is_cached
        assert ask(root, toml).is_cached
    assert len(server.asked) == 4


def test_the_cache_keeps_the_newest(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.storage.model_calls.MAX_CACHED_ANSWERS", 2)
    with serving(chat()) as server:
        toml = settings(server.url)
        for prompt in ("one", "two", "three"):
            ask(root, toml, prompt=prompt)
            for path in (root / CACHE_FOLDER).iterdir():  # older than what comes next, whatever the disk's clock
                os.utime(path, ns=(path.stat().st_mtime_ns - 10**9,) * 2)
        assert [ask(root, toml, prompt=prompt).is_cached for prompt in ("two", "three")] == [True, True]
        assert not ask(root, toml, prompt="one").is_cached


# What is wrong with the settings.

HERE = "http://localhost:1/v1"
OPENAI = {"provider": "openai", "model": "m", "endpoint": HERE}


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"provider": "openia"}, ["models.provider 'openia' is not known"]),
        ({"provider": "openai"}, ["needs models.model", "needs models.endpoint"]),
        ({"provider": "anthropic", "model": "m"}, ["needs models.endpoint"]),
        ({"provider": "command", "model": "m"}, ["needs models.command"]),
        ({"provider": "command", "command": "llm 'x"}, ["models.command is no program"]),
        (OPENAI | {"endpoint": "ftp://host"}, ["models.endpoint 'ftp://host' must be the base"]),
        (OPENAI | {"endpoint": "http://host", "key_env": "K"}, ["must begin with https"]),
        (OPENAI | {"endpoint": "http://host"}, []),
        (OPENAI | {"key_env": "K"}, []),
        (OPENAI | {"fallback": {"model": "m"}}, ["models.fallback needs models.fallback.provider"]),
        (
            OPENAI | {"fallback": {"provder": "command"}},
            ["unknown key 'models.fallback.provder': did you mean 'provider'"],
        ),
        (OPENAI | {"step": {"clams": {}}}, ["unknown step models.step.clams: did you mean 'claims'"]),
        (
            OPENAI | {"step": {"claims": {"endpoint": "http://h", "key_env": "K"}}},
            ["models.step.claims.endpoint 'http"],
        ),
        (OPENAI | {"step": {"claims": {"provider": "command"}}}, ["needs models.step.claims.command"]),
    ],
)
def test_what_is_wrong_with_the_settings_is_told(table: dict[str, Any], told: list[str]) -> None:
    problems: tuple[str, ...] = ()
    try:
        parse_settings({"models": table})
    except BadSettings as error:
        problems = error.problems
    assert len(problems) == len(told), problems
    assert all(part in problem for part, problem in zip(told, problems, strict=True))
