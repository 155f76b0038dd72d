"""Faults of lists and of what is in them."""

import itertools
import re
from datetime import datetime, timedelta
from typing import Any

from faults.fault import (
    Asked,
    Fault,
    asks,
    backwards,
    empty,
    ignores,
    items,
    links,
    more,
    page,
    sample,
    setting,
    status,
    without,
)

_FEED = "https://feeds.acme.example/compute.xml"
_count = itertools.count()


def _one_more(value: Any) -> None:
    value["items"].append(value["items"][0])


def _without_last(value: Any) -> None:
    del value["items"][-1:]


def _turned(value: Any) -> None:
    if next(_count) % 2:
        value["items"].reverse()


def _ill(value: Any) -> None:
    for item in value["items"]:
        item["health"] = "problematic"


def _counted_on_page(value: Any) -> None:
    value["total"] = len(value["items"])


def _new_id(item: Any) -> None:
    item["id"] = f"{item['id']}-{next(_count)}"


def _marked(item: Any) -> None:
    item["title"] = f"<b>{item['title']}</b>"


def _unproven(item: Any) -> None:
    item["importance"]["evidence"] = []


def _in_other_words(item: Any) -> None:
    for passage in item["importance"]["evidence"]:
        passage["text"] = passage["text"].upper()


def _added(item: Any) -> None:
    item["stats"]["added"] += 1


def _titled_otherwise(item: Any) -> None:
    item["entry"]["title"] = "Another title"


def _inclusive(request: Asked) -> None:
    params = dict(request.params)
    if request.path.endswith("/entries") and re.match(r"\d{4}-\d\d-\d\dT", params.get("since", "")):
        since = datetime.fromisoformat(params["since"]) - timedelta(microseconds=1)
        request.params = list((params | {"since": since.isoformat()}).items())


