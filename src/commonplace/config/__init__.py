"""Settings and surroundings: read once at the door, from `commonplace.toml` and the environment, into frozen values."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING, Any

from commonplace import files
from commonplace.config.places import index_path, socket_path
from commonplace.config.values import SETTINGS, Setting, Settings, Surroundings
from commonplace.errors import BadArgument, BadSettings, OutsideWorkspace

if TYPE_CHECKING:
    from commonplace.redact import Known

__all__ = [
    "FILE",
    "LANGUAGES",
    "SETTINGS",
    "Setting",
    "Settings",
    "Surroundings",
    "clock",
    "default_workspace",
    "device_name",
    "index_path",
    "local_time",
    "minute",
    "parse_settings",
    "read_settings",
    "seconds",
    "secret_values",
    "settings_stamp",
    "socket_path",
    "surroundings",
    "variable",
]

FILE = "commonplace.toml"
MOST_SETTINGS = 1_000_000  # bytes
LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "ko", "nl", "pt", "ru", "sv", "th", "zh")  # those that text/ knows
SECRET_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test", ".envrc")


def surroundings() -> Surroundings:
    """Read the environment; nobody else does."""
    get = os.environ.get
    home = get("HOME") or os.path.expanduser("~")
    return Surroundings(
        home=home,
        workspace=get("COMMONPLACE_WORKSPACE", ""),
        now=get("COMMONPLACE_NOW", ""),
        device=get("COMMONPLACE_DEVICE", ""),
        state_home=get("XDG_STATE_HOME", "") or f"{home}/.local/state",
        openclaw_state=get("OPENCLAW_STATE_DIR", ""),
        runtime=get("XDG_RUNTIME_DIR", ""),
        temporary=get("TMPDIR", "") or "/tmp",  # noqa: S108 - where Unix has it; what is made there is the owner's alone
        daemon=get("COMMONPLACE_DAEMON", ""),
        no_color=bool(get("NO_COLOR")),
    )


def secret_values(root: str) -> tuple[Known, ...]:
    """Secrets that the environment and the workspace's `.env` files hold, to be masked wherever they are said.

    Nothing but `redact` gets them, and they are written nowhere. A file that cannot be read is passed over: it is not
    ours.
    """
    from contextlib import suppress

    from commonplace.redact import known_secrets, read_variables

    variables = list(os.environ.items())
    for name in SECRET_FILES:
        with suppress(OutsideWorkspace):
            data = files.find(root, name, MOST_SETTINGS) or b""
            variables += read_variables(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    return known_secrets(variables)


def default_workspace(around: Surroundings) -> str:
    """The named workspace, else OpenClaw's if there is one, else `~/commonplace`."""
    if around.workspace:
        return around.workspace
    openclaw = f"{around.openclaw_state or around.home + '/.openclaw'}/workspace"
    return openclaw if os.path.isdir(openclaw) else f"{around.home}/commonplace"


