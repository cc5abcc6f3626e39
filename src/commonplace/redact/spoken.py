"""Words for a password in other languages, and wide letters, put in what the rules know and is as long."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

_WORDS = {
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
_PLAIN = tuple(word for word in _WORDS if word.isascii())
_IS = r"[ \t]*[是为為は는은](?=[ \t]*[!-~])"  # as `is`, with no space around it
_SIGNS = "\u202f\u3000“”„‟「」『』—–→⇒➜" + "".join(map(chr, range(0xFF01, 0xFF5F)))
_KNOWN = str.maketrans(_SIGNS, '  """"""""--:::' + "".join(map(chr, range(0x21, 0x7F))))


def understood(text: str) -> str:
    """The text in which such a word, and what stands between it and its value, is one that the rules know."""
    small, plain = text.lower(), text.isascii()
    if any(word in small for word in (_PLAIN if plain else _WORDS)):
        text = _words().sub(_known, text)
    return text if plain or not any(sign in text for sign in _SIGNS) else text.translate(_KNOWN)


def _known(match: re.Match[str]) -> str:
    word = _WORDS.get(match[1].lower(), match[1])  # `ſ` is an s to a pattern, and none in the table
    return word + (":".rjust(len(match[2])) if match[2] else "")


@cache
def _words() -> re.Pattern[str]:
    import re

    return re.compile(f"({'|'.join(_WORDS)})({_IS})?", re.IGNORECASE)
