"""What can be asked of a memory from outside the process: one table that stdio, HTTP and MCP all serve."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from commonplace.errors import BadArgument
from commonplace.operations.table import OPERATIONS, Effect, Operation

if TYPE_CHECKING:
    from msgspec import Struct

    from commonplace.memory import Memory
    from commonplace.shapes import Json

__all__ = ["OPERATIONS", "Effect", "Operation", "find_operation", "params_of", "perform"]


def perform(memory: Memory, name: str, given: Any) -> Json:
    """Ask an open memory: the operation's answer in its documented shape. Raises CommonplaceError."""
    operation = find_operation(name)
    return operation.run(memory, params_of(operation, given))


def find_operation(name: str) -> Operation:
    """The operation of this name. Raises BadArgument with the nearest one."""
    operation = OPERATIONS.get(name)
    if operation is None:
        import difflib

        near = difflib.get_close_matches(name, OPERATIONS, 1)
        raise BadArgument(f"there is no operation {name!r}", hint=f"did you mean `{near[0]}`?" if near else "")
    return operation


def params_of(operation: Operation, given: Any) -> Struct:
    """The parameters, decoded and checked. Raises BadArgument, which names the field and what it should be."""
    try:
        return msgspec.convert(given, operation.params)
    except msgspec.ValidationError as error:
        raise BadArgument(f"`{operation.name}`: {_plainly(str(error))}", hint="see docs/reference") from None


def _plainly(told: str) -> str:
    """Where a parameter is off, in front: `k: expected `int | null`, got `str``."""
    what, _, where = told.partition(" - at `$")
    field = where.rstrip("`").lstrip(".") if where else ""
    what = what[:1].lower() + what[1:]
    return f"{field}: {what}" if field else what
