"""The JSON schemas of the documented shapes, as they are shipped."""

from __future__ import annotations

import os
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from commonplace.storage import files

if TYPE_CHECKING:
    from commonplace.shapes import Json
SCHEMA_SUFFIX = ".schema.json"
PACKAGE = os.path.dirname(os.path.dirname(__file__))
INSTALLED_FOLDER = os.path.join(PACKAGE, "data", "schemas")
REPOSITORY_FOLDER = os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "docs", "reference", "schemas")


@cache
def read_schemas() -> dict[str, Json]:
    """Every schema by the name of its shape (`commonplace.hits.v1`). Not to be changed."""
    folder = INSTALLED_FOLDER if os.path.isdir(INSTALLED_FOLDER) else REPOSITORY_FOLDER
    names = [name for name in files.list_folder_names(folder) if name.endswith(SCHEMA_SUFFIX)]
    return {name.removesuffix(SCHEMA_SUFFIX): msgspec.json.decode(files.read_file(folder, name)) for name in names}
