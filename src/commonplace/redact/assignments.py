"""Detect secrets by a name beside them: assignments, options, sentences, and PINs."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from commonplace.redact import secret_values
from commonplace.redact.findings import SecretMatch
from commonplace.redact.patterns import compile_re, compile_re2, secret_names, service_names

if TYPE_CHECKING:
    from collections.abc import Iterator
_SECRET_STEMS = (
    "pass|pw|pwd|pswd|secret|token|key|auth|cred|bearer|psk|cookie|sessid|jwt|webhook"
    "|kennwort|wachtwoord|contrasena|losenord|senha|mdp"
)
_COPULAS = (
    r"(?:(?:is|was|has been) )?(?:now|(?:now )?(?:changed|set|reset|updated) to)|is|was|to|from"
    r"|(?:ist|lautet)(?: jetzt| nun)?|war|est(?: maintenant)?|es(?: ahora)?|[\xe8\xe9]|\xe4r|er|je|jest"
)
_ASSIGNMENT = (
    r"(?i)(?:{names})[A-Za-z0-9_.\-]*(?:\\*[\"'`])?[\])]?(?:\*\*)?(?:("
    r"[ \t\xa0]*(?:=>|:{1,2}=|\?=|[=!]==?|=|:)(?:\*\*)?[ \t]*(?:\xab[ \t\xa0]?|\|\|)?"
    r"|[ \t]+-{1,2}>?[ \t]+|[ \t]*\|[ \t]*"
    r"|[ \t]*,[ \t]*(?:\\*[\"'`])|[ \t]+(?:value|content)=|\\*[\"'`]?>[ \t]*\{?"
    rf")|([ \t]+(?:(?:{_COPULAS})[ \t]*:?[ \t]+)?)[^\s0-9\x00]*[0-9])"  # only a space: the next word has a digit
)
_NAME_AT_LINE_END = (  # a name at the end of its line, perhaps with a scheme: the value is on the next
    rf"(?i)(?:{_SECRET_STEMS})[A-Za-z0-9_.\-]{{0,64}}(?:\\*[\"'`])?[\])]?[ \t]*(?:=>|:=|=|:)[ \t]*"
    r"(?:(?:{schemes})[ \t]*)?"
    r"[\"'`>|\\+]?[ \t]*(?:\r?\n[ \t]*(?:- )?|\\r?\\n[ \t]*)"
)
_PREPOSITIONS = (
    r"for|of|to|on|at|in|from|f\xfcr|von|vom|zum|zur|im|am|de|del|du|des|pour|para|per|di|da|do|voor|van|f\xf6r|till?"
    r"|ke?|na|za|od|pro|dla|\?{1,4}"  # a short word in letters that Latin-1 has not
)
_DESCRIBED_NAME = (  # a name, then of what it is, then the value
    rf"(?i)(?:{_SECRET_STEMS})[A-Za-z0-9_]{{0,12}}(?:[ \t]+\([^()\n\x00]{{1,30}}\)|(?:[ \t]+\([^()\n\x00]{{1,30}}\))?"
    rf"[ \t]+(?:{_PREPOSITIONS})[ \t]+[^\n:=\x00]{{1,40}}?)"
    rf"(?:[ \t]*(?:\*\*)?[:=](?:\*\*)?[ \t]+|([ \t]+(?:{_COPULAS})[ \t]*:?[ \t]+)[^\s0-9\x00]*[0-9])"
)
_STATED_PHRASE = (  # in a sentence, where only quotes or the word passphrase show that it is the value
    rf"(?i)(?:passwor[dt]|kennwort|wachtwoord|contrasena|losenord|senha|(pass[ -]?phrase))[ \t]+"
    rf"(?:{_COPULAS})[ \t]*:?[ \t]*"
    r"([\"'`]?)((?:[a-z]{3,16} ){3,11}[a-z]{3,16})([\"'`]?)[ \t]*(?:$|[^a-z \t])"
)
# The text before a name that a shell line sets.
_SHELL_LINE_START = rb"(?:^|[\r\n])[ \t]*(?:export |set |ENV |ARG |- )?[ \t]*$"
_CHANGE_VERB = rb"(?i)\b(?:chang|reset|set|updat|switch)[a-z]*[ \t][^\n\x00]{0,24}$"
_LOGIN = rb"(?i)(?:user|username|login|e-?mail|account)[\"'`*]{0,3}[ \t]*[:=][^\n\x00]{1,64}(?:\r?\n[^\n\x00]{0,16})?$"
_TRAVEL_PASS = (
    rb"(?i)\b(?:ski|lift|mountain|alpine|rail|train|bus|tram|day|season|boarding|travel|museum|park|city|press)[ \t]$"
)
_PHRASE = rb"((?:[A-Za-z]{3,16} ){3,11}[A-Za-z]{3,16})[ \t]*(?:\r?\n|$|\.(?:\s|$)|[-\"'`<|#,;()}])"  # up to its end
_NUMBERED_WORDS = rb"[a-z]{3,}(?:[._-][a-z]{3,})+[._-]?[0-9]{2,6}"
_SESSION_OF_HOST = rb"\bagent:(?:[A-Za-z0-9_.@+-]{1,64}:)+$"  # before a part of its key: `agent:main:telegram:…`
_CALL = rb"\((?:\)|[0-9, ]{1,12}\)|[\"'])"
_NAME_BYTES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-$"
_PASSWORD_TAILS = ("password", "passwd", "passphrase", "passwort", "kennwort", "wachtwoord")
_TOKEN_TAILS = ("secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "pwd")
_MAX_VALUE_BYTES = 256
_MAX_NAMES_IN_RUN = 3  # an endless `key=a1key=a1…` is no configuration


def find_assignments(data: bytes) -> Iterator[SecretMatch]:
    """Secrets that are assigned to a name, or follow it."""
    position, run_end, judged = 0, 0, 0
    while match := _compile_with_names(_ASSIGNMENT).search(data, position):
        spaced = match.end(1) < 0
        position = match.end(2) if spaced else match.end(1)
        verb = match[2].strip(b" \t:") if spaced else b":"
        start, end, edge = _locate_value(data, position)
        judged = judged + 1 if start < run_end else 0
        run_end = max(run_end, edge)
        if judged > _MAX_NAMES_IN_RUN:
            position = run_end
        hit = _match_value(data, match.start(), (start, end), verb)
        if hit:
            yield hit
            position = hit.end


def find_values_on_next_line(data: bytes) -> Iterator[SecretMatch]:
    """Secrets on the line below their name: `Authorization: Basic` and its credentials."""
    for match in _compile_with_names(_NAME_AT_LINE_END).finditer(data):
        start, end, _ = _locate_value(data, match.end())
        raw_value = data[start:end]
        named = data[end : end + 1] == b":" or b"=" in raw_value.rstrip(b"=")  # the next name, not a value
        if named or not any(digit in raw_value for digit in b"0123456789"):
            continue
        hit = _match_value(data, match.start(), (start, end), b":")
        if hit:
            yield hit


def find_described_values(data: bytes) -> Iterator[SecretMatch]:
    """Secrets after a name and a description of it: `the password for the router is …`, `Token (new): …`."""
    for match in compile_re2(_DESCRIBED_NAME).finditer(data):
        spaced = match.end(1) >= 0
        start, end, _ = _locate_value(data, match.end(1) if spaced else match.end())
        hit = _match_value(data, match.start(), (start, end), match[1].strip(b" \t:") if spaced else b":")
        if hit:
            yield hit
    for match in compile_re2(_STATED_PHRASE).finditer(data):
        if (match[1] or (match[2] and match[2] == match[4])) and secret_values.is_phrase_of_words(match[3]):
            yield SecretMatch("password", match.start(3), match.end(3), match[3], 2)


def _match_value(data: bytes, stem_start: int, span: tuple[int, int], connector: bytes) -> SecretMatch | None:
    """The value, if it is a secret; `connector` are the words between it and its name, or `:` for any punctuation."""
    head = data[max(0, stem_start - 64) : stem_start]
    first = stem_start - len(head) + len(head.rstrip(_NAME_BYTES))  # of the name: that of `DB_` in `DB_PASSWORD`
    spaced = connector != b":"
    if compile_re(_SESSION_OF_HOST).search(data, max(0, first - 128), first):
        return None
    for start, end in _candidate_spans(data, first, span):
        if end - start < secret_values.MIN_VALUE_BYTES - 1:
            continue
        found = compile_re(rb"[A-Za-z0-9_.\-$]{1,128}").match(data, first)
        name = found[0].decode() if found else ""
        bar, kind = classify_secret_name(name, space_separated=spaced)
        if bar == "pass" and not spaced:
            bar = _strength_of_pass(data, first, start, end)
        if bar is None or _is_other_abbreviation(name.lower(), data[start:end]) or _is_call_or_type(data, start, end):
            continue
        if bar == "password":  # with the marks that may be its last characters: `Sonne24!`
            marks = compile_re(rb"!{1,3}" if spaced else rb"[!?]{1,3}").match(data, end)
            mixed = any(map(str.isdigit, shown := data[start:end].decode("latin-1"))) and any(map(str.isalpha, shown))
            end = marks.end() if marks and mixed else end
        value, is_stated = to_ascii_value(data[start:end]), spaced and _states_value(data, first, connector)
        is_variable = bar == "password" and name.isupper() and data[start - 2 : start].rstrip(b"\"'")[-1:] == b"="
        if (is_variable and secret_values.is_phrase_of_words(value, is_variable=True)) or _is_secret_in_context(
            value, bar, is_option=name[:1] == "-", space_separated=spaced, is_stated=is_stated
        ):
            if data[end : end + 1] == b"=" or end - start >= _MAX_VALUE_BYTES:  # the value continues unquoted
                rest = compile_re(rb"[^\s\"'`,;<>(){}\[\]|\\&\x00]*").match(data, end)
                end = rest.end() if rest else end
            return SecretMatch(kind, start, end, data[start:end], 2)
    return None


def _strength_of_pass(data: bytes, name_start: int, start: int, end: int) -> secret_values.NameStrength:
    """The strength of the name `pass`: that of a password after a user's name or as a variable; `PASS:` is the result
    of a test, and a ticket or a mountain pass is not a secret."""
    if compile_re(_TRAVEL_PASS).search(data[max(0, name_start - 12) : name_start]):
        return "key"
    if compile_re(_LOGIN).search(data[max(0, name_start - 96) : name_start]):
        return "password"
    raw_value, name = data[start:end], data[name_start : name_start + 4]
    is_like = secret_values.is_password_like(raw_value)
    if name == b"PASS":
        return "password" if data[start - 1 : start] == b"=" and is_like else "key"
    return "password" if name == b"pass" and is_like and raw_value[:1].isupper() and raw_value[1:].islower() else "pass"


def _is_other_abbreviation(name: str, raw_value: bytes) -> bool:
    """Whether the name abbreviates something else: `MDP: Markov2Decision`, `PW | VW-Golf8`."""
    if name == "pw":
        return compile_re(rb"[A-Z]{2,4}-[A-Z][a-z]+[0-9]{0,3}").fullmatch(raw_value) is not None
    return name == "mdp" and raw_value[-1:].isalpha() and secret_values.is_made_of_words(raw_value, 2)


def _is_call_or_type(data: bytes, start: int, end: int) -> bool:
    """Whether the value is a function call, or a type with its size: `getpass1()`, `VARCHAR2(64)`."""
    if not compile_re(_CALL).match(data, end):
        return False
    raw_value = data[start:end]
    return raw_value.replace(b"_", b"").replace(b".", b"").isalnum() and secret_values.is_made_of_words(raw_value, 2)


def _states_value(data: bytes, name_start: int, connector: bytes) -> bool:
    """Whether a sentence states the value: `is`, `was changed to`, and `to` after `changed the password`."""
    if connector == b"to":
        return compile_re(_CHANGE_VERB).search(data[max(0, name_start - 40) : name_start]) is not None
    return connector not in (b"", b"from")


def _candidate_spans(data: bytes, name_start: int, span: tuple[int, int]) -> Iterator[tuple[int, int]]:
    """The possible spans of the value, the likeliest first: all of a shell's assignment, or up to the next `&name=`."""
    start, end = span
    phrase = compile_re(_PHRASE).match(data, start)
    if phrase:
        yield start, phrase.end(1)
    name, before = data[name_start : start - 1], data[max(0, name_start - 32) : name_start]
    is_assigned = data[start - 1 : start] == b"=" and name == name.upper()
    if is_assigned and compile_re(_SHELL_LINE_START).search(before):
        match = compile_re(rb"[^\s\"'\x00]{1,256}").match(data, start)
        whole = match.group().rstrip(b";,)]}>\\") if match else b""
        if len(whole) > end - start:
            yield start, start + len(whole)
    elif b"&" in data[start:end] and data[start - 1 : start] not in (b'"', b"'", b"`"):
        in_query = data[name_start - 1 : name_start] in (b"?", b"&") if name_start else False
        pair = compile_re(rb"&" if in_query else rb"&(?:[A-Za-z_][A-Za-z0-9_.%\[\]-]{0,63}=|[a-z]{2,4}$)").search(
            data[start:end]
        )
        end = start + pair.start() if pair else end
    yield start, end


