"""The floor under every promise: what is opened, what is refused, and what a crash can leave behind."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace.errors import (
    BadArgument,
    CommonplaceError,
    LockBusy,
    NotFound,
    OutsideWorkspace,
    WorkspaceNotFound,
    WorkspaceUnusable,
    WriteConflict,
)
from commonplace.storage import files
from commonplace.storage.files import atomic_replace, content, external_files, paths


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """A process of its own that runs `code` with the arguments in `a`."""
    prelude = "import os, signal, sys; from commonplace.storage import files; a = sys.argv[1:]\n"
    return subprocess.run([sys.executable, "-c", prelude + code, *arguments], capture_output=True, check=False)


# reading


def test_a_file_is_read_whole_or_from_an_offset(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/a.md").write_bytes(b"one\r\ntwo\0\xff")
    assert files.read_file(str(tmp_path), "notes/a.md") == b"one\r\ntwo\0\xff"
    assert files.read_file(str(tmp_path), "notes//./a.md", start=5) == b"two\0\xff"
    assert files.read_file(str(tmp_path), "notes/a.md", start=99) == b""


def test_a_large_file_is_read_in_pieces_that_fit_together(tmp_path: Path) -> None:
    data = os.urandom(3 * (1 << 20) + 17)
    (tmp_path / "a.md").write_bytes(data)
    assert files.read_file(str(tmp_path), "a.md") == data


def test_a_file_larger_than_the_limit_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"12345")
    assert files.read_file(str(tmp_path), "a.md", 5) == b"12345"
    with pytest.raises(OutsideWorkspace, match="more than 4") as refused:
        files.read_file(str(tmp_path), "a.md", 4)
    assert refused.value.hint == "split it into smaller files"


@pytest.mark.parametrize(
    "path", ["/etc/hostname", "../out.md", "a/../../out.md", "a/..", "", ".", "/", "a\0b", "\ud800.md"]
)
def test_a_path_that_is_not_below_the_root_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    (tmp_path / "out.md").write_text("outside")
    with pytest.raises(OutsideWorkspace):
        files.read_file(str(root), path)
    with pytest.raises(OutsideWorkspace):
        files.write_atomic(str(root), path, b"x")
    assert (tmp_path / "out.md").read_text() == "outside"


def test_no_traversal_payload_reaches_a_file_outside(tmp_path: Path, shared: Path) -> None:
    root = tmp_path / "a/b/root"
    root.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    with gzip.open(shared / "corpora/traversal/payloads.jsonl.gz", "rt") as lines:
        payloads = [json.loads(line)["text"].replace("{FILE}", "secret") for line in lines]
    assert len(payloads) > 500
    for payload in payloads:
        try:
            data = files.read_file(str(root), payload)
        except (NotFound, OutsideWorkspace):
            continue
        pytest.fail(f"{payload!r} gave {data!r}")


def test_links_are_not_followed_out_of_the_root(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "inner").mkdir(parents=True)
    outside.mkdir()
    (outside / "a.md").write_text("outside")
    (root / "inner/a.md").write_text("inside")
    (root / "file.md").symlink_to(outside / "a.md")
    (root / "folder").symlink_to(outside)
    (root / "within").symlink_to(root / "inner")
    for path in ("file.md", "folder/a.md"):
        with pytest.raises(OutsideWorkspace):
            files.read_file(str(root), path)
        with pytest.raises(OutsideWorkspace):
            files.write_atomic(str(root), path, b"x")
        with pytest.raises(OutsideWorkspace):
            files.append_lines(str(root), path, [b"x"])
    with pytest.raises(OutsideWorkspace):
        files.create_file(str(root), "folder/new.md", b"x")
    assert files.read_file(str(root), "within/a.md") == b"inside"
    assert [path.read_text() for path in outside.iterdir()] == ["outside"]


def test_a_root_that_is_itself_a_link_is_fine(tmp_path: Path) -> None:
    (tmp_path / "real/a").mkdir(parents=True)
    (tmp_path / "real/a/b.md").write_text("x")
    (tmp_path / "real/c").symlink_to("a")
    (tmp_path / "root").symlink_to(tmp_path / "real")
    assert files.read_file(str(tmp_path / "root"), "a/b.md") == b"x"
    assert files.read_file(str(tmp_path / "root"), "c/b.md") == b"x"


def test_pipes_sockets_devices_and_folders_are_refused_and_do_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.md"))
    for name in ("pipe.md", "folder.md", "socket.md"):
        with pytest.raises(OutsideWorkspace):
            files.read_file(str(tmp_path), name)
        with pytest.raises(OutsideWorkspace):
            files.write_atomic(str(tmp_path), name, b"x")
        with pytest.raises(OutsideWorkspace):
            files.append_lines(str(tmp_path), name, [b"x"])
    with pytest.raises(OutsideWorkspace):
        files.read_file("/dev", "null")


def test_what_stands_in_place_of_a_folder_is_told_to_who_writes(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("x")
    os.mkfifo(tmp_path / "pipe")
    for path in ("notes/a.md", "notes/deeper/a.md", "pipe/a.md"):
        for write in (files.write_atomic, lambda *given: files.append_lines(*given[:2], [given[2]]), files.create_file):
            with pytest.raises(OutsideWorkspace, match="is not a folder") as caught:
                write(str(tmp_path), path, b"x")
            assert (caught.value.path, caught.value.hint) == (path, "move that aside")
        with pytest.raises(OutsideWorkspace, match="is not a folder"):
            files.write_foreign_file(files.read_foreign_file(str(tmp_path / path)), b"x")
    assert (tmp_path / "notes").read_text() == "x"


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    for path in ("b.md", "b/c.md", "a.md/c.md"):
        with pytest.raises(NotFound):
            files.read_file(str(tmp_path), path)
        assert files.read_file_if_exists(str(tmp_path), path) is None
    with pytest.raises(WorkspaceNotFound):
        files.read_file_if_exists(str(tmp_path / "nowhere"), "a.md")


def test_a_name_that_the_system_refuses_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(OutsideWorkspace):
        files.read_file(str(tmp_path), "x" * 5000)


def test_sizes_tells_of_plain_files_only(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/b").write_bytes(b"12")
    (tmp_path / "logs/a").write_bytes(b"1")
    (tmp_path / "logs/c").symlink_to(tmp_path / "logs/a")
    (tmp_path / "logs/d").mkdir()
    assert list(files.list_file_sizes(str(tmp_path), "logs").items()) == [("a", 1), ("b", 2)]
    assert files.list_file_sizes(str(tmp_path), "nothing") == {}


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.md").write_text("x")
    (tmp_path / "out").symlink_to("/")
    before = len(os.listdir("/dev/fd"))
    files.read_file(str(tmp_path), "a/b.md")
    files.write_atomic(str(tmp_path), "a/b.md", b"y")
    files.append_lines(str(tmp_path), "a/c.jsonl", [b"y"])
    for bad in ("a/none.md", "a/b.md/c", "out/etc/passwd", "a"):
        with pytest.raises((NotFound, OutsideWorkspace)):
            files.read_file(str(tmp_path), bad)
    assert len(os.listdir("/dev/fd")) == before


# writing


def test_a_new_file_and_its_folders_are_for_their_owner_only(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        files.write_atomic(str(tmp_path), "a/b/c.md", b"x")
        assert files.create_file(str(tmp_path), "a/d.md", b"x")
        files.append_lines(str(tmp_path), "e/f.jsonl", [b"x"])
    finally:
        os.umask(old)
    assert [mode_of(tmp_path / path) for path in ("a", "a/b", "e", ".memory", ".memory/locks")] == [0o700] * 5
    assert [mode_of(tmp_path / path) for path in ("a/b/c.md", "a/d.md", "e/f.jsonl")] == [0o600] * 3
    assert {mode_of(path) for path in (tmp_path / ".memory/locks").iterdir()} == {0o600}


def test_a_file_keeps_its_mode_unless_another_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o664)
    files.write_atomic(str(tmp_path), "a.md", b"new")
    assert (path.read_bytes(), mode_of(path)) == (b"new", 0o664)
    files.write_atomic(str(tmp_path), "a.md", b"newer", mode=0o640)
    assert (path.read_bytes(), mode_of(path)) == (b"newer", 0o640)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to somebody")
def test_root_does_not_take_a_file_from_its_owner(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    os.chown(tmp_path / "a.md", 1234, 1235)
    files.write_atomic(str(tmp_path), "a.md", b"new")
    status = (tmp_path / "a.md").stat()
    assert (status.st_uid, status.st_gid) == (1234, 1235)


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    for name in ("x" * 252 + ".md", "雪" * 84 + ".md"):
        files.write_atomic(str(tmp_path), name, b"1")
        files.write_atomic(str(tmp_path), name, b"2")
        assert (tmp_path / name).read_bytes() == b"2"


def test_a_failing_guard_leaves_the_old_bytes_and_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    seen: list[str] = []

    def guard() -> None:
        seen.extend(sorted(os.listdir(tmp_path)))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files.write_atomic(str(tmp_path), "a.md", b"new", guard=guard)
    assert os.listdir(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"old"
    assert len(seen) == 2
    assert seen[0].startswith(".a.md.")
    assert seen[0].endswith(".tmp")


def test_everything_is_on_disk_before_the_name_and_the_name_before_the_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    steps = recorded(monkeypatch)
    files.write_atomic(str(tmp_path), "a.md", b"new")
    assert steps == ["write", "fsync file", "rename", "fsync folder"]
    steps.clear()
    files.create_file(str(tmp_path), "b.md", b"new")
    assert steps == ["write", "fsync file", "link", "fsync folder"]
    files.append_lines(str(tmp_path), "c.jsonl", [b"{}"])
    steps.clear()
    files.append_lines(str(tmp_path), "c.jsonl", [b"{}"])
    assert steps == ["write", "fsync file"]
    steps.clear()
    files.append_lines(str(tmp_path), "d.jsonl", [b"{}"])
    assert steps == ["write", "fsync file", "fsync folder"]
    steps.clear()
    files.write_atomic(str(tmp_path), "a.md", b"newer", durable=False)
    assert steps == ["write", "rename"]


def recorded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the calls that matter for durability, as they happen."""
    steps: list[str] = []

    def record(name: str, real: Callable[..., object]) -> None:
        def call(*arguments: object, **options: object) -> object:
            folder = name == "fsync" and stat.S_ISDIR(os.fstat(int(str(arguments[0]))).st_mode)
            steps.append(name + (" folder" if folder else " file" if name == "fsync" else ""))
            return real(*arguments, **options)

        monkeypatch.setattr(os, name, call)

    for name in ("write", "fsync", "rename", "link"):
        record(name, getattr(os, name))
    return steps


