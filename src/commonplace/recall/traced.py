"""Numbers that remember how they came about, so that the functions of the score explain themselves."""

from __future__ import annotations

from commonplace.recall.score import DIGITS


class Traced(float):
    """A number with the sum, product or quotient that it is, as in `0.3 × (1 + 0.1)`; else a float like any other."""

    made: str
    is_sum: bool

    def __new__(cls, value: float, made: str = "", *, is_sum: bool = False) -> Traced:
        """The number; `made` is how it is written, by default in figures."""
        number = super().__new__(cls, value)
        number.made, number.is_sum = made or figures(value), is_sum
        return number

    def __add__(self, other: float) -> Traced:
        return Traced(float(self) + float(other), f"{self.made} + {_made(other)}", is_sum=True)

    def __radd__(self, other: float) -> Traced:
        return Traced(float(other) + float(self), f"{_made(other)} + {self.made}", is_sum=True)

    def __sub__(self, other: float) -> Traced:
        return Traced(float(self) - float(other), f"{self.made} - {_bound(other)}", is_sum=True)

    def __rsub__(self, other: float) -> Traced:
        return Traced(float(other) - float(self), f"{_made(other)} - {_bound(self)}", is_sum=True)

    def __mul__(self, other: float) -> Traced:
        return Traced(float(self) * float(other), f"{_bound(self)} × {_bound(other)}")

    def __rmul__(self, other: float) -> Traced:
        return Traced(float(other) * float(self), f"{_bound(other)} × {_bound(self)}")

    def __truediv__(self, other: float) -> Traced:
        return Traced(float(self) / float(other), f"{_bound(self)} / {_bound(other)}")

    def __rtruediv__(self, other: float) -> Traced:
        return Traced(float(other) / float(self), f"{_bound(other)} / {_bound(self)}")


def figures(value: float) -> str:
    """A number in as many figures behind the point as a score has, without noughts at the end."""
    return f"{value:.{DIGITS}f}".rstrip("0").rstrip(".")


def _made(value: float) -> str:
    return value.made if isinstance(value, Traced) else figures(value)


def _bound(value: float) -> str:
    """A number as it stands beside a sign of multiplication."""
    return f"({_made(value)})" if isinstance(value, Traced) and value.is_sum else _made(value)
