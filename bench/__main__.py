"""`python -m bench [quality] [speed] [startup] [tokens]`: run some benchmarks, or all that need no network."""

from __future__ import annotations

import sys

from bench import quality, speed, startup, tokens

RUNS = {"quality": quality.run, "speed": speed.run, "startup": startup.run}
OPT_IN = {"tokens": tokens.run}  # needs npm and a package index


def main() -> None:
    """Run what was named, or everything that runs offline."""
    for name in sys.argv[1:] or RUNS:
        print(f"## {name}", flush=True)
        (RUNS | OPT_IN)[name]()


if __name__ == "__main__":
    main()
