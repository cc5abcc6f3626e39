"""Forget on request: find what a wish concerns, hide it, and take that back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from commonplace.lazy import lazy_names

if TYPE_CHECKING:
    from commonplace.upkeep.forget.selection import *
else:
    __getattr__ = lazy_names(
        __name__, selection="ForgetReason ForgetResult ForgetWish SelectedRecord hide_records select_records show_again"
    )
