"""Scripted language models for tests: answers of endpoints, programs, and a step that asks for a colour."""

from __future__ import annotations

import json
import shlex
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from commonplace import Memory
from commonplace.memory.models import open_model_chain
from commonplace.models import StepOutcome
from tests.support.vector_server import Answer, Server, serving


class Colour(Struct, forbid_unknown_fields=True):
    """What the step asks for."""

    colour: str


GREEN = '{"colour": "green"}'


def chat(text: object = GREEN, *, tokens: tuple[int, int] = (7, 3), **message: Any) -> Answer:
    """What an endpoint with OpenAI's interface answers."""
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
    return reply({"choices": [{"message": {"role": "assistant", "content": text, **message}}], "usage": usage})


def tool_use(value: object, *, stop_reason: str = "tool_use") -> Answer:
    """What an endpoint with Anthropic's interface answers."""
    content = [{"type": "text", "text": "Well."}, {"type": "tool_use", "id": "t", "name": "answer", "input": value}]
    usage = {"input_tokens": 11, "output_tokens": 5}
    return reply({"content": content, "stop_reason": stop_reason, "usage": usage})


def reply(data: object, status: int = 200) -> Answer:
    """Any answer with any status."""
    return lambda _body: (status, data if isinstance(data, bytes) else json.dumps(data).encode())


def in_turn(*answers: Answer) -> Answer:
    """One answer after the other, the last one again and again."""
    waiting = list(answers)
    return lambda body: (waiting.pop(0) if len(waiting) > 1 else waiting[0])(body)


@contextmanager
def silent() -> Iterator[Server]:
    """An endpoint that does not answer before the block ends."""
    done = threading.Event()

    def wait(body: dict[str, Any]) -> tuple[int, bytes]:
        done.wait(30)
        return chat()(body)

    with serving(wait) as server:
        try:
            yield server
        finally:
            done.set()


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2000\r\n\r\n"


@contextmanager
def dripping(begins_with: bytes) -> Iterator[str]:
    """An endpoint that sends these bytes, and then one after the other, for much longer than anyone waits."""
    done = threading.Event()

    def drip() -> None:
        connection, _address = listener.accept()
        with connection:
            connection.sendall(begins_with)
            for _byte in range(2_000):
                if done.wait(0.003):
                    return
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=drip)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            done.set()
            with suppress(OSError), socket.create_connection(listener.getsockname()):  # for one that nobody asked
                thread.join()


def program(folder: Path, code: str, name: str = "program.py") -> str:
    """A setting `command` that runs some Python."""
    (folder / name).write_text(code, encoding="utf-8")
    return shlex.join([sys.executable, "-S", str(folder / name)])


WAITS = "import select; select.select([], [], [], 30)\n"
PRINTS_GREEN = f"import sys; sys.stdin.read(); print('{GREEN}')"


def settings(url: str, more: str = "", *, provider: str = "openai", limits: str = "") -> str:
    """A `commonplace.toml` that names an endpoint; `limits` are more keys of `[models]`, `more` are tables."""
    return f'[models]\nprovider = "{provider}"\nmodel = "tiny"\nendpoint = "{url}"\n{limits}\n{more}\n'


def command_settings(command: str, more: str = "") -> str:
    """A `commonplace.toml` that names a program."""
    return f"[models]\nprovider = 'command'\ncommand = '''{command}'''\n{more}\n"


def ask(root: Path, toml: str | None = None, step: Any = "claims", prompt: str = "Which?") -> StepOutcome[Colour]:
    """The outcome of a step with these settings."""
    if toml is not None:
        (root / "commonplace.toml").write_text(toml, encoding="utf-8")
    with Memory.open(root) as memory:
        return open_model_chain(memory.workspace).run_step(step, prompt, Colour)


def ledger(root: Path) -> list[dict[str, Any]]:
    """The lines of the ledger about calls of models."""
    paths = sorted((root / ".memory/journal").glob("ledger-*.jsonl"))
    lines = [json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [fields for fields in lines if fields.get("op") == "model"]


ANSWERS_BY_SCHEMA = """
import json, sys
given = sys.stdin.read()
prompt, _, schema = given.rpartition("nothing else:\\n")
answers = json.load(open(sys.argv[0] + ".json"))
with open(sys.argv[0] + ".prompts", "a") as seen:
    seen.write(json.dumps(prompt) + "\\n")
wanted = json.loads(schema)["required"][0]
print(json.dumps(answers[wanted]) if wanted in answers else "I would rather not.")
"""


def scripted_command(folder: Path, **answers: object) -> str:
    """Settings that name a program which gives these answers, each by the first key that its schema requires:
    `claims`, `pairs`, `title`, `order`. To other prompts it says that it would rather not."""
    (folder / "model.py.json").write_text(json.dumps(answers), encoding="utf-8")
    return command_settings(program(folder, ANSWERS_BY_SCHEMA, "model.py"))


def prompts_of(folder: Path) -> list[str]:
    """What the program of `scripted_command` was asked."""
    path = folder / "model.py.prompts"
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
