"""The HTTP application: a route for each operation, health, schedule, OpenAPI and Prometheus metrics."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from commonplace.errors import BadArgument, CommonplaceError
from commonplace.operations.declarations import OPERATIONS
from commonplace.serve.client import OTHER_VERSION
from commonplace.serve.dispatch import REMOTE_METHODS
from commonplace.serve.http import auth
from commonplace.serve.http.openapi import openapi_document
from commonplace.shapes import Json, decode_json

BUCKET_EDGES_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
METRIC_PREFIX = "commonplace_"
GAUGES = {
    "records": "Records in the index.",
    "captures": "Captures in the index.",
    "index_lag_seconds": "How long the oldest change of a file that is not in the index yet has waited.",
    "last_consolidation_timestamp_seconds": "When consolidation last succeeded; 0 if it never did.",
    "resident_memory_bytes": "Memory that the daemon takes.",
    "uptime_seconds": "How long the daemon has run.",
}


class Metrics:
    """Requests by operation and status, errors by code, and how long answers took."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.errors: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def count_answer(self, operation: str, status: int, seconds: float) -> None:
        """Count one answer; `operation` is the name of an operation, or one word for all other paths."""
        self.requests[operation, status] += 1
        buckets = self._buckets.setdefault(operation, [0] * (len(BUCKET_EDGES_S) + 1))
        buckets[sum(edge < seconds for edge in BUCKET_EDGES_S)] += 1
        self._seconds[operation] = self._seconds.get(operation, 0.0) + seconds

    def count_error(self, code: str) -> None:
        """Count one error by its code."""
        self.errors[code] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """Everything in the text format 0.0.4; `gauges` are what is so now, by the names in `GAUGES`."""
        return "\n".join((*self._counter_lines(), *self._histogram_lines(), *_gauge_lines(gauges), ""))

    def _counter_lines(self) -> Iterator[str]:
        yield from _metric_header("requests_total", "counter", "Answers by operation and status.")
        for (operation, status), number in sorted(self.requests.items()):
            yield f'{METRIC_PREFIX}requests_total{{operation="{operation}",status="{status}"}} {number}'
        yield from _metric_header("errors_total", "counter", "Errors by code.")
        for code, number in sorted(self.errors.items()):
            yield f'{METRIC_PREFIX}errors_total{{code="{code}"}} {number}'

    def _histogram_lines(self) -> Iterator[str]:
        name = "request_seconds"
        yield from _metric_header(name, "histogram", "How long answers took.")
        for operation, buckets in sorted(self._buckets.items()):
            reached = 0
            for edge, number in zip((*map(str, BUCKET_EDGES_S), "+Inf"), buckets, strict=True):
                reached += number
                yield f'{METRIC_PREFIX}{name}_bucket{{operation="{operation}",le="{edge}"}} {reached}'
            yield f'{METRIC_PREFIX}{name}_sum{{operation="{operation}"}} {self._seconds[operation]:.6f}'
            yield f'{METRIC_PREFIX}{name}_count{{operation="{operation}"}} {reached}'


def _gauge_lines(gauges: Mapping[str, float]) -> Iterator[str]:
    for name, told in GAUGES.items():
        if name in gauges:
            yield from _metric_header(name, "gauge", told)
            yield f"{METRIC_PREFIX}{name} {gauges[name]:.15g}"


def _metric_header(name: str, metric_type: str, help_text: str) -> tuple[str, str]:
    return f"# HELP {METRIC_PREFIX}{name} {help_text}", f"# TYPE {METRIC_PREFIX}{name} {metric_type}"


DEADLINE_HEADER = "commonplace-deadline-ms"
COMPATIBILITY_HEADER = "commonplace-likeness"
DEFAULT_DEADLINE_MS = 60_000  # of a request that names none
METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Ask = Callable[[str, Any, int], Awaitable[Json]]


class AppContext(Struct, frozen=True):
    """The dependencies of the routes: authentication, the call of an operation (with a deadline in ms), and what can be
    read with GET.

    `call_method` answers our own command line with nouns, where that is of one `compatibility_key` with the daemon.
    """

    request_auth: auth.RequestAuth
    metrics: Metrics
    ask: Ask
    call_method: Callable[[str, Any], Awaitable[bytes]]
    compatibility_key: Callable[[], str]
    health: Callable[[], Json]
    schedule: Callable[[], Json]
    open_page: Callable[[], Awaitable[Json]]
    gauges: Callable[[], Awaitable[Mapping[str, float]]]


def application(context: AppContext) -> ASGIApp:
    """The whole of it, as ASGI has it."""
    answers: dict[str, Callable[[AppContext, Request], Awaitable[Response]]] = {
        "GET /healthz": partial(_json_route, lambda context: context.health()),
        "GET /metrics": _metrics_route,
        "GET /openapi.json": partial(_json_route, lambda _context: openapi_document()),
        "GET /v1/schedule": partial(_json_route, lambda context: context.schedule()),
        "GET /page/link": _page_route,
        **{f"POST /v1/{name}": partial(_operation_route, name) for name in OPERATIONS},
        **{f"POST /nouns/{name}": partial(_method_route, name) for name in REMOTE_METHODS},
    }
    routes = []
    for key, answer in answers.items():
        method, path = key.split()
        routes.append(Route(path, partial(answer, context), methods=[method]))
    handlers: dict[Any, Any] = {HTTPException: _route_error, CommonplaceError: _error_response}
    inner = Starlette(routes=routes, exception_handlers=handlers | {Exception: _bug_response})
    inner.router.redirect_slashes = False
    return _AuthMiddleware(context, inner)


