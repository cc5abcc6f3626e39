"""Normalize a text for the redaction rules, and decide quickly whether it may hold a secret."""

from __future__ import annotations

from array import array
from functools import cache
from typing import TYPE_CHECKING

from commonplace.redact.findings import DecodedView

if TYPE_CHECKING:
    import re
HIDDEN_SIGN = "\xad"  # stands for every invisible character, so that one byte stays one character

_CONTROLS = bytes({*range(1, 32), *range(127, 160), 0xAD} - {*b"\t\n\r", 0x85})
_INVISIBLE = (
    "[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
_HIDDEN_UTF8 = (  # the same in decoded bytes, where they are spelled out
    rb"\xc2\xad|\xcd\x8f|\xd8\x9c|\xe1\xa0[\x8b-\x8e]|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf"
)
_HIDDEN = rb"(?:" + _HIDDEN_UTF8 + rb"|[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad])+"
_UTF16_RUN = rb"(?:[\t\n\r -~]\x00){12,}|(?:\x00[\t\n\r -~]){12,}"


def mark_hidden_characters(text: str) -> str:
    """The text with the sign in place of each invisible character."""
    return text if text.isascii() else _invisible_regex().sub(HIDDEN_SIGN, text)


def has_hidden_characters(data: bytes) -> bool:
    """Whether something in a text shows nothing."""
    if len(data.translate(None, _CONTROLS)) != len(data) or b"\xe2\x80" in data:
        return _compile_hidden_regex(_HIDDEN).search(data) is not None
    return b"\x00" in data and _compile_hidden_regex(_UTF16_RUN).search(data) is not None


def view_without_hidden(data: bytes) -> DecodedView | None:
    """The text without what shows nothing; None if there is no such thing."""
    return _view_without_pattern(data, _HIDDEN)


def view_without_nuls(data: bytes) -> DecodedView | None:
    """What has a NUL at each second place, as UTF-16 where it was taken for bytes; NUL between the runs."""
    out, starts, ends = bytearray(), array("I"), array("I")
    for run in _compile_hidden_regex(_UTF16_RUN).finditer(data) if b"\x00" in data else ():
        first, last = run.span()
        out += run.group().replace(b"\x00", b"") + b"\x00"
        starts.extend(range(first, last, 2))
        ends.extend(range(first + 2, last + 2, 2))
        starts.append(last)
        ends.append(last)
    return DecodedView(bytes(out), starts, ends) if out else None


def _view_without_pattern(data: bytes, pattern: bytes) -> DecodedView | None:
    out, starts, last = bytearray(), array("I"), 0
    for match in _compile_hidden_regex(pattern).finditer(data):
        out += data[last : match.start()]
        starts.extend(range(last, match.start()))
        last = match.end()
    if not last:
        return None
    out += data[last:]
    starts.extend(range(last, len(data)))
    return DecodedView(bytes(out), starts, array("I", (place + 1 for place in starts)))


@cache
def _invisible_regex() -> re.Pattern[str]:
    import re

    return re.compile(_INVISIBLE)


@cache
def _compile_hidden_regex(pattern: bytes) -> re.Pattern[bytes]:
    """Python's own engine: these patterns have no choice to go back on."""
    import re

    return re.compile(pattern)


_WORDS_FOR_PASSWORD = {
    "mot de passe": "mot_password",
    "mot-de-passe": "mot_password",
    "palavra-passe": "palavra_passw",
    "palavra passe": "palavra_passw",
    "parola d'ordine": "parola_password",
    "parola d’ordine": "parola_password",
    "contraseña": "contrasena",
    "lösenord": "losenord",
    "пароль": "passwd",
    "密码": "pw",
    "密碼": "pw",
    "口令": "pw",
    "パスワード": "passw",
    "暗証番号": "pswd",
    "비밀번호": "pswd",
    "암호": "pw",
    "hasło": "passw",
    "şifre": "passw",
    "heslo": "passw",
    "salasana": "password",
    "jelszó": "passwd",
    "passord": "_passwd",
    "adgangskode": "adgpassword",
    "mật khẩu": "password",
    "парола": "passwd",
    "лозинка": "_passwd",
    "lozinka": "_passwd",
    "συνθηματικό": "synpassword",
    "κωδικός πρόσβασης": "kodikos__password",
    "סיסמה": "passw",
    "סיסמא": "passw",
    "كلمة المرور": "___password",
    "كلمة السر": "_password",
    "الرقم السري": "___password",
    "رمز عبور": "password",
    "पासवर्ड": "_passwd",
    "รหัสผ่าน": "password",
    "kata sandi": "__password",
    "api key": "_apikey",
    "api-schlüssel": "_______apikey",
    "clé api": "_apikey",
    "clave api": "___apikey",
    "chave api": "___apikey",
    "chiave api": "____apikey",
    "пин-код": "pincode",
}
_ASCII_WORDS = tuple(word for word in _WORDS_FOR_PASSWORD if word.isascii())
_COPULA = r"[ \t]*[是为為は는은](?=[ \t]*[!-~])"  # as `is`, with no space around it
_WIDE_SIGNS = "\u202f\u3000“”„‟「」『』—–→⇒➜" + "".join(map(chr, range(0xFF01, 0xFF5F)))
_ASCII_BY_WIDE_SIGN = str.maketrans(_WIDE_SIGNS, '  """"""""--:::' + "".join(map(chr, range(0x21, 0x7F))))


def translate_password_words(text: str) -> str:
    """The text in which such a word, and what stands between it and its value, is one that the rules know."""
    small, plain = text.lower(), text.isascii()
    if any(word in small for word in (_ASCII_WORDS if plain else _WORDS_FOR_PASSWORD)):
        text = _password_words_regex().sub(_translated_word, text)
    return text if plain or not any(sign in text for sign in _WIDE_SIGNS) else text.translate(_ASCII_BY_WIDE_SIGN)


def _translated_word(match: re.Match[str]) -> str:
    word = _WORDS_FOR_PASSWORD.get(match[1].lower(), match[1])  # `ſ` is an s to a pattern, and none in the table
    return word + (":".rjust(len(match[2])) if match[2] else "")


@cache
def _password_words_regex() -> re.Pattern[str]:
    import re

    return re.compile(f"({'|'.join(_WORDS_FOR_PASSWORD)})({_COPULA})?", re.IGNORECASE)


_SECRET_HINTS = b"""
pass pw pswd secret token key auth cred bearer psk :// mnemonic phrase kennwort wachtwoord contrasena losenord
senha mdp redis-cli
""".split()
_PIN = rb"(?<![a-z])pin(?:cod|code)?(?![a-z])"
_KEY_LENGTH_RUN = rb"[A-Za-z0-9_\-+/=%$.:~]{14}"


def may_hold_secret(data: bytes) -> bool:
    """Whether a telling word, an escape, or a run as long as a key stands in the text, on one line or broken."""
    if b"\\" in data or b"&#" in data or _compile_hint_regex(_KEY_LENGTH_RUN).search(data):
        return True
    small = data.lower()
    if any(word in small for word in _SECRET_HINTS) or b" -p" in small or b" -u" in small:
        return True
    if b"pin" in small and _compile_hint_regex(_PIN).search(small) and _compile_hint_regex(rb"[0-9]{4}").search(small):
        return True
    if has_hidden_characters(data):
        return True
    return b"\n" in data and _compile_hint_regex(_KEY_LENGTH_RUN).search(join_wrapped_lines(data)) is not None


def join_wrapped_lines(data: bytes) -> bytes:
    """The text with its line ends, and what wraps a line around them, taken out."""
    return b"".join(raw_line.strip(b" \t\r\"'>+\\") for raw_line in data.split(b"\n"))


@cache
def _compile_hint_regex(pattern: bytes) -> re.Pattern[bytes]:
    import re

    return re.compile(pattern)
