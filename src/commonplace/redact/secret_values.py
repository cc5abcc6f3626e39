"""Decide whether a value is a secret by its shape, character classes and entropy."""

from __future__ import annotations

from math import log2
from typing import Literal

from commonplace.redact.patterns import compile_re, compile_re2, secret_names

NameStrength = Literal["password", "pass", "pin", "token", "key", "vendor", "spaced"]

MIN_VALUE_BYTES = 8
_MAX_WORD_CHECK_BYTES = 96  # enough to distinguish words from noise
_STAND_INS = (
    r"(?i:x{4,}|\*{3,}|\.{3}|<[a-z_ .-]*>|\{[a-z_ .()\[\]'-]*\}|\$\(|%\([a-z_]*\)|your|change.?me|example|placeholder|"
    r"redact|dummy|sample|insert|replace|secret|passw|token|api_?key|credential|undefined|optional|required|process\.env|"
    r"environ|getenv|localhost|foobar|string)|^\$[^0-9]*$|^\$\{|^[$%@&#]?[A-Z_]+[%}]?$"
)
_HEX = r"^(?:0x)?[0-9a-fA-F]+$"
_UUID = r"^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_NOT_SECRET = (
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
    r"|agent:[A-Za-z0-9_-]{1,64}:.*"  # sessions of hosts
    r"|[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)*\.(?:py|js|ts|md|json|ya?ml|toml|txt|html?|go|rs|java|sh|env|lock|png|jpe?g|svg|csv|pem|key))$"
)
_WEAK_PASSWORD = rb"[A-Za-z]*(?:[Ss]ecret|[Pp]assw[a-z]*)[0-9]{2,6}[!?#$%&*+@]*"  # with its number no stand-in
_ABOUT_PASSWORDS = (  # words about passwords, not in one
    rb"(?i)\b(?:at|least|min|max|must|should|see|siehe|seite|page|step|line|version|level|chapter|section|room|shelf|row|"
    rb"field|input|error|enter|chars?|characters?|digits?|letters?|mindestens|zeichen|until|since|from|before|after|is|of|"
    rb"in|by|on|expires?|valid|rotated?|changed|every)\b"
)
_SHORT_PASSWORD = rb"(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9!?#$%&*+@]{7}"
_WORD_OF_SENTENCE = r"(?:ed|ing|ly|tion|tions|ments?)$"
_DIGITS, _LOWER, _UPPER = b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def is_secret(raw_value: bytes, strength: NameStrength) -> bool:
    """Whether a value beside a name is a secret; `strength` is how strongly the name indicates one."""
    if strength == "pin":
        return compile_re(rb"(?!(?:19|20)[0-9]{6}$)[0-9]{4,8}").fullmatch(raw_value) is not None
    is_short = strength == "password" and compile_re(_SHORT_PASSWORD).fullmatch(raw_value)
    is_too_short = len(raw_value) < MIN_VALUE_BYTES and not is_short
    if is_too_short or len(set(raw_value)) < 5 or b" " in raw_value or b"\t" in raw_value:
        return False
    if strength == "password" and compile_re(_WEAK_PASSWORD).fullmatch(raw_value):
        return True
    if compile_re2(_STAND_INS).search(raw_value) or is_ordinary_value(raw_value):
        return False
    if strength == "password":
        return _is_mixed_password(raw_value)
    if strength == "token":
        return _is_random_value(raw_value, min_bytes=10, min_entropy=2.6) or _is_random_value(
            raw_value, min_bytes=20, min_entropy=3.5, min_digits=0
        )
    if strength == "pass" and is_password_like(raw_value) and not is_made_of_words(raw_value):
        return True
    if is_digest_or_uuid(raw_value):
        return strength == "vendor"
    return _is_random_value(raw_value, min_bytes=20 if strength == "spaced" else 14, min_entropy=3.0)


def is_password_like(raw_value: bytes) -> bool:
    """Whether a value looks like a spoken password: letters, then digits, or capitals, small letters and digits."""
    if not compile_re(rb"[A-Za-z0-9!?#$%&*+@]*[0-9!?#$%&*+@]").fullmatch(raw_value):
        return False
    mixed = all(len(raw_value.translate(None, few)) < len(raw_value) for few in (_DIGITS, _LOWER, _UPPER))
    return mixed or compile_re(rb"[A-Za-z]{3,}[0-9]{2,6}[!?#$%&*+@]*").fullmatch(raw_value) is not None


