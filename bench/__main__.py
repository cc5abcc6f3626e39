"""`python -m bench [quality] [speed] …`: run some, or all that need no network; `--flags` are theirs."""

from __future__ import annotations

import sys

from bench import (
    ablation,
    at_size,
    behaviour,
    beside_memory_core,
    capturing,
    confidence,
    day,
    hooks,
    mcp,
    nearest,
    packs,
    peers,
    quality,
    queries,
    speed,
    startup,
    stdio,
    times,
    tokens,
    weights,
)

RUNS = {
    "quality": quality.run,
    "ablation": ablation.run,
    "speed": speed.run,
    "at_size": at_size.run,
    "startup": startup.run,
    "hooks": hooks.run,
    "stdio": stdio.run,
    "confidence": confidence.run,
    "queries": queries.run,
    "capturing": capturing.run,
    "day": day.run,
    "times": times.run,
    "packs": packs.run,
}
OPT_IN = {
    "weights": weights.run,  # takes a quarter of an hour
    "mcp": mcp.run,  # needs the extra of that name
    "tokens": tokens.run,  # needs npm and a package index
    "nearest": nearest.run,  # needs numpy
    "beside-memory-core": beside_memory_core.run,  # needs npm and its package index, and ten minutes
    "peers": peers.run,  # needs pip, npm and their package indexes, and half an hour
}
WITH_WORDS = {"behaviour": behaviour.run}  # what follows the name says what to do


def main() -> None:
    """Run what was named, or everything that runs offline."""
    if len(sys.argv) > 1 and sys.argv[1] in WITH_WORDS:
        WITH_WORDS[sys.argv[1]]()
        return
    for name in [word for word in sys.argv[1:] if not word.startswith("-")] or RUNS:
        print(f"## {name}", flush=True)
        (RUNS | OPT_IN)[name]()


if __name__ == "__main__":
    main()
