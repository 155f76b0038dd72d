"""Faults of single answers: fields, types, values, and addresses that nobody may see."""

from typing import Any

from faults.fault import (
    Fault,
    Reply,
    body,
    catalog_items,
    items,
    patched,
    setting,
    without,
)

_FEED = "https://feeds.acme.example/compute.xml"


def _rename(before: str, after: str) -> Any:
    def change(item: Any) -> None:
        if before in item:
            item[after] = item.pop(before)

    return change


def _change(name: str, make: Any) -> Any:
    def change(item: Any) -> None:
        if item.get(name) is not None:
            item[name] = make(item[name])

    return change


def _empty_for_null(name: str) -> Any:
    def change(item: Any) -> None:
        if name in item and item[name] is None:
            item[name] = ""

    return change


def _in_raw(item: Any) -> None:
    item["raw"]["feed"] = _FEED


def _link_in_raw(item: Any) -> None:
    item["raw"]["links"] = [{"rel": "self", "href": _FEED}]


def _feed_in_message(item: Any) -> None:
    if item.get("healthMessage"):
        item["healthMessage"] = f"{_FEED} answered 503 three times."


def _feed_as_page(item: Any) -> None:
    item["changelogUrl"] = _FEED


def _html_title(item: Any) -> None:
    item["title"] = f"<b>{item['title']}</b>"


def _escaped_title(item: Any) -> None:
    item["title"] = f"{item['title']} &amp; more"


def _two_lines(item: Any) -> None:
    item["title"] += "\nand more"


def _html_summary(item: Any) -> None:
    if item.get("summary"):
        item["summary"] = f"<p>{item['summary']}</p>"


def _epoch(item: Any) -> None:
    item["published_at"] = 1_790_000_000


def _message_always(item: Any) -> None:
    item["healthMessage"] = "It was slow."


def _only_open(reply: Reply) -> None:
    if reply.asked.path.endswith("/entries") and reply.status == 200:
        reply.headers["content-type"] = "text/json"


def _problem(reply: Reply) -> None:
    if reply.status >= 400 and reply.asked.path.startswith("/api"):
        reply.headers["content-type"] = "application/problem+json"


def _null_items(page: Any) -> None:
    if not page["items"]:
        page["items"] = None


def _other_document(reply: Reply) -> None:
    if reply.asked.path == "/openapi.json":
        found = reply.json
        found["components"]["schemas"]["PublicEntry"]["properties"]["title"]["maxLength"] = 3
        reply.json = found


def _document_without_parameter(reply: Reply) -> None:
    if reply.asked.path == "/openapi.json":
        found = reply.json
        kept = found["paths"]["/latest"]["get"]["parameters"]
        found["paths"]["/latest"]["get"]["parameters"] = [
            each for each in kept if "Future" not in each["$ref"]
        ]
        reply.json = found


def _document_with_more(reply: Reply) -> None:
    if reply.asked.path == "/openapi.json":
        found = reply.json
        found["components"]["parameters"]["Limit"]["schema"]["maximum"] = 200
        reply.json = found


def _unread_facts(make: Any) -> Any:
    """Let a handler lose a field, while nothing looks at answers any more."""

    def judged(item: Any, **services: Any) -> Any:
        found = make(item, **services)
        del found["kind"]
        return found

    return judged


_VALIDATION_OFF = (
    "handlers.http.validators.ResponseValidator.wrap_send",
    lambda _: lambda _validator, send: send,
)

