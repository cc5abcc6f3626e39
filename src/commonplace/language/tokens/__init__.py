"""How many tokens a text will cost a language model: an estimate without any model's vocabulary."""

from __future__ import annotations

from typing import Protocol

from commonplace.language.tokens.counters import TokenEstimator, load_tokenizer

__all__ = ["TokenEstimator", "Tokenizer", "count_tokens", "load_tokenizer"]

_DEFAULT_ESTIMATOR = TokenEstimator()


class Tokenizer(Protocol):
    """Whatever counts the tokens of a text: the estimator, or a model's own tokenizer that the user has."""

    def count(self, text: str) -> int:
        """The number of tokens of `text`; 0 for the empty text."""
        ...


def count_tokens(text: str) -> int:
    """The number of tokens of `text` by the estimator."""
    return _DEFAULT_ESTIMATOR.count(text)
