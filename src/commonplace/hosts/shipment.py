"""Where the folders lie that hosts load from us: in an installed wheel, or in the repository beside `src`."""

from __future__ import annotations

import os

from commonplace.errors import CommonplaceError

_HERE = os.path.dirname(os.path.abspath(__file__))
_DATA = os.path.join(_HERE, "data")
_REPOSITORY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(_HERE))), "integrations")


def shipped(name: str) -> str:
    """The absolute path of `openclaw`, `openclaw-slot` or `claude-code`. Raises CommonplaceError if it is not there."""
    for folder in (_DATA, _REPOSITORY):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            return path
    hint = "install commonplace again: its wheel holds this folder"
    raise CommonplaceError(f"the part for {name!r} is not in this installation", path=f"{_DATA}/{name}", hint=hint)
