"""What was forgotten, in files that bring it back: it is not indexed, and a check finds where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import structs

from commonplace.errors import CommonplaceError
from commonplace.index import FileRow, HiddenPlace
from commonplace.language.text import fold_name, split_sentences
from commonplace.model import Document, Record
from commonplace.shapes import Json, iter_texts
from commonplace.storage import files
from commonplace.storage.journal import Journal
from commonplace.storage.tombstones import Tombstones, read_tombstones
from commonplace.storage.workspace import QUEUE_PATH, REASON_MARK, parse_document

ARTIFACT_FOLDER = ".memory/artifacts"
HEX_DIGITS = frozenset("0123456789abcdef")


def detail_of(fields: Json) -> Json:
    """The detail of a capture; empty if it has none."""
    detail = fields.get("detail")
    return detail if isinstance(detail, dict) else {}


def artifact_name(detail: Json) -> str:
    """The name of the artifact of a capture with this detail; empty if it has none."""
    artifact = detail.get("artifact")
    name = str(artifact.get("sha256")) if isinstance(artifact, dict) else ""
    return name if len(name) == 64 and HEX_DIGITS.issuperset(name) else ""


def read_artifact(root: str, detail: Json) -> str:
    """The text of the artifact of a capture with this detail; empty if there is none."""
    name = artifact_name(detail)
    data = files.read_file_if_exists(root, f"{ARTIFACT_FOLDER}/{name}") if name else None
    return (data or b"").decode("utf-8", "replace")


def is_forgotten_capture(fields: Json, root: str, tombstones: Tombstones) -> bool:
    """Whether a text of a capture has a tombstone: its own, one of its detail, or its artifact."""
    if not tombstones:
        return False
    detail = detail_of(fields)
    texts = [*iter_texts(fields.get("text")), *iter_texts(detail), read_artifact(root, detail)]
    return any(map(tombstones.find, texts))


def without_forgotten(document: Document, tombstones: Tombstones) -> Document:
    """The document without the records that have a tombstone, and without such titles."""
    if not tombstones:
        return document
    titles = {document.title, *(title for record in document.records for title in record.heading)}
    forgotten = {title for title in titles if tombstones.find(title)}
    records = [record for record in document.records if tombstones.find(record.text) is None]
    if forgotten:
        headings = (tuple(title for title in record.heading if title not in forgotten) for record in records)
        records = [structs.replace(one, heading=heading) for one, heading in zip(records, headings, strict=True)]
    title = "" if document.title in forgotten else document.title
    return structs.replace(document, title=title, records=tuple(records))


def split_reason(record: Record) -> tuple[str, str]:
    """The own text of a record, and the reason of an item of the queue, which may quote others; empty for others."""
    own, mark, reason = record.text.rpartition(REASON_MARK) if record.source.path == QUEUE_PATH else ("", "", "")
    return (own, mark + reason) if own else (record.text, "")


def cut_hidden(record: Record, hidden_sentences: Mapping[str, Sequence[Sequence[int]]]) -> Record:
    """The record without the sentences that are forgotten, an ellipsis in place of each run of them; with an empty text
    where nothing else is left, or where it was changed since, so that it is not known which they are."""
    for total, *numbers in hidden_sentences.get(record.id, ()):
        own, reason = split_reason(record)
        sentences, rest = [*split_sentences(own, loosely=True), *filter(None, (reason,))], ""
        for number, sentence in enumerate(sentences, 1):
            rest = rest + sentence if number not in numbers else rest if rest.endswith("… ") else f"{rest}… "
        rest = rest.rstrip() if len(sentences) == total and any(map(str.isalnum, rest)) else ""
        entities = tuple(name for name in record.entities if 1 not in numbers or fold_name(name) in fold_name(rest))
        record = structs.replace(record, text=rest, entities=entities)
    return record


def find_forgotten_places(root: str, indexed_files: Mapping[str, FileRow], max_bytes: int) -> Iterator[HiddenPlace]:
    """The captures of all journals, and the lines of Markdown, that have a tombstone; titles without an id."""
    tombstones = read_tombstones(root)
    if not tombstones:
        return
    for reading in Journal(root, "").read_batches("captures"):
        for entry in reading.entries:
            if is_forgotten_capture(entry.fields, root, tombstones):
                yield HiddenPlace(entry.path, entry.line_number, entry.line_number, str(entry.fields["id"]))
    for path, row in indexed_files.items():
        with suppress(CommonplaceError):  # a file that cannot be read is reported by the sync
            yield from _places_in_file(row, files.read_file(root, path, max_bytes), tombstones)


def _places_in_file(file_row: FileRow, data: bytes, tombstones: Tombstones) -> Iterator[HiddenPlace]:
    """The records of a file that have a tombstone, and its other lines, such as titles."""
    path, covered = file_row.path, set[int]()
    for record in parse_document(path, data, origin=file_row.origin).records:
        covered.update(range(record.source.line_start, record.source.line_end + 1))
        if tombstones.find(record.text):
            yield HiddenPlace(path, record.source.line_start, record.source.line_end, record.id)
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        if number not in covered and tombstones.find(line):
            yield HiddenPlace(path, number, number, "")
