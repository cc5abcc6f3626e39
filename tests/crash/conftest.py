"""The stage, the prepared workspaces, and how much is tried."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from crash.bases import Bases
from crash.stage import Stage
from tests.support.sample_size import WHOLE


@pytest.fixture(scope="session")
def whole() -> bool:
    """Whether everything is tried (`make crash`), or a sample that is the same each time."""
    return WHOLE


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The process that forks the runs."""
    with Stage() as opened:
        yield opened


@pytest.fixture(scope="session")
def bases(stage: Stage, tmp_path_factory: pytest.TempPathFactory) -> Bases:
    """Workspaces to copy."""
    return Bases(stage, tmp_path_factory.mktemp("bases"))