def is_phrase_of_words(raw_value: bytes, *, is_variable: bool = False) -> bool:
    """Whether a value is a password of words alone, all different and written alike: `correct horse battery staple`,
    not `see the wiki for it`. Function words, verbs and what is said of passwords make a sentence, but not of a
    variable."""
    words = compile_re(rb"[ ._-]").split(raw_value)
    if is_variable:
        about = secret_names().words_about_passwords.intersection(raw_value.decode("latin-1").lower().split())
        plain = len(words) >= 3 and raw_value.translate(None, b" ._-").isalpha()
        return plain and not about and not compile_re2(_STAND_INS).search(raw_value)
    plain = all(len(word) >= 3 and word.isalpha() for word in words)
    if not (plain and 4 <= len(set(words)) == len(words) <= 12 and len({one.istitle() for one in words}) == 1):
        return False
    texts = [word.decode("latin-1").lower() for word in words]
    if compile_re2(_STAND_INS).search(raw_value) or any(compile_re(_WORD_OF_SENTENCE).search(word) for word in texts):
        return False
    from commonplace.language.text import all_function_words

    return not (secret_names().words_about_passwords | all_function_words()).intersection(texts)


def is_passphrase(raw_value: bytes) -> bool:
    """Whether a quoted value is a password of several words: `two words 9`, not `at least 8 characters`."""
    if is_phrase_of_words(raw_value):
        return True
    words = raw_value.split(b" ")
    if not (2 <= len(words) <= 6 and all(words) and MIN_VALUE_BYTES <= len(raw_value) <= 48):
        return False
    if compile_re2(_STAND_INS).search(raw_value) or compile_re(_ABOUT_PASSWORDS).search(raw_value):
        return False
    mixed = [word for word in words if compile_re(rb"(?![0-9]+[a-z]*$).*[0-9].*").fullmatch(word)]  # not `2x`
    return words[-1].isdigit() or any(not compile_re2(_NOT_SECRET).search(word) for word in mixed)


def is_ordinary_value(raw_value: bytes) -> bool:
    """Whether a value has the shape of a version, a date, a measure, a path, an address or the like."""
    return compile_re2(_NOT_SECRET).search(raw_value.rstrip(b"!?")) is not None


def is_digest_or_uuid(raw_value: bytes) -> bool:
    """Whether a value has the shape of a digest, a commit or a UUID, which are public far more often than secret."""
    if len(raw_value) == 36:
        return bool(compile_re2(_UUID).search(raw_value))
    return len(raw_value) in (32, 40, 56, 64, 96, 128) and bool(compile_re2(_HEX).search(raw_value))


def is_made_of_words(raw_value: bytes, min_average_letters: int = 3) -> bool:
    """Whether a value is made of words and small numbers: `us-east-1`, `getUserName2`, `my_secret_v2`."""
    raw_value = raw_value[:_MAX_WORD_CHECK_BYTES]
    parts = compile_re(rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall(raw_value)
    words = [part for part in parts if part.isalpha()]
    numbers = [part for part in parts if part.isdigit()]
    if len(numbers) > 1 + len(words) or any(len(number) > 4 for number in numbers):
        return False
    if len(raw_value) >= 12 and len(compile_re(rb"[a-z](?=[0-9])|[0-9](?=[a-z])").findall(raw_value)) >= 3:
        return False
    long_enough = sum(map(len, words)) >= min_average_letters * len(parts)
    return bool(words) and long_enough and all(map(is_pronounceable, words))


def has_filler(raw_value: bytes) -> bool:
    """Whether part of a key was blanked out with a run of `x`, `*` or dots."""
    return bool(compile_re(rb"[xX]{6,}|\*{3,}|\.{3}").search(raw_value))


def _is_mixed_password(raw_value: bytes) -> bool:
    kinds = sum(len(raw_value.translate(None, few)) < len(raw_value) for few in (_DIGITS, _LOWER, _UPPER))
    symbols = raw_value.translate(None, _DIGITS + _LOWER + _UPPER)
    if kinds + bool(symbols) < 2:
        return False
    if raw_value.translate(None, b"_.-").isalpha():
        return len(raw_value) >= 16 and not is_made_of_words(raw_value)
    return True


def _is_random_value(raw_value: bytes, *, min_bytes: int, min_entropy: float, min_digits: int = 1) -> bool:
    size = len(raw_value)
    if size < min_bytes:
        return False
    numbers = size - len(raw_value.translate(None, _DIGITS))
    if numbers == size:
        return size >= 16
    lower, upper = len(raw_value.translate(None, _LOWER)) < size, len(raw_value.translate(None, _UPPER)) < size
    if numbers < min_digits or not (lower or upper) or (min_digits == 0 and not (lower and upper)):
        return False
    if is_made_of_words(raw_value):
        return False
    entropy = -sum(n / size * log2(n / size) for n in map(raw_value.count, set(raw_value)))  # Shannon's, bits a byte
    return entropy >= min_entropy


def is_pronounceable(word: bytes) -> bool:
    """Whether letters have the vowels of a word or a name."""
    size = len(word)
    if size <= 3:
        return True
    vowels = size - len(word.translate(None, b"aeiouyAEIOUY"))
    return size <= 24 and 0.15 <= vowels / size <= 0.75 and not compile_re(rb"(?i)[^aeiouy]{5,}").search(word)
