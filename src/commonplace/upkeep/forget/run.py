"""Erase texts from all files of a workspace: what was begun is on disk first, so that it can be finished."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Literal

import msgspec
from msgspec import Struct, structs

from commonplace.language.text import fold_name, split_sentences, split_units
from commonplace.model import Record
from commonplace.shapes import Json, iter_texts
from commonplace.storage import files
from commonplace.storage.journal import (
    Journal,
    decode_with_checksum,
    encode_journal_line,
    lock_name,
    parse_json_line,
    stream_device,
)
from commonplace.storage.stores import ErasableFile, classify_file
from commonplace.storage.tombstones import append_tombstones
from commonplace.storage.workspace import CHANGES_FOLDER, QUEUE_PATH, REASON_MARK, strip_annotation, update_file
from commonplace.sync import ARTIFACT_FOLDER, FORGOTTEN_OP, artifact_name, detail_of
from commonplace.upkeep.consolidate import strip_line_decoration
from commonplace.upkeep.forget import erasure
from commonplace.upkeep.forget.scan import TextScan
from commonplace.upkeep.forget.selection import ForgetWish, SelectedRecord

MANIFEST_FOLDER = ".memory/forgotten"
MANIFEST_SCHEMA: Literal["commonplace.forget-manifest.v1"] = "commonplace.forget-manifest.v1"
SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
MIN_DETAIL_WORDS = 6  # of a text in the detail of a capture that is looked for elsewhere too
TIME_CHARS = len("YYYY-MM-DD_HH-MM-SS")


class ErasedFile(Struct, frozen=True):
    """A file that was changed, or went: its path, kind, and how many bytes and lines less; `texts` are what these
    lines say, in a preview alone: a manifest has no word of it."""

    path: str
    kind: str
    bytes: int
    lines: int = 0
    texts: tuple[str, ...] = ()


class ErasureManifest(Struct, frozen=True, kw_only=True):
    """What was erased, when and where, without a word of it; `wish` has salted digests of the words, `scan` is what is
    left where we look, `commands` are for what is out of reach."""

    schema: Literal["commonplace.forget-manifest.v1"] = MANIFEST_SCHEMA
    id: str  # also in the ledger line that hides what is erased
    ts: str
    device: str
    wish: dict[str, tuple[str, ...]]
    erased: erasure.ErasedTexts
    leaves_tombstones: bool
    changed: tuple[ErasedFile, ...] = ()
    scan: TextScan | None = None
    commands: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where it is kept."""
        return f"{MANIFEST_FOLDER}/{self.id}.json"


class ForgetResult(Struct, frozen=True):
    """What is, or would be, forgotten; `id` is empty where nothing was written, else it undoes what was only hidden.
    `manifest` is there where it was erased; `files` are those that were changed for it, or would be; `pending` are the
    items of the queue that ask the owner; `similar` are records that are not selected, and may be meant too."""

    id: str
    selected: tuple[SelectedRecord, ...]
    manifest: ErasureManifest | None = None
    files: tuple[ErasedFile, ...] = ()
    pending: tuple[str, ...] = ()
    similar: tuple[Record, ...] = ()

    @property
    def is_applied(self) -> bool:
        """Whether it was written, not only shown."""
        return bool(self.id)


def describe_erasure(root: str, wish: ForgetWish, selected: Sequence[SelectedRecord], salt: str) -> erasure.TextMatcher:
    """What is to be erased: the texts of what was selected, and what has all words of a wish of words alone."""
    texts: list[str] = []
    selected = [one for one in selected if one.reason != "quotes"]  # of these the quotation goes alone
    names = [one.record.id for one in selected if one.record.is_evidence or one.record.annotated]
    for record, concerned in ((one.record, one.concerned) for one in selected):
        texts += [concerned, *([strip_line_decoration(record)] if concerned == record.text else [])]
        detail = _read_detail(root, record)
        texts += (text for text in iter_texts(detail) if len(text.split()) >= MIN_DETAIL_WORDS)
        names.append(artifact_name(detail))
    is_of_words = structs.replace(wish, query="", entity="") == ForgetWish()
    wordings = (f"{wish.query} {wish.entity}",) if is_of_words else ()
    is_worded = erasure.describe_texts((), wordings, (), salt).match
    for name, sentence in find_sentences(root, is_worded) if wordings else ():
        texts.append(sentence)
        names.append(name)
    return erasure.describe_texts(texts, wordings, filter(None, names), salt)


def find_sentences(root: str, is_match: Callable[[str], object]) -> Iterator[tuple[str, str]]:
    """The sentences that match in all files, also in those that are not in the index, each with the name of the
    artifact that has it, which is empty in other files."""
    for path in walk_erasable_files(root):
        folder, _slash, name = path.rpartition("/")
        if classify_file(path).kind == "chain" and not stream_device("captures", name):
            continue  # ledgers and receipts have no text of their own
        for raw_line in files.read_file(root, path).split(b"\n"):
            fields = parse_json_line(raw_line)
            texts = (raw_line.decode("utf-8", "replace"),) if isinstance(fields, str) else iter_texts(fields)
            for text in filter(is_match, texts):
                for sentence in [*filter(is_match, split_sentences(text.replace(REASON_MARK, "\n")))] or (text,):
                    yield name if folder == ARTIFACT_FOLDER else "", sentence


def describe_wish(wish: ForgetWish, salt: str) -> dict[str, tuple[str, ...]]:
    """What was given, by name, as the digests of its words."""
    given = {name: str(getattr(wish, name) or "") for name in wish.__struct_fields__}
    words = {name: split_units(fold_name(value)) for name, value in given.items() if value}
    return {name: tuple(erasure.digest_words(own, salt)) for name, own in words.items()}


