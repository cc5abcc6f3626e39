"""Whether a value is a secret: shape, mixture and entropy decide, because a name beside it is not enough."""

from __future__ import annotations

from functools import cache
from math import log2
from typing import TYPE_CHECKING, Literal

from commonplace.redact.patterns import compiled

if TYPE_CHECKING:
    import re

Bar = Literal["password", "pass", "pin", "token", "key", "vendor", "spaced"]

LEAST = 8
_TOLD = 96  # bytes that are enough to tell words from noise
_STAND_INS = (
    r"(?i:x{4,}|\*{3,}|\.{3}|<[a-z_ .-]*>|\{[a-z_ .()\[\]'-]*\}|\$\(|%\([a-z_]*\)|your|change.?me|example|placeholder|"
    r"redact|dummy|sample|insert|replace|secret|passw|token|api_?key|credential|undefined|optional|required|process\.env|"
    r"environ|getenv|localhost|foobar|string)|^\$[^0-9]*$|^\$\{|^[$%@&#]?[A-Z_]+[%}]?$"
)
_HEX = r"^(?:0x)?[0-9a-fA-F]+$"
_UUID = r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_PLAIN = (
    r"^(?:v?[0-9]{1,4}(?:[.,:/_-][0-9]{1,4}[a-z]{0,4}[0-9]{0,3})*(?:[+-][a-z][0-9A-Za-z.+-]{0,16})?"  # versions, dates
    r"|[0-9]{1,4}(?:[.,][0-9]{1,3}[A-Za-z]{1,4}|[A-Za-z]{1,4}/)[A-Za-z0-9/-]{0,6}"  # measures
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}[T_][0-9:.]{2,15}(?:Z|[+-][0-9:]{4,5})?"  # times
    r"|(?i:(?:min|max|at-?least|up-?to)?[-_.]?[0-9]{1,3}[-_+]?(?:chars?|characters?|digits?|letters?|zeichen))"
    r"|(?i:(?:chapter|section|page|figure|table|lecture|slide|week|part|step|version|kapitel|seite|chapitre|partie)"
    r"[0-9]{1,3})"  # places in a text
    r"|(?i:(?:[rehp]s(?:256|384|512)|aes|sha|ed25519|argon2(?:id?|d)?|[bs]crypt|pbkdf2|hmac|chacha20|ecdsa|oauth|saml|tls"
    r"|base64)[0-9.]{0,4}(?:[-_/+](?:[rehp]s[0-9]{3}|sha[0-9]{0,3}|aes|[ceo][cf][bm]|ctr|gcm|xts|siv|kw|oaep|pss|poly1305"
    r"|hmac|none|only|url|id|v?[0-9.]{1,4}|token|auth|client|pkce|pkcs[0-9]{0,2}|encrypted|signed"
    r"|hashed)){0,5})"  # algorithms
    r"|(?:gpt|claude|gemini|gemma|llama|mistral|qwen|deepseek|phi|o[1-4])(?:-(?:mini|nano|turbo|opus|sonnet|haiku|pro|flash"
    r"|lite|large|medium|small|tiny|instruct|chat|preview|latest|exp|coder|vision|audio|realtime|thinking|base|it|[0-9.]{1,4}"
    r"[a-z]?|[0-9]{8}|[rv][0-9.]{1,4})){1,7}"  # models
    r"|(?:--|\$)[a-z]+(?:-[a-z0-9]{1,8})+"  # names in style sheets, options
    r"|(?:\.{0,2}|~)/.*|[A-Za-z]:\\.*|[A-Za-z][A-Za-z0-9+.-]*://.*"  # paths, addresses
    r"|[A-Za-z_][A-Za-z0-9_.>-]*\(.*"  # calls
    r"|[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,10}"  # host names
    r"|[^@]+@[^@]+\.[A-Za-z]+"  # mail addresses
    r"|sha(?:1|256|384|512)[-:].*|md5[-:].*"  # digests that say so
    r"|[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*\.(?:py|js|ts|md|json|ya?ml|toml|txt|html?|go|rs|java|sh|env|lock|png|jpe?g|svg|csv|pem|key))$"
)
_WEAK = rb"[A-Za-z]*(?:[Ss]ecret|[Pp]assw[a-z]*)[0-9]{2,6}[!?#$%&*+@]*"  # with its number no stand-in
_ABOUT = (  # what is said of passwords, not in one
    rb"(?i)\b(?:at|least|min|max|must|should|see|siehe|seite|page|step|line|version|level|chapter|section|room|shelf|row|"
    rb"field|input|error|enter|chars?|characters?|digits?|letters?|mindestens|zeichen|until|since|from|before|after|is|of|"
    rb"in|by|on|expires?|valid|rotated?|changed|every)\b"
)
_DIGITS, _LOWER, _UPPER = b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def is_secret(value: bytes, bar: Bar) -> bool:
    """Whether a value beside a telling name is a secret; `bar` says how telling the name was."""
    if bar == "pin":
        return _pattern(rb"(?!(?:19|20)[0-9]{6}$)[0-9]{4,8}").fullmatch(value) is not None
    if len(value) < LEAST or len(set(value)) < 5 or b" " in value or b"\t" in value:
        return False
    if bar == "password" and _pattern(_WEAK).fullmatch(value):
        return True
    if compiled(_STAND_INS).search(value) or compiled(_PLAIN).search(value.rstrip(b"!?")):
        return False
    if bar == "password":
        return _is_password(value)
    if bar == "token":
        return _is_random(value, least=10, entropy=2.6) or _is_random(value, least=20, entropy=3.5, digits=0)
    if bar == "pass" and is_said(value) and not is_wordy(value):
        return True
    if is_fingerprint(value):
        return bar == "vendor"
    return _is_random(value, least=20 if bar == "spaced" else 14, entropy=3.0)