def test_short_writes_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, bytes(data)[:3]))
    files.write_atomic(str(tmp_path), "a.md", b"0123456789")
    files.append_lines(str(tmp_path), "b.jsonl", [b"0123456789"])
    assert (tmp_path / "a.md").read_bytes() == b"0123456789"
    assert (tmp_path / "b.jsonl").read_bytes() == b"0123456789\n"


def test_a_full_disk_is_an_error_of_ours_and_leaves_the_old_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_bytes(b"old")

    def full(descriptor: int, data: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WorkspaceUnusable, match="no space"):
        files.write_atomic(str(tmp_path), "a.md", b"new")
    assert os.listdir(tmp_path) == ["a.md"]
    assert (tmp_path / "a.md").read_bytes() == b"old"


def test_a_kill_between_the_temporary_file_and_the_rename_leaves_the_old_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"old")
    code = "files.write_atomic(a[0], 'a.md', b'new', guard=lambda: os.kill(os.getpid(), signal.SIGKILL))"
    assert run(code, str(tmp_path)).returncode == -signal.SIGKILL
    assert (tmp_path / "a.md").read_bytes() == b"old"
    left = [name for name in os.listdir(tmp_path) if name != "a.md"]
    assert len(left) == 1
    assert left[0].startswith(".a.md.")
    files.write_atomic(str(tmp_path), "a.md", b"newer")
    assert (tmp_path / "a.md").read_bytes() == b"newer"


