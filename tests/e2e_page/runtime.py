"""`python -m e2e_page.runtime`, in the folder of the tests: put axe-core outside the repository, once, and look for what
else is needed. Playwright is installed into `.venv` by `make e2e-page`."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

from e2e.installed import NotInstalledError, cache, install_packages

AXE_VERSION = "4.14.1"
BROWSERS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
HINT = "`make e2e-page` installs what is missing, but for the browser: on Debian `apt install chromium`"


def axe_script() -> Path:
    """Where axe-core is, or is to be."""
    return cache("axe-core", AXE_VERSION) / "node_modules/axe-core/axe.min.js"


def install_axe() -> Path:
    """The script of axe-core, installed unless it is there already; NotInstalledError says why not."""
    install_packages(cache("axe-core", AXE_VERSION), f"axe-core@{AXE_VERSION}")
    return axe_script()


def find_browser() -> str:
    """The path of a Chromium; empty if there is none."""
    return next((path for path in map(shutil.which, BROWSERS) if path), "")


def what_is_missing(*, axe: bool = False) -> str:
    """Why the page cannot be driven here; empty if it can."""
    if importlib.util.find_spec("playwright") is None:
        return "Playwright is not installed"
    if not find_browser():
        return "there is no Chromium"
    return "axe-core is not installed" if axe and not axe_script().is_file() else ""


if __name__ == "__main__":
    try:
        install_axe()
    except NotInstalledError as error:
        sys.exit(f"make e2e-page: {error}")
    if missing := what_is_missing(axe=True):
        sys.exit(f"make e2e-page: {missing}; {HINT}")
