"""How large an automatic pack may be: its share shrinks as the host's context fills up."""

from __future__ import annotations

LIGHT, MEDIUM, HEAVY = 0.30, 0.70, 0.85  # of the context in use: where each zone ends
FEW, LEAST = 1 / 3, 1 / 6  # of the budget, at the end of the medium and of the heavy zone
OF_WHAT_IS_LEFT = 1 / 4  # no pack takes more of the room that the context still has
BYTES_PER_TOKEN = 4  # of messages as the host has them, nearly: a Chinese character has three bytes


def share(usage: float) -> float:
    """The share of the budget that a pack may take, from 1 down to a sixth.

    `usage` is the part of the context that is in use. Below .30 all of the budget; to .70 it falls to a third, slowly
    at first; to .85 it falls to a sixth evenly, and stays there.
    """
    if usage <= LIGHT:
        return 1.0
    if usage <= MEDIUM:
        return 1 - ((usage - LIGHT) / (MEDIUM - LIGHT)) ** 2 * (1 - FEW)
    if usage < HEAVY:
        return FEW - (usage - MEDIUM) / (HEAVY - MEDIUM) * (FEW - LEAST)
    return LEAST


def budget(most: int, window: float, used_bytes: float) -> int:
    """The tokens that a pack may have, `most` at most.

    `window` is the host's context in tokens, `used_bytes` the size of the messages in it. Without a window, all.
    """
    if window <= 0:
        return most
    used = max(0.0, used_bytes) / BYTES_PER_TOKEN
    left = max(0.0, window - used)
    return min(int(most * share(used / window)), int(left * OF_WHAT_IS_LEFT))
