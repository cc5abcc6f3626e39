"""What a person may name on the command line and is not a regular file: each command refuses it in words, and waits for none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

READERS = (
    ("ingest",),
    ("import",),
    *(("import", "--format", name) for name in ("mem0", "memory-lancedb", "memoria", "openclaw-mem")),
    ("test",),
)
NO_FILE = "it is a pipe, socket or device, and not a regular file"


def pipe(path: Path) -> None:
    os.mkfifo(path)


def link_to_pipe(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    path.symlink_to("pipe")


def unix_socket(path: Path) -> None:
    place = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(place)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def cpl(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, for one that waits for ever is to be ended."""
    environment = os.environ | {"COMMONPLACE_WORKSPACE": str(root), "COMMONPLACE_DAEMON": "off", "HOME": str(root)}
    command = (sys.executable, "-m", "commonplace", *arguments)
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    return tmp_path / "notes"


@pytest.mark.parametrize("make", [pipe, link_to_pipe, unix_socket, device])
@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_what_may_never_end_is_refused_at_once(
    make: Callable[[Path], None], command: tuple[str, ...], root: Path, tmp_path: Path
) -> None:
    make(tmp_path / "odd")
    ran = cpl(root, *command, str(tmp_path / "odd"))
    assert (ran.returncode, ran.stdout) == (1, "")
    assert NO_FILE in ran.stderr
    assert repr(str(tmp_path / "odd")) in ran.stderr or repr(os.path.realpath(tmp_path / "odd")) in ran.stderr
    assert "hint: write what comes out of it into a plain file" in ran.stderr


def test_a_folder_in_place_of_a_file_is_told_as_such(root: Path) -> None:
    for command in ("ingest", "test"):
        ran = cpl(root, command, str(root))
        assert ran.returncode == 1
        assert "it is a folder, and not a regular file\nhint: name the files in it" in ran.stderr
