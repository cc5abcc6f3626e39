"""Where the plan of a move of the working buffer lies until it is made; loads nothing, for every start looks there."""

from __future__ import annotations

MOVING = ".memory/buffer-rotation.json"
