"""What consolidation keeps of real conversations, against labels that were set by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import junk
from tests.support.sample_size import sample_size

MOST_JUNK = 0.05  # of the lines that were judged
LEAST_JUDGED = 150  # a change that makes other lines needs other labels
SETS = junk.SETS | {"lme_s_mini": sample_size(full=4, sample=1)}


@pytest.mark.slow
@pytest.mark.sampled
def test_little_of_what_is_kept_of_real_conversations_is_junk(shared: Path) -> None:
    assert (shared / "bench").is_dir()
    bad, judged = junk.rate(junk.kept(SETS), "labels")
    assert judged >= LEAST_JUDGED
    assert bad <= MOST_JUNK * judged