_SOURCES = {
    "sample-of-at-most-five": sample(_one_more),
    "sample-says-that-it-is-one": sample(setting(limit=50)),
    "sample-says-it-in-these-words": sample(setting(agent="Hello.")),
    "sample-items-have-basic-fields-only": items("/sources", setting(tags=[])),
    "sample-total-is-the-whole-catalog": sample(setting(total=5)),
    "sample-is-not-filtered": page("/sources", _without_last, query="vendor="),
    "sample-is-stable": sample(_turned),
    "sample-is-of-healthy-sources": sample(_ill),
    "sample-sources-have-their-fields": items("/sources", without("vendor")),
    "sources-have-their-fields": items("/sources", without("tags")),
    "catalog-page-says-what-it-is": page("/sources", setting(limit=20)),
    "slugs-are-unique-and-pages-do-not-overlap": page("/sources", _one_more),
    "sources-come-in-the-order-of-slugs": page("/sources", backwards),
    "adapter-types-share-the-catalog": ignores("/sources", "adapterType"),
    "search-finds-names-and-vendors-in-any-case": page("/sources", empty, query="q=[A-Z]{3}"),
    "search-finds-words-of-both": page("/sources", empty, query="q=[^&]*%20"),
    "search-has-no-wildcards": asks("/sources", "q=(%25|_)&", ""),
    "any-source-is-found-by-its-name": page("/sources", empty, query="q="),
    "selected-gives-the-sources-of-the-key": ignores("/sources", "selected"),
    "last-update-is-the-newest-entry": items(
        "/sources", setting(lastUpdatedAt="2020-01-01T00:00:00Z")
    ),
    "only-troubled-sources-have-a-message": items("/sources", setting(healthMessage="Slow.")),
    "every-filter-cuts-the-catalog": ignores("/sources", "vendor"),
    "filters-work-together": ignores("/sources", "kind"),
    "filters-work-with-a-search": ignores("/sources", "q"),
    "selected-sources-are-filtered-too": asks("/sources", "vendor=nobody[^&]*", "limit=1"),
}
_ENTRIES = {
    "entries-have-their-fields": items("/entries", without("title")),
    "entries-keep-their-id": items("/entries", _new_id),
    "entries-page-says-what-it-is": page("/entries", setting(plan="pro")),
    "entries-are-of-the-sources-asked-for": items("/entries", setting(source="initech.mail")),
    "entries-inherit-vendor-and-tags": items("/entries", setting(tags=["other"])),
    "entries-come-newest-first": page("/entries", backwards),
    "since-is-strict": Fault(asked=_inclusive),
    "since-means-a-moment": asks("/entries", "%2B05%3A30", "Z"),
    "since-may-be-any-time": status(200, 500, "/entries", query="since=9999"),
    "since-cuts-every-source-anywhere": asks("/entries", "since=[^&]*&(?=.*offset=[1-9])", ""),
    "a-source-named-twice-counts-once": page("/entries", more("total", 1), query=r"=([^,&]+),\1"),
    "random-pages-are-parts-of-the-list": page("/latest", _counted_on_page),
    "sources-together-have-the-entries-of-each": page("/entries", more("total", 1), query=","),
    "lists-may-be-repeated": asks("/entries", "&sources=[^&]*", ""),
    "times-may-be-printed-in-other-ways": asks(
        "/entries", r"since=[^&]*T\d\d%3A\d\dZ", "since=now"
    ),
    "feeds-show-the-entries-of-the-sources": items("/latest", setting(title="Another title")),
    "important-entries-say-why": items("/important", _unproven),
    "evidence-is-word-for-word": items("/important", _in_other_words),
    "feeds-come-newest-first": page("/latest", backwards),
    "feeds-are-cut-for-the-public": items("/latest", setting(raw={})),
    "future-entries-wait": asks("/latest", "^limit", "future=1&limit"),
    "future-entries-are-shown-on-demand": ignores("/latest", "future"),
    "texts-are-plain": items("/latest", _marked),
    "entries-are-filtered-by-what-they-show": ignores("/latest", "vendor"),
    "entries-are-filtered-by-kind-and-category": ignores("/latest", "kind"),
    "filters-of-entries-hold-on-every-page": links("/latest", "vendor=[^&>]*", ""),
    "entries-are-found-by-their-words": ignores("/latest", "q"),
    "no-feed-address": items("/latest", setting(changelog=_FEED)),
    "every-answer-is-as-promised": items("/latest", without("tags")),
}
_ADDITIONS = {
    "changes-from-the-beginning-give-every-entry": asks("/changes", "limit=100$", "after=now"),
    "pages-of-changes-join-without-a-gap": links(
        "/changes", "after=[^&>]*([^>]*limit=7)", r"after=now\1"
    ),
    "an-idle-follower-keeps-its-cursor": links("/changes", ".*", ""),
    "one-cursor-serves-all-sources": asks("/changes", "^limit=20$", "after=now"),
    "a-request-waits-no-longer-than-it-says": asks("/changes", "wait=1", "wait=3"),
    "changes-are-filtered": ignores("/changes", "vendor"),
    "pages-name-their-neighbours": links("/latest", "offset=4", "offset=5"),
    "a-neighbour-is-the-page-it-is-called": links("/latest", "offset=3", "offset=4"),
    "diffs-are-an-object": page("/diffs", lambda value: value["items"]),
    "diffs-hold-what-changed": page("/diffs", setting(source="another")),
    "diffs-count-what-they-hold": items("/diffs", _added),
    "deadlines-come-soonest-first": page("/deadlines", backwards),
    "deadlines-are-filtered-by-their-days": ignores("/deadlines", "from"),
    "pages-of-deadlines-are-parts-of-the-list": ignores("/deadlines", "offset"),
    "deadlines-have-their-entries": items("/deadlines", _titled_otherwise),
    "upgrades-put-what-breaks-first": page("/upgrades", backwards),
    "upgrades-lie-between-the-versions": ignores("/upgrades", "to"),
    "pages-of-upgrades-are-parts-of-the-list": ignores("/upgrades", "offset"),
    "an-unknown-part-is-told": page("/upgrades", setting(unknown=[])),
    "a-stack-has-the-upgrades-of-its-parts": page("/stacks", more("total", 1)),
    "a-stack-says-what-covers-each-part": page("/stacks", setting(uncovered=[])),
    "a-stack-that-stays-has-nothing-between": page("/stacks", setting(total=1)),
    "webhooks-show-no-secret": items("/webhooks", setting(name="whsec_AAAA")),
    "deliveries-are-listed-by-state": page("/webhooks/deliveries", more("total", 1)),
}
FAULTS = {**_SOURCES, **_ENTRIES, **_ADDITIONS}
