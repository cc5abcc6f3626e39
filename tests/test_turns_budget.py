"""How large a pack may be as the context fills: the zones, the room that is left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.turns.openclaw.conversation import compute_budget_share, compute_pack_budget

NUMBERS = st.floats(0, 1e7)


@pytest.mark.parametrize(
    ("usage", "wanted"),
    [(0, 1), (0.30, 1), (0.50, 1 - 0.25 * 2 / 3), (0.70, 1 / 3), (0.775, 0.25), (0.85, 1 / 6), (2, 1 / 6)],
)
def test_the_share_falls_zone_by_zone(usage: float, wanted: float) -> None:
    assert compute_budget_share(usage) == pytest.approx(wanted)


@given(st.floats(0, 3), st.floats(0, 3))
def test_a_fuller_context_never_gets_a_larger_share(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 1 >= compute_budget_share(low) >= compute_budget_share(high) >= 1 / 6


def test_no_step_between_zones_is_large() -> None:
    assert max(compute_budget_share(n / 1000) - compute_budget_share((n + 1) / 1000) for n in range(1000)) < 0.005


@given(st.integers(0, 10_000), NUMBERS, NUMBERS)
def test_a_pack_never_takes_more_than_its_budget_nor_a_quarter_of_what_is_left(
    most: int, window: float, used: float
) -> None:
    given_tokens = compute_pack_budget(most, window, used)
    assert 0 <= given_tokens <= most
    if window > 0:
        assert given_tokens <= max(0.0, window - used / 4) / 4


def test_without_a_window_all_of_the_budget_is_given() -> None:
    assert compute_pack_budget(1200, 0, 1e9) == compute_pack_budget(1200, 128_000, 0) == 1200
    assert compute_pack_budget(1200, 8_000, 16_000) == 999
    assert compute_pack_budget(1200, 8_000, 64_000) == 0
