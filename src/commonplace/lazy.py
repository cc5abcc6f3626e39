"""Names that are imported, and regular expressions that are compiled, when they are first needed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, AnyStr, cast


def lazy_names(package: str, **names_by_module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package: by module, its public names with spaces in between.

    The command is started on every turn of an agent, and needs few of the modules. Type checkers read the names from
    `from module import *` below `if TYPE_CHECKING`. Raises AttributeError for any other name.
    """
    modules = {name: f"{package}.{module}" for module, names in names_by_module.items() for name in names.split()}

    def load_name(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(modules[name]), name)
        setattr(sys.modules[package], name, value)  # it is not asked for again
        return value

    return load_name


def lazy_pattern(pattern: AnyStr | Callable[[], AnyStr], flags: int = 0) -> re.Pattern[AnyStr]:
    """A regular expression that is compiled, and if `pattern` is a function made, at its first search; a start of the
    command needs few of them."""
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: Any, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        pattern, flags = self._arguments
        method = getattr(re.compile(pattern() if callable(pattern) else pattern, flags), name)
        setattr(self, name, method)  # it is not asked for again
        return method
