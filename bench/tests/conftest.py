"""The fixtures that these tests share with those of the program."""

from tests.conftest import calm, shared

__all__ = ["calm", "shared"]