def read_settings(root: str) -> Settings:
    """The workspace's settings; raises BadSettings with all problems together."""
    path = f"{root}/{FILE}"
    try:
        data = files.find(root, FILE, MOST_SETTINGS)
    except OutsideWorkspace as error:
        raise BadSettings(path, (error.message,)) from None
    if data is None:
        return Settings()
    import tomllib

    try:
        return parse_settings(tomllib.loads(data.decode("utf-8-sig")), path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(path, (str(error),)) from None


def settings_stamp(root: str) -> tuple[int, ...]:
    """What changes whenever the workspace's settings are written; empty where there are none.

    Taken before they are read, it tells later whether what was read still holds.
    """
    try:
        found = os.lstat(f"{root}/{FILE}")  # a link is not followed when they are read
    except OSError:  # there are none, or reading them says what is wrong
        return ()
    return (found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


def parse_settings(table: dict[str, Any], path: str = FILE) -> Settings:
    """A decoded TOML table as Settings; unknown keys are errors with a suggestion."""
    known = {setting.key: setting for setting in SETTINGS}
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in _flatten(table):
        setting = known.get(key)
        problem = _unknown(key, tuple(known)) if setting is None else _mismatch(setting, value)
        if problem or setting is None:
            problems.append(problem)
        else:
            values[setting.field] = tuple(value) if setting.type == "texts" else value
    problems += _bad_zone(str(values.get("timezone", "local")))
    problems += _bad_language(str(values.get("language", "auto")))
    problems += _bad_vectors(values) if any(key.startswith("vectors_") for key in values) else []
    if problems:
        raise BadSettings(path, tuple(problems))
    return Settings(**values)


def _flatten(table: dict[str, Any]) -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in table.items():
        if isinstance(value, dict):
            flat += [(f"{key}.{inner}", item) for inner, item in value.items()]
        else:
            flat.append((key, value))
    return flat


def _unknown(key: str, known: tuple[str, ...]) -> str:
    return f"unknown key {key!r}{_near(key, known, 'keys')}"


def _near(written: str, known: tuple[str, ...], what: str) -> str:
    """What may have been meant, else all that is known."""
    import difflib

    near = difflib.get_close_matches(written, known, 1)
    return f": did you mean {near[0]!r}?" if near else f"; known {what}: {', '.join(known)}"


def _mismatch(setting: Setting, value: object) -> str:
    """What is wrong with a value; empty if nothing is."""
    if setting.type == "integer":
        if isinstance(value, bool) or not isinstance(value, int):
            return f"{setting.key} must be a whole number, not {value!r}"
        if not setting.least <= value <= setting.greatest:
            return f"{setting.key} must lie between {setting.least} and {setting.greatest}, not {value}"
    elif setting.type == "switch" and not isinstance(value, bool):
        return f"{setting.key} must be true or false, not {value!r}"
    elif setting.type == "text" and not isinstance(value, str):
        return f"{setting.key} must be text in quotes, not {value!r}"
    elif setting.type == "texts":
        if not (isinstance(value, list) and all(isinstance(item, str) for item in value)):
            return f"{setting.key} must be a list of texts, not {value!r}"
        return _unknown_name(setting, value)
    return ""


def _unknown_name(setting: Setting, names: list[str]) -> str:
    """What is wrong with the first of the names that the setting does not know; empty if it knows them all."""
    unknown = [name for name in names if name not in setting.names] if setting.names else []
    return f"{setting.key}: unknown name {unknown[0]!r}{_near(unknown[0], setting.names, 'names')}" if unknown else ""


def _bad_zone(name: str) -> list[str]:
    if name == "local":
        return []
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return [f"timezone {name!r} is not known; use an IANA name such as 'Europe/Berlin', or 'local'"]
    return []


def _bad_language(name: str) -> list[str]:
    if name == "auto":
        return []
    if name in LANGUAGES:
        return []
    return [f"language {name!r} is not known; use one of {' '.join(LANGUAGES)}, or 'auto'"]


def _bad_vectors(values: dict[str, Any]) -> list[str]:
    from commonplace import embed

    provider, model, endpoint = (values.get(f"vectors_{name}", "") for name in ("provider", "model", "endpoint"))
    chosen = embed.Choice(provider, model, endpoint)
    return embed.problems(values.get("vectors_mode", "none"), chosen, values.get("vectors_key_env", ""))


def variable(name: str) -> str:
    """The environment variable that a setting names; empty if it is not set, or none is named."""
    return os.environ.get(name, "") if name else ""


def minute(written: str) -> str:
    """An ISO date or minute as an ISO minute. Raises BadArgument."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(written).isoformat(timespec="minutes")[:16]
    except ValueError:
        raise BadArgument(f"now: {written!r} is not an ISO date or minute", hint="say 2025-11-27T09:40") from None


def clock(settings: Settings, around: Surroundings) -> str:
    """The time now as a local ISO minute, in the settings' zone; COMMONPLACE_NOW fixes it."""
    from datetime import datetime

    if around.now:
        try:
            return datetime.fromisoformat(around.now).isoformat(timespec="minutes")[:16]
        except ValueError:
            raise BadSettings("the environment", (f"COMMONPLACE_NOW {around.now!r} is not an ISO date",)) from None
    if settings.timezone == "local":
        return datetime.now().isoformat(timespec="minutes")
    from zoneinfo import ZoneInfo

    return datetime.now(ZoneInfo(settings.timezone)).isoformat(timespec="minutes")[:16]


def seconds() -> float:
    """The time now in seconds since 1970, whatever COMMONPLACE_NOW says: for what is planned and counted."""
    from time import time

    return time()


def local_time(written: str, settings: Settings) -> str:
    """An ISO time as local time in the settings' zone, to the second; one without an offset is local already.

    What is no ISO time comes back as it is.
    """
    from datetime import datetime

    try:
        said = datetime.fromisoformat(written)
    except ValueError:
        return written
    if said.tzinfo is None or not 1 < said.year < 9999:  # at the ends of the calendar no zone has room
        return written
    if settings.timezone == "local":
        return said.astimezone().replace(tzinfo=None).isoformat(timespec="seconds")
    from zoneinfo import ZoneInfo

    return said.astimezone(ZoneInfo(settings.timezone)).replace(tzinfo=None).isoformat(timespec="seconds")


def device_name(settings: Settings, around: Surroundings) -> str:
    """The name of this machine in journal file names: set by hand, else host name and a checksum of its id."""
    named = around.device or settings.device
    if not named:
        from zlib import crc32  # hashlib would load OpenSSL, 2 ms at each start

        suffix = crc32(f"{_first_line('/etc/machine-id')}\0{os.getuid()}".encode()) & 0xFFFF
        named = f"{os.uname().nodename.split('.')[0][:24]}-{suffix:04x}"
    safe = "".join(c if c.isascii() and c.isalnum() else "-" for c in named.lower()).strip("-")
    return safe[:40] or "device"


@cache
def _first_line(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""
