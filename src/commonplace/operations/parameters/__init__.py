"""The parameters of each operation, declared once: names, types, defaults and help.

The keywords of the `Memory` method, the options of the command, the fields of the MCP tool, the OpenAPI document and
the reference page all follow from these Structs. Parameters that are not keyword-only are the subject of an operation.
"""

from __future__ import annotations

from commonplace.operations.parameters.basics import *
from commonplace.operations.parameters.maintenance import *
from commonplace.operations.parameters.questions import *
from commonplace.operations.parameters.writes import *
