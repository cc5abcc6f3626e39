"""The maker of `fragments.bin` against the estimator that reads it; neither npm nor the network is needed here."""

from __future__ import annotations

import hashlib
import zlib

import pytest

from bench.tokens import table
from commonplace.language.tokens import FRAGMENT_BITS, FRAGMENT_LETTERS, _load_fragment_bits

pytestmark = pytest.mark.slow

DIGEST = "89fe575dc19908e320013479d0e02a3dd340b1d146acf0db6a77498b22804554"


def test_the_table_is_the_one_that_the_bench_made_last() -> None:
    assert hashlib.sha256(zlib.decompress(table.PATH.read_bytes())).hexdigest() == DIGEST


def test_maker_and_estimator_agree_on_the_place_of_a_fragment() -> None:
    made = table.bits([" international", " Straße", "nospace", " four"])
    assert sum(map(int.bit_count, made)) == len("international") + len("straße") - 2 * (FRAGMENT_LETTERS - 1)
    assert not sum(map(int.bit_count, table.bits([" four", "nospace", " two words"])))
    assert len(made) == len(_load_fragment_bits()) == FRAGMENT_BITS // 8 + 1
    known = table.bits([" international"])
    assert all(one & held == one for one, held in zip(known, _load_fragment_bits(), strict=True))
