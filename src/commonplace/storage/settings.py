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
    ignore: tuple[str, ...] = ()
    device: str = ""
    recall_k: int = 10
    recall_without: tuple[str, ...] = ()
    pack_budget_tokens: int = 1200
    pack_core: bool = True
    pack_untrusted: bool = False
    pack_tokenizer: str = ""
    pack_tail_percent: int = 10
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
    """What the environment says; empty means unset."""

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
    Setting("scope", "text", "The scope of queries that name none; they see it and everything shared."),
    Setting("timezone", "text", "IANA name of the zone in which dates and time words are meant, or `local`."),
    Setting(
        "language",
        "text",
        "Language whose stems are used for every line (`de`, `en`, …), or `auto` to detect it line by line.",
    ),
    Setting("ignore", "texts", "Globs of paths below the workspace that are not read."),
    Setting("device", "text", "Name of this machine in journal file names; derived from the host when empty."),
    Setting("recall.k", "integer", "How many hits `recall` returns.", 1, 1000),
    Setting("recall.without", "texts", "Parts of the score that are switched off.", valid_names=RECALL_SWITCHES),
    Setting("pack.budget_tokens", "integer", "How many tokens a pack may take, framing included.", 0, 1_000_000),
    Setting("pack.core", "switch", "Whether packs begin with the HOT core (`MEMORY.md`)."),
    Setting("pack.untrusted", "switch", "Whether automatic packs may hold untrusted lines (marked as such)."),
    Setting("pack.tokenizer", "text", "Path of the `tokenizer.json` that counts tokens; estimated when empty."),
    Setting("pack.tail_percent", "integer", "How much of an automatic pack the newest lines may take.", 0, 50),
    Setting("receipts.query_text", "switch", "Whether receipts keep the text of the query, not only its digest."),
    Setting("index.path", "text", "Where the derived index lies; `.memory/index.sqlite` when empty."),
    Setting("files.max_bytes", "integer", "Larger files are not read and listed as a problem.", 1024, 1_000_000_000),
    Setting("daemon.consolidate_minutes", "integer", "How often the daemon consolidates; never if 0.", 0, 10_080),
    Setting(
        "daemon.idle_minutes",
        "integer",
        "Sessions that went on within so many minutes are left for the daemon's next time.",
        0,
        10_080,
    ),
    Setting("vectors.mode", "text", "`none`; `fallback`: where words find little; `hybrid`: always, beside words."),
    Setting("vectors.provider", "text", "`minilm`, `model2vec`, `sentence-transformers`, `ollama` or `openai`."),
    Setting("vectors.model", "text", "The folder of a local model, or the name of one at the endpoint."),
    Setting("vectors.endpoint", "text", "Base URL that texts are sent to, such as `http://localhost:11434`."),
    Setting("vectors.key_env", "text", "Name of the environment variable that holds the endpoint's key."),
    Setting("vectors.timeout_ms", "integer", "How long a question waits for the endpoint.", 10, 600_000),
    Setting("vectors.min_primary_results", "integer", "`fallback` begins below so many lines.", 1, 1000),
)
