"""How many tokens a text will cost a language model: an estimate without any model's vocabulary."""

from __future__ import annotations

from typing import Protocol

from commonplace.tokens.estimate import Estimator
from commonplace.tokens.vocabulary import tokenizer

__all__ = ["Estimator", "Tokenizer", "count", "tokenizer"]

_DEFAULT = Estimator()


class Tokenizer(Protocol):
    """Whatever counts the tokens of a text: the estimator, or a model's own tokenizer that the user has."""

    def count(self, text: str) -> int:
        """The number of tokens of `text`; 0 for the empty text."""
        ...


def count(text: str) -> int:
    """The number of tokens of `text` by the estimator."""
    return _DEFAULT.count(text)
