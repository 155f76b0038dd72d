"""Faults of listings: order, pages, limits and totals."""

import contextlib
from dataclasses import replace
from typing import Any

from faults.catalog import of_catalog
from faults.fault import BASE, Fault, Reply, body, has_key, params, patched

_ENTRIES = "handlers.api.entries.page_entries"
_LATEST = "handlers.api.feeds.page_latest"
_IMPORTANT = "handlers.api.feeds.page_important"


def _asking(change: Any) -> Any:
    """Ask storage for another page than the caller wanted."""

    def make(original: Any) -> Any:
        def page(session: Any, *wanted: Any, limit: int, offset: int, **rest: Any) -> Any:
            limit, offset = change(limit, offset)
            return original(session, *wanted, limit=limit, offset=offset, **rest)

        return page

    return make


def _giving(change: Any) -> Any:
    """Give back another page than storage found."""

    def make(original: Any) -> Any:
        def page(session: Any, *wanted: Any, **rest: Any) -> Any:
            return change(original(session, *wanted, **rest))

        return page

    return make


def _documents(change: Any) -> Any:
    return _giving(lambda page: replace(page, documents=change(list(page.documents))))


def _sources(change: Any) -> Any:
    return _giving(lambda page: replace(page, items=change(list(page.items))))


def _backwards(found: list[Any]) -> list[Any]:
    return found[::-1]


def _by_name(original: Any) -> Any:
    def page(session: Any, wanted: Any, *, limit: int, offset: int, now: Any) -> Any:
        whole = original(session, wanted, limit=10_000, offset=0, now=now)
        found = sorted(whole.items, key=lambda source: source.name[::-1])
        return replace(whole, items=found[offset : offset + limit])

    return page


def _source_by_source(original: Any) -> Any:
    """Entries of one source after those of another, instead of merged."""

    def page(session: Any, sources: Any, wanted: Any, *, limit: int, offset: int, **_: Any) -> Any:
        found: list[bytes] = []
        total = 0
        for source_id in sorted(sources):
            part = original(session, {source_id}, wanted, limit=10_000, offset=0)
            total += part.total
            found += part.documents
        whole = original(session, sources, wanted, limit=1, offset=0)
        return replace(whole, documents=found[offset : offset + limit], total=total)

    return page


def _ties_backwards(original: Any) -> Any:
    """Entries of one moment in the order of their ids."""

    def page(session: Any, sources: Any, *wanted: Any, limit: int, offset: int, **rest: Any) -> Any:
        whole = original(session, sources, *wanted, limit=10_000, offset=0, **rest)
        at = [document.partition(b'"published_at":"')[2][:20] for document in whole.documents]
        pairs = sorted(zip(at, whole.documents, strict=True), key=lambda pair: pair[1])
        pairs.sort(key=lambda pair: pair[0], reverse=True)
        found = [document for _, document in pairs]
        return replace(whole, documents=found[offset : offset + limit])

    return page


def _clamped(found: dict[str, str]) -> None:
    limit = found.get("limit", "")
    if limit.isascii() and limit.isdecimal() and int(limit) > 100:
        found["limit"] = "100"


def _at_least_one(found: dict[str, str]) -> None:
    if found.get("limit") == "0":
        found["limit"] = "1"


def _default_limit(found: dict[str, str]) -> None:
    found.setdefault("limit", "20")


def _no_negative(found: dict[str, str]) -> None:
    if found.get("offset", "").startswith("-"):
        found["offset"] = "0"


def _lenient_number(found: dict[str, str]) -> None:
    with contextlib.suppress(KeyError, ValueError):
        found["limit"] = str(int(found["limit"]))


def _total_of_page(page: Any) -> None:
    page["total"] = len(page["items"])


def _echo(page: Any) -> None:
    page["limit"] = max(1, len(page["items"]))


def _offset_not_said(page: Any) -> None:
    page["offset"] = 0


