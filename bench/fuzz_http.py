"""Requests without end, made by schemathesis from the daemon's own OpenAPI document: none may end in a fault.

`make fuzz-http`, or `make fuzz-http ARGS="--cases 500"`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path

from bench import notebook
from bench.running_daemon import Running, running, runtime

CASES = 5_000
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,"
    "unsupported_method,ignored_auth"
)
PHASES = "examples,coverage,fuzzing"
COUNTED = re.compile(r'^commonplace_requests_total\{operation="([^"]*)",status="(\d+)"\} (\d+)$', re.MULTILINE)


def main() -> int:
    """Fuzz a daemon of a small notebook; 0 where no answer was a fault and every one was as documented."""
    parser = ArgumentParser(prog="make fuzz-http")
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--seed", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cpl-fuzz-") as folder, runtime() as place:
        notebook.write(Path(folder), 500)
        with running(Path(folder), place, "--port", "0") as daemon:
            code, told = fuzz(daemon, Path(place), options.cases, seed=options.seed)
            statuses = answers(daemon)
            ended = daemon.stop()
    print(told)
    faults = sum(number for status, number in statuses.items() if status >= 500)
    print(f"{sum(statuses.values())} requests, {faults} faults (5xx); by status: {dict(sorted(statuses.items()))}")
    return 0 if code == faults == ended == 0 and sum(statuses.values()) >= options.cases else 1


def fuzz(daemon: Running, folder: Path, cases: int, *, seed: int = 5, phases: str = PHASES) -> tuple[int, str]:
    """Let schemathesis make so many cases at least; its exit code and the end of what it says."""
    document = folder / "openapi.json"
    described = daemon.get("/openapi.json").json
    for path in described["paths"].values():
        path.get("post", {}).pop("parameters", None)  # a deadline of a millisecond passes, which is a 504 and no fault
    document.write_text(json.dumps(described), "utf-8")
    operations = len(described["paths"])
    command = [sys.executable, "-m", "schemathesis.cli", "run", str(document)]
    command += ["--url", f"http://127.0.0.1:{daemon.port}", "--header", f"Authorization: Bearer {daemon.token}"]
    command += ["--checks", CHECKS, "--phases", phases, "--seed", str(seed), "--no-color"]
    command += ["--max-examples", str(-(-cases // operations)), "--continue-on-failure"]
    command += ["--suppress-health-check", "all", "--request-timeout", "60"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=os.environ, check=False)
    return done.returncode, "\n".join((done.stdout + done.stderr).split("\n")[-80:])


def answers(daemon: Running) -> Counter[int]:
    """How many answers of each status the daemon gave."""
    counted: Counter[int] = Counter()
    for _operation, status, number in COUNTED.findall(daemon.get("/metrics").body.decode()):
        counted[int(status)] += int(number)
    return counted


if __name__ == "__main__":
    sys.exit(main())
