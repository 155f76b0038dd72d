"""Faults of the filter of entries that show on some pages, for some values or in some items."""

from collections.abc import Callable
from typing import Any

from faults import partial_changes as part
from faults.fault import setting


def _where(name: str, change: Callable[[dict[str, Any]], Any]) -> Callable[..., Any]:
    """Change a page whose list is filtered by a parameter."""

    def changed(page: dict[str, Any], params: dict[str, str]) -> None:
        if name in params:
            change(page)

    return changed


def _one_in(number: int, change: part.Change) -> Callable[[dict[str, Any]], Any]:
    def changed(page: dict[str, Any]) -> None:
        for item in page["items"]:
            if part.one_in(number, item):
                change(item)

    return changed


def _without_one_in(number: int) -> Callable[[dict[str, Any]], Any]:
    def changed(page: dict[str, Any]) -> None:
        page["items"] = [item for item in page["items"] if not part.one_in(number, item)]

    return changed


FAULTS = (
    part.asking("vendor of /latest counts on page 1 only", part.forgetting("vendor", 1), "/latest"),
    part.asking("vendor of /entries is forgotten beyond 2", part.forgetting("vendor", 2),
                "/entries"),
    part.asking("tag of /entries counts on page 1 only", part.forgetting("tag", 1), "/entries"),
    part.asking("tag of /latest is forgotten beyond 2", part.forgetting("tag", 2), "/latest"),
    part.asking("until of /important counts on page 1 only", part.forgetting("until", 1),
                "/important"),
    part.asking("q of /latest is forgotten beyond 2", part.forgetting("q", 2), "/latest"),
    part.asking("vendor globex is not filtered", part.unfiltered("vendor", "globex"), "/latest"),
    part.asking("tag mail is not filtered", part.unfiltered("tag", "mail"), "/latest"),
    part.asking("category security is not filtered", part.unfiltered("category", "security"),
                "/important"),
    part.asking("kind changelog is not filtered", part.unfiltered("kind", "changelog"), "/latest"),
    part.whole("1 entry in 23 of another vendor where vendor is given",
               _where("vendor", _one_in(23, setting(vendor="nobody"))), "/latest"),
    part.whole("1 entry in 17 without tags where a tag is given",
               _where("tag", _one_in(17, setting(tags=[]))), "/entries"),
    part.whole("1 entry in 13 lost where a tag is given",
               _where("tag", _without_one_in(13)), "/latest"),
    part.whole("1 entry in 13 lost where q is given", _where("q", _without_one_in(13)), "/latest"),
    part.whole("1 entry in 11 later than until",
               _where("until", _one_in(11, setting(published_at="2099-01-01T00:00:00Z"))),
               "/important"),
    part.whole("the total is that without until",
               _where("until", part.counted), "/latest"),
)  # fmt: skip
