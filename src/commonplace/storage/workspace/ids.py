"""Ids that follow from a text, its number among equals, and where it was first seen."""

from __future__ import annotations

ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # base 32 without i, l, o and u, which are misread


def normalize_id_text(text: str) -> str:
    """The text as its id sees it: NFC, runs of white space as one space."""
    words = " ".join(text.split())
    if words.isascii():
        return words
    from unicodedata import normalize

    return normalize("NFC", words)


def encode_characters(number: int, count: int) -> str:
    """So many characters of a number, its last five bits first."""
    return "".join([ID_ALPHABET[number >> 5 * place & 31] for place in range(count)])


def derive_id(text: str, occurrence: int, origin: str) -> str:
    """The id of a line that carries none: 12 characters from its text, its number among equals, its first path."""
    return derive_id_of_normalized(normalize_id_text(text), occurrence, origin)


def derive_id_of_normalized(normalized: str, occurrence: int, origin: str) -> str:
    """The id of a text that is already folded."""
    from hashlib import blake2b  # loads OpenSSL, which a recall over unchanged files need not pay for

    seed = f"{origin}\0{occurrence}\0{normalized}".encode("utf-8", "surrogatepass")
    number = int.from_bytes(blake2b(seed, digest_size=8).digest(), "big")
    return encode_characters(number, 12)[::-1]
