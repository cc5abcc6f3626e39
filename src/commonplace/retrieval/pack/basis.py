"""What a pack is made of: kept with its receipt, and compared when the pack is made again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import json

from commonplace.index import Index
from commonplace.model import PackBasis, PackItem
from commonplace.retrieval.pack.policy import CAPTURE_FOLDER
from commonplace.storage.files import content_digest
from commonplace.storage.settings import SETTINGS, Settings

UNRELATED_SETTINGS = ("device", "index_", "daemon_", "models_", "receipts_")  # beginnings of fields that no pack reads
QUESTION_OPTIONS = ("entities",)  # options that are words of the question, which receipts do not keep by themselves
DIGEST_CHARS = 16


def make_basis(
    index: Index,
    settings: Settings,
    packed_items: Iterable[PackItem],
    *,
    request_options: Mapping[str, Any],
    keep_query: bool,
    redact: Callable[[Any], Any],
) -> PackBasis:
    """The basis of a pack of these lines; `request_options` are JSON, of which `redact` masks the secrets."""
    paths = {item.source.path for item in packed_items if not item.source.path.startswith(CAPTURE_FOLDER)}
    files, digests = index.file_digests(sorted(paths))
    withheld = () if keep_query else tuple(name for name in QUESTION_OPTIONS if name in request_options)
    stored = {name: value for name, value in request_options.items() if name not in withheld}
    stored = redact(stored) if stored else stored
    return PackBasis(
        automatic=bool(stored.pop("automatic", False)),
        session=stored.get("reader") or stored.get("session") or stored.get("heard") or "",
        options=stored,
        withheld=withheld,
        settings=digest_settings(settings),
        files=content_digest(files.encode("utf-8", "surrogateescape"))[:DIGEST_CHARS],
        captures=content_digest(index.get_meta("captures").encode())[:DIGEST_CHARS],
        paths={path: digest[:DIGEST_CHARS] for path, digest in digests.items()},
    )


def digest_settings(settings: Settings) -> dict[str, str]:
    """A digest of each setting that matters to packs and is not as it is by default, by its key."""
    defaults = Settings()
    fields = {setting.field: setting.key for setting in SETTINGS if not setting.field.startswith(UNRELATED_SETTINGS)}
    return {
        key: content_digest(json.encode(getattr(settings, field)))[:DIGEST_CHARS]
        for field, key in fields.items()
        if getattr(settings, field) != getattr(defaults, field)
    }
