"""Real clones merge with real git: nothing conflicts, nothing is lost, and what is left to do is done at the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from commonplace import Memory
from commonplace.storage import journal
from tests.test_cli import run  # noqa: F401
