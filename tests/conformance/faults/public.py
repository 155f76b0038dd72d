"""Faults of what everybody sees: the sample, the public feeds and the RSS feed."""

import itertools
import random
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

from faults.catalog import of_sample
from faults.fault import BASE, Fault, Reply, body, items, patched, setting, without
from storage.catalog.catalog_items import page_items
from storage.catalog.source_filter import SourceFilter

_RSS = "/rss/updates.xml"
_count = itertools.count()


def _in_sample(name: str, change: Any) -> Fault:
    def of_sample(page: Any) -> None:
        if page.get("sample") is not None:
            change(page)

    return body(name, of_sample, path="/sources")


def _sample_of(change: Any) -> Any:
    def make(original: Any) -> Any:
        def sample(session: Any, *, limit: int, now: Any) -> Any:
            return change(original, session, limit, now)

        return sample

    return make


def _six(original: Any, session: Any, limit: int, now: Any) -> Any:
    return original(session, limit=limit + 1, now=now)


def _turning(original: Any, session: Any, limit: int, now: Any) -> Any:
    found = original(session, limit=limit, now=now)
    place = next(_count) % len(found)
    return found[place:] + found[:place]


def _drawn(original: Any, session: Any, limit: int, now: Any) -> Any:
    found = original(session, limit=20, now=now)
    return random.sample(found, limit)


def _ill_first(_: Any, session: Any, limit: int, now: Any) -> Any:
    whole = page_items(session, SourceFilter(), limit=100, offset=0, now=now).items
    worst = sorted(whole, key=lambda source: source.fail_score, reverse=True)
    return list({source.vendor: source for source in worst[::-1]}.values())[::-1][:limit]


def _with_pages(page: Any) -> None:
    for item in page["items"]:
        item["changelogUrl"] = f"https://{item['vendor']}.example/changes"


def _with(**values: Any) -> Any:
    def change(page: Any) -> None:
        for item in page["items"]:
            item.update(values)

    return change


def _vendor_twice(page: Any) -> None:
    page["items"][1] = {**page["items"][0], "slug": f"{page['items'][0]['vendor']}.more"}


def _filtered(reply: Reply) -> None:
    """Apply the vendor filter to the sample."""
    if reply.asked.path == BASE + "/sources" and reply.status == 200:
        found, wanted = reply.json, dict(reply.asked.params).get("vendor")
        if "sample" in found and wanted is not None:
            found["items"] = [item for item in found["items"] if item["vendor"] == wanted]
            reply.json = found


def _limit_applied(reply: Reply) -> None:
    if reply.asked.path == BASE + "/sources" and reply.status == 200:
        found, wanted = reply.json, dict(reply.asked.params).get("limit")
        if "sample" in found and wanted is not None:
            found["items"] = found["items"][: int(wanted)]
            reply.json = found


def _nothing_refused(reply: Reply) -> None:
    """Do not look at the filters where they do not apply."""
    asked = reply.asked
    keyed = {"x-api-key", "authorization"} & asked.headers.keys()
    if asked.path == BASE + "/sources" and reply.status == 400 and not keyed:
        reply.status = 200
        reply.json = {"sample": True, "total": 60, "limit": 5, "offset": 0, "items": [],
                      "hint": "Sign up.", "agent": "A sample."}  # fmt: skip


def _always_future(original: Any) -> Any:
    def page(session: Any, *, limit: int, offset: int, now: Any, **_: Any) -> Any:
        return original(session, limit=limit, offset=offset, now=now + timedelta(days=365))

    return page


def _never_future(original: Any) -> Any:
    def page(session: Any, *, limit: int, offset: int, now: Any, **_: Any) -> Any:
        return original(session, limit=limit, offset=offset, now=now)

    return page


def _everything(original: Any) -> Any:
    return lambda session, **wanted: original(
        session, **{**wanted, "now": wanted["now"] + timedelta(days=365)}
    )


def _now_for_future(page: Any) -> None:
    """Rewrite times that lie ahead."""
    for item in page["items"]:
        item["published_at"] = min(item["published_at"], "2020-01-01T00:00:00Z")


def _other_words(item: Any) -> None:
    for passage in item["importance"]["evidence"]:
        passage["text"] = passage["text"].upper()


def _shifted(item: Any) -> None:
    for passage in item["importance"]["evidence"]:
        passage["start"], passage["end"] = passage["start"] + 1, passage["end"] + 1


def _no_evidence(item: Any) -> None:
    item["importance"]["evidence"] = []


def _unproven(item: Any) -> None:
    item["importance"]["categories"] = ["breaking", "security"]


def _unknown_category(item: Any) -> None:
    item["importance"]["categories"] = ["urgent"]


def _long(item: Any) -> None:
    if item.get("summary"):
        item["summary"] = item["summary"].rstrip("…") * 2


def _with_raw(item: Any) -> None:
    item["raw"] = {"guid": item["id"]}


def _latest_as_important(original: Any) -> Any:
    """Every entry is important."""
    why = b'{"categories":["breaking"],"evidence":[{"category":"breaking","field":"title"}]}'

    def page(session: Any, *, limit: int, offset: int, now: Any) -> Any:
        found = original(session, limit=limit, offset=offset, now=now)
        return replace(
            found, documents=[document[:-1] + b"}" for document in found.documents] or [why]
        )

    return page


def _rss(change: Any) -> Any:
    def answered(reply: Reply) -> None:
        if reply.asked.path == _RSS and reply.status == 200:
            text = change(reply.body.decode())
            reply.body = text.encode()

    return answered


def _fresh_guid(text: str) -> str:
    return re.sub(r"(<guid[^>]*>)", lambda found: f"{found[1]}{next(_count)}-", text)