def _read_detail(root: str, record: Record) -> Json:
    """The detail of a capture; empty for what is none."""
    place = record.source
    if not record.is_evidence:
        return {}
    fields = parse_json_line(files.read_range(root, place.path, place.byte_start, place.byte_end - place.byte_start))
    return detail_of(fields) if isinstance(fields, dict) else {}


def write_manifest(root: str, manifest: ErasureManifest) -> None:
    """Write a manifest; it is on disk when this returns."""
    files.write_atomic(root, manifest.path, msgspec.json.encode(manifest))


class _ErasureIntent(Struct, frozen=True):
    """An erasure in progress, by the path of its manifest."""

    erases: str


def log_erasure_intent(root: str, manifest: ErasureManifest) -> AbstractContextManager[None]:
    """Log an erasure while it runs; one that breaks off is finished at the next start."""
    line = encode_journal_line(structs.asdict(_ErasureIntent(manifest.path)))
    return files.log_intent(root, line, durable=True)


def finish_erasure(root: str, intent_bytes: bytes) -> bool:
    """Finish an erasure that broke off; whether it was one, and the index is to be made anew."""
    intent = decode_with_checksum(intent_bytes, _ErasureIntent)
    data = files.read_file_if_exists(root, intent.erases) if intent else None
    if not data:
        return False
    manifest = msgspec.json.decode(data, type=ErasureManifest)
    changed = erase_texts(root, manifest, erasure.TextMatcher(manifest.erased))
    write_manifest(root, structs.replace(manifest, changed=(*manifest.changed, *changed)))
    return True


def plan_erasure(root: str, matcher: erasure.TextMatcher, day: str) -> tuple[ErasedFile, ...]:
    """The files that would be changed, or go."""
    return tuple(erased_file for _path, _edited, erased_file in _edit_files(root, matcher, day))


def _edit_files(root: str, matcher: erasure.TextMatcher, day: str) -> Iterator[tuple[str, bytes | None, ErasedFile]]:
    """The path of each file that is not as it has to be, and its bytes without the texts; None if it goes."""
    for path in tuple(walk_erasable_files(root)):
        data, file = files.read_file_if_exists(root, path) or b"", classify_file(path)
        edited = erasure.erase_from_file(file, data, matcher, day)
        if edited != data:
            folder, _slash, name = path.rpartition("/")  # of an episode it has words of the text
            is_episode = path.startswith(erasure.EPISODE_FOLDER)
            shown = f"{folder}/{name[:TIME_CHARS]}_forgotten.md" if is_episode else path
            whole = erasure.cut_reasons(data, matcher) if path == QUEUE_PATH else data
            kept = Counter((edited or b"").split(b"\n"))
            gone = [line.decode("utf-8", "replace") for line in Counter(whole.split(b"\n")) - kept if line.strip()]
            texts = tuple(map(strip_annotation, gone)) if file.kind == "text" else ()
            yield path, edited, ErasedFile(shown, file.kind, len(data) - len(edited or b""), len(gone), texts)


def erase_texts(root: str, manifest: ErasureManifest, matcher: erasure.TextMatcher) -> tuple[ErasedFile, ...]:
    """Erase what a manifest describes from all files of a workspace, its index excepted; may be done again. Raises
    LockBusy, WriteConflict, WorkspaceUnusable."""
    day = manifest.ts[:10]
    journal = Journal(root, manifest.device)
    ledger_lines = (entry.fields for reading in journal.read_batches("ledger") for entry in reading.entries)
    if not any(fields.get("erased") == manifest.id for fields in ledger_lines):
        line = {"op": FORGOTTEN_OP, "ts": manifest.ts, "records": list(manifest.erased.ids), "erased": manifest.id}
        journal.append(line, "ledger")
    if manifest.leaves_tombstones:
        append_tombstones(root, manifest.device, manifest.erased.salt, manifest.erased.tombstones)
    changed: list[ErasedFile] = []
    for path, edited, erased_file in _edit_files(root, matcher, day):
        changed.append(structs.replace(erased_file, texts=()))
        file = classify_file(path)
        _write_without(root, file, manifest.ts, partial(erasure.erase_from_file, file, matcher=matcher, day=day))
        if path.startswith(erasure.EPISODE_FOLDER) and edited is not None:
            files.move_file(root, path, erased_file.path.replace(".md", f"-{files.random_hex(3)}.md"))
    files.remove_abandoned_files(root)
    return tuple(changed)


def walk_erasable_files(root: str) -> Iterator[str]:
    """Every plain file below the root that may have a text and is not made anew, in order."""
    for path in files.walk_paths(root, skipped_folders=SKIPPED_FOLDERS):
        whole = f"{root}/{path}"
        if path.endswith(("/", ".head")) or classify_file(path).kind in ("cache", "digests", "machine"):
            continue
        if os.path.isfile(whole) and not os.path.islink(whole):
            yield path


def _write_without(root: str, file: ErasableFile, now: str, edit: Callable[[bytes], bytes | None]) -> None:
    """Write a file without the texts, under the lock of those who write it."""
    path = file.path
    if file.kind == "text":
        written = update_file(root, path, edit, now=now)
        if written.change_id:  # it holds what was there before
            files.remove_file(root, f"{CHANGES_FOLDER}/{written.change_id}.json", durable=True)
        return
    with files.hold_workspace_lock(root, lock_name(path)):
        edited = edit(files.read_file(root, path))
        if edited is None:
            files.remove_file(root, path, durable=True)
            return
        files.write_atomic(root, path, edited)
