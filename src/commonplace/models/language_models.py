"""The Protocol of language models, the one that the settings name: a program, or an endpoint with a known API."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from commonplace.errors import ModelUnavailable
from commonplace.models.answers import Reply
from commonplace.models.endpoints import Endpoint, bearer_headers
from commonplace.shapes import replace_surrogates
from commonplace.storage import config

if TYPE_CHECKING:
    from subprocess import Popen

    from commonplace.shapes import Json
    from commonplace.storage.settings import ModelSettings

MAX_ANSWER_BYTES = 1_000_000
MAX_OUTPUT_TOKENS = 8_000  # which an endpoint is asked not to exceed; some models think with these too
ANSWER_NAME = "answer"
ANTHROPIC_VERSION = "2023-06-01"

Response = TypeVar("Response", bound=Struct)


class LanguageModel(Protocol):
    """A model that answers a prompt with JSON."""

    def complete(self, prompt: str, schema: Json) -> Reply:
        """Return the answer, which is to be a JSON object of this schema but may be anything. Raises
        ModelUnavailable."""


def open_language_model(model: ModelSettings, key: str, seconds: float) -> LanguageModel:
    """The model that the settings name; `key` is the key itself. Each call may take `seconds`."""
    if model.provider == "command":
        return CommandModel(model.command, seconds)
    kind = AnthropicModel if model.provider == "anthropic" else OpenAIModel
    return kind(model, key, seconds)


class _Usage(Struct):
    """The tokens of a call: the first two of OpenAI's API, the others of Anthropic's."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0


class _ChatMessage(Struct):
    content: str | None = None
    refusal: str | None = None


class _ChatChoice(Struct):
    message: _ChatMessage


class _ChatResponse(Struct):
    choices: list[_ChatChoice]
    usage: _Usage | None = None


class OpenAIModel:
    """A `LanguageModel` at an endpoint with OpenAI's API: Ollama, LM Studio, vLLM, OpenRouter and others have it."""

    def __init__(self, model: ModelSettings, key: str, seconds: float) -> None:
        self._model, self._headers, self._seconds = model, bearer_headers(key), seconds

    def complete(self, prompt: str, schema: Json) -> Reply:
        """Return the content of the first choice. Raises ModelUnavailable."""
        url, headers, seconds = self._model.endpoint, self._headers, self._seconds
        body = {
            "model": self._model.model,
            "messages": [{"role": "user", "content": prompt}],
            "response_format": {"type": "json_schema", "json_schema": {"name": ANSWER_NAME, "schema": schema}},
            "max_completion_tokens": MAX_OUTPUT_TOKENS,
        }
        endpoint = Endpoint(url, "/chat/completions", headers=headers, seconds=seconds)
        response = _post_json(endpoint, body, _ChatResponse)
        message = response.choices[0].message if response.choices else _ChatMessage()
        usage = response.usage or _Usage()
        text = _require_text(message.content or "", is_refused=bool(message.refusal))
        return Reply(text, usage.prompt_tokens, usage.completion_tokens)


class _ContentBlock(Struct):
    type: str
    text: str = ""
    input: msgspec.Raw = msgspec.Raw(b"")


class _MessageResponse(Struct):
    content: list[_ContentBlock]
    stop_reason: str | None = None
    usage: _Usage | None = None


class AnthropicModel:
    """A `LanguageModel` at an endpoint with Anthropic's API; the answer is the input of a tool that it has to use."""

    def __init__(self, model: ModelSettings, key: str, seconds: float) -> None:
        self._model, self._seconds = model, seconds
        self._url = model.endpoint.rstrip("/").removesuffix("/v1")
        self._headers = {"anthropic-version": ANTHROPIC_VERSION} | ({"x-api-key": key} if key else {})

    def complete(self, prompt: str, schema: Json) -> Reply:
        """Return the input of the tool, else the text. Raises ModelUnavailable."""
        tool = {"name": ANSWER_NAME, "description": "Gives the answer.", "input_schema": schema}
        body = {
            "model": self._model.model,
            "max_tokens": MAX_OUTPUT_TOKENS,
            "messages": [{"role": "user", "content": prompt}],
            "tools": [tool],
            "tool_choice": {"type": "tool", "name": ANSWER_NAME},
        }
        endpoint = Endpoint(self._url, "/v1/messages", headers=self._headers, seconds=self._seconds)
        response = _post_json(endpoint, body, _MessageResponse)
        inputs = [bytes(block.input).decode() for block in response.content if block.type == "tool_use"]
        text = inputs[0] if inputs else "".join(block.text for block in response.content)
        usage = response.usage or _Usage()
        text = _require_text(text, is_refused=response.stop_reason == "refusal")
        return Reply(text, usage.input_tokens, usage.output_tokens)


