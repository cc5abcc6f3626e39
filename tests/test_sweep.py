"""The sweep: which files there are, found without opening one."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from commonplace.errors import WorkspaceNotFound, WorkspaceUnusable
from commonplace.storage import files
from commonplace.storage.workspace.sweep import sweep_files


def make(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)


def codes(root: Path, *ignore: str) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in sweep_files(str(root), ignore).problems]


def test_markdown_files_are_found_sorted_by_path_with_their_stamps(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/z.md", "a-b.md", "a/b/c.MD", "é ü.md", "a.txt", "md", ".md", "x.mdx")
    found = sweep_files(str(tmp_path))
    assert list(found.files) == ["a-b.md", "a/b/c.MD", "a/z.md", "b.md", "é ü.md"]
    assert found.problems == ()
    status = (tmp_path / "b.md").stat()
    assert found.files["b.md"] == (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


def test_a_change_of_content_changes_the_stamp_even_if_its_time_is_put_back(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    os.utime(tmp_path / "a.md", ns=(10**9, 10**9))
    before = sweep_files(str(tmp_path)).files["a.md"]
    (tmp_path / "a.md").write_text("b.md")
    os.utime(tmp_path / "a.md", ns=(10**9, 10**9))
    after = sweep_files(str(tmp_path)).files["a.md"]
    assert before[:2] == after[:2]
    assert before != after


def test_hidden_names_and_folders_of_tools_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path, ".memory/a.md", ".git/b.md", "x/.hidden.md", "node_modules/c.md", "x/__pycache__/d.md", "x/e.md")
    make(tmp_path, ".a.md.0123456789abcdef.tmp", "x/.e.md.0123456789abcdef.tmp")
    assert list(sweep_files(str(tmp_path)).files) == ["x/e.md"]


def test_globs_leave_out_files_and_whole_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "a.md", "drafts/b.md", "drafts/x/c.md", "notes/d.tmp.md", "notes/e.md", "old/f.md", "[x].md")
    os.mkfifo(tmp_path / "drafts/pipe.md")
    looked = folders_looked_at(monkeypatch)
    found = sweep_files(str(tmp_path), ("drafts", "*.tmp.md", "old/"))
    assert list(found.files) == ["[x].md", "a.md", "notes/e.md"]
    assert found.problems == ()
    assert sorted(path.removeprefix(f"{tmp_path}/") for path in looked) == ["", "notes/"]
    assert "a.md" not in sweep_files(str(tmp_path), ("?.md",)).files
    assert "a.md" in sweep_files(str(tmp_path), ("A.md",)).files


def folders_looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    real, looked = files.scan_folder, []

    def entries(path: str) -> AbstractContextManager[Iterator[os.DirEntry[str]]]:
        looked.append(path)
        return real(path)

    monkeypatch.setattr(files, "scan_folder", entries)
    return looked


def test_links_that_leave_the_workspace_are_problems_and_others_are_passed_over(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root, "inner/a.md")
    make(tmp_path, "outside/b.md", "root-2/c.md")
    for name, target in {
        "file.md": tmp_path / "outside/b.md",
        "folder": tmp_path / "outside",
        "sibling": tmp_path / "root-2",
        "gone.md": tmp_path / "nowhere.md",
        "same.md": root / "inner/a.md",
        "same": root / "inner",
        "up": root,
        "loop.md": root / "loop.md",
        "plain.txt": tmp_path / "outside/b.md",
    }.items():
        (root / name).symlink_to(target)
    assert list(sweep_files(str(root)).files) == ["inner/a.md"]
    assert codes(root) == [("symlink-outside", name) for name in ("file.md", "folder", "gone.md", "sibling")]
    assert codes(root, "file.md", "folder", "gone.*", "sibling") == []


def test_a_root_that_is_a_link_is_swept(tmp_path: Path) -> None:
    make(tmp_path, "real/a/b.md")
    (tmp_path / "real/same").symlink_to("a")
    (tmp_path / "root").symlink_to("real")
    found = sweep_files(str(tmp_path / "root"))
    assert (list(found.files), found.problems) == (["a/b.md"], ())


def test_pipes_and_sockets_are_problems_only_under_a_markdown_name(tmp_path: Path) -> None:
    for name in ("pipe.md", "pipe"):
        os.mkfifo(tmp_path / name)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket.md"))
    assert codes(tmp_path) == [("not-a-file", "pipe.md"), ("not-a-file", "socket.md")]


def test_a_folder_with_a_markdown_name_is_a_folder(tmp_path: Path) -> None:
    make(tmp_path, "x.md/a.md")
    assert list(sweep_files(str(tmp_path)).files) == ["x.md/a.md"]


def test_names_that_are_not_valid_utf8_are_problems_that_can_be_printed(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name in (b"caf\xe9.md", b"caf\xe9.txt"):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"x")
    os.mkdir(folder + b"/dir\xff")
    with open(folder + b"/dir\xff/a.md", "wb") as file:
        file.write(b"x")
    make(tmp_path, "café.md")
    assert list(sweep_files(str(tmp_path)).files) == ["café.md"]
    assert codes(tmp_path) == [("bad-name", "caf\\xe9.md"), ("bad-name", "dir\\xff")]


def test_a_folder_that_cannot_be_read_is_a_problem_and_the_others_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a/x.md", "b/x.md", "c/x.md")
    real = files.scan_folder

    def entries(path: str) -> object:
        if path.endswith("/b/"):
            raise PermissionError(13, "Permission denied")
        if path.endswith("/c/"):
            raise FileNotFoundError(2, "gone meanwhile")
        return real(path)

    monkeypatch.setattr(files, "scan_folder", entries)
    assert list(sweep_files(str(tmp_path)).files) == ["a/x.md"]
    assert codes(tmp_path) == [("unreadable", "b")]


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE])
def test_a_folder_that_cannot_be_opened_just_now_is_not_taken_for_an_empty_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    make(tmp_path, "a/x.md")

    def entries(path: str) -> object:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(files, "scan_folder", entries)
    with pytest.raises(WorkspaceUnusable, match="too many open files"):
        sweep_files(str(tmp_path))


def next_descriptor() -> int:
    descriptor = os.dup(0)
    os.close(descriptor)
    return descriptor


def test_what_is_in_a_folder_is_looked_at_from_there_and_the_folder_is_let_go(tmp_path: Path) -> None:
    make(tmp_path, "a/x.md")
    lowest_free = next_descriptor()
    with files.scan_folder(f"{tmp_path}/a") as entries:
        (tmp_path / "a").rename(tmp_path / "b")
        (entry,) = entries
        assert (entry.path, entry.stat(follow_symlinks=False).st_size) == ("x.md", len("a/x.md"))
    with pytest.raises(FileNotFoundError), files.scan_folder(f"{tmp_path}/a"):
        pass
    assert next_descriptor() == lowest_free


@pytest.mark.slow
def test_a_deep_tree_is_swept_without_recursion(tmp_path: Path) -> None:
    folders = [f"{tmp_path}/" + "/".join("d" * depth) for depth in range(1, 1500)]
    for folder in folders:
        os.mkdir(folder)
    with open(f"{folders[-1]}/a.md", "w") as file:
        file.write("x")
    assert [path[-5:] for path in sweep_files(str(tmp_path)).files] == ["/a.md"]
    os.remove(f"{folders[-1]}/a.md")
    for folder in reversed(folders):
        os.rmdir(folder)  # what clears up after tests would recurse


def test_a_root_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    for path in ("nowhere", "a.md"):
        with pytest.raises(WorkspaceNotFound):
            sweep_files(str(tmp_path / path))