def to_ascii_value(raw_value: bytes) -> bytes:
    """The value in ASCII: a foreign letter becomes `e`, so that words stay words, and foreign quotes are dropped."""
    letters = (one if one.isascii() else "e" for one in raw_value.decode("latin-1") if one.isascii() or one.isalpha())
    return raw_value if raw_value.isascii() else "".join(letters).encode()


def _is_secret_in_context(
    raw_value: bytes, strength: secret_values.NameStrength, *, is_option: bool, space_separated: bool, is_stated: bool
) -> bool:
    """Whether a value is a secret; the conditions are stricter if only a space separates it from its name."""
    if not space_separated:
        return secret_values.is_secret(raw_value, strength) or (
            strength == "password" and secret_values.is_passphrase(raw_value)
        )
    if strength == "password":
        signs = secret_values.is_password_like(raw_value), not secret_values.is_made_of_words(raw_value)
        like = all(signs) or (is_stated and (any(signs) or compile_re(_NUMBERED_WORDS).fullmatch(raw_value)))
        return secret_values.is_secret(raw_value, "password" if is_option or like else "token")
    if strength == "token" and (is_option or is_stated or not secret_values.is_digest_or_uuid(raw_value)):
        return secret_values.is_secret(raw_value, "token") and len(raw_value) >= 14
    return secret_values.is_secret(raw_value, "spaced")


