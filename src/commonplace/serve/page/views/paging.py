"""Long lists come page by page: `?page=2`."""

from __future__ import annotations

from urllib.parse import urlencode

from commonplace.serve.page.app import Visit
from commonplace.shapes import Json

MAX_PAGE = 10_000


def read_page(visit: Visit, last: int = MAX_PAGE) -> int:
    """The page that the address names, from 1 on."""
    written = visit.read("page", "1")
    return min(max(int(written), 1), last) if written.isdecimal() and len(written) < len("1000000") else 1


def page_links(visit: Visit, page: int, *, has_more: bool) -> Json:
    """The number of a page, and the addresses of the one before it and the one after it, empty if there is none."""

    def address(number: int) -> str:
        others = [(name, value) for name, value in visit.request.query_params.multi_items() if name != "page"]
        return f"?{urlencode([*others, ('page', str(number))])}"

    before, after = address(page - 1) if page > 1 else "", address(page + 1) if has_more else ""
    return {"page": page, "before": before, "after": after}
