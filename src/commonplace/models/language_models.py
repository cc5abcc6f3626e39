"""The Protocol of language models, the one that the settings name, and endpoints with OpenAI's or Anthropic's API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from commonplace.errors import ModelUnavailable
from commonplace.models.answers import Reply
from commonplace.models.endpoints import Endpoint, bearer_headers
from commonplace.shapes import replace_surrogates

if TYPE_CHECKING:
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
        from commonplace.models.command_model import CommandModel

        return CommandModel(model.command, seconds, MAX_ANSWER_BYTES)
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