@lru_cache(maxsize=1024)
def classify_secret_name(name: str, *, space_separated: bool) -> tuple[secret_values.NameStrength | None, str]:
    """The strength with which a name indicates a secret, and the kind of secret."""
    names = secret_names()
    words = [word.lower() for word in compile_re("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+").findall(name)]
    vendor = _vendor_in_name(name.lower(), words)
    if not words or (words[-1] in names.harmless_suffixes and len(words) > 1):
        return None, ""
    kind = f"{vendor}-key" if vendor else ""
    tail = next((word for word in reversed(words) if not word.isdigit()), "")
    if tail == "pass" and len(words) == 1:
        return "password" if name[:1] == "-" else "pass", "password"  # `PASS: 12 tests` is more frequent
    if tail in names.password_words or tail.endswith(_PASSWORD_TAILS):
        return "password", kind or "password"
    pair = "".join(words[-2:])
    if tail in names.token_words or pair in names.token_words or tail.endswith((*_PASSWORD_TAILS, *_TOKEN_TAILS)):
        return "token", kind or "token"
    if tail in names.key_words:
        if len(words) > 1 and words[-2] in names.id_qualifiers:
            return None, ""
        telling = vendor or names.key_qualifiers & set(words)
        return ("token" if telling else "key"), kind or "key"
    if vendor:
        return ("spaced" if space_separated else "vendor"), kind
    return None, ""


