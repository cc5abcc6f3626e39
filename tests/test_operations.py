"""The table of operations: what a face can ask, checked against the verbs of `Memory` and the documented shapes."""

from __future__ import annotations

import ast
import inspect
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from commonplace import Memory, shapes
from commonplace.cli.commands import COMMANDS, Command
from commonplace.errors import BadArgument, NotFound
from commonplace.operations import parameters
from commonplace.operations.declarations import OPERATIONS, request_fields
from commonplace.serve import shutdown_signals
from commonplace.serve.dispatch import run_operation
from commonplace.storage import files
from tests.support.schemas import validator

NOW = "2025-11-30T09:00"
NOTE = b"# 2025-11-27\n\n## Retain\n\n- W @Peter: In Marrakech.\n"
DIGEST = files.content_digest(NOTE)

ASKED: dict[str, dict[str, Any]] = {
    "recall": {"text": "where is Peter?", "now": NOW},
    "search": {"text": 'entity:Peter "in Marrakech" after:2025-11-01', "now": NOW},
    "pack": {"text": "where is Peter?", "now": NOW, "receipt": True},
    "why": {},
    "why_not": {"text": "where is Peter?", "reference": "memory/2025-11-27.md#L5", "now": NOW},
    "receipts": {"at_most": 1, "now": NOW},
    "impact": {"reference": "memory/2025-11-27.md#L5"},
    "replay": {"question": "where is Peter?"},
    "show": {"reference": "memory/2025-11-27.md#L5"},
    "entity": {"name": "Peter"},
    "entities": {},
    "related": {"name": "Peter"},
    "files": {},
    "read_file": {"path": "memory/2025-11-27.md"},
    "edit_file": {"path": "memory/2025-11-27.md", "text": "- W @Peter: In Fez.", "digest": DIGEST, "line_start": 5},
    "order": {},
    "facts": {"name": "Peter", "as_of": "2025-11-28", "now": NOW},
    "facts_lint": {"now": NOW},
    "timeline": {"since": "2025-11-27", "now": NOW},
    "activity": {"days": 7, "now": NOW},
    "resume": {"now": NOW},
    "status": {},
    "check": {},
    "list_settings": {},
    "pending": {},
    "audit": {"now": NOW},
    "forgettings": {},
    "sync": {},
    "retain": {"text": "W @Ana: Sails on Sundays.", "now": NOW},
    "log": {"text": "Called Ana.", "now": NOW},
    "capture": {"text": "My sister Ana moved to Bern.", "session": "s1", "now": NOW},
    "ingest": {"entries": [{"ts": "2025-11-29T10:00", "actor": "owner", "text": "We moved to Bern."}], "now": NOW},
    "consolidate": {"apply": True, "owner": "Peter", "now": NOW},
    "approve": {"item_id": "?"},
    "reject": {"item_id": "?"},
    "edit": {"item_id": "?", "text": "Ana lives in Bern."},
    "correct": {"reference": "memory/2025-11-27.md#L5", "text": "Peter is in Fez.", "now": NOW},
    "undo": {"change_id": "last", "now": NOW},
    "forget": {"query": "sails", "apply": True, "now": NOW},
    "propose_forget": {"references": ["memory/2025-11-27.md#L5"], "session": "s1", "now": NOW},
    "prompt": {"host": "openclaw", "event": {"prompt": "where is Peter?"}},
    "turn": {"host": "openclaw", "event": {"messages": [{"role": "user", "content": "Ana moved to Bern."}]}},
    "tool": {"host": "openclaw", "event": {"name": "memory_search", "params": {"query": "where is Peter?"}}},
}


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/2025-11-27.md").write_bytes(NOTE)
    with Memory.open(tmp_path) as opened:
        opened.pack("where is Peter?", reader="s1", now=NOW)
        yield opened


METHODS = [name for name in OPERATIONS if name not in ("why", "ingest", "entities", "prompt", "turn", "tool")]
WITHOUT_HELP = {"stream", "identity", "vouched"}  # of an open file, which only the library has
REQUESTS = [
    kind
    for kind in list(vars(parameters).values())
    if isinstance(kind, type) and issubclass(kind, parameters.Request) and kind is not parameters.Request
]


