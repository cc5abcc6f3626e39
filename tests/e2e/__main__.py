"""`python -m e2e`, in the folder of the tests: every check against the real host; exit code 1 if one fails.

`--only=WORD,WORD` makes the stages whose names have one of the words. `--with=JSON` puts settings into the plugin, to
see which checks notice: with `{"recall": false}` those of recall must fail.
"""

from __future__ import annotations

import json
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from types import FrameType

from e2e import agents, boundaries, companion, installing, mcp, ready, slot, trouble
from e2e.installed import NotInstalledError, installed
from e2e.model_server import Model
from e2e.processes import kill, of
from e2e.report import Report
from e2e.scene import Lab

STAGES = (
    installing.STAGE,
    ready.STAGE,
    companion.STAGE,
    trouble.STAGE,
    trouble.WITHOUT,
    boundaries.STAGE,
    boundaries.CONSOLIDATION,
    agents.IN_NOTEBOOK,
    agents.BESIDE,
    slot.STAGE,
    mcp.STAGE,
)


def main() -> int:
    """Make the checks; the exit code."""
    signal.signal(signal.SIGTERM, _stopped)
    try:
        place = installed()
    except NotInstalledError as error:
        print(f"make e2e-openclaw: {error}", file=sys.stderr)
        return 1
    began, report, model = perf_counter(), Report(), Model()
    folder = Path(tempfile.mkdtemp(prefix="commonplace-e2e-"))
    try:
        lab = Lab(place, folder, model, json.loads(option("with") or "{}"))
        for stage in STAGES:
            if not option("only") or any(word in stage.name.lower() for word in option("only").split(",")):
                report.run(stage, lab)
    finally:
        model.close()
        left = of(folder)
        for process in left:
            kill(process.number)
        if not option("keep"):
            shutil.rmtree(folder, ignore_errors=True)
    for process in left:
        print(f"had to be ended: {process.command[:120]}", file=sys.stderr)
    print(f"{perf_counter() - began:.0f} s", flush=True)
    return report.end() or int(bool(left))


def option(name: str) -> str:
    """The value of `--name=VALUE` on the command line; empty without one."""
    given = [word for word in sys.argv[1:] if word.startswith(f"--{name}=")]
    return given[-1].partition("=")[2] if given else ""


def _stopped(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(1)


if __name__ == "__main__":
    sys.exit(main())
