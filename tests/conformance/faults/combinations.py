"""Faults that show where parameters meet, and where answers carry more than they should."""

from dataclasses import replace
from typing import Any

from faults.catalog import of_catalog
from faults.fault import BASE, Asked, Fault, Reply, body, header, of_status, params, patched

_ENTRIES = "handlers.api.entries.page_entries"
_PLACES = ("vendor", "q", "adapter_type", "kind")


def _first_filter(original: Any) -> Any:
    """Apply the first of several filters only."""

    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        given = [name for name in _PLACES if getattr(wanted, name) is not None]
        return original(session, replace(wanted, **dict.fromkeys(given[1:])), **rest)

    return page


def _total_unfiltered(original: Any) -> Any:
    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        whole = replace(wanted, **dict.fromkeys(_PLACES))
        return replace(
            original(session, wanted, **rest), total=original(session, whole, **rest).total
        )

    return page


def _selected_unfiltered(original: Any) -> Any:
    """Show the selected sources, whatever else is asked for."""

    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        if wanted.slugs is not None:
            wanted = replace(wanted, **dict.fromkeys(_PLACES))
        return original(session, wanted, **rest)

    return page


def _by_beginning(original: Any) -> Any:
    """Take the beginning of a vendor for the vendor."""

    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        known = original(session, replace(wanted, vendor=None), limit=100, offset=0,
                         now=rest["now"]).items if wanted.vendor else []  # fmt: skip
        vendors = sorted({each.vendor for each in known})
        begun = [vendor for vendor in vendors if vendor.startswith(wanted.vendor)]
        return original(session, replace(wanted, vendor=(begun or [wanted.vendor])[0]), **rest)

    return page


def _by_slug(original: Any) -> Any:
    """Search the slugs as well."""

    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        if wanted.q is not None and "." in wanted.q:
            wanted = replace(wanted, q=wanted.q.partition(".")[0])
        return original(session, wanted, **rest)

    return page


def _first_word(original: Any) -> Any:
    """Search for the first word only."""

    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        if wanted.q is not None and wanted.q.split():
            wanted = replace(wanted, q=wanted.q.split()[0])
        return original(session, wanted, **rest)

    return page


def _since_on_first_page(request: Asked) -> None:
    """Forget since on every page but the first."""
    found = dict(request.params)
    if request.path == BASE + "/entries" and found.get("offset", "0") != "0" and "since" in found:
        del found["since"]
        request.params = list(found.items())


def _limit_of_each(original: Any) -> Any:
    """Give so many entries of every source."""

    def page(
        session: Any, sources: Any, wanted: Any, *, limit: int, offset: int, **rest: Any
    ) -> Any:
        each = limit * len(sources)
        return original(session, sources, wanted, limit=each, offset=offset, **rest)

    return page


def _mixed_up() -> Fault:
    """Whoever asks while another waits is taken for that other."""
    inside: list[dict[str, str]] = []

    def asked(request: Asked) -> None:
        inside.append(request.headers)
        request.headers = inside[0]

    def answered(_: Reply) -> None:
        del inside[0]

    return Fault("callers are mixed up", asked=asked, answered=answered)


def _cookie(reply: Reply) -> None:
    if reply.asked.path.startswith(BASE):
        reply.headers["set-cookie"] = "session=3f2a; Path=/; HttpOnly"


def _lower_bearer(request: Asked) -> None:
    """Know the scheme in one spelling only."""
    if request.headers.get("authorization", "").startswith(("bearer ", "BEARER ")):
        request.headers["authorization"] = "Basic Og=="


def _turned_link(reply: Reply) -> None:
    """Name the next page the one before."""
    if "link" in reply.headers:
        reply.headers["link"] = reply.headers["link"].replace('rel="next"', 'rel="prev"')


def _limit_as_text(page: Any) -> None:
    page["limit"] = str(page["limit"])


def _another_source(page: Any) -> None:
    page["source"] = "globex.mail"


def _untagged(reply: Reply) -> None:
    if reply.status == 304:
        reply.headers.pop("etag", None)


CHECKS = frozenset({
    "filters-work-together",
    "selected-sources-are-filtered-too",
    "since-cuts-every-source-anywhere",
    "cache-control-keeps-keys-private",
    "every-filter-cuts-the-catalog",
    "search-finds-names-and-vendors-in-any-case",
    "search-finds-words-of-both",
    "since-is-strict",
    "entries-page-says-what-it-is",
    "both-headers-carry-the-key",
    "pages-name-their-neighbours",
    "a-neighbour-is-the-page-it-is-called",
    "other-origins-may-read-without-cookies",
    "an-unchanged-answer-is-304",
    "diffs-hold-what-changed",
    "callers-are-not-mixed-up",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    of_catalog("only the first filter counts", _first_filter),
    of_catalog("total of the catalog ignores filters", _total_unfiltered),
    of_catalog("selected ignores filters", _selected_unfiltered),
    of_catalog("the beginning of a vendor is the vendor", _by_beginning),
    of_catalog("q searches slugs", _by_slug),
    of_catalog("q searches for the first word", _first_word),
    Fault("since counts on the first page only", asked=_since_on_first_page),
    patched("limit counts for each source", _ENTRIES, _limit_of_each),
    _mixed_up(),
    Fault("every answer sets a cookie", answered=_cookie),
    Fault("the scheme is known in one spelling", asked=_lower_bearer),
    Fault("next page is called the previous", answered=_turned_link),
    header("no page names its neighbours", "link", None, on=of_status(200)),
    body("limit as text", _limit_as_text, path="/latest"),
    body("diffs of another source", _another_source, path="/diffs"),
    Fault("304 without ETag", answered=_untagged),
    params("limit is forgotten with since", lambda found: found.pop("limit", None)
           if "since" in found else None, "/entries"),
)  # fmt: skip