@pytest.mark.parametrize("name", METHODS)
def test_the_parameters_are_the_keyword_arguments_of_the_method(name: str) -> None:
    fields = {field.name: field for field in structs.fields(OPERATIONS[name].request)}
    keywords = dict(inspect.signature(getattr(Memory, name)).parameters)
    assert str(next(iter(keywords))) == "self"
    del keywords["self"]
    assert fields.keys() - ({"receipt"} if name == "pack" else set()) == keywords.keys()
    for keyword, parameter in keywords.items():
        default = fields[keyword].default
        assert (parameter.default is parameter.empty) is (default is msgspec.NODEFAULT)
        assert parameter.default is parameter.empty or parameter.default == default, f"{name}: {keyword}"
        is_subject = keyword in OPERATIONS[name].request.__match_args__
        assert (parameter.kind is parameter.POSITIONAL_OR_KEYWORD) is is_subject


def test_a_method_takes_a_request_or_its_fields(memory: Memory) -> None:
    request = parameters.RecallRequest("where is Peter?", k=1, now=NOW)
    hits = memory.recall("where is Peter?", k=1, now=NOW)
    assert hits.hits
    assert memory.recall(request) == hits == Memory.recall(memory, request)
    assert Memory.recall.__doc__
    for wrong in (lambda: memory.recall(), lambda: memory.recall("x", kk=1), lambda: memory.recall("x", 3)):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda kind: kind.__name__)
def test_every_parameter_has_one_sentence_of_help(request_type: type[parameters.Request]) -> None:
    for name, field in request_fields(request_type).items():
        assert name in WITHOUT_HELP or field.help.endswith("."), name


def test_no_other_package_declares_the_help_of_a_parameter() -> None:
    helps = {field.help for kind in REQUESTS for field in request_fields(kind).values() if field.help}
    source = Path(parameters.__file__).parents[1]
    for package in ("memory", "serve", "cli", "turns"):
        for path in (source / package).rglob("*.py"):
            nodes = ast.walk(ast.parse(path.read_text("utf-8")))
            texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            assert not texts & helps, path


@pytest.mark.parametrize("command", [one for one in COMMANDS if one.name in OPERATIONS], ids=lambda one: one.name)
def test_an_option_says_what_its_parameter_says(command: Command) -> None:
    fields = request_fields(OPERATIONS[command.name].request)
    for action in command.parser()._actions:
        if action.option_strings and action.dest in fields:
            field = fields[action.dest]
            negated = f"Do not {field.help[:1].lower()}{field.help[1:]}"
            assert str(action.help).removesuffix(" May be repeated.") in (field.help, negated), action.dest
            assert action.default == field.default or action.default == [], action.dest


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in OPERATIONS if name not in ("approve", "reject", "edit")])
def test_an_answer_has_the_documented_shape(name: str, memory: Memory) -> None:
    if name == "undo":
        run_operation(memory, "retain", ASKED["retain"])
    answer = run_operation(memory, name, ASKED[name])
    assert answer["schema"] == OPERATIONS[name].shape
    validator(answer["schema"]).validate(json.loads(json.dumps(answer)))


def test_what_waits_is_edited_approved_and_rejected(memory: Memory) -> None:
    waiting = "# Pending\n\n## Doubts\n"
    waiting += "- person, Ana: Ana's city is Bern (why: not sure: 0.50) <!-- id: aaaaaaa -->\n"
    waiting += "- person, Peter: Peter's employer is Acme (why: not sure: 0.50) <!-- id: bbbbbbb -->\n"
    Path(memory.root, "memory/pending.md").write_text(waiting, encoding="utf-8")
    one, other = run_operation(memory, "pending", {})["items"]
    edited = run_operation(memory, "edit", {"item_id": one["id"], "text": "Ana's city is Thun", "now": NOW})
    assert (edited["deed"], edited["text"]) == ("edit", "Ana's city is Thun")
    (changed,) = [item for item in run_operation(memory, "pending", {})["items"] if item["id"] != other["id"]]
    assert run_operation(memory, "approve", {"item_id": changed["id"], "now": NOW})["path"]
    assert run_operation(memory, "reject", {"item_id": other["id"], "now": NOW})["deed"] == "reject"
    assert run_operation(memory, "pending", {})["items"] == []


