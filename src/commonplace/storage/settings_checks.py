"""What is wrong with the values of settings, in sentences; and the tables of language models."""

from __future__ import annotations

from typing import Any

from commonplace.errors import closest_names
from commonplace.storage.settings import (
    EMBEDDER_PROVIDERS,
    EXTRA_PROVIDER,
    LOOPBACK_HOSTS,
    MODEL_PROVIDERS,
    MODEL_STEPS,
    NO_PROVIDER,
    REMOTE_PROVIDERS,
    VECTOR_MODES,
    ModelSettings,
    Setting,
    Settings,
    main_model,
    step_model,
)


def suggest_alternatives(name: str, valid_names: tuple[str, ...], noun: str) -> str:
    """Suggestions for a misspelt name, else all known names."""
    near = closest_names(name, valid_names)
    return f": did you mean {near[0]!r}?" if near else f"; known {noun}: {', '.join(valid_names)}"


def value_problem(setting: Setting, setting_value: object) -> str:
    """The problem with a value; empty if there is none."""
    if setting.type == "integer":
        if isinstance(setting_value, bool) or not isinstance(setting_value, int):
            return f"{setting.key} must be a whole number, not {setting_value!r}"
        if not setting.minimum <= setting_value <= setting.maximum:
            return f"{setting.key} must lie between {setting.minimum} and {setting.maximum}, not {setting_value}"
    elif setting.type == "switch" and not isinstance(setting_value, bool):
        return f"{setting.key} must be true or false, not {setting_value!r}"
    elif setting.type == "text" and not isinstance(setting_value, str):
        return f"{setting.key} must be text in quotes, not {setting_value!r}"
    elif setting.type == "text" and setting.valid_names and setting_value not in setting.valid_names:
        return f"{setting.key} {setting_value!r} is not known; use one of {', '.join(setting.valid_names)}"
    elif setting.type == "texts":
        if not (isinstance(setting_value, list) and all(isinstance(item, str) for item in setting_value)):
            return f"{setting.key} must be a list of texts, not {setting_value!r}"
        unknown = [name for name in setting_value if name not in setting.valid_names] if setting.valid_names else []
        if unknown:
            alternatives = suggest_alternatives(unknown[0], setting.valid_names, "names")
            return f"{setting.key}: unknown name {unknown[0]!r}{alternatives}"
    return ""


def vector_problems(values_by_field: dict[str, Any]) -> list[str]:
    """The problems with the settings of vectors, in sentences."""
    mode = values_by_field.get("vectors_mode", "auto")
    names = ("provider", "model", "endpoint", "key_env")
    provider, model, endpoint, key_env = (values_by_field.get(f"vectors_{name}", "") for name in names)
    problems: list[str] = []
    if mode not in VECTOR_MODES:
        problems.append(f"vectors.mode {mode!r} is not known; use one of {', '.join(VECTOR_MODES)}")
    if provider and provider not in EMBEDDER_PROVIDERS:
        problems.append(f"vectors.provider {provider!r} is not known; use one of {', '.join(EMBEDDER_PROVIDERS)}")
    if endpoint:
        problems += _endpoint_problems("vectors", endpoint, key_env)
    if mode in ("fallback", "hybrid") and provider != EXTRA_PROVIDER:
        needed = {"provider": provider, "model": model}
        needed |= {"endpoint": endpoint} if provider in REMOTE_PROVIDERS else {}
        problems += [f"vectors.mode {mode!r} needs vectors.{name}" for name, value in needed.items() if not value]
    return problems


def _endpoint_problems(table: str, endpoint: str, key_env: str) -> list[str]:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(endpoint)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.username or parts.password or parts.query or parts.fragment:
        return [f"{table}.endpoint {endpoint!r} must be the base of an interface, such as 'http://localhost:11434'"]
    if key_env and parts.scheme == "http" and parts.hostname not in LOOPBACK_HOSTS:
        return [f"{table}.endpoint {endpoint!r} must begin with https://, or the key could be read on its way"]
    return []


def parse_model_tables(setting: Setting, table: object) -> tuple[Any, list[str]]:
    """The value of `[models.fallback]`, or those of each `[models.step.NAME]` by name, and the problems with them."""
    if setting.type == "table":
        return _parse_model_table(setting.key, table)
    if not isinstance(table, dict):
        return {}, [f"{setting.key} must be a table, not {table!r}"]
    models: dict[str, ModelSettings] = {}
    problems: list[str] = []
    for name, inner in table.items():
        if name in setting.valid_names:
            models[name], its_problems = _parse_model_table(f"{setting.key}.{name}", inner)
            problems += its_problems
        else:
            alternatives = suggest_alternatives(name, setting.valid_names, "steps")
            problems.append(f"unknown step {setting.key}.{name}{alternatives}")
    return models, problems


def _parse_model_table(key: str, table: object) -> tuple[ModelSettings, list[str]]:
    if not isinstance(table, dict):
        return ModelSettings(), [f"{key} must be a table, not {table!r}"]
    fields, problems = ModelSettings.__struct_fields__, list[str]()
    for field, value in table.items():
        if field not in fields:
            problems.append(f"unknown key '{key}.{field}'{suggest_alternatives(field, fields, 'keys')}")
        elif not isinstance(value, str):
            problems.append(f"{key}.{field} must be text in quotes, not {value!r}")
    return ModelSettings() if problems else ModelSettings(**table), problems


def model_problems(settings: Settings) -> list[str]:
    """The problems with the settings of language models, in sentences."""
    models = {"models": main_model(settings), "models.fallback": settings.models_fallback}
    own_steps = [step for step in MODEL_STEPS if step in settings.models_step]
    models |= {f"models.step.{step}": step_model(settings, step) for step in own_steps}
    return [problem for table, model in models.items() for problem in _model_problems(table, model)]


def _model_problems(table: str, model: ModelSettings) -> list[str]:
    if not model.provider:
        is_pointless = table != "models" and model != ModelSettings()
        return [f"{table} needs {table}.provider"] if is_pointless else []
    if model.provider == NO_PROVIDER and table.startswith("models.step."):
        return []
    if model.provider not in MODEL_PROVIDERS:
        return [f"{table}.provider {model.provider!r} is not known; use one of {', '.join(MODEL_PROVIDERS)}"]
    needed = ("command",) if model.provider == "command" else ("model", "endpoint")
    missing = [key for key in needed if not getattr(model, key)]
    problems = [f"{table}.provider {model.provider!r} needs {table}.{key}" for key in missing]
    if model.endpoint:
        problems += _endpoint_problems(table, model.endpoint, model.key_env)
    if model.command and not _is_command(model.command):
        problems.append(f"{table}.command is no program with arguments: {model.command!r}")
    return problems


def _is_command(command: str) -> bool:
    import shlex

    try:
        return bool(shlex.split(command))
    except ValueError:  # a quotation mark without its pair
        return False
