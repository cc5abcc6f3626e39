"""The two streams: data on stdout, words on stderr; nothing on them can steer a terminal or fail in its locale."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, NoReturn

from commonplace.errors import CommonplaceError
from commonplace.shapes import encode_json_line, problem_json, repair_text

BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
EXIT_FINDINGS = 3  # the exit code of a check that found something
CONTROL_PICTURES = 0x2400  # `␀`: each C0 control has its picture there, in order


def replace_broken_streams() -> None:
    """A character that a stream cannot write is replaced, and a stream that is closed swallows what it is given."""
    from io import StringIO

    if sys.stdout is None:
        sys.stdout = StringIO()
    if sys.stderr is None:
        sys.stderr = StringIO()
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def close_stdout() -> None:
    """Let go of stdout without another attempt to write what is left; the interpreter tries at its end otherwise.

    What is written from here on is swallowed.
    """
    from io import StringIO

    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if raw is not None:
        raw.close()
        sys.stdout = StringIO()


def exit_process() -> NoReturn:
    """End the process as it is: taking an interpreter apart costs more than asking the daemon. Nothing may be open."""
    with suppress(OSError, ValueError):  # whoever read it has gone
        sys.stdout.flush()
    os._exit(0)


def print_lines(lines: Iterable[str]) -> None:
    """Lines of data on stdout."""
    for line in lines:
        sys.stdout.write(escape_control_characters(line) + "\n")


def print_json(document: Any) -> int:
    """One JSON document on one line of stdout; returns exit code 0."""
    sys.stdout.write(json_line(document, sys.stdout.encoding))
    return 0


def print_result(options: Namespace, document: Any, lines: Iterable[str] = (), messages: Iterable[str] = ()) -> int:
    """The JSON document with `--json`, else lines on stdout and messages on stderr; returns exit code 0."""
    if options.json:
        return print_json(document)
    print_lines(lines)
    print_messages(*messages)
    return 0


def print_answer(
    options: Namespace,
    answer_name: str,
    value: Any,
    lines: Iterable[str] = (),
    *,
    messages: Iterable[str] = (),
    **more: Any,
) -> int:
    """The value in its documented shape with `--json`, else lines and messages; `more` as `answer_json` takes it."""
    if not options.json:
        return print_result(options, None, lines, messages)
    from commonplace.operations.serializers import answer_json

    return print_json(answer_json(answer_name, value, **more))


def print_error(error: CommonplaceError, *, as_json: bool) -> int:
    """Print the error on stderr, as words or as `commonplace.error.v1`; returns the exit code."""
    if as_json:
        sys.stderr.write(json_line(problem_json(error), sys.stderr.encoding))
        return error.exit_code
    where = f" ({error.path} line {error.line})" if error.line else ""
    first, *rest = error.message.replace(f"{working_folder()}/", "").split("\n")
    print_messages(f"commonplace: {first}{where}", *(f"  {line}" for line in rest))
    if error.hint:
        print_messages(f"hint: {error.hint}")
    return error.exit_code


def print_messages(*messages: str) -> None:
    """Lines of words for a person, on stderr."""
    for line in messages:
        sys.stderr.write(escape_control_characters(line) + "\n")


def escape_control_characters(line: str) -> str:
    """The line with a replacement character for each that could control a terminal, except our own styling."""
    if line.isprintable():
        return line
    for emphasis in (BOLD, DIM, PLAIN) if is_terminal() else ():
        if emphasis in line:
            return emphasis.join(escape_control_characters(part) for part in line.split(emphasis))
    return "".join(map(_control_picture, line))


def working_folder() -> str:
    """The folder in which the command was started; a name that does not exist if that folder is gone."""
    try:
        return os.path.realpath(os.curdir)
    except FileNotFoundError:
        return "\0"


def is_terminal() -> bool:
    """Whether a person looks at stdout."""
    return sys.stdout.isatty()


def json_line(document: Any, encoding: str | None) -> str:
    """A JSON document and a newline; `\\u` escapes replace what a terminal or the encoding does not support."""
    text = encode_json_line(document).decode()[:-1]
    utf8 = (encoding or "").lower().startswith("utf")
    if not (text.isprintable() and (utf8 or text.isascii())):
        text = "".join(char if char.isprintable() and (utf8 or char.isascii()) else _json_escape(char) for char in text)
    return text + "\n"


def is_encodable(text: str) -> bool:
    """Whether it can be encoded: names of files that are not UTF-8 reach us with lone surrogates in them."""
    if text.isascii():
        return True
    return repair_text(text) == text


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def _control_picture(char: str) -> str:
    if char.isprintable() or char == "\t":
        return char
    if char < " ":
        return chr(CONTROL_PICTURES + ord(char))
    from unicodedata import category

    return "\ufffd" if char in BIDI_CONTROLS or category(char) in ("Cc", "Cs", "Zl", "Zp") else char