def test_an_operation_answers_what_the_library_answers(memory: Memory) -> None:
    assert run_operation(memory, "recall", ASKED["recall"]) == shapes.hits_json(
        memory.recall("where is Peter?", now=NOW)
    )
    assert run_operation(memory, "recall", ASKED["recall"] | {"k": 1, "kinds": ["opinion"]})["hits"] == []


def test_entries_are_captured_once(memory: Memory) -> None:
    first = run_operation(memory, "ingest", ASKED["ingest"])["sources"][0]
    again = run_operation(memory, "ingest", ASKED["ingest"])["sources"][0]
    assert (first["captured"], again["captured"], again["known"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("recal", {}, "there is no operation 'recal'"),
        ("recall", {}, "`recall`: object missing required field `text`"),
        ("recall", {"text": "x", "k": "ten"}, "`recall`: k: expected `int | null`, got `str`"),
        ("recall", {"text": "x", "kk": 1}, "`recall`: object contains unknown field `kk`"),
        ("recall", {"text": "x", "kinds": ["fact"]}, "`recall`: kinds[0]: invalid enum value 'fact'"),
        ("recall", ["x"], "`recall`: expected `object`, got `array`"),
        ("ingest", {"text": "x", "entries": [{}]}, "`text` and `entries` are two ways to say the same"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(memory: Memory, name: str, given: Any, told: str) -> None:
    with pytest.raises(BadArgument) as refused:
        run_operation(memory, name, given)
    assert refused.value.message == told


def test_the_errors_of_the_verbs_come_through(memory: Memory) -> None:
    with pytest.raises(NotFound):
        run_operation(memory, "entity", {"name": "Nobody"})


def test_a_face_can_tell_what_reads_from_what_writes(memory: Memory) -> None:
    files = {path: path.read_bytes() for path in Path(memory.root).rglob("*.md")}
    journals = {path: path.read_bytes() for path in Path(memory.root).rglob("captures-*.jsonl")}
    for name, operation in OPERATIONS.items():
        if operation.effect == "reads":
            run_operation(memory, name, ASKED[name])
    assert files == {path: path.read_bytes() for path in Path(memory.root).rglob("*.md")}
    assert journals == {path: path.read_bytes() for path in Path(memory.root).rglob("captures-*.jsonl")}
    assert {name for name, one in OPERATIONS.items() if one.effect == "decides"} == {
        "approve",
        "reject",
        "edit",
        "correct",
        "edit_file",
        "undo",
        "forget",
    }
    assert parameters.EmptyRequest in {one.request for one in OPERATIONS.values()}


def test_a_pack_names_its_receipt_only_if_asked(memory: Memory) -> None:
    named = run_operation(memory, "pack", ASKED["pack"])
    assert run_operation(memory, "why", {"receipt": named["receipt"]})["id"] == named["receipt"]
    assert "receipt" not in run_operation(memory, "pack", ASKED["pack"] | {"receipt": False})


@pytest.fixture(params=[signal.SIG_DFL, signal.SIG_IGN])
def at_hang_up(request: pytest.FixtureRequest) -> Iterator[signal.Handlers]:
    before = signal.signal(signal.SIGHUP, request.param)
    yield request.param
    signal.signal(signal.SIGHUP, before)


def test_a_terminal_that_closes_ends_what_lasts_unless_whoever_started_it_wants_it_to_go_on(
    at_hang_up: signal.Handlers,
) -> None:
    assert {signal.SIGTERM, signal.SIGINT} <= set(shutdown_signals())
    assert (signal.SIGHUP in shutdown_signals()) is (at_hang_up is signal.SIG_DFL)
