"""Faults of what lies between versions, of stacks, and of the days by which readers have to act."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from sqlalchemy import select

from faults import partial_changes as part
from faults.fault import Fault, body, items, params, patched, setting, without
from storage.models import Webhook

_UPGRADES, _STACKS, _DEADLINES = "/upgrades", "/stacks", "/deadlines"
_WEBHOOKS, _DELIVERIES = "/webhooks", "/webhooks/deliveries"
_RANGES = "handlers.api.stacks.ranges_of"


def _ignored(name: str, path: str) -> Fault:
    return params(f"{name} of {path} ignored", lambda query: query.pop(name, None), path)


def _page(name: str, change: Callable[[dict[str, Any]], Any], path: str) -> Fault:
    """A fault of whole pages, of whichever method."""
    return body(name, change, path=path)


def _more(*names: str, by: int = 1) -> Callable[[dict[str, Any]], None]:
    def change(page: dict[str, Any]) -> None:
        for name in names:
            page[name] += by

    return change


def _backwards(page: dict[str, Any]) -> None:
    page["items"].reverse()


def _without_last(page: dict[str, Any]) -> None:
    page["items"] = page["items"][:-1]


def _by_time(page: dict[str, Any]) -> None:
    page["items"].sort(key=lambda item: item["published_at"])


def _moved(name: str, days: int) -> Callable[[Any], None]:
    def change(item: Any) -> None:
        item[name] = str(date.fromisoformat(item[name]) + timedelta(days=days))

    return change


def _other_days(item: Any) -> None:
    item["days"] += 2


def _of_another(item: Any) -> None:
    item["set_by"]["id"] = "another"


def _other_title(item: Any) -> None:
    item["entry"]["title"] = "Another title"


def _named_twice(page: dict[str, Any]) -> None:
    page["uncovered"] += [each["part"] for each in page["selected"]]


def _counts_no_breaking(page: dict[str, Any]) -> None:
    page["counts"]["breaking"] = 0


def _without_wanted(made: Any) -> Any:
    return lambda running, _: made(running, None)


def _without_versions(made: Any) -> Any:
    return lambda running, wanted: made([part.partition("@")[0] for part in running], wanted)


def _emptied(*names: str) -> Callable[[dict[str, Any]], None]:
    def change(page: dict[str, Any]) -> None:
        for name in names:
            page[name] = []

    return change


def _inclusive(query: dict[str, str]) -> None:
    """Take `from` for the version before, where versions are counted."""
    if query.get("from", "").isdecimal():
        query["from"] = str(max(0, int(query["from"]) - 1))


def _short(query: dict[str, str]) -> None:
    if query.get("to", "").isdecimal():
        query["to"] = str(max(0, int(query["to"]) - 1))


def _as_text(query: dict[str, str]) -> None:
    """Compare versions as texts: the first digit decides."""
    for name in ("from", "to"):
        if name in query:
            query[name] = query[name][:1]


def _anybodys(_: Any) -> Any:
    return lambda session, _caller, _id: session.scalars(select(Webhook)).first()


CHECKS = frozenset({
    "deadlines-come-soonest-first",
    "deadlines-are-filtered-by-their-days",
    "pages-of-deadlines-are-parts-of-the-list",
    "deadlines-have-their-entries",
    "upgrades-put-what-breaks-first",
    "upgrades-lie-between-the-versions",
    "pages-of-upgrades-are-parts-of-the-list",
    "an-unknown-part-is-told",
    "a-stack-has-the-upgrades-of-its-parts",
    "a-stack-says-what-covers-each-part",
    "a-stack-that-stays-has-nothing-between",
    "webhooks-show-no-secret",
    "other-webhooks-are-404",
    "deliveries-are-listed-by-state",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    _ignored("from", _UPGRADES),
    _ignored("to", _UPGRADES),
    _ignored("limit", _UPGRADES),
    _ignored("offset", _UPGRADES),
    params("from of /upgrades is inclusive", _inclusive, _UPGRADES),
    params("to of /upgrades is exclusive", _short, _UPGRADES),
    params("versions are compared as texts", _as_text, _UPGRADES),
    _page("upgrades by time", _by_time, _UPGRADES),
    _page("upgrades backwards", _backwards, _UPGRADES),
    _page("upgrades lack the last", _without_last, _UPGRADES),
    _page("upgrades count one more", _more("total"), _UPGRADES),
    _page("upgrades say no reason", _emptied("unknown"), _UPGRADES),
    _page("upgrades name no source", _emptied("sources"), _UPGRADES),
    items("upgrades of another part", setting(part="pkg:npm/another"), _UPGRADES),
    items("upgrades say nothing of importance", without("importance"), _UPGRADES),
    _page("a stack counts one more", _more("total"), _STACKS),
    _page("a stack counts nothing that breaks", _counts_no_breaking, _STACKS),
    _page("a stack lacks the last entry", _without_last, _STACKS),
    _page("a stack backwards", _backwards, _STACKS),
    _page("a stack names covered parts as uncovered", _named_twice, _STACKS),
    _page("a stack is silent about uncovered parts", _emptied("uncovered"), _STACKS),
    _page("a stack proposes nothing and selects nothing", _emptied("selected"), _STACKS),
    patched("a stack passes over wanted", _RANGES, _without_wanted),
    patched("a stack passes over the versions that run", _RANGES, _without_versions),
    _ignored("from", _DEADLINES),
    _ignored("to", _DEADLINES),
    _ignored("limit", _DEADLINES),
    _ignored("offset", _DEADLINES),
    _page("deadlines backwards", _backwards, _DEADLINES),
    _page("deadlines count one more", _more("total"), _DEADLINES),
    items("deadlines two days later than told", _other_days, _DEADLINES),
    items("deadlines end before they begin", _moved("from", 9), _DEADLINES),
    items("deadlines are set by another entry", _of_another, _DEADLINES),
    items("deadlines have another title", _other_title, _DEADLINES),
    items("deadlines without the sentence", without("text"), _DEADLINES),
    items("deadlines have the days of the day before", _moved("to", -1), _DEADLINES),
    items("webhooks show their secrets", setting(name="whsec_AAAA"), _WEBHOOKS),
    patched("webhooks of others are shown", "handlers.api.webhooks.own_webhook", _anybodys),
    _ignored("state", _DELIVERIES),
    _page("deliveries count one more", _more("total"), _DELIVERIES),
    items("deliveries arrived, all of them", setting(state="delivered"), _DELIVERIES),
)

PARTIAL = (
    part.beyond("upgrades backwards beyond 10", 10, part.backwards, _UPGRADES),
    part.beyond("upgrades count one more beyond 20", 20, part.counted, _UPGRADES),
    part.asking("upgrades skip one beyond 15", part.shifted(15, 1), _UPGRADES),
    part.asking("to of /upgrades is forgotten beyond 2", part.forgetting("to", 2), _UPGRADES),
    part.whole("1 upgrade in 11 lost", part.losing(11), _UPGRADES),
    part.rarely("1 upgrade in 13 of another part", 13, setting(part="pkg:npm/x"), _UPGRADES),
    part.whole("two upgrades exchanged", part.swapped, _UPGRADES),
    part.beyond("deadlines backwards beyond 40", 40, part.backwards, _DEADLINES),
    part.beyond("deadlines count one more beyond 30", 30, part.counted, _DEADLINES),
    part.asking("deadlines overlap beyond 20", part.shifted(20, -1), _DEADLINES),
    part.asking("a limit over 60 gives 60 deadlines", part.clamped(60), _DEADLINES),
    part.whole("1 deadline in 23 lost", part.losing(23), _DEADLINES),
    part.whole("two deadlines exchanged", part.swapped, _DEADLINES),
    part.asking("from of /deadlines is forgotten beyond 2", part.forgetting("from", 2), _DEADLINES),
)
"""Faults of them that show on some pages or in some items."""
