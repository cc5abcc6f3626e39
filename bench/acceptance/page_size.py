"""The page with 100,000 records beside the page of the sample notebook, and what its feed costs when nothing happens.

`python -m bench.acceptance.page_size [--records N] [--folder DIR] [--seconds S]`. Two daemons run at once, and each
address of the table of pages is asked of both in turn; of each the lower quartile counts, because other programs only
make an answer slower. In a folder that is named the notebook stays, and is built only once. One day of the large
notebook is copied into the sample notebook, for pages of files. What reads everything because a person asked for that
(`/health?check=1`) is measured, and has no bound.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import quantiles
from threading import Event
from time import perf_counter
from urllib.parse import urlsplit

from bench import notebook
from bench.page_addresses import addresses_by_pattern
from bench.running_daemon import Reply, Running, exchanged, running, runtime
from commonplace.cli import main as run_command

RECORDS = 100_000
ROUNDS = 25
MAX_RATIO, MAX_BYTES, MAX_FEED_PERCENT = 2.0, 150_000, 1.0
BEGIN_S = 5.0  # in which the daemon settles before the feed is measured
NOW = "2025-11-30T09:00"
WHOLE = ("/health?check=1",)


class Visitor:
    """A browser that was let in, as far as HTTP goes."""

    def __init__(self, daemon: Running) -> None:
        self.daemon = daemon
        link = urlsplit(daemon.get("/page/link").json["link"])
        self._host = link.netloc
        self.connection = HTTPConnection("127.0.0.1", link.port or 0, timeout=600)
        entered = exchanged(self.connection, "GET", link.path, b"", {"Host": self._host})
        self.headers = {"Host": self._host, "Cookie": entered.headers["set-cookie"].partition(";")[0]}

    def get(self, address: str) -> tuple[float, Reply]:
        """The seconds that an address takes, and what it answers."""
        start = perf_counter()
        reply = exchanged(self.connection, "GET", address, b"", self.headers)
        return perf_counter() - start, reply


@contextmanager
def visiting(folder: Path) -> Iterator[Visitor]:
    """A daemon of a notebook, and a visitor of its page."""
    with runtime() as place, running(folder, place, COMMONPLACE_NOW=NOW, COMMONPLACE_VECTORS="off") as daemon:
        daemon.ask("sync")
        daemon.ask("pack", text="the key", receipt=True)
        yield Visitor(daemon)


def compare(small: Visitor, large: Visitor) -> bool:
    """Print both times and the size of each page that both notebooks have; whether all are within the bounds. A page of
    a file takes as long as its lines are many, so the bound holds of one file that both notebooks have."""
    good, of_small = True, addresses_by_pattern(small.daemon)
    for pattern, address in addresses_by_pattern(large.daemon).items():
        if "{path}" in pattern:
            good = _compare_page(small, large, (address, address), "") and good
            _compare_page(small, large, (of_small[pattern], address), "no bound: another file")
        elif pattern in of_small:
            why = (
                "no bound: it reads every file and builds an index beside the old one, behind a button that says so"
                if pattern in WHOLE
                else ""
            )
            good = _compare_page(small, large, (of_small[pattern], address), why) and good
    return good


def _compare_page(small: Visitor, large: Visitor, addresses: tuple[str, str], unbound: str) -> bool:
    """Print what a page takes of both, and why there is no bound, if there is none; whether it is within the bounds."""
    times: tuple[list[float], list[float]] = [], []
    sizes, statuses = [0, 0], [0, 0]
    rounds = 1 if addresses[1] in WHOLE else ROUNDS + 2
    for number in range(rounds):
        for at, visitor in enumerate((small, large)):
            seconds, reply = visitor.get(addresses[at])
            sizes[at], statuses[at] = len(reply.body), reply.status
            if rounds == 1:  # the daemon ends a connection that was not used for some seconds
                small.connection.close()
                large.connection.close()
            if number >= 2 or rounds == 1:  # the first ones make what is kept for the next
                times[at].append(seconds)
    few, many = (quantiles(own, n=4)[0] * 1e3 if len(own) > 1 else own[0] * 1e3 for own in times)
    is_within = bool(unbound) or (max(statuses) < 500 and max(sizes) <= MAX_BYTES and many <= MAX_RATIO * few)
    told = f"{addresses[1]}: {few:.1f} ms, with many {many:.1f} ms ({many / few:.2f} times)"
    told += f", {sizes[0]:,} and {sizes[1]:,} bytes, {statuses[0]} and {statuses[1]}"
    print(told + (f"; {unbound}" if unbound else "") + ("" if is_within else "  BEYOND"), flush=True)
    return is_within


def feed_percent(visitor: Visitor, seconds: float) -> tuple[float, float]:
    """The share of a core that the daemon takes without and with a feed that nothing comes over, in percent."""
    shares = []
    for has_feed in (False, True):
        with ExitStack() as stack:
            if has_feed:
                connection = HTTPConnection("127.0.0.1", visitor.connection.port, timeout=600)
                stack.callback(connection.close)
                connection.request("GET", "/feed", headers=visitor.headers)
                assert connection.getresponse().status == 200
            Event().wait(BEGIN_S)
            before = _cpu_seconds(visitor.daemon.process.pid)
            Event().wait(seconds)
            shares.append(100 * (_cpu_seconds(visitor.daemon.process.pid) - before) / seconds)
    return shares[0], shares[1]


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Print everything; exit with 1 where a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=RECORDS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with ExitStack() as stack:
        outer = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="commonplace-page-")))
        large = options.folder or outer / "large"
        if not large.exists():
            large.mkdir(parents=True)
            notebook.write(large, options.records)
        assert run_command(["sync", "--workspace", str(large)]) == 0
        assert run_command(["demo", str(outer / "sample")]) == 0
        shared = max(path.relative_to(large) for path in large.rglob("[12]*.md"))
        (outer / "sample" / shared).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(large / shared, outer / "sample" / shared)
        few, many = (stack.enter_context(visiting(folder)) for folder in (outer / "sample", large))
        good = compare(few, many)
        for name, visitor in (("the sample notebook", few), (f"{options.records:,} records", many)):
            without, with_feed = feed_percent(visitor, options.seconds)
            is_within = with_feed <= MAX_FEED_PERCENT
            good = good and is_within
            told = f"an idle feed of {name}: {with_feed:.2f} % of a core, without it {without:.2f} %"
            print(told + ("" if is_within else "  BEYOND"), flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
