"""Faults of a hurried change in the corners of the interface.

Pages of the site, the contract as it is served, parameters that get a default, times and numbers
of another field.
"""

import itertools
from collections.abc import Callable
from typing import Any

from faults.fault import (
    BASE,
    Asked,
    Fault,
    Reply,
    body,
    catalog_items,
    has_key,
    header,
    items,
    of_status,
    params,
)

_count = itertools.count()
_READ = of_status(200)
_REQUEST = "/sources/request"


def _served(name: str, change: Callable[[Any], None], *, file: str = "/openapi.json") -> Fault:
    """A fault of the contract as one of its addresses serves it."""

    def answered(reply: Reply) -> None:
        if reply.asked.path == file:
            contract = reply.json
            change(contract)
            reply.json = contract

    return Fault(name, answered=answered)


def _without_latest(contract: Any) -> None:
    del contract["paths"]["/latest"]


def _other_version(contract: Any) -> None:
    contract["info"]["version"] = "0.9.0"


def _other_parameter(contract: Any) -> None:
    contract["components"]["parameters"]["Vendor"]["required"] = True


def _stale_yaml(reply: Reply) -> None:
    if reply.asked.path == "/openapi.yaml":
        reply.body = reply.body.replace(b"maximum: 100", b"maximum: 200", 1)


def _page_answers(path: str, status: int) -> Callable[[Reply], None]:
    def answered(reply: Reply) -> None:
        if reply.asked.path == path:
            reply.status, reply.body = status, b"<h1>Something went wrong</h1>"

    return answered


def _with_default(name: str, value: str) -> Callable[[dict[str, str]], None]:
    def change(found: dict[str, str]) -> None:
        if not found.get(name):
            found[name] = value

    return change


def _first_hundred(found: dict[str, str]) -> None:
    found["sources"] = ",".join(found.get("sources", "").split(",")[:100])


def _flag_as_boolean(found: dict[str, str]) -> None:
    if found.get("future") in ("true", "2"):
        found["future"] = "1"


def _counted_twice(reply: Reply) -> None:
    """Read a source that is named twice two times."""
    named = dict(reply.asked.params).get("sources", "").split(",")
    if reply.status == 200 and reply.asked.path == BASE + "/entries" and reply.body:
        page = reply.json
        page["total"] += page["total"] * (len(named) - len(set(named)))
        reply.json = page


def _past_the_end(reply: Reply) -> None:
    """Take an offset past the end for a mistake."""
    if reply.status != 200 or not reply.body or "offset=" not in reply.asked.query:
        return
    if reply.asked.path.startswith(BASE) and not reply.json.get("items"):
        message = "There is no such page."
        reply.status = 404
        reply.json = {"error": message, "code": "not_found", "message": message}


def _empty_total(reply: Reply) -> None:
    """Count what is left where a page is empty."""
    if reply.status == 200 and reply.body and reply.asked.path.startswith(BASE):
        page = reply.json
        if page.get("items") == []:
            reply.json = {**page, "total": 0}


def _no_diffs(reply: Reply) -> None:
    """A source that is not in the catalog has no diffs."""
    of_diffs = reply.status == 403 and reply.asked.path == BASE + "/diffs"
    if of_diffs and reply.json["code"] == "source_not_selected":
        source = dict(reply.asked.params)["source"]
        reply.status = 200
        reply.json = {"source": source, "adapterType": "rss", "total": 0, "items": []}


def _one_more_added(page: Any) -> None:
    for item in page["items"]:
        item["stats"]["added"] += 1


def _exchanged(page: Any) -> None:
    for item in page["items"]:
        item["before"], item["after"] = item["after"], item["before"]


def _turned(page: Any) -> None:
    page["items"].reverse()


def _of_the_path(reply: Reply) -> None:
    """Make the ETag from the path alone."""
    if reply.status == 200 and "etag" in reply.headers:
        key = reply.asked.headers.get("x-api-key", "")
        reply.headers["etag"] = f'"{abs(hash((reply.asked.path, key))):x}"'


def _of_head(reply: Reply) -> None:
    if reply.asked.method == "HEAD" and "etag" in reply.headers:
        reply.headers["etag"] = '"d41d8cd98f00b204e9800998ecf8427e"'


def _redirected(reply: Reply) -> None:
    path = reply.asked.path
    if reply.status == 404 and path.startswith(BASE) and path.endswith("/"):
        reply.status, reply.body = 307, b""
        reply.headers["location"] = path.rstrip("/")


def _keyed_preflight(reply: Reply) -> None:
    if reply.asked.method == "OPTIONS" and not has_key(reply.asked):
        message = "A key is needed."
        reply.status = 401
        reply.json = {"error": message, "code": "unauthorized", "message": message}


