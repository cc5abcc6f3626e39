"""The settings and the environment as frozen values; each setting is documented where it is declared."""

from typing import Annotated, Any, Literal

from msgspec import Struct

from commonplace.model import RECALL_SWITCHES

SettingType = Literal["text", "integer", "switch", "texts"]

VECTOR_MODES = ("none", "fallback", "hybrid")
REMOTE_PROVIDERS = ("ollama", "openai")
EMBEDDER_PROVIDERS = ("minilm", "model2vec", "sentence-transformers", *REMOTE_PROVIDERS)
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")


class Settings(Struct, frozen=True):
    """Everything a person can set: with each field what it does, the least and greatest integer it takes, or the texts.

    The key of `recall_k` in `commonplace.toml` is `recall.k`.
    """

    scope: Annotated[str, "Scope of queries that name none; they find its records and shared ones."] = ""
    timezone: Annotated[str, "Time zone of dates and expressions of time, by its IANA name, or `local`."] = "local"
    language: Annotated[str, "Language used for stemming (`de`, `en`, …), or `auto` to detect it for each line."] = (
        "auto"
    )
    owner: Annotated[str, "Your name, for what you say of yourself; if empty, the one after `Name:` in `USER.md`."] = ""
    ignore: Annotated[tuple[str, ...], "Globs of paths in the workspace that are not read."] = ()
    device: Annotated[
        str, "Name of this machine in the names of journal files; if empty, derived from the host name."
    ] = ""
    recall_k: Annotated[int, "Number of hits that `recall` returns.", 1, 1000] = 10
    recall_without: Annotated[tuple[str, ...], "Parts of the score that are turned off.", *RECALL_SWITCHES] = ()
    pack_budget_tokens: Annotated[int, "Token budget of a pack, including its frame.", 0, 1_000_000] = 1200
    pack_core: Annotated[bool, "Whether packs begin with the core (`MEMORY.md`)."] = True
    pack_untrusted: Annotated[bool, "Whether automatic packs may contain untrusted lines (marked as such)."] = False
    pack_tokenizer: Annotated[
        str, "Path of the `tokenizer.json` used to count tokens; if empty, tokens are estimated."
    ] = ""
    pack_standing_percent: Annotated[
        int, "Share of an automatic pack that standing instructions and preferences may take, in percent.", 0, 50
    ] = 20
    pack_tail_percent: Annotated[
        int, "Share of an automatic pack that the newest lines may take, in percent.", 0, 50
    ] = 10
    pack_floor_percent: Annotated[
        int,
        "Share of the best score that a hit needs to enter an automatic pack, in percent, times the confidence.",
        0,
        100,
    ] = 15
    receipts_query_text: Annotated[bool, "Whether receipts contain the text of the query, not only its digest."] = False
    index_path: Annotated[str, "Path of the index; if empty, `.memory/index.sqlite`."] = ""
    files_max_bytes: Annotated[
        int, "Maximum size of a file; larger files are not read, and listed as a problem.", 1024, 1_000_000_000
    ] = 16_000_000
    daemon_consolidate_minutes: Annotated[
        int, "Minutes between two consolidations of the daemon; 0 turns them off.", 0, 10_080
    ] = 60
    daemon_idle_minutes: Annotated[
        int, "The daemon skips sessions that were active within this many minutes.", 0, 10_080
    ] = 30
    vectors_mode: Annotated[
        str, "`none`, `fallback` (if words find few lines) or `hybrid` (always, in addition to words)."
    ] = "none"
    vectors_provider: Annotated[str, "`minilm`, `model2vec`, `sentence-transformers`, `ollama` or `openai`."] = ""
    vectors_model: Annotated[str, "Folder of a local model, or name of a model at the endpoint."] = ""
    vectors_endpoint: Annotated[
        str, "Base URL of the endpoint that texts are sent to, such as `http://localhost:11434`."
    ] = ""
    vectors_key_env: Annotated[str, "Name of the environment variable that contains the key of the endpoint."] = ""
    vectors_timeout_ms: Annotated[int, "How long a query waits for the endpoint, in milliseconds.", 10, 600_000] = 3_000
    vectors_min_primary_results: Annotated[
        int, "With `fallback`, vectors are used if words find fewer lines than this.", 1, 1000
    ] = 3


class Setting(Struct, frozen=True):
    """A setting as it is documented and checked."""

    field: str
    type: SettingType
    purpose: str
    minimum: int = 0
    maximum: int = 0
    valid_names: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key in `commonplace.toml`."""
        return self.field.replace("_", ".", 1)


def _describe_setting(field: str, value_type: object, purpose: str, *allowed: Any) -> Setting:
    if value_type is int:
        return Setting(field, "integer", purpose, *allowed)
    kind: SettingType = "text" if value_type is str else "switch" if value_type is bool else "texts"
    return Setting(field, kind, purpose, valid_names=allowed)


SETTINGS = tuple(
    _describe_setting(name, hint.__origin__, *hint.__metadata__) for name, hint in Settings.__annotations__.items()
)


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


# The reference lists these first, and the others below the heading "Advanced".
MAIN_SETTINGS = (
    *("scope", "timezone", "language", "owner", "ignore", "recall.k", "pack.budget_tokens", "pack.core"),
    *("daemon.consolidate_minutes", "vectors.mode", "vectors.provider", "vectors.model"),
)