def _vendor_in_name(name: str, words: list[str]) -> str:
    """The service in a name, by a whole word if there is one."""
    for word in words:
        if word in service_names():
            return word
    flat = name.replace("_", "").replace("-", "").replace(".", "").replace("passphrase", "")
    inside = [(flat.index(name), -len(name), name) for name in service_names() if len(name) > 5 and name in flat]
    return min(inside)[2] if inside else ""


def _locate_value(data: bytes, start: int) -> tuple[int, int, int]:
    """The start and end of a value, after a scheme such as `Bearer`, and the end of its unbroken run."""
    start, end, edge = _locate_value_token(data, start)
    if data[start:end].lower().decode("latin-1") in secret_names().auth_schemes:
        return _locate_value_token(data, end + 1)
    return start, end, edge


def _locate_value_token(data: bytes, start: int) -> tuple[int, int, int]:
    match = compile_re(rb"\\*([\"'`])").match(data, start)
    if match:
        start = match.end()
        raw_line = data[start : start + _MAX_VALUE_BYTES]
        stop = raw_line.find(match.group(1))
        before = raw_line[:stop]
        if stop > 0 and raw_line[:1] not in b",;:)]}" and b"\n" not in before and b"\x00" not in before:
            end = start + len(raw_line[:stop].rstrip(b"\\"))
            return start, end, end
    run = compile_re(rb"[^\s\"'`,;<>(){}\[\]|\\\x00]{1,256}").match(data, start)
    if not run:
        return start, start, start
    raw_value = run.group()
    size = len(raw_value.rstrip(b".:!?")) if len(raw_value) < _MAX_VALUE_BYTES else len(raw_value)
    pair = raw_value.find(b"&")  # behind it another name may begin
    return start, start + size, start + pair if pair >= 0 else run.end()


