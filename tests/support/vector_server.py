"""A server of vectors for tests: real sockets in this process, and vectors that a person can work out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from zlib import crc32

import msgspec

MEANINGS = (  # each is a number of the vectors: how many of its words a text has
    ("cake", "dessert", "pudding"),
    ("boat", "vessel", "ship"),
    ("green", "colour"),
    ("paris", "capital", "france"),
)
Answer = Callable[[dict[str, Any]], tuple[int, bytes]]


OTHERS = 200  # numbers, of which a text without any of these words has one


def vector(text: str) -> list[float]:
    """How many words of each meaning a text has; what has none is alike to nothing."""
    words = text.lower().replace("?", "").replace(".", "").split()
    counts = [float(sum(word in meaning for word in words)) for meaning in MEANINGS]
    others = [0.0] * OTHERS
    if not any(counts):
        others[crc32(text.encode()) % OTHERS] = 1.0
    return counts + others


def ollama(body: dict[str, Any]) -> tuple[int, bytes]:
    """What Ollama answers."""
    return 200, json.dumps({"model": body["model"], "embeddings": [vector(text) for text in body["input"]]}).encode()


def openai(body: dict[str, Any]) -> tuple[int, bytes]:
    """What servers with OpenAI's interface answer; the order is that of the field `index`."""
    data = [{"object": "embedding", "index": n, "embedding": vector(t)} for n, t in enumerate(body["input"])]
    return 200, json.dumps({"object": "list", "data": data[::-1], "model": body["model"]}).encode()


class Server(msgspec.Struct):
    """A server that runs: where it is, what it was asked, and how it answers from now on."""

    url: str
    answer: Answer
    asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
    location: str = ""

    @property
    def texts(self) -> list[str]:
        """Every text that it was sent."""
        return [text for _path, _headers, body in self.asked for text in body["input"]]


@contextmanager
def serving(answer: Answer = ollama) -> Iterator[Server]:
    """A server on this machine; it ends with the block."""
    state = Server("", answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.asked.append((self.path, dict(self.headers), body))
            status, data = state.answer(body)
            self.send_response(status)
            if state.location:
                self.send_header("Location", state.location)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # who asked may have been killed
                self.wfile.write(data)

        def log_message(self, *_said: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def settings(url: str, *, mode: str = "hybrid", provider: str = "ollama", more: str = "") -> str:
    """A `commonplace.toml` that names the server."""
    return f'[vectors]\nmode = "{mode}"\nprovider = "{provider}"\nmodel = "tiny"\nendpoint = "{url}"\n{more}\n'
