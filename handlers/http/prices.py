"""What a request costs its client, in units; an ordinary request is one (docs/decisions/0199)."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl

from starlette.types import Scope

FREE: Final = 0
ORDINARY: Final = 1
COSTLY: Final = 5
"""From this price on a request is answered alone: no other of its client's runs beside it."""
FORM: Final = 5
WORDS: Final = 4
"""What searching for words adds."""
SKIPPED: Final = 500
"""Rows before a page that add a unit, up to ``FARTHEST`` units."""
FARTHEST: Final = 40
ITEMS: Final = 50
"""Items of a page that add a unit."""

OPERATIONS: Final[Mapping[tuple[str, str], int]] = {
    ("GET", "/diffs"): 3,
    ("GET", "/upgrades"): 5,
    ("POST", "/sources/request"): 5,
    ("POST", "/stacks"): 20,
    ("POST", "/webhooks"): 10,
    ("POST", "/webhooks/delete"): 10,
    ("POST", "/webhooks/redeliver"): 10,
    ("POST", "/webhooks/rotate"): 10,
    ("POST", "/webhooks/test"): 10,
}
"""Operations of the API that cost more than an ordinary one."""

ROUTES: Final[Sequence[tuple[str, str, int]]] = (
    ("GET", "/healthz", FREE),
    ("GET", "/readyz", FREE),
    ("GET", "/metrics", FREE),
    ("GET", "/static/", FREE),
    ("GET", "/guide/search", 10),
    ("GET", "/sitemap.xml", 5),
    ("GET", "/entries.csv", 5),
    ("GET", "/bulk", 20),
    ("GET", "/openapi", ORDINARY),
    ("GET", "/app/stream", 10),
    ("GET", "/app/sources", 5),
    ("GET", "/app/lists", 5),
    ("POST", "/mcp", 4),
    ("POST", "/app/stack", 20),
    ("POST", "/app/lists", 20),
)
"""Pages, files, feeds and forms: method, how the path begins, price. The first that fits counts."""
PAGE: Final = 3


def price_of(scope: Scope, bases: Sequence[str]) -> int:
    """Return the price of a request; ``bases``: how the paths of the API begin."""
    price = _of_route(scope, bases)
    if price == FREE or scope["method"] not in ("GET", "HEAD"):
        return price
    query = scope.get("query_string", b"")
    return price + _of_query(query) if query else price


def _of_route(scope: Scope, bases: Sequence[str]) -> int:
    path: str = scope["path"]
    method = "GET" if scope["method"] == "HEAD" else scope["method"]
    for base in bases:
        if path.startswith(base):
            return OPERATIONS.get((method, path[len(base) - 1 :]), ORDINARY)
    for allowed, start, price in ROUTES:
        if method == allowed and path.startswith(start):
            return price
    return PAGE if method == "GET" else FORM


def _of_query(query: bytes) -> int:
    """Return what the parameters of a request add: rows skipped, items, words searched for."""
    parameters = dict(parse_qsl(query.decode("latin-1")))
    skipped = min(_number(parameters.get("offset")) // SKIPPED, FARTHEST)
    searched = WORDS if parameters.get("q") else 0
    return skipped + min(_number(parameters.get("limit")), 100) // ITEMS + searched


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 20 else 0
