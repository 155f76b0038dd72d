"""Faults of what is asked for: since, filters, the search, and parameters nobody knows."""

from dataclasses import replace
from datetime import UTC, timedelta
from typing import Any

from faults.catalog import of_catalog
from faults.fault import BASE, Asked, Fault, params, patched

_ENTRIES = "handlers.api.entries.page_entries"
_TINY = timedelta(microseconds=1)
_KNOWN = {"vendor", "q", "adapterType", "kind", "limit", "offset", "selected", "sources", "since",
          "source", "future", "after", "wait"}  # fmt: skip


def _since(change: Any) -> Any:
    def make(original: Any) -> Any:
        def page(session: Any, sources: Any, wanted: Any, **rest: Any) -> Any:
            if wanted.since is not None:
                wanted = replace(wanted, since=change(wanted.since))
            return original(session, sources, wanted, **rest)

        return page

    return make


def _total_ignores_since(original: Any) -> Any:
    def page(session: Any, sources: Any, wanted: Any, **rest: Any) -> Any:
        total = original(session, sources, replace(wanted, since=None), **rest).total
        return replace(original(session, sources, wanted, **rest), total=total)

    return page


def _offset_of_since_ignored(original: Any) -> Any:
    """Read the hour as it stands, whatever offset follows it."""

    def parse(text: str) -> Any:
        original(text)
        return original(text[:19] + "Z")

    return parse


def _lenient_since(request: Asked) -> None:
    """Take a time without an offset for UTC."""
    if request.path == BASE + "/entries":
        request.params = [
            (name, f"{value}Z" if name == "since" and len(value) == 19 else value)
            for name, value in request.params
        ]


def _bare_date(request: Asked) -> None:
    if request.path == BASE + "/entries":
        request.params = [
            (name, f"{value}T00:00:00Z" if name == "since" and len(value) == 10 else value)
            for name, value in request.params
        ]


def _first_of_a_list(request: Asked) -> None:
    """Read the first of repeated sources, as many frameworks do with a parameter that is a text."""
    sources = [value for name, value in request.params if name == "sources"]
    if len(sources) > 1:
        others = [pair for pair in request.params if pair[0] != "sources"]
        request.params = [("sources", sources[0]), *others]


def _seconds_needed(request: Asked) -> None:
    """Read a time without seconds as none."""
    request.params = [
        (name, "now" if name == "since" and len(value) == 17 else value)
        for name, value in request.params
    ]


def _space_for_plus(request: Asked) -> None:
    if request.path == BASE + "/entries":
        request.params = [
            (name, value.replace(" ", "+") if name == "since" else value)
            for name, value in request.params
        ]


def _dropping(*names: str) -> Any:
    def change(found: dict[str, str]) -> None:
        for name in names:
            found.pop(name, None)

    return change


def _filter_off(name: str) -> Any:
    def make(original: Any) -> Any:
        def page(session: Any, wanted: Any, **rest: Any) -> Any:
            return original(session, replace(wanted, **{name: None}), **rest)

        return page

    return make


def _unknown_ignored(request: Asked) -> None:
    if request.path.startswith(BASE) and any(name not in _KNOWN for name, _ in request.params):
        request.params = [(name, value) for name, value in request.params if name in _KNOWN]


def _last_counts(request: Asked) -> None:
    found = dict(request.params)
    if request.path.startswith(BASE) and len(found) < len(request.params):
        request.params = list(found.items())


def _wildcards(original: Any) -> Any:
    """Search as LIKE does, without escaping."""

    def page(session: Any, wanted: Any, *, limit: int, offset: int, now: Any) -> Any:
        if wanted.q is None or not set(wanted.q) & {"%", "_"}:
            return original(session, wanted, limit=limit, offset=offset, now=now)
        return original(session, replace(wanted, q=None), limit=limit, offset=offset, now=now)

    return page


def _found_if(keep: Any) -> Any:
    """Search once more, more narrowly."""

    def make(original: Any) -> Any:
        def page(session: Any, wanted: Any, *, limit: int, offset: int, now: Any) -> Any:
            if wanted.q is None:
                return original(session, wanted, limit=limit, offset=offset, now=now)
            whole = original(session, wanted, limit=10_000, offset=0, now=now)
            found = [item for item in whole.items if keep(wanted.q, item)]
            return replace(whole, total=len(found), items=found[offset : offset + limit])

        return page

    return make


def _selected_zero(found: dict[str, str]) -> None:
    if found.get("selected", "1") != "1":
        del found["selected"]


CHECKS = frozenset({
    "every-filter-cuts-the-catalog",
    "search-finds-names-and-vendors-in-any-case",
    "search-finds-words-of-both",
    "search-has-no-wildcards",
    "selected-gives-the-sources-of-the-key",
    "adapter-types-share-the-catalog",
    "since-is-strict",
    "since-means-a-moment",
    "since-needs-an-offset",
    "a-lost-plus-is-explained",
    "unknown-parameters-are-refused",
    "repeated-parameters-are-refused",
    "lists-may-be-repeated",
    "times-may-be-printed-in-other-ways",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    patched("since is inclusive", _ENTRIES, _since(lambda at: at - _TINY)),
    patched("since cut to the day", _ENTRIES,
            _since(lambda at: at.replace(hour=0, minute=0, second=0))),
    patched("since an hour late", _ENTRIES,
            _since(lambda at: at + timedelta(hours=1))),
    patched("since in local time", _ENTRIES, _since(lambda at: at.astimezone(UTC) +
            timedelta(hours=2))),
    patched("since ignored", _ENTRIES, _since(lambda _: None)),
    patched("total ignores since", _ENTRIES, _total_ignores_since),
    patched("offset of since ignored", "storage.entries.filter_parsing.parse_instant",
            _offset_of_since_ignored),
    Fault("since without an offset is taken", asked=_lenient_since),
    Fault("since as a date is taken", asked=_bare_date),
    Fault("a space in since is taken for a plus", asked=_space_for_plus),
    of_catalog("filter vendor ignored", _filter_off("vendor")),
    of_catalog("filter kind ignored", _filter_off("kind")),
    of_catalog("filter adapterType ignored", _filter_off("adapter_type")),
    of_catalog("q ignored", _filter_off("q")),
    of_catalog("q takes % and _ for wildcards", _wildcards),
    of_catalog("q is case-sensitive",
            _found_if(lambda q, source: q in source.name or q in source.vendor)),
    of_catalog("q searches names only",
            _found_if(lambda q, source: q.lower() in source.name.lower())),
    of_catalog("q searches vendors only",
            _found_if(lambda q, source: q.lower() in source.vendor)),
    of_catalog("q finds beginnings only",
            _found_if(lambda q, source: source.name.lower().startswith(q.lower())
                      or source.vendor.startswith(q.lower()))),
    params("selected ignored", _dropping("selected"), "/sources"),
    params("selected=0 is taken", _selected_zero, "/sources"),
    params("an unknown adapter type is ignored", lambda found: found.pop("adapterType", None)
           if found.get("adapterType") == "gopher" else None, "/sources"),
    Fault("unknown parameters are ignored", asked=_unknown_ignored),
    Fault("the last of repeated parameters counts", asked=_last_counts),
    Fault("the first of repeated sources counts", asked=_first_of_a_list),
    Fault("since without seconds is refused", asked=_seconds_needed),
)  # fmt: skip
