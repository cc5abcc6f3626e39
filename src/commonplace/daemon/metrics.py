"""What the daemon counts, as text that Prometheus reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

EDGES = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
PREFIX = "commonplace_"
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

    def answered(self, operation: str, status: int, seconds: float) -> None:
        """Count one answer; `operation` is one of ours, or a word for all that is none."""
        self.requests[operation, status] += 1
        buckets = self._buckets.setdefault(operation, [0] * (len(EDGES) + 1))
        buckets[sum(edge < seconds for edge in EDGES)] += 1
        self._seconds[operation] = self._seconds.get(operation, 0.0) + seconds

    def failed(self, code: str) -> None:
        """Count one error by its code."""
        self.errors[code] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """Everything in the text format 0.0.4; `gauges` are what is so now, by the names in `GAUGES`."""
        return "\n".join((*self._counts(), *self._latencies(), *_gauges(gauges), ""))

    def _counts(self) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Answers by operation and status.")
        for (operation, status), number in sorted(self.requests.items()):
            yield f'{PREFIX}requests_total{{operation="{operation}",status="{status}"}} {number}'
        yield from _head("errors_total", "counter", "Errors by code.")
        for code, number in sorted(self.errors.items()):
            yield f'{PREFIX}errors_total{{code="{code}"}} {number}'

    def _latencies(self) -> Iterator[str]:
        name = "request_seconds"
        yield from _head(name, "histogram", "How long answers took.")
        for operation, buckets in sorted(self._buckets.items()):
            reached = 0
            for edge, number in zip((*map(str, EDGES), "+Inf"), buckets, strict=True):
                reached += number
                yield f'{PREFIX}{name}_bucket{{operation="{operation}",le="{edge}"}} {reached}'
            yield f'{PREFIX}{name}_sum{{operation="{operation}"}} {self._seconds[operation]:.6f}'
            yield f'{PREFIX}{name}_count{{operation="{operation}"}} {reached}'


def _gauges(values: Mapping[str, float]) -> Iterator[str]:
    for name, told in GAUGES.items():
        if name in values:
            yield from _head(name, "gauge", told)
            yield f"{PREFIX}{name} {values[name]:.15g}"


def _head(name: str, kind: str, told: str) -> tuple[str, str]:
    return f"# HELP {PREFIX}{name} {told}", f"# TYPE {PREFIX}{name} {kind}"
