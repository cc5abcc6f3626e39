"""Read `commonplace.toml` and the environment once; find the index and the socket of a workspace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from commonplace.errors import BadArgument, BadSettings, OutsideWorkspace
from commonplace.storage import files, settings_checks
from commonplace.storage.settings import SETTINGS, Environment, Settings

if TYPE_CHECKING:
    from commonplace.redact import KnownSecret

SYNC_TOOL_FOLDERS = (
    *("dropbox", "onedrive", "google drive", "googledrive", "icloud", "mobile documents", "nextcloud", "syncthing"),
)
MOUNT_TABLE = "/proc/mounts"
MAX_SOCKET_PATH_BYTES = 100  # bytes; of the name of a socket some systems take no more than 103
NETWORK_FILESYSTEMS = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "fuse.sshfs", "fuse.rclone", "ceph", "glusterfs")
)


def index_path(root: str, settings: Settings, environment: Environment) -> str:
    """The path of the index: as set, else in `.memory`, else in the state directory for a folder that is on a network,
    managed by a sync tool, or not writable (SQLite's locks and its log are not reliable there)."""
    if settings.index_path:
        return os.path.join(root, os.path.expanduser(settings.index_path))
    state = f"{root}/.memory"
    if not f"{os.path.realpath(state)}/".startswith(f"{root.rstrip('/')}/"):
        raise OutsideWorkspace(state, "it is a link that leads out of the workspace")
    if _is_on_local_disk(root) and os.access(state if os.path.isdir(state) else root, os.W_OK):
        return f"{state}/index.sqlite"
    from hashlib import blake2b

    name = blake2b(root.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()
    return f"{environment.state_home}/commonplace/{name}/index.sqlite"


def socket_path(root: str, environment: Environment) -> str:
    """The path of the daemon's socket: in the runtime directory, else the state directory, else the directory for
    temporary files. Empty where no name is short enough for a socket: then no daemon can listen."""
    from zlib import crc32  # hashlib would load OpenSSL, 2 ms at each start

    named = root.encode("utf-8", "surrogateescape")
    name = f"{crc32(named):08x}{crc32(named[::-1]):08x}.sock"
    folders = [f"{environment.runtime}/commonplace"] if environment.runtime else []
    folders += [f"{environment.state_home}/commonplace/run"] if environment.state_home else []
    paths = (f"{folder}/{name}" for folder in (*folders, f"{environment.temporary}/commonplace-{os.getuid()}"))
    return next((path for path in paths if len(os.fsencode(path)) < MAX_SOCKET_PATH_BYTES), "")


def _is_on_local_disk(root: str) -> bool:
    """Whether a folder is neither on a network nor managed by a sync tool; Syncthing marks a folder at or above it."""
    if any(part.startswith(SYNC_TOOL_FOLDERS) for part in root.lower().split("/")):
        return False
    folder = root
    while folder not in ("", "/"):
        if os.path.lexists(f"{folder}/.stfolder"):
            return False
        folder = os.path.dirname(folder)
    filesystem, length = "", 0
    for point, kind in _read_mount_table():
        if len(point) >= length and (root == point or root.startswith(point.rstrip("/") + "/")):
            filesystem, length = kind, len(point)  # of two mounts at one place the later one is seen
    return filesystem not in NETWORK_FILESYSTEMS


def _read_mount_table() -> list[tuple[str, str]]:
    """(mount point, type of file system) in the order of mounting; blanks stand as `\\040` in the table."""
    try:
        with open(MOUNT_TABLE, encoding="utf-8", errors="surrogateescape") as file:
            rows = [line.split(" ") for line in file]
    except OSError:
        return []
    return [(row[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"), row[2]) for row in rows]


SETTINGS_FILE = "commonplace.toml"
MAX_SETTINGS_BYTES = 1_000_000  # bytes
LANGUAGES = ("de", "en", "es", "fr", "it", "ja", "ko", "nl", "pt", "ru", "sv", "th", "zh")  # those that text/ knows
HOOKS_VARIABLE = "COMMONPLACE_HOOKS"
MATH_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
SECRET_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test", ".envrc")


def read_environment() -> Environment:
    """Read the environment; nobody else does."""
    get = os.environ.get
    home = get("HOME") or os.path.expanduser("~")
    return Environment(
        home=home,
        workspace=get("COMMONPLACE_WORKSPACE", ""),
        now=get("COMMONPLACE_NOW", ""),
        device=get("COMMONPLACE_DEVICE", ""),
        state_home=get("XDG_STATE_HOME", "") or f"{home}/.local/state",
        openclaw_state=get("OPENCLAW_STATE_DIR", ""),
        runtime=get("XDG_RUNTIME_DIR", ""),
        temporary=get("TMPDIR", "") or "/tmp",  # noqa: S108 - where Unix has it; what is made there is the owner's alone
        daemon=get("COMMONPLACE_DAEMON", ""),
        hooks=get(HOOKS_VARIABLE, ""),
        vectors=get("COMMONPLACE_VECTORS", ""),
        no_color=bool(get("NO_COLOR")),
    )


def read_secret_values(root: str) -> tuple[KnownSecret, ...]:
    """Secrets that the environment and the workspace's `.env` files hold, to be masked wherever they are said; nothing
    but `redact` gets them. A file that cannot be read is skipped."""
    from contextlib import suppress

    from commonplace.redact import known_secrets, read_variables

    variables = list(os.environ.items())
    for name in SECRET_FILES:
        if files.is_missing(root, name):
            continue
        with suppress(OutsideWorkspace):
            data = files.read_file_if_exists(root, name, MAX_SETTINGS_BYTES) or b""
            variables += read_variables(data.decode("utf-8", "replace").removeprefix("\ufeff"))
    return known_secrets(tuple(variables))


def default_workspace(environment: Environment) -> str:
    """The named workspace, else OpenClaw's if there is one, else `~/commonplace`."""
    if environment.workspace:
        return environment.workspace
    openclaw = f"{environment.openclaw_state or environment.home + '/.openclaw'}/workspace"
    return openclaw if os.path.isdir(openclaw) else f"{environment.home}/commonplace"


def read_settings(root: str) -> Settings:
    """The workspace's settings; raises BadSettings with all problems together."""
    table = _read_settings_table(root)
    return Settings() if table is None else parse_settings(table, f"{root}/{SETTINGS_FILE}")


def configured_keys(root: str) -> frozenset[str]:
    """The keys that the workspace's settings have, as `recall.k`. Raises BadSettings."""
    return frozenset(key for key, _value in _flatten_table(_read_settings_table(root) or {}))


def _read_settings_table(root: str) -> dict[str, Any] | None:
    path = f"{root}/{SETTINGS_FILE}"
    try:
        data = files.read_file_if_exists(root, SETTINGS_FILE, MAX_SETTINGS_BYTES)
    except OutsideWorkspace as error:
        raise BadSettings(path, (error.message,)) from None
    if data is None:
        return None
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSettings(path, (str(error),)) from None


def _flatten_table(table: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", item) for inner, item in value.items())
        else:
            yield key, value


def settings_stamp(root: str) -> tuple[int, ...]:
    """A value that changes whenever the workspace's settings are written; empty if there are none."""
    return files.file_stamp(root, SETTINGS_FILE)


def parse_settings(table: dict[str, Any], path: str = SETTINGS_FILE) -> Settings:
    """A decoded TOML table as Settings; unknown keys are errors with a suggestion."""
    known = {setting.key: setting for setting in SETTINGS}
    values: dict[str, Any] = {}
    problems: list[str] = []
    for key, value in _flatten_table(table):
        setting = known.get(key)
        if setting is None:
            problems.append(f"unknown key {key!r}{settings_checks.suggest_alternatives(key, tuple(known), 'keys')}")
        elif setting.type in ("table", "tables"):
            values[setting.field], its_problems = settings_checks.parse_model_tables(setting, value)
            problems += its_problems
        elif problem := settings_checks.value_problem(setting, value):
            problems.append(problem)
        else:
            values[setting.field] = tuple(value) if setting.type == "texts" else value
    problems += _locale_problems(str(values.get("timezone", "local")), str(values.get("language", "auto")))
    problems += settings_checks.vector_problems(values) if any(key.startswith("vectors_") for key in values) else []
    settings = Settings(**values)
    problems += settings_checks.model_problems(settings) if any(key.startswith("models_") for key in values) else []
    if problems:
        raise BadSettings(path, tuple(problems))
    return settings


def _locale_problems(timezone: str, language: str) -> list[str]:
    problems: list[str] = []
    if timezone != "local":
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            ZoneInfo(timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            names = "an IANA name such as 'Europe/Berlin', or 'local'"
            problems.append(f"timezone {timezone!r} is not known; use {names}")
    if language not in ("auto", *LANGUAGES):
        problems.append(f"language {language!r} is not known; use one of {' '.join(LANGUAGES)}, or 'auto'")
    return problems


def limit_math_threads() -> None:
    """Let numpy compute in one thread, unless it is loaded already or the environment says otherwise."""
    import sys

    if "numpy" not in sys.modules:
        for name in MATH_THREAD_VARIABLES:
            os.environ.setdefault(name, "1")


def environment_variable(name: str) -> str:
    """The environment variable that a setting names; empty if it is not set, or none is named."""
    return os.environ.get(name, "") if name else ""


# How hosts of agents announce themselves in the shells that they open for an agent: the host, a variable, the values
# that count (none: any), and the variable with the id of the session. What people have in their own terminals (such as
# CURSOR_TRACE_ID, or OPENCLAW_SHELL=tui-local) is not here.
AGENT_SHELLS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("claude-code", "CLAUDECODE", (), "CLAUDE_CODE_SESSION_ID"),
    ("openclaw", "OPENCLAW_SHELL", ("exec", "acp", "acp-client"), ""),
    ("codex", "CODEX_THREAD_ID", (), ""),
    ("codex", "CODEX_SANDBOX", (), ""),
    ("codex", "CODEX_SANDBOX_NETWORK_DISABLED", (), ""),
    ("codex", "CODEX_CI", (), ""),
    ("cursor", "CURSOR_AGENT", (), ""),
    ("gemini-cli", "GEMINI_CLI", (), ""),
    ("qwen-code", "QWEN_CODE", (), ""),
    ("opencode", "OPENCODE", (), ""),
    ("copilot-cli", "COPILOT_CLI", (), ""),
    ("cline", "CLINE_ACTIVE", (), ""),
    ("roo-code", "ROO_ACTIVE", (), ""),
    ("antigravity", "ANTIGRAVITY_AGENT", (), ""),
    ("augment", "AUGMENT_AGENT", (), ""),
    ("goose", "GOOSE_TERMINAL", (), ""),
    ("goose", "AGENT", ("goose",), ""),
    ("amp", "AGENT", ("amp",), ""),
)


def agent_shell() -> tuple[str, str]:
    """The host of the agent whose shell this is, and the id of its session if known; empty in a person's shell."""
    for host, variable, values, session_variable in AGENT_SHELLS:
        value = os.environ.get(variable, "")
        if value and (not values or value in values):
            return host, environment_variable(session_variable)
    return "", ""


def model_program_environment() -> dict[str, str]:
    """The environment of a program that answers as a language model, such as the command line of an agent: our hooks
    are off in it, or prompts would be captured as a person's words, and it has no mark of a session around it."""
    marks = {variable for _host, variable, values, _session in AGENT_SHELLS if not values}
    return {name: value for name, value in os.environ.items() if name not in marks} | {HOOKS_VARIABLE: "off"}


def parse_minute(iso_time: str) -> str:
    """An ISO date or minute as an ISO minute. Raises BadArgument."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(iso_time).isoformat(timespec="minutes")[:16]
    except ValueError:
        raise BadArgument(f"now: {iso_time!r} is not an ISO date or minute", hint="say 2025-11-27T09:40") from None


def current_minute(settings: Settings, environment: Environment) -> str:
    """The time now as a local ISO minute, in the settings' zone; COMMONPLACE_NOW fixes it."""
    from datetime import datetime

    if environment.now:
        try:
            return datetime.fromisoformat(environment.now).isoformat(timespec="minutes")[:16]
        except ValueError:
            raise BadSettings("the environment", (f"COMMONPLACE_NOW {environment.now!r} is not an ISO date",)) from None
    if settings.timezone == "local":
        return datetime.now().isoformat(timespec="minutes")
    from zoneinfo import ZoneInfo

    return datetime.now(ZoneInfo(settings.timezone)).isoformat(timespec="minutes")[:16]


def unix_time() -> float:
    """The time now in seconds since 1970, whatever COMMONPLACE_NOW says: for what is planned and counted."""
    from time import time

    return time()


def to_local_time(iso_time: str, settings: Settings) -> str:
    """An ISO time as local time in the settings' zone, to the second; one without an offset is local already, and what
    is no ISO time comes back as it is."""
    from datetime import datetime

    try:
        said = datetime.fromisoformat(iso_time)
    except ValueError:
        return iso_time
    if said.tzinfo is None or not 1 < said.year < 9999:  # at the ends of the calendar no zone has room
        return iso_time
    if settings.timezone == "local":
        return said.astimezone().replace(tzinfo=None).isoformat(timespec="seconds")
    from zoneinfo import ZoneInfo

    return said.astimezone(ZoneInfo(settings.timezone)).replace(tzinfo=None).isoformat(timespec="seconds")


def device_name(settings: Settings, environment: Environment) -> str:
    """The name of this machine in journal file names: set by hand, else host name and a checksum of its id."""
    named = environment.device or settings.device
    if not named:
        from zlib import crc32  # hashlib would load OpenSSL, 2 ms at each start

        suffix = crc32(f"{_read_first_line('/etc/machine-id')}\0{os.getuid()}".encode()) & 0xFFFF
        named = f"{os.uname().nodename.split('.')[0][:24]}-{suffix:04x}"
    safe = "".join(c if c.isascii() and c.isalnum() else "-" for c in named.lower()).strip("-")
    return safe[:40] or "device"


@cache
def _read_first_line(path: str) -> str:
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.readline().strip()
    except OSError:
        return ""
