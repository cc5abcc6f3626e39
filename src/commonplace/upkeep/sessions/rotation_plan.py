"""Where the plan of an unfinished buffer rotation is stored; a module of its own, because every start looks there."""

from __future__ import annotations

ROTATION_PLAN_PATH = ".memory/buffer-rotation.json"
