"""How much a heavy test tries: a sample in `make test`, everything in `make crash`."""

from __future__ import annotations

import os

WHOLE = os.environ.get("COMMONPLACE_CRASH") == "whole"


def sample_size(*, full: int, sample: int) -> int:
    """The size of the sample, or the full size if COMMONPLACE_CRASH=whole; mark tests that ask for it `sampled`."""
    return full if WHOLE else sample