def _bad_key_ignored(request: Asked) -> None:
    """Look at keys only where one is needed."""
    if request.path in (BASE + "/latest", BASE + "/important"):
        request.headers.pop("x-api-key", None)
        request.headers.pop("authorization", None)


def _charset_refused(reply: Reply) -> None:
    """Compare the media type as one text."""
    sent = reply.asked.headers.get("content-type", "")
    if reply.asked.path == BASE + _REQUEST and reply.asked.method == "POST" and ";" in sent:
        message = "The body has to be application/json."
        reply.status = 415
        reply.json = {"error": message, "code": "unsupported_media_type", "message": message}


def _fetched_as_updated(source: Any) -> None:
    source["lastUpdatedAt"] = source["lastFetchedAt"]


def _new_id(item: Any) -> None:
    item["id"] = f"{item['id']}-{next(_count)}"


def _one_time(item: Any) -> None:
    item["published_at"] = "2020-01-01T00:00:00Z"


def _other_deadline(item: Any) -> None:
    for deadline in item["importance"]["deadlines"]:
        deadline["evidence"]["text"] = "will go"


def _without_guid(reply: Reply) -> None:
    if reply.asked.path == "/rss/updates.xml":
        reply.body = reply.body.replace(b"<guid", b"<id").replace(b"</guid>", b"</id>")


def _other_prices(reply: Reply) -> None:
    if reply.asked.path == "/plans":
        reply.body = reply.body.replace(b"9.99", b"8.99")


CHECKS = frozenset({
    "plans-have-their-prices",
    "the-contract-carries-its-version",
    "the-contract-has-every-operation",
    "the-contract-breaks-nobody",
    "both-spellings-of-the-contract-are-one",
    "the-site-has-its-pages",
    "entries-need-sources",
    "a-hundred-sources-are-enough",
    "a-source-named-twice-counts-once",
    "diffs-need-a-source",
    "an-unknown-source-has-no-diffs",
    "diffs-count-what-they-hold",
    "diffs-hold-what-changed",
    "the-etag-follows-the-body",
    "head-is-get-without-a-body",
    "wrong-keys-are-refused-on-public-operations",
    "last-update-is-the-newest-entry",
    "future-entries-wait",
    "rss-is-well-formed",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    _served("openapi.json lacks an operation", _without_latest),
    _served("openapi.json has another version", _other_version),
    _served("openapi.json needs a parameter that is optional", _other_parameter),
    Fault("openapi.yaml is an older copy", answered=_stale_yaml),
    Fault("prices of another year", answered=_other_prices),
    Fault("no page to sign in", answered=_page_answers("/auth/login", 404)),
    Fault("the page of keys fails", answered=_page_answers("/app/api-keys", 500)),
    params("entries without sources are of some", _with_default("sources", "acme.compute"),
           "/entries"),
    params("diffs without source are of some", _with_default("source", "acme.compute"), "/diffs"),
    params("sources over a hundred are left out", _first_hundred, "/entries"),
    params("future=true is taken", _flag_as_boolean, "/latest"),
    Fault("a source named twice is read twice", answered=_counted_twice),
    Fault("a page past the end is a 404", answered=_past_the_end),
    Fault("a page past the end has the total 0", answered=_empty_total),
    Fault("an unknown source has no diffs", answered=_no_diffs),
    body("diffs count one more", _one_more_added, path="/diffs"),
    body("before and after of a diff exchanged", _exchanged, path="/diffs"),
    body("diffs oldest first", _turned, path="/diffs"),
    Fault("ETag of the path alone", answered=_of_the_path),
    Fault("HEAD has another ETag", answered=_of_head),
    header("Cache-Control for an hour", "cache-control", "public, max-age=3600",
           on=lambda reply: reply.status == 200 and not has_key(reply.asked)),
    header("Vary is a star", "vary", "*", on=_READ),
    Fault("a slash at the end leads on", answered=_redirected),
    Fault("preflight needs a key", answered=_keyed_preflight),
    Fault("a bad key is ignored on the public feeds", asked=_bad_key_ignored),
    header("Retry-After is a date", "retry-after", "Wed, 01 Jan 2031 00:00:00 GMT",
           on=of_status(429)),
    header("RateLimit-Policy of another window", "ratelimit-policy", '"minute";q=5;w=3600',
           on=of_status(201, 400, 429)),
    Fault("a charset beside the media type is refused", answered=_charset_refused),
    catalog_items("lastUpdatedAt is the time of fetching", _fetched_as_updated),
    items("entry id made anew at each call", _new_id, "/entries"),
    items("every entry has one time", _one_time, "/entries", "/latest"),
    items("a deadline in other words", _other_deadline, "/important"),
    Fault("RSS items without guid", answered=_without_guid),
)  # fmt: skip