# creating, moving, removing


def test_create_writes_only_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("mine")
    assert files.create_missing_files(str(tmp_path), {"a.md": "theirs", "b/c.md": "new é"}) == ("b/c.md",)
    assert (tmp_path / "a.md").read_text() == "mine"
    assert (tmp_path / "b/c.md").read_text("utf-8") == "new é"
    assert sorted(os.listdir(tmp_path / "b")) == ["c.md"]


@pytest.mark.parametrize("links", [True, False])
def test_create_never_replaces_a_file_that_appears_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", refuse_links)
    assert files.create_file(str(tmp_path), "b.md", b"ours")
    assert (tmp_path / "b.md").read_bytes() == b"ours"
    real = os.fsync

    def fsync(descriptor: int) -> None:
        (tmp_path / "a.md").write_text("theirs")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    assert not files.create_file(str(tmp_path), "a.md", b"ours")
    assert (tmp_path / "a.md").read_text() == "theirs"
    assert sorted(os.listdir(tmp_path)) == ["a.md", "b.md"]


def refuse_links(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.EPERM, "no hard links here")


def test_a_move_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    assert not files.move_file(str(tmp_path), "a.md", "b.md")
    assert files.move_file(str(tmp_path), "a.md", "new/c.md")
    assert [(tmp_path / name).read_text() for name in ("b.md", "new/c.md")] == ["b", "a"]
    assert not (tmp_path / "a.md").exists()
    with pytest.raises(NotFound):
        files.move_file(str(tmp_path), "a.md", "d.md")
    assert not (tmp_path / "d.md").exists()


