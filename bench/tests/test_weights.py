"""The bench of weights takes for each part left out the size that is best for the others."""

from __future__ import annotations

import pytest

from bench import weights
from commonplace.retrieval.recall import candidates, scoring


def test_the_size_is_chosen_without_the_part_that_is_left_out_and_judged_by_it() -> None:
    tried = {0.5: [50.0, 60.0, 70.0], 0.0: [80.0, 55.0, 65.0], 1.0: [40.0, 61.0, 69.0]}
    # Without the first 0.5 and 1 are as good, and the first of them stays; without either of the others 0 is best.
    assert weights.row("TITLE_WEIGHT", tried) == "| `TITLE_WEIGHT` | 0.5 | 0 to 0.5 | −3.33 |"
    assert weights.row("K1", {0.5: [1.0, 1.0]}) == "| `K1` | 0.5 | 0.5 | +0.00 |"


def test_a_weight_is_changed_in_every_module_that_has_it_and_changed_back() -> None:
    before = scoring.PROXIMITY_WEIGHT
    with weights.changed("PROXIMITY_WEIGHT", 7.0):
        assert scoring.PROXIMITY_WEIGHT == candidates.PROXIMITY_WEIGHT == weights.value_of("PROXIMITY_WEIGHT") == 7.0
    assert scoring.PROXIMITY_WEIGHT == candidates.PROXIMITY_WEIGHT == before


@pytest.mark.parametrize("name", weights.WEIGHTS)
def test_every_weight_that_is_fitted_is_one_of_recall(name: str) -> None:
    assert 0.0 <= weights.value_of(name) <= 2.0
