"""Detect secrets by the structure around them: key blocks, URLs, command lines, and columns of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.redact import secret_values
from commonplace.redact.assignments import classify_secret_name, to_ascii_value
from commonplace.redact.findings import SecretMatch
from commonplace.redact.patterns import compile_re, compile_re2

if TYPE_CHECKING:
    from collections.abc import Iterator
_MAX_BLOCK_BYTES = 32_768
_BEGIN = r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_LOGIN = (
    r"(?:^|[\s\"'])(?:-u|--user|--proxy-user|-U)(?:[ \t]*=[ \t]*|[ \t]*)"
    r"[\"']?([A-Za-z0-9_.@+{}\-]+[\"']?:[\"']?[^\s\"'\x00]{3,200})"
)
_FLAG = r"(?:^|\s)(?:-p|-pw|-P|/p:|-Password|-w)[ \t:=]?[ \t]*[\"']?([^\s\"'\x00\-][^\s\"'\x00]{5,200})"
_REDIS = r"redis-cli(?:[ \t][^\n\x00|;&]{0,200}?)?[ \t]-a[ \t]+[\"']?([^\s\"'\x00\-`<$][^\s\"'\x00`<]{5,200})"
_CLIENT_VARIABLE = (  # what a client reads its password from, whatever that looks like
    r"(?:(?:PGPASSWORD|MYSQL_PWD|SSHPASS|REDISCLI_AUTH|RSYNC_PASSWORD|RESTIC_PASSWORD|BORG_PASSPHRASE)[ \t]*[=:]"
    r"|(?i:identified by)[ \t])[ \t]*(?:\"([^\"\n\x00]{5,200})\"|'([^'\n\x00]{5,200})'|([^\s\"'`;\x00]{5,200}))"
)
_DEFAULT_PASSWORDS = (b"postgres", b"mysql", b"changeme", b"example", b"default", b"required")
_LOGIN_TOOLS = (
    *(b"login", b"mysql", b"sshpass", b"psexec", b"plink", b"ldap", b"-viserver", b"redis-cli"),
    *(b"unzip", b"7z ", b"mongo", b"sqlcmd"),
)
_SEED = (
    r"(?i)(?:mnemonic|(?:seed|recovery|secret) phrase)[^a-z\n\x00]{1,20}"
    r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b"
)
_STAND_IN_PASSWORDS = (b"pass", b"password", b"passwd", b"pwd", b"xxx", b"xxxx", b"secret", b"token")


def find_key_blocks(data: bytes) -> Iterator[SecretMatch]:
    """Private keys in PEM and PGP armour, whole; without an END line as far as they look like one."""
    if b"PRIVATE KEY" in data:
        for begin in compile_re2(_BEGIN).finditer(data):
            end = _block_end(data, begin.end())
            if end > begin.end() + 16:
                yield SecretMatch("private-key", begin.start(), end, data[begin.start() : end], 0)
    if b"nemonic" in data or b"phrase" in data:
        for match in compile_re2(_SEED).finditer(data):
            yield SecretMatch("seed-phrase", match.start(1), match.end(1), match.group(1), 1)


def find_url_passwords(data: bytes) -> Iterator[SecretMatch]:
    """`user:password` in front of a host (`postgres://…@db`, `https://…@host`): host and path stay readable."""
    place = data.find(b"://")
    while place >= 0:
        start = place + 3
        place = data.find(b"://", start)
        run = compile_re(rb"[^\s\"'<>`\x00]{1,300}").match(data, start)
        login = _login_before_host(run.group()) if run else b""
        if login:
            yield SecretMatch("url-password", start, start + len(login), login, 1)


def find_command_line_logins(data: bytes) -> Iterator[SecretMatch]:
    """`curl -u name:password` and `-p password` of tools that log in."""
    small = data.lower()
    if b"-u" in small or b"--user" in small or b"--proxy-user" in small:
        for match in compile_re2(_LOGIN).finditer(data):
            name, _, password = match.group(1).translate(None, b"\"'").partition(b":")
            if _may_be_password(name, password) and not password.startswith(b"//"):
                yield SecretMatch("login", match.start(1), match.end(1), match.group(1), 1)
    if any(tool in small for tool in _LOGIN_TOOLS):
        for match in compile_re2(_FLAG).finditer(data):
            if secret_values.is_secret(match.group(1), "password"):
                yield SecretMatch("password", match.start(1), match.end(1), match.group(1), 1)
    for match in compile_re2(_CLIENT_VARIABLE).finditer(data):
        start, end = next(span for span in map(match.span, (1, 2, 3)) if span[0] >= 0)
        if _may_be_password(b"", data[start:end]) and data[start:end].lower() not in _DEFAULT_PASSWORDS:
            yield SecretMatch("password", start, end, data[start:end], 1)
    if b"redis-cli" in data:
        for match in compile_re2(_REDIS).finditer(data):
            password = match.group(1)
            if _may_be_password(b"", password) and len(password.translate(None, b"0123456789")) < len(password):
                yield SecretMatch("password", match.start(1), match.end(1), password, 1)


def _block_end(data: bytes, start: int) -> int:
    limit = min(len(data), start + _MAX_BLOCK_BYTES)
    for edge in (b"-----BEGIN", b"\x00"):
        found = data.find(edge, start, limit)
        limit = found if found >= 0 else limit
    end = compile_re2(_END).search(data, start, limit)
    if end:
        return int(end.end())
    body = compile_re(rb"(?:\\[nr]|[A-Za-z0-9+/=\s\"',+:;.()-])*").match(data, start, limit)
    return body.end() if body else start


def _login_before_host(run: bytes) -> bytes:
    head = run.partition(b"/")[0] if b"@" in run.partition(b"/")[0] else run.partition(b"?")[0]
    login = head.rpartition(b"@")[0]
    name, colon, password = login.partition(b":")
    if not colon or (b"/" in name) or not _may_be_password(name, password):
        return b""
    return login


def _may_be_password(name: bytes, password: bytes) -> bool:
    small = password.lower()
    if len(small) < 4 or small in _STAND_IN_PASSWORDS or name == password:
        return False
    return not (secret_values.has_filler(password) or password[:1] in b"$<{[%*" or b"your" in small)


_EDGES = b" \t\r\"'`*_"
_NO_SEPARATOR = b"\x1f"  # a table of one column has no separator
_PIN_COLUMN_NAMES = ("pin", "pincode", "pin code", "pin-code", "pin_code")
_MAX_HEAD_BYTES = 4096
_HEAD = (
    r"(?i)(?:^|[\n|,;\t])([ *_\"'`]*(?:[a-z][a-z_ -]{0,20}[ _-])?(?:pass[a-z]{0,7}|pwd?|pswd|[a-z]*wor[dt]|kennwort|"
    r"wachtwoord|contrasena|losenord|senha|mdp|secret|token|(?:_*api|secret|access|private)[ _-]?key|"
    r"[a-z]{0,6}_+passwd?|pin(?:[ _-]?code)?)[ *_\"'`:]*(?:\([^()|,;\t\r\n]{1,20}\)[ *_\"'`:]*)?)(?:[|,;\t\r\n]|$)"
)
_MARKDOWN_RULE = r"^[ \t>]*\|?[ \t:|-]*-[ \t:|-]*\r?$"  # what Markdown has below the head of a table


Columns = dict[int, tuple[secret_values.NameStrength, str]]  # by number: strength of the name, and the kind


def find_table_secrets(data: bytes) -> Iterator[SecretMatch]:
    """Secrets in columns whose head names one; a row with more or fewer cells than the head ends the table."""
    done = 0
    for match in compile_re2(_HEAD).finditer(data):
        if match.start(1) < done:
            continue
        start = data.rfind(b"\n", 0, match.start(1)) + 1
        head, below = _line_and_next_start(data, start)
        done = below
        if len(head) > _MAX_HEAD_BYTES:
            continue
        separator = next((one for one in (b"|", b"\t", b";", b",") if one in head), _NO_SEPARATOR)
        columns = _secret_columns(head, separator) if _is_table_head(data, start, below, separator) else {}
        if columns:
            cells_per_row = head.count(separator) + 1
            done, matches = _scan_table_rows(data, below, columns, separator, cells_per_row=cells_per_row)
            yield from matches


def _is_table_head(data: bytes, start: int, next_line_start: int, separator: bytes) -> bool:
    """Whether a line may be the head of a table: with bars the first or ruled off, without any cells after a blank."""
    if separator not in (b"|", _NO_SEPARATOR):
        return True
    before = data[data.rfind(b"\n", 0, max(0, start - 1)) + 1 : start]
    if separator == _NO_SEPARATOR:
        return not before.strip()
    if b"|" not in before:
        return True
    rule = _line_and_next_start(data, next_line_start)[0]
    return b"-" in rule and compile_re2(_MARKDOWN_RULE).search(rule) is not None


def _secret_columns(head: bytes, separator: bytes) -> Columns:
    """The columns whose name indicates secrets."""
    columns: Columns = {}
    for number, cell in enumerate(head.split(separator)):
        name = cell.partition(b"(")[0].strip(_EDGES).decode("latin-1")
        strength, kind = classify_secret_name(name, space_separated=False)
        if name.lower() in _PIN_COLUMN_NAMES:
            columns[number] = "pin", "password"
        elif strength in ("password", "pass", "token"):
            columns[number] = strength, kind
    return columns


def _scan_table_rows(
    data: bytes, start: int, columns: Columns, separator: bytes, *, cells_per_row: int
) -> tuple[int, list[SecretMatch]]:
    """The end of the table, and the secrets in its cells."""
    matches: list[SecretMatch] = []
    while start < len(data):
        row, below = _line_and_next_start(data, start)
        cells = _split_cells(row, separator)
        if len(cells) != cells_per_row or (separator == _NO_SEPARATOR and len(row.split()) != 1):
            break
        for number, cell in enumerate(cells):
            at = start
            for part in cell.split(b"\x00") if number in columns else ():  # what is masked already is never crossed
                raw_value = part.strip(_EDGES)
                strength, kind = columns[number]
                if _is_secret_cell(to_ascii_value(raw_value), strength, separator):
                    first = at + part.index(raw_value)
                    matches.append(SecretMatch(kind, first, first + len(raw_value), raw_value, 2))
                at += len(part) + 1
            start += len(cell) + 1
        start = below
    return start, matches


def _is_secret_cell(raw_value: bytes, strength: secret_values.NameStrength, separator: bytes) -> bool:
    """Whether a cell is a secret; in a table of one column more is required of it."""
    if separator != _NO_SEPARATOR or strength != "password":
        return secret_values.is_secret(raw_value, strength)
    return secret_values.is_secret(raw_value, "pass") or (
        raw_value != raw_value.lower() and secret_values.is_password_like(raw_value)
    )


def _split_cells(row_line: bytes, separator: bytes) -> list[bytes]:
    """The cells of a row; a separator in quotes or after a backslash belongs to its cell."""
    cells, start = [], 0
    protected = compile_re(rb"\\\|" if separator == b"|" else rb'"[^"]*"')
    for cell in protected.sub(lambda match: b"_" * len(match[0]), row_line).split(separator):
        cells.append(row_line[start : start + len(cell)])
        start += len(cell) + 1
    return cells


def _line_and_next_start(data: bytes, start: int) -> tuple[bytes, int]:
    end = data.find(b"\n", start)
    return (data[start:], len(data)) if end < 0 else (data[start:end], end + 1)
