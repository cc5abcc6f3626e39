"""Estimate how many tokens of a language model a text has, without the vocabulary of any model."""

from __future__ import annotations

from typing import Protocol

from commonplace.language.tokens.counters import TokenEstimator, load_tokenizer

__all__ = ["TokenEstimator", "Tokenizer", "count_tokens", "load_tokenizer"]

_DEFAULT_ESTIMATOR = TokenEstimator()


class Tokenizer(Protocol):
    """A counter of tokens: the estimator, or the tokenizer of a model that the user has."""

    def count(self, text: str) -> int:
        """The number of tokens of `text`; 0 for the empty text."""
        ...


def count_tokens(text: str) -> int:
    """Return the estimated number of tokens of `text`."""
    return _DEFAULT_ESTIMATOR.count(text)