def _one_guid(text: str) -> str:
    return re.sub(r"(<guid[^>]*>)[^<]*", r"\1updates", text)


def _unescaped(text: str) -> str:
    return text.replace("<title>", "<title>R&D ", 2)


def _sourced(text: str) -> str:
    return text.replace(
        "</item>", '<source url="https://feeds.acme.example/compute.xml">Acme</source></item>'
    )


def _feed_links(text: str) -> str:
    return re.sub(r"(<item>.*?<link>)[^<]*", r"\1https://feeds.acme.example/mail.xml", text,
                  flags=re.DOTALL)  # fmt: skip


def _untitled(text: str) -> str:
    return re.sub(r"(<item>)<title>[^<]*</title>", r"\1", text)


def _scripted(text: str) -> str:
    return re.sub(r"(<item>.*?<link>)[^<]*", r"\1javascript:alert(1)", text, flags=re.DOTALL)


def _rss_as_html(reply: Reply) -> None:
    if reply.asked.path == _RSS:
        reply.headers["content-type"] = "text/html"


def _rss_for_keys(reply: Reply) -> None:
    if reply.asked.path == _RSS and "x-api-key" not in reply.asked.headers:
        reply.status = 401


def _rss_dates(text: str) -> str:
    return re.sub(r"<pubDate>[^<]*", "<pubDate>2026-11-20T09:00:00Z", text)


def _rss_backwards(text: str) -> str:
    found = re.findall(r"<item>.*?</item>", text, flags=re.DOTALL)
    head, _, _ = text.partition("<item>")
    return head + "".join(found[::-1]) + text[text.rindex("</item>") + len("</item>") :]


CHECKS = frozenset({
    "sample-of-at-most-five",
    "sample-says-that-it-is-one",
    "sample-items-have-basic-fields-only",
    "sample-total-is-the-whole-catalog",
    "sample-is-not-filtered",
    "sample-is-stable",
    "sample-is-of-healthy-sources",
    "important-entries-say-why",
    "evidence-is-word-for-word",
    "feeds-are-cut-for-the-public",
    "future-entries-wait",
    "future-entries-are-shown-on-demand",
    "rss-is-well-formed",
    "rss-items-keep-their-guid",
    "rss-items-are-dated-and-newest-first",
    "rss-shows-no-feed-address",
    "public-operations-need-no-key",
    "feeds-come-newest-first",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    of_sample("sample of six", _sample_of(_six)),
    of_sample("sample in another order at each call", _sample_of(_turning)),
    of_sample("sample drawn anew at each call", _sample_of(_drawn)),
    of_sample("sample of ill sources", _sample_of(_ill_first)),
    _in_sample("sample of six with one vendor twice", _vendor_twice),
    _in_sample("sample with changelogUrl", _with_pages),
    _in_sample("sample with adapterType", _with(adapterType="rss")),
    _in_sample("sample with tags", _with(tags=["cloud"])),
    _in_sample("sample with lastFetchedAt", _with(lastFetchedAt="2026-11-20T09:30:00Z")),
    _in_sample("sample with healthMessage", _with(healthMessage=None)),
    _in_sample("sample total 5", setting(total=5)),
    _in_sample("sample without agent", without("agent")),
    _in_sample("sample with an empty hint", setting(hint="")),
    _in_sample("sample says limit 50", setting(limit=50)),
    _in_sample("sample says 1 instead of true", setting(sample=1)),
    _in_sample("sample agent does not warn", setting(agent="Hello.")),
    Fault("sample filtered by vendor", answered=_filtered),
    Fault("sample cut by limit", answered=_limit_applied),
    Fault("wrong filters of the sample are not refused", answered=_nothing_refused),
    patched("future entries in /latest", "handlers.api.feeds.page_latest", _always_future),
    patched("future=1 ignored", "handlers.api.feeds.page_latest", _never_future),
    patched("future entries in /important", "handlers.api.feeds.page_important", _everything),
    patched("future entries in the RSS feed", "handlers.site.feeds.feed_views.newest_feed_entries",
            _everything),
    items("important without importance", without("importance"), "/important"),
    items("importance with no evidence", _no_evidence, "/important"),
    items("a category without evidence", _unproven, "/important"),
    items("an unknown category", _unknown_category, "/important"),
    items("evidence in other words", _other_words, "/important"),
    items("evidence at another place", _shifted, "/important"),
    items("summaries over 500 characters in /latest", _long, "/latest"),
    items("summaries over 500 characters in /important", _long, "/important"),
    items("raw in /latest", _with_raw, "/latest"),
    items("raw in /important", _with_raw, "/important"),
    items("importance in /latest", setting(importance=None), "/latest"),
    patched("important gives every entry", "handlers.api.feeds.page_important",
            _latest_as_important),
    Fault("RSS not well-formed", answered=_rss(_unescaped)),
    Fault("RSS cut off", answered=_rss(lambda text: text[: len(text) // 2])),
    Fault("RSS guid other at each call", answered=_rss(_fresh_guid)),
    Fault("RSS guid the same for all", answered=_rss(_one_guid)),
    Fault("RSS items without titles", answered=_rss(_untitled)),
    Fault("RSS shows feed addresses as source", answered=_rss(_sourced)),
    Fault("RSS links to feed addresses", answered=_rss(_feed_links)),
    Fault("RSS links to scripts", answered=_rss(_scripted)),
    Fault("RSS dates in ISO 8601", answered=_rss(_rss_dates)),
    Fault("RSS oldest first", answered=_rss(_rss_backwards)),
    Fault("RSS as text/html", answered=_rss_as_html),
    Fault("RSS needs a key", answered=_rss_for_keys),
)  # fmt: skip