def _require_text(text: str, *, is_refused: bool) -> str:
    if is_refused or not text:
        raise ModelUnavailable("it declines to answer" if is_refused else "its answer is empty")
    return text


def _post_json(endpoint: Endpoint, body: Any, response_type: type[Response]) -> Response:
    try:
        data = endpoint.post(msgspec.json.encode(replace_surrogates(body)), MAX_ANSWER_BYTES)
        return msgspec.json.decode(data, type=response_type)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise ModelUnavailable("its answer is not what this interface answers") from None
    finally:
        endpoint.close()


READ_CHUNK_BYTES = 1 << 16
WRITE_CHUNK_BYTES = 512  # which a pipe that is ready takes without blocking on every system
SCHEMA_REQUEST = "\n\nAnswer with one JSON document of this JSON schema, and nothing else:\n"


class CommandModel:
    """A `LanguageModel` that starts a program for each prompt, without a shell, in the folder `/`, with our hooks off.

    The schema is at the end of the prompt. The program has `seconds` in all, after which it is killed.
    """

    def __init__(self, command: str, seconds: float) -> None:
        import shlex

        self._arguments, self._seconds = shlex.split(command), seconds

    def complete(self, prompt: str, schema: Json) -> Reply:
        """Return what the program prints. Raises ModelUnavailable."""
        data = f"{prompt}{SCHEMA_REQUEST}{msgspec.json.encode(schema).decode()}\n".encode("utf-8", "replace")
        deadline = time.monotonic() + self._seconds
        with self._start() as process:
            try:
                output = self._exchange(process, data, deadline)
                self._wait(process, deadline)
            finally:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, 9)  # its children too, and also if it has ended
        if process.returncode:
            raise ModelUnavailable(f"{self._arguments[0]!r} ended with code {process.returncode}")
        return Reply(output.decode("utf-8", "replace"))

    def _start(self) -> Popen[bytes]:
        import subprocess

        try:
            return subprocess.Popen(  # noqa: S603 - the program that the settings name
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                cwd="/",
                env=config.model_program_environment(),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or "it is no file name").lower()
            raise ModelUnavailable(f"{self._arguments[0]!r} does not start: {why}") from None

    def _exchange(self, process: Popen[bytes], data: bytes, deadline: float) -> bytes:
        """Write the prompt and read what is printed to its end, whichever the program is ready for."""
        from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector

        assert process.stdin is not None
        assert process.stdout is not None
        rest, output = memoryview(data), bytearray()
        with DefaultSelector() as selector:
            selector.register(process.stdin, EVENT_WRITE)
            selector.register(process.stdout, EVENT_READ)
            while (seconds := deadline - time.monotonic()) > 0:
                for key, _events in selector.select(seconds):
                    if key.fileobj is process.stdin:
                        rest = _write_piece(process.stdin.fileno(), rest)
                        if not rest:
                            selector.unregister(process.stdin)
                            process.stdin.close()
                    elif piece := os.read(process.stdout.fileno(), READ_CHUNK_BYTES):
                        output += piece
                        if len(output) > MAX_ANSWER_BYTES:
                            raise ModelUnavailable(f"its answer has more than {MAX_ANSWER_BYTES} bytes")
                    else:
                        return bytes(output)
        raise self._late()

    def _wait(self, process: Popen[bytes], deadline: float) -> None:
        from subprocess import TimeoutExpired

        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except TimeoutExpired:
            raise self._late() from None

    def _late(self) -> ModelUnavailable:
        return ModelUnavailable(f"no answer within {self._seconds:.3g} s")


def _write_piece(descriptor: int, rest: memoryview) -> memoryview:
    """Write the beginning of some bytes, and return what is left; nothing if the program reads no more."""
    try:
        return rest[os.write(descriptor, rest[:WRITE_CHUNK_BYTES]) :]
    except BrokenPipeError:
        return rest[:0]