def test_a_move_syncs_both_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b").mkdir()
    monkeypatch.setattr(atomic_replace, "_renameat2", lambda: None)
    steps = recorded(monkeypatch)
    files.move_file(str(tmp_path), "a.md", "b/a.md")
    assert steps == ["rename", "fsync folder", "fsync folder"]


def test_a_move_takes_no_name_before_the_file_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A kill between two steps would leave an empty file."""
    (tmp_path / "a.md").write_text("a")
    real, opened = os.open, []

    def watched(path: str, flags: int, *more: int, **where: int) -> int:
        opened.append((path, flags))
        return real(path, flags, *more, **where)

    monkeypatch.setattr(os, "open", watched)
    assert files.move_file(str(tmp_path), "a.md", "b.md")
    assert not [path for path, flags in opened if flags & os.O_CREAT]


def test_where_a_move_takes_two_steps_it_replaces_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(atomic_replace, "_renameat2", lambda: None)
    test_a_move_replaces_nothing(tmp_path)


def test_a_move_that_fails_gives_back_the_name_it_took(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("a")
    monkeypatch.setattr(atomic_replace, "_renameat2", lambda: None)

    def fail(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EACCES, "no")

    monkeypatch.setattr(os, "rename", fail)
    with pytest.raises(OutsideWorkspace):
        files.move_file(str(tmp_path), "a.md", "b.md")
    assert os.listdir(tmp_path) == ["a.md"]


def test_only_what_the_system_keeps_can_be_removed(tmp_path: Path) -> None:
    files.write_atomic(str(tmp_path), ".memory/changes/a.json", b"x")
    (tmp_path / "a.md").write_text("x")
    files.remove_file(str(tmp_path), ".memory/changes/a.json")
    files.remove_file(str(tmp_path), ".memory/changes/a.json")
    for path in ("a.md", ".memory/../a.md"):
        with pytest.raises(OutsideWorkspace):
            files.remove_file(str(tmp_path), path)
    assert (tmp_path / "a.md").exists()
    assert os.listdir(tmp_path / ".memory/changes") == []


def test_of_files_of_the_notebook_only_an_empty_one_can_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("a.md", ""), ("b.md", "mine")):
        (tmp_path / name).write_text(text)
        files.remove_empty_file(str(tmp_path), name)
        files.remove_empty_file(str(tmp_path), f"no-{name}")
    assert os.listdir(tmp_path) == ["b.md"]
    moved = content.swap_file_name

    def saved_meanwhile(name: str, *digests: str) -> str:
        (tmp_path / "new").write_text("saved by an editor")
        (tmp_path / "new").rename(tmp_path / "c.md")
        return moved(name, *digests)

    (tmp_path / "c.md").write_text("")
    monkeypatch.setattr(content, "swap_file_name", saved_meanwhile)
    files.remove_empty_file(str(tmp_path), "c.md")
    assert (tmp_path / "c.md").read_text() == "saved by an editor"
    assert sorted(os.listdir(tmp_path)) == ["b.md", "c.md"]


# appending


def test_lines_are_appended_and_their_offset_is_told(tmp_path: Path) -> None:
    assert files.append_lines(str(tmp_path), "a.jsonl", [b"one"]) == 0
    assert files.append_lines(str(tmp_path), "a.jsonl", (b"two", b"three")) == 4
    assert (tmp_path / "a.jsonl").read_bytes() == b"one\ntwo\nthree\n"


def test_a_torn_last_line_is_fenced(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'one\n{"to')
    assert files.append_lines(str(tmp_path), "a.jsonl", [b"two"]) == 9
    assert (tmp_path / "a.jsonl").read_bytes() == b'one\n{"to\ntwo\n'


def test_a_line_with_a_newline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadArgument):
        files.append_lines(str(tmp_path), "a.jsonl", [b"a\nb"])
    assert not (tmp_path / "a.jsonl").exists()


# locks


def test_a_lock_that_another_process_holds_is_waited_for_only_so_long(tmp_path: Path) -> None:
    path = str(tmp_path / "locks/x.lock")
    code = "\nwith files.hold_file_lock(a[0]):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    with holder(code, path) as child:
        with pytest.raises(LockBusy, match=r"0\.05"), files.hold_file_lock(path, 0.05):
            pass
        child.send_signal(signal.SIGKILL)
        child.wait()
        with files.hold_file_lock(path, 0.05):
            pass


def test_a_lock_is_had_as_soon_as_it_is_let_go(tmp_path: Path) -> None:
    code = "\nwith files.hold_workspace_lock(a[0], 'x'):\n    print('held', flush=True)\n    sys.stdin.readline()\n"
    with holder(code, str(tmp_path)) as child:
        assert child.stdin is not None
        child.stdin.write(b"\n")
        child.stdin.flush()
        with files.hold_workspace_lock(str(tmp_path), "x", 10.0):
            pass


def holder(code: str, argument: str) -> subprocess.Popen[bytes]:
    """A process that holds a lock until it is killed or told to go on."""
    prelude = "import sys; from commonplace.storage import files; a = sys.argv[1:]\n"
    command = [sys.executable, "-c", prelude + code, argument]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"held\n"
    return child


def test_a_lock_is_let_go_when_its_holder_fails(tmp_path: Path) -> None:
    with pytest.raises(ValueError), files.hold_workspace_lock(str(tmp_path), "x"):
        raise ValueError
    with files.hold_workspace_lock(str(tmp_path), "x", 0.0):
        pass


def test_locks_of_paths_do_not_pile_up(tmp_path: Path) -> None:
    assert files.path_lock_name("a//b.md") == files.path_lock_name("a/./b.md")
    assert len({files.path_lock_name(f"{number}.md") for number in range(5000)}) <= 256


def test_digests_are_32_hex_characters() -> None:
    assert files.content_digest(b"") == "cae66941d9efbd404e4d88758ea67670"
    assert files.content_digest(b"a") != files.content_digest(b"b")


def test_a_name_that_vanishes_while_a_folder_is_looked_at_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("a.jsonl", "b.tmp", "c.jsonl"):
        (tmp_path / "folder" / name).write_text("x", encoding="utf-8")
    real = os.stat

    def stat_after_a_rename(name: str, **given: object) -> os.stat_result:
        if name == "b.tmp":
            raise FileNotFoundError(name)
        return real(name, **given)

    monkeypatch.setattr(os, "stat", stat_after_a_rename)
    assert files.list_file_sizes(str(tmp_path), "folder") == {"a.jsonl": 1, "c.jsonl": 1}


# Files of other programs.


def test_a_file_of_another_program_keeps_mode_and_link_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept/a.json", tmp_path / "a.json"
    kept.parent.mkdir()
    kept.write_bytes(b"one")
    kept.chmod(0o644)
    link.symlink_to(kept)
    seen = files.read_foreign_file(str(link))
    assert (seen.real_path, seen.data) == (str(kept), b"one")
    assert files.write_foreign_file(seen, b"two").data == b"two"
    assert (link.is_symlink(), kept.read_bytes(), mode_of(kept)) == (True, b"two", 0o644)
    assert os.listdir(kept.parent) == ["a.json"]


def test_a_new_file_of_another_program_is_private_and_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "new/folder/a.json"
    seen = files.read_foreign_file(str(path))
    assert (seen.data, seen.digest) == (None, "")
    files.write_foreign_file(seen, b"one")
    assert (path.read_bytes(), mode_of(path), mode_of(path.parent)) == (b"one", 0o600, 0o700)
    with pytest.raises(WriteConflict):
        files.write_foreign_file(seen, b"two")
    files.remove_foreign_file(files.read_foreign_file(str(path)))
    assert not path.exists()
    files.remove_foreign_file(seen)


def test_what_somebody_saves_while_we_write_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"one")
    seen = files.read_foreign_file(str(path))
    path.write_bytes(b"theirs")
    for action in (lambda: files.write_foreign_file(seen, b"ours"), lambda: files.remove_foreign_file(seen)):
        with pytest.raises(WriteConflict):
            action()
    monkeypatch.setattr(
        external_files, "_raise_if_changed", lambda _seen: None
    )  # as if it was saved right after the look at it
    with pytest.raises(WriteConflict):
        files.write_foreign_file(seen, b"ours")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"theirs", ["a.json"])


def test_copies_are_private_and_never_replace_one_another(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"one")
    path.chmod(0o666)
    copies = [Path(files.back_up_foreign_file(files.read_foreign_file(str(path)), "now")) for _ in range(2)]
    assert [copy.name for copy in copies] == ["a.json.commonplace-now", "a.json.commonplace-now-2"]
    assert {(copy.read_bytes(), mode_of(copy)) for copy in copies} == {(b"one", 0o600)}


def test_what_is_no_plain_file_of_another_program_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "a").write_bytes(b"")
    for name in ("fifo", "folder"):
        with pytest.raises(OutsideWorkspace):
            files.read_foreign_file(str(tmp_path / name))
    with pytest.raises(CommonplaceError):
        files.write_foreign_file(files.read_foreign_file(str(tmp_path / "a/b.json")), b"one")
    assert files.list_folder_names(str(tmp_path / "gone")) == ()
    assert list(files.walk_paths(str(tmp_path / "gone"))) == []
    with pytest.raises(NotFound):
        files.access_by_others(str(tmp_path / "gone"))


def test_paths_are_walked_in_order_and_links_to_folders_are_not_followed(tmp_path: Path) -> None:
    for folder in ("b/c", "a", "skipped"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("z", "b/x", "b/c/y", "skipped/no"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "way").symlink_to(tmp_path / "b")
    (tmp_path / "link").symlink_to(tmp_path / "z")
    paths = list(files.walk_paths(str(tmp_path), skipped_folders={"skipped"}))
    assert paths == ["link", "z", "a/", "b/", "b/x", "b/c/", "b/c/y"]
    errors: list[OSError] = []
    assert list(files.walk_paths(str(tmp_path / "z"), folder_errors=errors)) == []
    assert [type(error) for error in errors] == [NotADirectoryError]


def test_where_nothing_was_under_way_no_folder_is_opened_to_look_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_way: object, **_how: object) -> int:
        raise AssertionError

    monkeypatch.setattr(paths, "_open_resolved_folder", refused)
    assert list(files.unfinished_intents(str(tmp_path))) == []


@pytest.mark.parametrize(
    ("number", "is_unwritable"),
    [
        *((number, True) for number in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)),
        *((number, False) for number in (errno.EIO, errno.ELOOP, errno.EMFILE, errno.ENAMETOOLONG)),
    ],
)
def test_an_error_tells_whether_leave_or_room_was_wanting(number: int, is_unwritable: bool) -> None:
    with pytest.raises((OutsideWorkspace, WorkspaceUnusable)) as caught, paths.translate_os_errors("a.md"):
        raise OSError(number, os.strerror(number))
    assert caught.value.is_unwritable == is_unwritable


@pytest.mark.parametrize("room", [0, 3])
def test_word_for_which_there_is_no_room_is_refused_and_leaves_nothing_to_undo(
    tmp_path: Path, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, data: bytes) -> int:
        if not room:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, data[:room])

    write, begun = os.write, False
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(WorkspaceUnusable, match="no space left") as caught, files.log_intent(str(tmp_path), b"a note"):
        begun = True
    assert (begun, caught.value.hint) == (False, "make room on its disk, then repeat")
    assert list(files.unfinished_intents(str(tmp_path))) == [b""]
