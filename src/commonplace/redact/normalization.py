"""Normalize a text for the redaction rules, and decide quickly whether it may hold a secret."""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact.findings import DecodedView
from commonplace.redact.patterns import compile_re, read_table

if TYPE_CHECKING:
    from collections.abc import Callable
HIDDEN_SIGN = "\xad"  # in place of every invisible character, so that one byte stays one character

_CONTROLS = bytes({*range(1, 32), *range(127, 160), 0xAD} - {*b"\t\n\r", 0x85})
_INVISIBLE = (
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_HIDDEN_UTF8 = (  # the same in decoded bytes, where they are spelled out
    rb"\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\xa0[\x8b-\x8e]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf"
)
HIDDEN = rb"(?:" + _HIDDEN_UTF8 + rb"|[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad])++"
_UTF16_RUN = rb"(?:[\t\n\r -~]\x00){12,}|(?:\x00[\t\n\r -~]){12,}"


def mark_hidden_characters(text: str) -> str:
    """The text with each invisible character replaced by a mark."""
    return text if text.isascii() else compile_re(_INVISIBLE).sub(HIDDEN_SIGN, text)


def has_hidden_characters(data: bytes) -> bool:
    """Whether a text contains invisible characters."""
    if len(data.translate(None, _CONTROLS)) != len(data) or b"\xe2\x80" in data:
        return compile_re(HIDDEN).search(data) is not None
    return b"\x00" in data and compile_re(_UTF16_RUN).search(data) is not None


def view_without_nuls(data: bytes) -> DecodedView | None:
    """The runs with a NUL in every second byte, as of UTF-16, without those; NUL between the runs."""
    out, starts, ends = bytearray(), array("I"), array("I")
    for run in compile_re(_UTF16_RUN).finditer(data) if b"\x00" in data else ():
        first, last = run.span()
        out += run.group().replace(b"\x00", b"") + b"\x00"
        starts.extend(range(first, last, 2))
        ends.extend(range(first + 2, last + 2, 2))
        starts.append(last)
        ends.append(last)
    return DecodedView(bytes(out), starts, ends) if out else None


def view_replacing(data: bytes, pattern: bytes, decode: Callable[[bytes], bytes]) -> DecodedView | None:
    """The text with one byte or none, as `decode` returns, in place of each match; None if there is no match."""
    out, starts, ends, last = bytearray(), array("I"), array("I"), 0
    for match in compile_re(pattern).finditer(data):
        start, end = match.span()
        out += data[last:start]
        starts.extend(range(last, start))
        ends.extend(range(last + 1, start + 1))
        decoded = decode(match[0])
        if decoded:
            out += decoded
            starts.append(start)
            ends.append(end)
        last = end
    if not last:
        return None
    out += data[last:]
    starts.extend(range(last, len(data)))
    ends.extend(range(last + 1, len(data) + 1))
    return DecodedView(bytes(out), starts, ends)


_COPULA = r"[ \t]*[是为為は는은](?=[ \t]*[!-~])"  # as `is`, with no space around it
_WIDE_SIGNS = "\u202f\u3000“”„‟「」『』—–→⇒➜" + "".join(map(chr, range(0xFF01, 0xFF5F)))
_ASCII_BY_WIDE_SIGN = str.maketrans(_WIDE_SIGNS, '  """"""""--:::' + "".join(map(chr, range(0x21, 0x7F))))


def translate_password_words(text: str) -> str:
    """The text with each foreign word for a password, and what links it to its value, as the rules know them."""
    small, plain = text.lower(), text.isascii()
    words = _password_words(ascii_only=plain)
    if any(word in small for word in words):
        pattern = compile_re(f"(?i)({'|'.join(words)})({_COPULA})?")
        # `ſ` is an s to a pattern, and none in the table.
        text = pattern.sub(lambda m: words.get(m[1].lower(), m[1]) + (":".rjust(len(m[2])) if m[2] else ""), text)
    return text if plain or not any(sign in text for sign in _WIDE_SIGNS) else text.translate(_ASCII_BY_WIDE_SIGN)


@cache
def _password_words(*, ascii_only: bool) -> dict[str, str]:
    """Foreign words for a password, and of the same length what the rules know."""
    words = read_table("password_words", dict[str, str])
    return {word: known for word, known in words.items() if word.isascii() or not ascii_only}


_SECRET_HINTS = b"""
pass pw pswd secret token key auth cred bearer psk :// mnemonic phrase kennwort wachtwoord contrasena losenord
senha mdp redis-cli identified
""".split()
_PIN = rb"(?<![a-z])pin(?:cod|code)?(?![a-z])"
_KEY_LENGTH_RUN = rb"[A-Za-z0-9_\-+/=%$.:~]{14}"


def may_hold_secret(data: bytes) -> bool:
    """Whether the text contains a word for a secret, an escape, or a run as long as a key, on one line or broken."""
    if b"\\" in data or b"&#" in data or compile_re(_KEY_LENGTH_RUN).search(data):
        return True
    small = data.lower()
    if any(word in small for word in _SECRET_HINTS) or b" -p" in small or b" -u" in small:
        return True
    if b"pin" in small and compile_re(_PIN).search(small) and compile_re(rb"[0-9]{4}").search(small):
        return True
    if has_hidden_characters(data):
        return True
    return b"\n" in data and compile_re(_KEY_LENGTH_RUN).search(join_wrapped_lines(data)) is not None


def join_wrapped_lines(data: bytes) -> bytes:
    """The text without line ends and the characters that wrap a line around them."""
    return b"".join(raw_line.strip(b" \t\r\"'>+\\") for raw_line in data.split(b"\n"))
