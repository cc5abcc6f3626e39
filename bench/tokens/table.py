"""Make `fragments.bin`: a bit for the hash of every five-letter fragment of the words that both vocabularies hold."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from pathlib import Path

from bench.tokens.oracle import Vocabularies
from commonplace.language.tokens import FRAGMENT_BITS, FRAGMENT_LETTERS, SINGLE_TOKEN_HAN, SINGLE_TOKEN_HANGUL

PATH = Path(__file__).parents[2] / "src" / "commonplace" / "language" / "tokens" / "fragments.bin"
WORD = re.compile(r" [A-Za-z\u00c0-\u024f]{2,}")
HAN = range(0x4E00, 0xA000)
HANGUL = range(0xAC00, 0xD7A4)


def write(vocabularies: Vocabularies) -> int:
    """Write the table into the package; its size in bytes."""
    return PATH.write_bytes(packed(bits(common(vocabularies))))


def compare(vocabularies: Vocabularies) -> None:
    """Print whether the package holds what these vocabularies give."""
    both = common(vocabularies)
    made = bits(both)
    held = PATH.read_bytes()
    same_bits, same_bytes = zlib.decompress(held) == made, held == packed(made)
    share = sum(map(int.bit_count, made)) / FRAGMENT_BITS
    print(f"fragments.bin: {len(held)} bytes, {share:.1%} of the bits set", end="; ")
    print(f"made anew: {'the same bits' if same_bits else 'OTHER BITS'}", end=", ")
    print("the same bytes" if same_bytes else "OTHER BYTES (of another zlib, if the bits are the same)")
    for name, block, whole in (("han", HAN, SINGLE_TOKEN_HAN), ("hangul", HANGUL, SINGLE_TOKEN_HANGUL)):
        found = {chr(code) for code in block} & both
        print(f"{name}.whole: {len(whole)} characters; made anew: {'the same' if found == whole else 'OTHERS'}")


def common(vocabularies: Vocabularies) -> frozenset[str]:
    """The tokens that both vocabularies hold."""
    return frozenset.intersection(*vocabularies.words().values())


def bits(tokens: Iterable[str]) -> bytes:
    """The table, unpacked: the bit at `hash % FRAGMENT_BITS` for each fragment of a word after a blank."""
    table = bytearray(FRAGMENT_BITS // 8 + 1)
    for word in {token[1:].lower() for token in tokens if WORD.fullmatch(token)}:
        letters = [ord(char) - 97 if "a" <= char <= "z" else 26 for char in word]
        for at in range(len(letters) - FRAGMENT_LETTERS + 1):
            code = 0
            for letter in letters[at : at + FRAGMENT_LETTERS]:
                code = code * 27 + letter
            spot = code % FRAGMENT_BITS
            table[spot >> 3] |= 1 << (spot & 7)
    return bytes(table)


def packed(table: bytes) -> bytes:
    """The table as it lies in the package."""
    return zlib.compress(table, 9)
