"""A model that does what the conversation says, behind OpenAI's interface on a free port of this machine.

It keeps the body of every request. What the person wrote decides what it answers:

* a line `CALL <tool> <json>` makes it call that tool with these arguments; after the result it says `Result: …`;
* a line `SAY <words>` makes it say the words;
* a work order of ours without any conversation is answered with the words of its turns;
* anything else is answered with `Understood.`

The host asks it for summaries too, when it compacts a conversation; then it answers with the headings that the host
insists on. The message that the host itself adds behind every turn is not taken for the person's.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

INTERNAL = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>"
SUMMARY_WANTED = "context summarization assistant"
HEADINGS = ("Decisions", "Open TODOs", "Constraints/Rules", "Pending user asks", "Exact identifiers")
STAMP = r"^(?:\[[^\]\n]*\] )?"  # the host puts the time before the first line
CALL = re.compile(STAMP + r"CALL (\w+) (\{.*\})\s*$", re.MULTILINE)
SAY = re.compile(STAMP + r"SAY (.+)$", re.MULTILINE)
ORDER = re.compile(r"\{[^\n]*\"turns\":[^\n]*\}")
SHOWN = 400  # characters of a tool's result in the answer
CHARACTERS_OF_A_TOKEN = 4

Body = dict[str, Any]


class Answer(NamedTuple):
    """What the model says, or the tool that it calls."""

    text: str = ""
    tool: str = ""
    arguments: str = ""


class Model:
    """The server; `requests` are the bodies in the order in which they came in."""

    def __init__(self) -> None:
        self.requests: list[Body] = []
        self._server = _server(self.requests)
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def since(self, mark: int) -> list[Body]:
        """The requests behind the first so many, those for summaries left out."""
        return [body for body in self.requests[mark:] if not is_summary(body)]

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()


def system(body: Body) -> str:
    """The system prompt of a request."""
    return "\n".join(text(one) for one in body["messages"] if one["role"] in ("system", "developer"))


def said(body: Body) -> str:
    """What the user's messages behind the last answer say, the host's own left out."""
    found: list[str] = []
    for message in reversed(body["messages"]):
        if message["role"] == "assistant":
            break
        if message["role"] == "user" and not text(message).lstrip().startswith(INTERNAL):
            found.insert(0, text(message))
    return "\n".join(found)


def text(message: Body) -> str:
    """The words of a message, whichever form its content has."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def tools(body: Body) -> list[str]:
    """The names of the functions that the model may call."""
    return [one["function"]["name"] for one in body.get("tools", [])]


def orders(text: str) -> list[Body]:
    """The work orders in a text."""
    return [json.loads(found) for found in ORDER.findall(text)]


def order_answer(order: Body) -> str:
    """The answer that keeps what was said, in the words in which it was said."""
    claims = [{"text": one["text"], "quote": one["text"], "sources": [one["id"]]} for one in order["turns"]]
    named = {"schema": "commonplace.order-answer.v1", "order": order["id"], "title": "A talk", "summary": ""}
    return json.dumps(named | {"claims": claims})


def is_summary(body: Body) -> bool:
    """Whether the host wants a conversation summed up."""
    return SUMMARY_WANTED in system(body)


def answer(body: Body) -> Answer:
    """What the model answers to a request."""
    if is_summary(body):
        return Answer("\n\n".join(f"## {heading}\n\n- none" for heading in HEADINGS))
    if (open_orders := orders(_asked(body))) and not tools(body):
        return Answer(order_answer(open_orders[0]))
    results = _results(body)
    calls = CALL.findall(_asked(body))
    if len(results) < len(calls):
        return Answer(tool=calls[len(results)][0], arguments=calls[len(results)][1])
    if results:
        return Answer(f"Result: {results[-1][:SHOWN]}")
    words = SAY.findall(_asked(body))
    return Answer(words[-1] if words else "Understood.")


def _turn(body: Body) -> list[Body]:
    """The messages from the person's last one on."""
    messages = body["messages"]
    places = [
        place
        for place, one in enumerate(messages)
        if one["role"] == "user" and not text(one).lstrip().startswith(INTERNAL)
    ]
    return messages[places[-1] :] if places else []


def _asked(body: Body) -> str:
    return text(_turn(body)[0]) if _turn(body) else ""


def _results(body: Body) -> list[str]:
    """What the tools gave in this turn."""
    return [text(one) for one in _turn(body) if one["role"] == "tool"]


def _chunks(body: Body) -> Iterator[Body]:
    """The answer as the pieces of a stream."""
    given = answer(body)
    if given.tool:
        function = {"name": given.tool, "arguments": given.arguments}
        call = {"index": 0, "id": f"call_{len(body['messages'])}", "type": "function", "function": function}
        yield _chunk({"role": "assistant", "tool_calls": [call]})
    else:
        yield _chunk({"role": "assistant", "content": given.text})
    yield _chunk({}, finish="tool_calls" if given.tool else "stop") | {"usage": _usage(body, given)}


def _chunk(delta: Body, finish: str | None = None) -> Body:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]}


def _usage(body: Body, given: Answer) -> Body:
    """Tokens as the host counts them, so that it knows when its window is full."""
    asked = sum(len(text(one)) for one in body["messages"]) // CHARACTERS_OF_A_TOKEN
    told = len(given.text + given.arguments) // CHARACTERS_OF_A_TOKEN + 1
    return {"prompt_tokens": asked, "completion_tokens": told, "total_tokens": asked + told}


def _whole(body: Body) -> Body:
    """The answer in one piece."""
    given = answer(body)
    message: Body = {"role": "assistant", "content": given.text or None}
    if given.tool:
        function = {"name": given.tool, "arguments": given.arguments}
        message["tool_calls"] = [{"id": "call_1", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if given.tool else "stop"}
    about = {"id": "chatcmpl-scripted", "object": "chat.completion", "model": "scripted"}
    return about | {"choices": [choice], "usage": _usage(body, given)}


def _server(requests: list[Body]) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            requests.append(body)
            if body.get("stream"):
                events = [f"data: {json.dumps(one)}\n\n" for one in _chunks(body)]
                self._send("text/event-stream", "".join([*events, "data: [DONE]\n\n"]))
            else:
                self._send("application/json", json.dumps(_whole(body)))

        def _send(self, kind: str, written: str) -> None:
            sent = written.encode()
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_said: Any) -> None:
            """Say nothing."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)
