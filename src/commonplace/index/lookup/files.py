"""Reading what the index knows of files and as a whole: stamps, problems, counts, what the ledger says of paths."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from commonplace.index import canonical, evidence, taint
from commonplace.index.lookup.connected import Connected
from commonplace.index.protocol import FileRow, Stamp
from commonplace.index.sql import Connection, all_rows, one_value
from commonplace.model import Problem

if TYPE_CHECKING:
    from commonplace.workspace.sweep import Sweep

    Look = tuple[Sweep, Mapping[str, int] | None]

FILE_COLUMNS = "path, origin, digest, size, mtime, ctime, inode, role, title, records"


class Files(Connected):
    """Files, and what is known beside their records."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._files: tuple[int, dict[str, FileRow]] | None = None
        self._stamps: tuple[int, dict[str, Stamp]] | None = None
        self._at: tuple[Look, tuple[int, int]] | None = None  # the last look at the files, and the state it led to

    def recalled(self, key: str) -> str:
        """The small fact under `key`, empty if there is none."""
        return one_value(self._db, "select value from meta where key = ?", (key,)) or ""

    def files(self) -> dict[str, FileRow]:
        """Every file by path. Not to be changed."""
        version = one_value(self._db, "pragma data_version")
        if self._files is None or self._files[0] != version:
            found = all_rows(self._db, f"select {FILE_COLUMNS} from files order by path")  # noqa: S608
            read = {p: FileRow(p, o, d, (s, m, c, i), r, t, n) for p, o, d, s, m, c, i, r, t, n in found}
            self._files = (version, read)
        return self._files[1]

    def stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, as it was when the file was last read. Not to be changed."""
        version = one_value(self._db, "pragma data_version")
        if self._stamps is None or self._stamps[0] != version:
            found = all_rows(self._db, "select path, size, mtime, ctime, inode from files")
            self._stamps = (version, {path: (size, m, c, inode) for path, size, m, c, inode in found})
        return self._stamps[1]

    def be_at(self, look: Sweep, journals: Mapping[str, int] | None = None) -> None:
        """Note that this look at the files has nothing new to tell, nor have journals of these sizes."""
        self._at = (look, journals), self.state()

    def at(self) -> Look | None:
        """The last look of which that was noted, and those sizes, if nothing was written since."""
        return self._at[0] if self._at is not None and self._at[1] == self.state() else None

    def misplaced(self) -> frozenset[str]:
        """Files that were read under another first place than the ledger knows by now: it forgets none that it knew."""
        query = "select path from moves cross join files using (path) where files.origin <> moves.origin"
        return frozenset(path for (path,) in all_rows(self._db, query))

    def origin(self, path: str) -> str:
        """Where the file at `path` stood at first sight, as the ledger knows it; `path` itself otherwise."""
        return one_value(self._db, "select origin from moves where path = ?", (path,)) or path

    def rows_of(self, path: str) -> list[int]:
        """The rows of a file, in order."""
        found = all_rows(
            self._db, "select rowid from records where path = ? order by line_start, byte_start, rowid", (path,)
        )
        return [row for (row,) in found]

    def captured(self, keys: Sequence[str]) -> frozenset[str]:
        """Those of the keys under which something was captured already."""
        return evidence.known_keys(self._db, keys)

    def shared(self, hashes: Collection[int]) -> frozenset[int]:
        """Those of the shingles that stand in captures that cannot be trusted."""
        return taint.shared(self._db, hashes)

    def counts(self) -> dict[str, int]:
        """How many files, records, entities, problems … there are."""
        queries = {
            "files": "select count(*) from files",
            "records": "select count(*) from records where actor = ''",
            "captures": "select count(*) from records where actor <> ''",
            "entities": "select count(distinct key) from mentions",
            "tags": "select count(distinct tag) from tags",
            "scopes": "select count(distinct scope) from records where scope <> ''",
        }
        return {name: one_value(self._db, query) for name, query in queries.items()} | {
            "problems": len(self.problems())
        }

    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong in the files, by path and line."""
        return canonical.problems(self._db)

    def conflicts(self) -> frozenset[str]:
        """Paths of files in which two versions are mixed, or that are one of two: never to be packed."""
        found = all_rows(self._db, "select path from problems where code in ('merge-markers', 'conflict-copy')")
        return frozenset(path for (path,) in found)

    def dump(self) -> list[str]:
        """The content in a canonical form, one line an item: equal indexes dump equally."""
        return canonical.dump(self._db)
