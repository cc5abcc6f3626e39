"""`python -m bench [quality] [speed] [startup]`: run some or all benchmarks and print their figures."""

from __future__ import annotations

import sys

from bench import quality, speed, startup

RUNS = {"quality": quality.run, "speed": speed.run, "startup": startup.run}


def main() -> None:
    """Run what was named, or everything."""
    for name in sys.argv[1:] or RUNS:
        print(f"## {name}", flush=True)
        RUNS[name]()


if __name__ == "__main__":
    main()
