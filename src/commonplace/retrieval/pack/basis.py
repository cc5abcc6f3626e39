"""Digests by which a later look can see what has changed since a pack was made."""

from __future__ import annotations

from msgspec import json

from commonplace.storage.files import content_digest, text_digest
from commonplace.storage.settings import SETTINGS, Settings

UNRELATED_SETTINGS = ("device", "index_", "daemon_", "models_", "receipts_")  # beginnings of fields that no pack reads
DIGEST_CHARS = 16


def digest_settings(settings: Settings) -> dict[str, str]:
    """A digest of each setting that matters to packs and is not as it is by default, by its key."""
    defaults = Settings()
    fields = {setting.field: setting.key for setting in SETTINGS if not setting.field.startswith(UNRELATED_SETTINGS)}
    return {
        key: content_digest(json.encode(getattr(settings, field)))[:DIGEST_CHARS]
        for field, key in fields.items()
        if getattr(settings, field) != getattr(defaults, field)
    }


def session_key(session: str) -> str:
    """The name of a session as the ledger has it: a digest, for the ledger holds no text."""
    return text_digest(session)[:DIGEST_CHARS]