def _unselected_total(reply: Reply) -> None:
    """Count every entry there is."""
    if reply.asked.path == BASE + "/entries" and reply.status == 200 and has_key(reply.asked):
        found = reply.json
        found["total"] += 1000
        reply.json = found


def _as_number(limit: int, offset: int) -> tuple[int, int]:
    return limit, offset * limit


CHECKS = frozenset({
    "catalog-page-says-what-it-is",
    "random-pages-are-parts-of-the-list",
    "slugs-are-unique-and-pages-do-not-overlap",
    "entries-come-newest-first",
    "entries-page-says-what-it-is",
    "entries-are-of-the-sources-asked-for",
    "feeds-come-newest-first",
    "feeds-are-cut-for-the-public",
    "limit-is-1-to-100",
    "offset-is-at-least-0",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    patched("entries oldest first", _ENTRIES, _documents(_backwards)),
    patched("entries source by source", _ENTRIES, _source_by_source),
    patched("entries of one moment in rising order", _ENTRIES, _ties_backwards),
    of_catalog("sources by name", _by_name),
    of_catalog("sources backwards in a page", _sources(_backwards)),
    patched("latest oldest first", _LATEST, _documents(_backwards)),
    patched("important oldest first", _IMPORTANT, _documents(_backwards)),
    patched("entries skip one more", _ENTRIES, _asking(lambda n, o: (n, o + 1))),
    patched("entries pages overlap", _ENTRIES, _asking(lambda n, o: (n, max(0, o - 1)))),
    patched("entries ignore offset", _ENTRIES, _asking(lambda n, _: (n, 0))),
    patched("entries give one more than limit", _ENTRIES, _asking(lambda n, o: (n + 1, o))),
    patched("entries give one less than limit", _ENTRIES,
            _documents(lambda found: found[:-1] if len(found) > 5 else found)),
    patched("entries lose every tenth", _ENTRIES,
            _documents(lambda found: [d for n, d in enumerate(found) if n % 10 != 9])),
    patched("entries take offset for a number of pages", _ENTRIES, _asking(_as_number)),
    of_catalog("sources skip one more", _asking(lambda n, o: (n, o + 1))),
    of_catalog("sources pages overlap", _asking(lambda n, o: (n, max(0, o - 1)))),
    of_catalog("sources ignore limit", _asking(lambda _, o: (100, o))),
    of_catalog("sources one less than limit", _asking(lambda n, o: (max(1, n - 1), o))),
    patched("latest ignores offset", _LATEST, _asking(lambda n, _: (n, 0))),
    patched("latest pages overlap", _LATEST, _asking(lambda n, o: (n, max(0, o - 1)))),
    patched("latest ignores limit", _LATEST, _asking(lambda _, o: (50, o))),
    patched("important skips one between pages", _IMPORTANT,
            _asking(lambda n, o: (n, o + 1 if o else 0))),
    body("total of the page on /sources", _total_of_page, path="/sources"),
    body("total of the page on /entries", _total_of_page, path="/entries"),
    body("total of the page on /latest", _total_of_page, path="/latest"),
    body("total of the page on /important", _total_of_page, path="/important"),
    body("limit says how many there are", _echo, path="/entries"),
    body("offset always 0 in the answer", _offset_not_said, path="/latest"),
    Fault("total of all sources on /entries", answered=_unselected_total),
    params("default limit 20 on /sources", _default_limit, "/sources", keyed=True),
    params("default limit 20 on /entries", _default_limit, "/entries"),
    params("default limit 20 on /latest", _default_limit, "/latest"),
    params("limit over 100 is cut on /sources", _clamped, "/sources", keyed=True),
    params("limit over 100 is cut on /entries", _clamped, "/entries"),
    params("limit over 100 is cut on /important", _clamped, "/important"),
    params("limit 0 is taken for 1", _at_least_one, "/latest"),
    params("negative offset is taken for 0", _no_negative, "/sources"),
    params("numbers are read leniently", _lenient_number, "/latest"),
)  # fmt: skip
