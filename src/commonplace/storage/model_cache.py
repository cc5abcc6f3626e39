"""Answers of language models by the digest of what was asked, so that the same is not asked twice."""

from __future__ import annotations

from contextlib import suppress

from commonplace.errors import CommonplaceError
from commonplace.storage import files

CACHE_FOLDER = ".memory/model-cache"
MAX_CACHED_ANSWERS = 1_000  # the newest
MAX_ANSWER_BYTES = 1_000_000


def find_cached_answer(root: str, digest: str) -> bytes | None:
    """The answer as it was stored, or what a crash left of it; None if there is none."""
    with suppress(CommonplaceError):
        return files.read_file_if_exists(root, _answer_path(digest), MAX_ANSWER_BYTES)
    return None


def cache_answer(root: str, digest: str, answer: bytes) -> None:
    """Store an answer, which only the owner can read, and remove the oldest of too many.

    Where nothing can be written it is not stored, and will be asked for again.
    """
    with suppress(CommonplaceError):
        files.write_sealed(root, _answer_path(digest), answer)
        names = list(files.list_file_sizes(root, CACHE_FOLDER))
        names.sort(key=lambda name: files.file_stamp(root, f"{CACHE_FOLDER}/{name}"))
        for name in names[:-MAX_CACHED_ANSWERS]:
            files.remove_file(root, f"{CACHE_FOLDER}/{name}")


def clear_model_cache(root: str) -> int:
    """Remove all answers, and return how many there were; they must not come back after a power cut."""
    names = files.list_file_sizes(root, CACHE_FOLDER)
    for name in names:
        files.remove_file(root, f"{CACHE_FOLDER}/{name}", durable=True)
    return len(names)


def _answer_path(digest: str) -> str:
    return f"{CACHE_FOLDER}/{digest}.json"
