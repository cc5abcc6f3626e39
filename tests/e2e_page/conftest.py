"""The browser, the daemons of three notebooks, and tabs on their pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from e2e_page.runtime import HINT, axe_script, what_is_missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from e2e_page.browsing import Served, Tab


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A real Chromium; not longer than for one file, because its event loop is in the way of other tests."""
    if missing := what_is_missing():
        pytest.skip(f"{missing}: the page was not driven; {HINT}")
    from e2e_page.browsing import launch

    with launch() as launched:
        yield launched


@pytest.fixture(scope="session")
def axe() -> str:
    """The script of axe-core."""
    if missing := what_is_missing(axe=True):
        pytest.skip(f"{missing}: the accessibility of the page was not checked; {HINT}")
    return axe_script().read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Served]]:
    """What gives the daemon of a notebook, `sample`, `empty` or `large`; each is started once for all that only read."""
    if missing := what_is_missing():
        pytest.skip(f"{missing}: the page was not driven; {HINT}")
    from e2e_page.browsing import serve_notebook

    started: dict[str, Served] = {}
    with ExitStack() as stack:

        def start(name: Any) -> Served:
            if name not in started:
                folder = tmp_path_factory.mktemp(name) / "notes"
                started[name] = stack.enter_context(serve_notebook(name, folder))
            return started[name]

        yield start


@pytest.fixture
def open_page(browser: Browser, serve: Callable[[str], Served]) -> Iterator[Callable[..., Tab]]:
    """What opens a tab on a notebook: `open_page("sample", scheme="dark", width=360, java_script_enabled=False)`."""
    from e2e_page.browsing import open_tab

    with ExitStack() as stack:
        yield lambda name="sample", **options: stack.enter_context(open_tab(browser, serve(name), **options))


@pytest.fixture
def open_own_page(browser: Browser, tmp_path: Any) -> Iterator[Callable[..., Tab]]:
    """What opens a tab on a notebook of this test alone, which may change it."""
    from e2e_page.browsing import open_tab, serve_notebook

    with ExitStack() as stack:

        def start(name: Any = "sample", **options: Any) -> Tab:
            served = stack.enter_context(serve_notebook(name, tmp_path / f"{name}-notes"))
            return stack.enter_context(open_tab(browser, served, **options))

        yield start