def is_said(value: bytes) -> bool:
    """Whether a value looks like a password that is said: letters and then digits, or capitals, small, and digits."""
    if not _pattern(rb"[A-Za-z0-9!?#$%&*+@]*[0-9!?#$%&*+@]").fullmatch(value):
        return False
    mixed = all(len(value.translate(None, few)) < len(value) for few in (_DIGITS, _LOWER, _UPPER))
    return mixed or _pattern(rb"[A-Za-z]{3,}[0-9]{2,6}[!?#$%&*+@]*").fullmatch(value) is not None


def is_phrase(value: bytes) -> bool:
    """Whether what stands in quotes is a password of some words: `two words 9`, not `at least 8 characters`."""
    words = value.split(b" ")
    if not (2 <= len(words) <= 6 and all(words) and LEAST <= len(value) <= 48):
        return False
    if compiled(_STAND_INS).search(value) or _pattern(_ABOUT).search(value):
        return False
    mixed = [word for word in words if _pattern(rb"(?![0-9]+[a-z]*$).*[0-9].*").fullmatch(word)]  # not `2x`
    return words[-1].isdigit() or any(not compiled(_PLAIN).search(word) for word in mixed)


def is_fingerprint(value: bytes) -> bool:
    """Whether a value has the shape of a digest, a commit or a UUID, which are public far more often than secret."""
    if len(value) == 36:
        return bool(compiled(_UUID).search(value))
    return len(value) in (32, 40, 56, 64, 96, 128) and bool(compiled(_HEX).search(value))


def is_wordy(value: bytes, average: int = 3) -> bool:
    """Whether a value is made of words and small numbers: `us-east-1`, `getUserName2`, `my_secret_v2`."""
    value = value[:_TOLD]
    parts = _pattern(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall(value)
    words = [part for part in parts if part.isalpha()]
    numbers = [part for part in parts if part.isdigit()]
    if len(numbers) > 1 + len(words) or any(len(number) > 4 for number in numbers):
        return False
    if len(value) >= 12 and len(_pattern(rb"[a-z](?=[0-9])|[0-9](?=[a-z])").findall(value)) >= 3:
        return False
    return bool(words) and sum(map(len, words)) >= average * len(parts) and all(map(_is_word, words))


def has_filler(value: bytes) -> bool:
    """Whether part of a key was blanked out with a run of `x`, `*` or dots."""
    return bool(_pattern(rb"[xX]{6,}|\*{3,}|\.{3}").search(value))


def _is_password(value: bytes) -> bool:
    kinds = sum(len(value.translate(None, few)) < len(value) for few in (_DIGITS, _LOWER, _UPPER))
    symbols = value.translate(None, _DIGITS + _LOWER + _UPPER)
    if kinds + bool(symbols) < 2:
        return False
    if value.translate(None, b"_.-").isalpha():
        return len(value) >= 16 and not is_wordy(value)
    return True


def _is_random(value: bytes, *, least: int, entropy: float, digits: int = 1) -> bool:
    size = len(value)
    if size < least:
        return False
    numbers = size - len(value.translate(None, _DIGITS))
    if numbers == size:
        return size >= 16
    lower, upper = len(value.translate(None, _LOWER)) < size, len(value.translate(None, _UPPER)) < size
    if numbers < digits or not (lower or upper) or (digits == 0 and not (lower and upper)):
        return False
    return not is_wordy(value) and _entropy(value) >= entropy


def _is_word(word: bytes) -> bool:
    size = len(word)
    if size <= 3:
        return True
    vowels = size - len(word.translate(None, b"aeiouyAEIOUY"))
    return size <= 24 and 0.15 <= vowels / size <= 0.75 and not _pattern(rb"(?i)[^aeiouy]{5,}").search(word)


def _entropy(value: bytes) -> float:
    """Shannon's entropy in bits a character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in map(value.count, set(value)))


@cache
def _pattern(pattern: bytes) -> re.Pattern[bytes]:
    """Python's own engine is safe here: values are short and no repeat holds another."""
    import re

    return re.compile(pattern)
