"""A model behind the Messages API on a free port of this machine: it calls the tool that the prompt names.

It keeps the body of every request. A line `CALL <tool> <json>` of the newest prompt makes it call that tool; after the
result, and to anything else, it says `Understood.` A work order it answers with the words of each turn, and where the
prompt is our command, it does what that says.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from e2e.model_server import Body, order_answer, orders

CALL = re.compile(r"^CALL (\w+) (\{.*\})\s*$", re.MULTILINE)
COMMAND = "commonplace consolidate --"
USAGE = {"input_tokens": 10, "output_tokens": 5}


class MessagesModel:
    """The server; `requests` are the bodies of its conversations in the order in which they came in."""

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.requests))
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()


def blocks(message: Body) -> list[Body]:
    """The content of a message as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def prompt_text(body: Body) -> str:
    """All that the user's messages of a request say, tool results left out."""
    users = [one for one in body["messages"] if one["role"] == "user"]
    return "\n".join(block["text"] for one in users for block in blocks(one) if block["type"] == "text")


def tool_results(body: Body) -> list[Body]:
    """The results of tools in a request, in order."""
    return [block for one in body["messages"] for block in blocks(one) if block["type"] == "tool_result"]


def result_text(result: Body) -> str:
    """What the model reads of a tool result."""
    return "\n".join(block.get("text", "") for block in blocks(result))


def _next_call(path: str, results: list[str]) -> tuple[str, Body] | None:
    """What our command has to do next, with the answer in the file of this path; None if it is done."""
    last = results[-1] if results else ""
    if (open_orders := orders(last)) and open_orders[0]["turns"]:
        return "Write", {"file_path": path, "content": order_answer(open_orders[0])}
    if last.startswith("File created") or "has been updated" in last:
        return "Bash", {"command": f"{COMMAND}answer {path}", "description": "Hand the answer over"}
    return None if open_orders else ("Bash", {"command": f"{COMMAND}order", "description": "Get an order"})


def _answer(body: Body) -> Body:
    """The block that the model answers with."""
    prompt, results = prompt_text(body), [result_text(one) for one in tool_results(body)]
    path = re.search(rf"{COMMAND}answer (\S+\.json)", prompt)
    given = orders(prompt)
    if given and not body.get("tools"):
        return {"type": "text", "text": order_answer(given[-1])}
    if path and (call := _next_call(path[1], results)):
        return {"type": "tool_use", "id": f"toolu_{len(results) + 1:08d}", "name": call[0], "input": call[1]}
    calls = CALL.findall(prompt)
    done = len(results)
    offered = {one["name"] for one in body.get("tools", ())}
    if done < len(calls) and calls[done][0] in offered:
        name, arguments = calls[done]
        return {"type": "tool_use", "id": f"toolu_{done + 1:08d}", "name": name, "input": json.loads(arguments)}
    return {"type": "text", "text": "Understood."}


def _events(body: Body) -> Iterator[Body]:
    """The answer as the events of a stream."""
    block = _answer(body)
    is_call = block["type"] == "tool_use"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": []}
    yield {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None, "usage": USAGE}}
    yield {
        "type": "content_block_start",
        "index": 0,
        "content_block": block | ({"input": {}} if is_call else {"text": ""}),
    }
    piece = {"type": "text_delta", "text": block.get("text", "")}
    if is_call:
        piece = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    yield {"type": "content_block_delta", "index": 0, "delta": piece}
    yield {"type": "content_block_stop", "index": 0}
    ended = {"stop_reason": "tool_use" if is_call else "end_turn", "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": USAGE}
    yield {"type": "message_stop"}


def _whole(body: Body) -> Body:
    block = _answer(body)
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": body["model"], "content": [block]}
    ended = "tool_use" if block["type"] == "tool_use" else "end_turn"
    return message | {"stop_reason": ended, "stop_sequence": None, "usage": USAGE}


def _handler(requests: list[Body]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "count_tokens" in self.path:
                return self._send("application/json", json.dumps({"input_tokens": 10}))
            if "/messages" not in self.path:
                return self._send("application/json", "{}")
            requests.append(body)
            if body.get("stream"):
                events = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in _events(body))
                return self._send("text/event-stream", "".join(events))
            return self._send("application/json", json.dumps(_whole(body)))

        def do_GET(self) -> None:
            self._send("application/json", "{}")

        def do_HEAD(self) -> None:
            self._send("application/json", "")

        def _send(self, kind: str, written: str) -> None:
            sent = written.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_words: Any) -> None:
            """Say nothing."""

    return Handler