@cache
def _compile_with_names(pattern: str) -> Any:
    """A pattern with the words of the tables in it."""
    names = "|".join([_SECRET_STEMS, *sorted(service_names())])
    schemes = "|".join(sorted(secret_names().auth_schemes))
    return compile_re2(pattern.replace("{names}", names).replace("{schemes}", schemes))


_PIN_VALUE = (  # behind a mere space only a `pin code` or the PIN of something: `PIN 8080` may be anything
    r"(?i)(?:^|[^a-z0-9$.])"
    r"(?:(?:(?:my|our|his|her|sim|card|bank|door|gate|alarm|safe|atm)[ _-]pin|pin[ _-]?{code})[ \t]+|"
    r"pin(?:[ _-]?{code})?[\"'`]?(?:\*\*)?(?:[ \t]+\([^()\n\x00]{1,30}\))?"
    r"(?:[ \t]+(?:for|of|f\xfcr|de|du|der|zum)[ \t]+[^\n:=\x00]{1,40}?)?"
    r"(?:[ \t]*(?:\*\*)?(?:[:=|]|[-=]>)(?:\*\*)?[ \t]*|[ \t]+(?:is|was|is now|ist|lautet|est|es)[ \t]*:?[ \t]+))"
    r"[\"'`]?([0-9]{4,8})"
)
_WORDS_FOR_CODE = r"(?:code|cod|number|nummer|nr|kod|\?{3})"
_LONGER_NUMBER = (  # the number continues, or counts something
    rb"[A-Za-z0-9_%/\xb0-]|[.,:][0-9A-Za-z]|[ \t]?(?:of|and|to|x|times|[kmM]?(?:Ah?|V|W|[Oo]hms?|Hz|mm?|g))\b"
)
_OTHER_CODE = rb"(?i)\b(?:gpio|rolling|postal|zip|area)[ _-]$"  # what is no personal number


def find_pins(data: bytes) -> Iterator[SecretMatch]:
    """Numbers that follow the word PIN and a punctuation mark or a verb."""
    for match in compile_re2(_PIN_VALUE.replace("{code}", _WORDS_FOR_CODE)).finditer(data):
        start, end = match.span(1)
        before = data[max(0, match.start() - 8) : match.start() + 1]
        is_other = compile_re(_LONGER_NUMBER).match(data, end) or compile_re(_OTHER_CODE).search(before)
        if secret_values.is_secret(match[1], "pin") and not is_other:
            yield SecretMatch("password", start, end, match[1], 2)