class _AuthMiddleware:
    """Lets in who may come in, puts the guarding headers on every reply, and counts."""

    def __init__(self, context: AppContext, inner: ASGIApp) -> None:
        self._context, self._inner = context, inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = time.perf_counter()
        status = 0

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], *auth.SECURITY_HEADERS]}
            await send(message)

        over_tcp = bool(scope["server"] and scope["server"][1])
        refusal = auth.check_request(self._context.request_auth, scope["headers"], over_tcp=over_tcp)
        try:
            if refusal is not None:
                self._context.metrics.count_error(refusal.code)
            await (auth.refusal_response(refusal) if refusal else self._inner)(scope, receive, guarded)
        finally:
            label, seconds = _metrics_label(scope["path"], status), time.perf_counter() - start
            self._context.metrics.count_answer(label, status, seconds)


def _metrics_label(path: str, status: int) -> str:
    """The label of a metric: only names of ours, because the number of other names has no limit."""
    name = path.removeprefix("/v1/").lstrip("/")
    name = "nouns" if name.removeprefix("nouns/") in REMOTE_METHODS and path.startswith("/nouns/") else name
    known = name in OPERATIONS or name in ("healthz", "metrics", "openapi.json", "schedule", "nouns", "page/link")
    return name if known and status not in (401, 403, 421, 431) else "other"


async def _operation_route(name: str, context: AppContext, request: Request) -> Response:
    async def answer(arguments: Any) -> Response:
        deadline_ms = _parse_deadline(request.headers.get(DEADLINE_HEADER, ""))
        return auth.json_response(await context.ask(name, arguments, deadline_ms))

    return await _answer_body(context, request, answer)


async def _method_route(name: str, context: AppContext, request: Request) -> Response:
    """The route for our own command line, if it has the same version and sees the same folder under the same names."""

    async def answer(arguments: Any) -> Response:
        return Response(await context.call_method(name, arguments), media_type=auth.JSON_TYPE)

    if request.headers.get(COMPATIBILITY_HEADER) != context.compatibility_key():
        return _refuse_and_count(context, auth.Refusal(421, "not-alike", OTHER_VERSION))
    return await _answer_body(context, request, answer)


async def _answer_body(context: AppContext, request: Request, answer: Callable[[Any], Awaitable[Response]]) -> Response:
    """The answer to the JSON of a request, or why there is none."""
    headers = request.headers
    refusal = auth.check_body_headers(headers.get("content-type", ""), headers.get("content-length", ""))
    body = refusal or await auth.read_body(request.receive, auth.MAX_BODY_BYTES, auth.BODY_TOO_LARGE)
    if isinstance(body, auth.Refusal):
        return _refuse_and_count(context, body)
    try:
        return await answer(_parse_body(body))
    except CommonplaceError as error:
        context.metrics.count_error(error.code)
        return auth.error_response(error)


def _parse_body(body: bytes) -> Any:
    try:
        return decode_json(body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadArgument(f"the body is not valid JSON: {error}") from None


def _parse_deadline(header: str) -> int:
    if not header:
        return DEFAULT_DEADLINE_MS
    if not (header.isdecimal() and len(header) < 9 and 0 < int(header) <= auth.MAX_DEADLINE_MS):
        raise BadArgument(f"{DEADLINE_HEADER} must be a whole number from 1 to {auth.MAX_DEADLINE_MS}, not {header!r}")
    return int(header)


async def _metrics_route(context: AppContext, _request: Request) -> Response:
    return Response(context.metrics.text(await context.gauges()), media_type=METRICS_TYPE)


async def _page_route(context: AppContext, _request: Request) -> Response:
    return auth.json_response(await context.open_page())


async def _json_route(read: Callable[[AppContext], Json], context: AppContext, _request: Request) -> Response:
    return auth.json_response(read(context))


def _refuse_and_count(context: AppContext, refusal: auth.Refusal) -> Response:
    context.metrics.count_error(refusal.code)
    return auth.refusal_response(refusal)


async def _route_error(_request: Request, exc: Any) -> Response:
    """The response to an unknown path, or to a method that a path does not have."""
    if exc.status_code == 404:
        return auth.refusal_response(auth.Refusal(404, "not-found", "this path does not exist", "see /openapi.json"))
    refusal = auth.Refusal(exc.status_code, "bad-method", "this path has another method", "see /openapi.json")
    response = auth.refusal_response(refusal)
    response.headers.update(exc.headers or {})
    return response


async def _error_response(_request: Request, exc: Any) -> Response:
    return auth.error_response(exc)


async def _bug_response(_request: Request, error: Exception) -> Response:
    """The response to an error in our own code: without the traceback, which goes to stderr."""
    hint = "this is a bug; the daemon's stderr says where; please report it"
    return auth.refusal_response(auth.Refusal(500, "fault", f"{type(error).__name__} in the daemon", hint))
