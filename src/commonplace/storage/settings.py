"""The settings and the environment as frozen values; one table documents every key."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from commonplace.model import RECALL_SWITCHES

SettingType = Literal["text", "integer", "switch", "texts"]

VECTOR_MODES = ("none", "fallback", "hybrid")
REMOTE_PROVIDERS = ("ollama", "openai")
EMBEDDER_PROVIDERS = ("minilm", "model2vec", "sentence-transformers", *REMOTE_PROVIDERS)
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")


class Settings(Struct, frozen=True):
    """Everything a person can set; the table `SETTINGS` documents each key."""

    scope: str = ""
    timezone: str = "local"
    language: str = "auto"
    owner: str = ""
    ignore: tuple[str, ...] = ()
    device: str = ""
    recall_k: int = 10
    recall_without: tuple[str, ...] = ()
    pack_budget_tokens: int = 1200
    pack_core: bool = True
    pack_untrusted: bool = False
    pack_tokenizer: str = ""
    pack_standing_percent: int = 20
    pack_tail_percent: int = 10
    pack_floor_percent: int = 60
    receipts_query_text: bool = False
    index_path: str = ""
    files_max_bytes: int = 16_000_000
    daemon_consolidate_minutes: int = 60
    daemon_idle_minutes: int = 30
    vectors_mode: str = "none"
    vectors_provider: str = ""
    vectors_model: str = ""
    vectors_endpoint: str = ""
    vectors_key_env: str = ""
    vectors_timeout_ms: int = 3_000
    vectors_min_primary_results: int = 3


class Setting(Struct, frozen=True):
    """One key of `commonplace.toml`: its type, what it does, the least and greatest integer it takes, or the texts."""

    key: str
    type: SettingType
    purpose: str
    minimum: int = 0
    maximum: int = 0
    valid_names: tuple[str, ...] = ()

    @property
    def field(self) -> str:
        """The name of the field of `Settings`."""
        return self.key.replace(".", "_")


class Environment(Struct, frozen=True):
    """The environment variables; empty means unset."""

    home: str
    workspace: str = ""
    now: str = ""
    device: str = ""
    state_home: str = ""
    openclaw_state: str = ""
    runtime: str = ""
    temporary: str = "/tmp"  # noqa: S108 - where Unix has it; what is made there is the owner's alone
    daemon: str = ""
    no_color: bool = False

    @property
    def asks_daemon(self) -> bool:
        """Whether a running daemon may be asked: COMMONPLACE_DAEMON=off says no."""
        return self.daemon != "off"


SETTINGS: tuple[Setting, ...] = (
    Setting("scope", "text", "Scope of queries that name none; they find its records and shared ones."),
    Setting("timezone", "text", "Time zone of dates and expressions of time, by its IANA name, or `local`."),
    Setting("language", "text", "Language used for stemming (`de`, `en`, …), or `auto` to detect it for each line."),
    Setting("owner", "text", "Your name, for what you say of yourself; if empty, the one after `Name:` in `USER.md`."),
    Setting("ignore", "texts", "Globs of paths in the workspace that are not read."),
    Setting(
        "device", "text", "Name of this machine in the names of journal files; if empty, derived from the host name."
    ),
    Setting("recall.k", "integer", "Number of hits that `recall` returns.", 1, 1000),
    Setting("recall.without", "texts", "Parts of the score that are turned off.", valid_names=RECALL_SWITCHES),
    Setting("pack.budget_tokens", "integer", "Token budget of a pack, including its frame.", 0, 1_000_000),
    Setting("pack.core", "switch", "Whether packs begin with the core (`MEMORY.md`)."),
    Setting("pack.untrusted", "switch", "Whether automatic packs may contain untrusted lines (marked as such)."),
    Setting(
        "pack.tokenizer", "text", "Path of the `tokenizer.json` used to count tokens; if empty, tokens are estimated."
    ),
    Setting(
        "pack.standing_percent",
        "integer",
        "Share of an automatic pack that standing instructions and preferences may take, in percent.",
        0,
        50,
    ),
    Setting(
        "pack.tail_percent", "integer", "Share of an automatic pack that the newest lines may take, in percent.", 0, 50
    ),
    Setting(
        "pack.floor_percent",
        "integer",
        "Share of the best score that a hit needs to enter an automatic pack, in percent; less if the best is unsure.",
        0,
        100,
    ),
    Setting("receipts.query_text", "switch", "Whether receipts contain the text of the query, not only its digest."),
    Setting("index.path", "text", "Path of the index; if empty, `.memory/index.sqlite`."),
    Setting(
        "files.max_bytes",
        "integer",
        "Maximum size of a file; larger files are not read, and listed as a problem.",
        1024,
        1_000_000_000,
    ),
    Setting(
        "daemon.consolidate_minutes",
        "integer",
        "Minutes between two consolidations of the daemon; 0 turns them off.",
        0,
        10_080,
    ),
    Setting(
        "daemon.idle_minutes",
        "integer",
        "The daemon skips sessions that were active within this many minutes.",
        0,
        10_080,
    ),
    Setting(
        "vectors.mode",
        "text",
        "`none`, `fallback` (if words find few lines) or `hybrid` (always, in addition to words).",
    ),
    Setting("vectors.provider", "text", "`minilm`, `model2vec`, `sentence-transformers`, `ollama` or `openai`."),
    Setting("vectors.model", "text", "Folder of a local model, or name of a model at the endpoint."),
    Setting(
        "vectors.endpoint", "text", "Base URL of the endpoint that texts are sent to, such as `http://localhost:11434`."
    ),
    Setting("vectors.key_env", "text", "Name of the environment variable that contains the key of the endpoint."),
    Setting("vectors.timeout_ms", "integer", "How long a query waits for the endpoint, in milliseconds.", 10, 600_000),
    Setting(
        "vectors.min_primary_results",
        "integer",
        "With `fallback`, vectors are used if words find fewer lines than this.",
        1,
        1000,
    ),
)

# The reference lists these first, and the others below the heading "Advanced".
MAIN_SETTINGS = (
    *("scope", "timezone", "language", "owner", "ignore", "recall.k", "pack.budget_tokens", "pack.core"),
    *("daemon.consolidate_minutes", "vectors.mode", "vectors.provider", "vectors.model"),
)
