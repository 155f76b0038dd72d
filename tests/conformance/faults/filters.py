"""Faults of the one filter of entries: parameters that are passed over, lost or misread."""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from faults.fault import BASE, Asked, Fault, Reply, params

FILTERS = ("vendor", "tag", "kind", "category", "since", "until", "q")
LISTS = ("/entries", "/latest", "/important")


def _ignored(name: str, path: str) -> Fault:
    return params(f"{name} of {path} ignored", lambda query: query.pop(name, None), path)


def _instead(name: str, label: str, change: Callable[[str], str], *paths: str) -> Fault:
    """A fault of how the value of a parameter is read."""

    def misread(query: dict[str, str]) -> None:
        if name in query:
            query[name] = change(query[name])

    return params(label, misread, *paths)


def _one_of_two(first: str, second: str) -> Callable[[dict[str, str]], Any]:
    def change(query: dict[str, str]) -> None:
        if first in query:
            query.pop(second, None)

    return change


def _lost_in_links(*names: str) -> Callable[[Reply], None]:
    """Leave parameters out of the addresses of the neighbours."""

    def answered(reply: Reply) -> None:
        link = reply.headers.get("link")
        for name, value in reply.asked.params if link else ():
            if name in names:
                for written in (quote(value, safe=":"), quote(value, safe=""), value):
                    for pair in (f"&{name}={written}", f"{name}={written}&"):
                        reply.headers["link"] = reply.headers["link"].replace(pair, "")

    return answered


def _searched_as_one_word(request: Asked) -> None:
    """Find nothing where an order is given."""
    query = dict(request.params)
    if request.path.startswith(BASE) and query.get("order") == "relevance" and "q" in query:
        request.params = [*query.items(), ("until", "1970-01-01T00:00:00Z")]


CHECKS = frozenset({
    "entries-are-filtered-by-what-they-show",
    "entries-are-filtered-by-kind-and-category",
    "filters-of-entries-hold-on-every-page",
    "entries-are-found-by-their-words",
    "changes-are-filtered",
    "since-is-strict",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    *(
        _ignored(name, path)
        for path in LISTS
        for name in FILTERS
        if (path, name) != ("/entries", "since")  # with the faults of queries
    ),
    *(_ignored(name, "/changes") for name in ("vendor", "tag", "since", "until", "q")),
    _instead("vendor", "vendor is read as its beginning", lambda value: value[:-1], *LISTS),
    _instead("category", "each category is read as security", lambda _: "security", *LISTS),
    _instead("until", "until is cut to the day", lambda value: f"{value[:10]}T00:00:00Z", *LISTS),
    _instead("q", "of q its beginning counts", lambda value: value[:1], *LISTS),
    params("vendor is passed over where until is given", _one_of_two("until", "vendor"), *LISTS),
    params("since is passed over where q is given", _one_of_two("q", "since"), *LISTS),
    Fault("the neighbours lose vendor", answered=_lost_in_links("vendor")),
    Fault("the neighbours lose tag and category", answered=_lost_in_links("tag", "category")),
    Fault("the neighbours lose until", answered=_lost_in_links("until")),
    Fault("the neighbours lose q", answered=_lost_in_links("q")),
    Fault("nothing is found by relevance", asked=_searched_as_one_word),
)
