"""The language models of an open workspace, and how much they were used today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.errors import CommonplaceError
from commonplace.storage.settings import names_language_model

if TYPE_CHECKING:
    from commonplace.memory.open_workspace import OpenWorkspace
    from commonplace.models import ModelChain


def open_model_chain(workspace: OpenWorkspace, now: str | None = None) -> ModelChain:
    """The language models that the settings name, for one run; what is sent to them is masked like what is stored.

    Limits count by the day of the clock, whatever `now` says.
    """
    from commonplace.capture import TextMasker
    from commonplace.models import ChainContext, ModelChain

    context = workspace.write_context(now)
    masker = TextMasker(context.root, context.exact)
    day = workspace.resolve_now(None)[:10]
    chain_context = ChainContext(
        context.root, context.device, context.now, day, workspace.settings, lambda text: masker.redact(text).text
    )
    return ModelChain(chain_context)


def model_usage(workspace: OpenWorkspace) -> dict[str, int]:
    """The calls and tokens of language models today, and their limits; empty if the settings name no model.

    Where the count cannot be read, no call is made either, and the limits count as reached.
    """
    from commonplace.storage.model_calls import ModelUsage, read_model_usage

    settings = workspace.settings
    if not names_language_model(settings):
        return {}
    limit = ModelUsage(settings.models_calls_per_day, settings.models_tokens_per_day)
    try:
        usage = read_model_usage(workspace.root, workspace.resolve_now(None)[:10])
    except CommonplaceError:
        usage = limit
    return {
        "model_calls": usage.calls,
        "model_calls_per_day": limit.calls,
        "model_tokens": usage.tokens,
        "model_tokens_per_day": limit.tokens,
    }
