"""Ask the models that a step may ask, in turn, within the limits of the day; a failure is a note, never an error."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Generic, Literal

import msgspec
from msgspec import Struct

from commonplace.errors import CommonplaceError, ModelUnavailable
from commonplace.language.tokens import count_tokens
from commonplace.models.answers import Answer, InvalidAnswer, Reply, answer_schema, decode_answer
from commonplace.models.language_models import MAX_OUTPUT_TOKENS, LanguageModel, open_language_model
from commonplace.shapes import Json, repair_text
from commonplace.storage import config, files, model_calls
from commonplace.storage.journal import Journal
from commonplace.storage.settings import ModelSettings, ModelStep, Settings, step_models

MODEL_OP = "model"  # in the ledger
ATTEMPTS = 2  # of one model, if its answer is invalid
MAX_FAILURES = 2  # after which a chain does not ask a model again
MAX_ERROR_CHARS = 200
MAX_ADDED_TOKENS = MAX_OUTPUT_TOKENS + 1_000  # for the answer and for what an interface puts around a prompt
RETRY_REQUEST = "\n\nYour last answer could not be used: {}. Answer again, with JSON of the given schema only."

CallOutcome = Literal["answered", "invalid", "unavailable"]


class ChainContext(Struct, frozen=True):
    """The workspace, the device and the ISO minute of calls, the day whose limits count, the settings, and what masks
    each text before it is sent."""

    root: str
    device: str
    now: str
    day: str
    settings: Settings
    mask: Callable[[str], str]


class StepOutcome(Struct, Generic[Answer], frozen=True):
    """The answer of a step, None if no model gave one; the model, whether the answer was cached, and what failed."""

    answer: Answer | None = None
    model: str = ""
    is_cached: bool = False
    notes: tuple[str, ...] = ()


class _Question(Struct, Generic[Answer], frozen=True):
    """The masked prompt of a step, the type of its answer, the schema of that, and when every call ends, a time of
    `time.monotonic`."""

    step: ModelStep
    prompt: str
    answer_type: type[Answer]
    schema: Json
    deadline: float

    def digest(self, model: ModelSettings) -> str:
        parts = (self.step, self.prompt, self.schema, model.provider, model.model, model.command)
        return files.content_digest(msgspec.json.encode(parts))


class ModelChain:
    """The models that the settings name, for one run: a model that fails twice in it is not asked again."""

    def __init__(self, context: ChainContext) -> None:
        self._context = context
        self._failures: dict[ModelSettings, int] = {}

    def mask(self, text: str) -> str:
        """Return a text with its secrets masked. A part of a text is to be cut off afterwards, and its quotes escaped:
        half a secret is not recognised. Raises WorkspaceUnusable."""
        return self._context.mask(repair_text(text))

    def run_step(
        self, step: ModelStep, prompt: str, answer_type: type[Answer], *, deadline: float = inf
    ) -> StepOutcome[Answer]:
        """Return the first valid answer, a Struct of this type, of the models of the step; nothing that a model does
        raises an error: without an answer the caller goes on as if no model were named. All calls end at the `deadline`
        of `time.monotonic`."""
        notes: list[str] = []
        models = step_models(self._context.settings, step)
        try:
            masked = self.mask(prompt) if models else ""
        except CommonplaceError as error:
            return StepOutcome(notes=(f"no model was asked for {step}: {error.message}",))
        question = _Question(step, masked, answer_type, answer_schema(answer_type), deadline)
        for model in models:
            if self._failures.get(model, 0) >= MAX_FAILURES:
                notes.append(f"{model.name} is not asked for {step}: it failed {MAX_FAILURES} times in this run")
                continue
            try:
                answer, is_cached = self._ask(model, question, notes)
                return StepOutcome(answer, model.name, is_cached, tuple(notes))
            except CommonplaceError as error:
                self._failures[model] = self._failures.get(model, 0) + 1
                notes.append(f"{model.name} gave no answer for {step}: {error.message}")
        return StepOutcome(notes=tuple(notes))

    def _ask(self, model: ModelSettings, question: _Question[Answer], notes: list[str]) -> tuple[Answer, bool]:
        """A valid answer, and whether it was in the cache. Raises ModelUnavailable, and what the limits raise."""
        root, digest = self._context.root, question.digest(model)
        with suppress(InvalidAnswer):
            if (cached := model_calls.find_cached_answer(root, digest)) is not None:
                return decode_answer(cached.decode("utf-8", "replace"), question.answer_type), True
        prompt = question.prompt
        for _attempt in range(ATTEMPTS):
            try:
                answer = self._call(model, question, prompt, notes)
            except InvalidAnswer as error:
                prompt = question.prompt + RETRY_REQUEST.format(str(error)[:MAX_ERROR_CHARS])
            else:
                model_calls.cache_answer(root, digest, msgspec.json.encode(answer))
                return answer, False
        raise ModelUnavailable("its answers do not have the shape that was asked for")

    def _open(self, model: ModelSettings, deadline: float) -> LanguageModel:
        key = config.environment_variable(model.key_env)
        if model.key_env and not key:
            raise ModelUnavailable(f"the environment variable {model.key_env!r} is not set")
        seconds = min(self._context.settings.models_timeout_ms / 1000, deadline - time.monotonic())
        if seconds <= 0:
            raise ModelUnavailable("no time is left for an answer")
        return open_language_model(model, key, seconds)

    def _call(self, model: ModelSettings, question: _Question[Answer], prompt: str, notes: list[str]) -> Answer:
        """Make one call, which is reserved before and recorded after. Raises InvalidAnswer, ModelUnavailable."""
        language_model, settings = self._open(model, question.deadline), self._context.settings
        limit = model_calls.ModelUsage(settings.models_calls_per_day, settings.models_tokens_per_day)
        reserved = len(prompt.encode()) + len(msgspec.json.encode(question.schema)) + MAX_ADDED_TOKENS
        model_calls.reserve_model_call(self._context.root, self._context.day, reserved, limit)
        began, reply = time.monotonic(), Reply("")
        outcome: CallOutcome = "unavailable"
        try:
            reply = language_model.complete(prompt, question.schema)
            outcome = "invalid"
            answer = decode_answer(reply.text, question.answer_type)
            outcome = "answered"
            return answer
        finally:
            facts: Json = {"ms": round((time.monotonic() - began) * 1000), "step": question.step, "outcome": outcome}
            facts["input_tokens"] = reply.input_tokens if reply.input_tokens > 0 else count_tokens(prompt)
            facts["output_tokens"] = reply.output_tokens if reply.output_tokens > 0 else count_tokens(reply.text)
            self._record(model, facts, reserved, notes)

    def _record(self, model: ModelSettings, facts: Json, reserved_tokens: int, notes: list[str]) -> None:
        """Count the tokens of a call and write it to the ledger, which holds nothing that was sent or answered."""
        context, (provider, _, name) = self._context, model.name.partition(":")
        entry = {"op": MODEL_OP, "ts": context.now, "provider": provider, "model": name, **facts}
        tokens = facts["input_tokens"] + facts["output_tokens"]
        try:
            model_calls.settle_model_call(context.root, context.day, reserved_tokens, tokens)
            Journal(context.root, context.device).append(entry, "ledger")
        except CommonplaceError as error:
            notes.append(f"a call of {model.name} is not in the ledger: {error.message}")
