"""The JSON schemas of the documented shapes, as they are shipped."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from commonplace import files

if TYPE_CHECKING:
    from commonplace.shapes import Json

ENDING = ".schema.json"
PACKAGE = os.path.dirname(os.path.dirname(__file__))
SHIPPED = os.path.join(PACKAGE, "data", "schemas")
IN_THE_REPOSITORY = os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "docs", "reference", "schemas")


@cache
def schemas() -> dict[str, Json]:
    """Every schema by the name of its shape (`commonplace.hits.v1`). Not to be changed."""
    folder = SHIPPED if os.path.isdir(SHIPPED) else IN_THE_REPOSITORY
    names = sorted(name for name in os.listdir(folder) if name.endswith(ENDING))
    return {name.removesuffix(ENDING): msgspec.json.decode(files.read(folder, name)) for name in names}
