"""What was hidden or erased, as the ledger and the manifests say."""

from __future__ import annotations

import msgspec
from msgspec import Struct, structs

from commonplace.model import Problem
from commonplace.shapes import Json
from commonplace.storage import files
from commonplace.storage.journal import read_ledger_lines
from commonplace.sync import FORGOTTEN_OP, RESTORED_OP
from commonplace.upkeep.forget.run import MANIFEST_FOLDER, ErasedFile, ErasureManifest
from commonplace.upkeep.forget.scan import TextScan


class Forgetting(Struct, frozen=True):
    """What was hidden or erased at one time: the ids of its records and captures, but of those erased later.

    `id` undoes what was only hidden, and `shown_again` is when that was done. What was erased has the path of its
    `manifest`, and what that says, where it can be read.
    """

    id: str
    ts: str
    is_erased: bool
    records: tuple[str, ...]
    shown_again: str = ""
    manifest: str = ""
    changed: tuple[ErasedFile, ...] = ()
    tombstones: int = 0
    commands: tuple[str, ...] = ()
    scan: TextScan | None = None


def list_forgettings(root: str, *, skip: int = 0, limit: int = 20) -> tuple[Forgetting, ...]:
    """What was hidden or erased, newest first, at most `limit` of these."""
    lines = [
        fields
        for fields in read_ledger_lines(root, (f'{FORGOTTEN_OP}"', f'{RESTORED_OP}"'))
        if not isinstance(fields, Problem)
    ]
    erased = {one for line in lines if line.get("erased") for one in line.get("records") or ()}
    shown_again = {str(one): line["ts"] for line in lines for one in line.get("undone") or ()}
    forgotten = [line for line in lines if line.get("op") == FORGOTTEN_OP]
    newest_first = sorted(forgotten, key=lambda line: str(line["ts"]))[::-1]
    return tuple(_describe(root, line, shown_again, erased) for line in newest_first[skip : skip + limit])


def _describe(root: str, fields: Json, shown_again: dict[str, str], erased_ids: set[str]) -> Forgetting:
    forgotten_id, erased = str(fields["id"]), str(fields.get("erased") or "")
    records = tuple(str(one) for one in fields.get("records") or ())
    left = tuple(one for one in records if erased or one not in erased_ids)
    quoting = {one for one, part in (fields.get("sentences") or {}).items() if part == part[:1] * 2}
    records = () if len(left) < len(records) and quoting.issuperset(left) else left
    again = shown_again.get(forgotten_id, "")
    path = f"{MANIFEST_FOLDER}/{erased}.json" if erased else ""
    data = files.read_file_if_exists(root, path) if path else None
    shown = Forgetting(forgotten_id, fields["ts"], bool(erased), records, again, path if data else "")
    try:
        manifest = msgspec.json.decode(data or b"", type=ErasureManifest)
    except (msgspec.DecodeError, UnicodeDecodeError):  # it is not there, or `check` reports it
        return shown
    tombstones = len(manifest.erased.tombstones) if manifest.leaves_tombstones else 0
    told = {name: getattr(manifest, name) for name in ("changed", "commands", "scan")}
    return structs.replace(shown, tombstones=tombstones, **told)