CHECKS = frozenset({
    "catalog-page-says-what-it-is",
    "every-filter-cuts-the-catalog",
    "random-pages-are-parts-of-the-list",
    "entries-come-newest-first",
    "entries-page-says-what-it-is",
    "entries-inherit-vendor-and-tags",
    "last-update-is-the-newest-entry",
    "only-troubled-sources-have-a-message",
    "since-is-strict",
    "feeds-come-newest-first",
    "diffs-hold-what-changed",
    "diffs-count-what-they-hold",
    "texts-are-plain",
    "the-contract-has-every-parameter",
    "unknown-paths-are-404",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    catalog_items("source without name", without("name")),
    catalog_items("source without tags", without("tags")),
    catalog_items("source with last_fetched_at", _rename("lastFetchedAt", "last_fetched_at")),
    catalog_items("source with tags as one text", _change("tags", ",".join)),
    catalog_items("source of an unknown adapter type", setting(adapterType="feed")),
    catalog_items("source of an unknown kind", setting(kind="release-notes")),
    catalog_items("source in an unknown state of health", setting(health="broken")),
    catalog_items("source with an empty homepage instead of null", _empty_for_null("homepage")),
    catalog_items("source without homepage is null in name", setting(name=None)),
    catalog_items("source shows its internal id", setting(id=7)),
    catalog_items("source shows lastUpdatedAt with +00:00",
                  _change("lastUpdatedAt", lambda at: at.replace("Z", "+00:00"))),
    catalog_items("source never looked at has an empty lastFetchedAt",
                  _empty_for_null("lastFetchedAt")),
    catalog_items("health message of a healthy source", _message_always),
    catalog_items("feed address as changelogUrl", _feed_as_page),
    catalog_items("feed address in healthMessage", _feed_in_message),
    catalog_items("feed address in a field of its own", setting(feedUrl=_FEED)),
    items("feed address in raw", _in_raw, "/entries"),
    items("feed address in a list in raw", _link_in_raw, "/entries"),
    items("entry without tags", without("tags"), "/entries"),
    items("entry without vendor", without("vendor"), "/latest"),
    items("entry id as number", setting(id=17), "/entries"),
    items("published_at without Z", _change("published_at", lambda at: at[:-1]), "/entries"),
    items("published_at without Z in /latest", _change("published_at", lambda at: at[:-1]),
          "/latest"),
    items("published_at with an offset", _change("published_at", lambda at: at[:-1] + "+00:00"),
          "/entries"),
    items("published_at as number", _epoch, "/entries"),
    items("publishedAt instead of published_at", _rename("published_at", "publishedAt"),
          "/entries"),
    items("title null", setting(title=None), "/entries"),
    items("url empty instead of null", _empty_for_null("url"), "/entries"),
    items("raw as text", setting(raw="{}"), "/entries"),
    items("entry shows its hash", setting(content_hash="0" * 64), "/entries"),
    items("HTML in titles", _html_title, "/entries", "/latest", "/important"),
    items("character references in titles", _escaped_title, "/entries", "/latest", "/important"),
    items("titles of two lines", _two_lines, "/entries", "/latest", "/important"),
    items("HTML in summaries", _html_summary, "/entries", "/latest", "/important"),
    items("tags of entries other than the source's", setting(tags=["other"]), "/entries"),
    body("total as text", _change("total", str), path="/entries"),
    body("page without offset", without("offset"), path="/sources"),
    body("page with a next link", setting(next=None), path="/latest"),
    body("unknown plan", setting(plan="pro"), path="/entries"),
    body("plan always free", setting(plan="free"), path="/entries"),
    body("plan missing", without("plan"), path="/entries"),
    body("empty page has null items", _null_items, path="/entries"),
    body("empty catalog page has null items", _null_items, path="/sources"),
    body("list instead of a page", lambda page: page["items"], path="/latest"),
    body("diffs without stats", lambda page: [d.pop("stats") for d in page["items"]] and None,
         path="/diffs"),
    body("diffs of an unknown operation",
         lambda page: [c.update(op="edited") for d in page["items"] for c in d["changes"]] and None,
         path="/diffs"),
    Fault("media type text/json", answered=_only_open),
    Fault("errors as problem+json", answered=_problem),
    Fault("openapi.json promises shorter titles than served", answered=_other_document),
    Fault("openapi.json lacks a parameter that exists", answered=_document_without_parameter),
    Fault("openapi.json promises a larger limit than served", answered=_document_with_more),
    Fault("response validation off, a handler loses a field",
          patches=(_VALIDATION_OFF, ("handlers.api.source_cache.as_source", _unread_facts))),
    patched("a handler loses a field", "handlers.api.source_cache.as_source", _unread_facts),
)  # fmt: skip
