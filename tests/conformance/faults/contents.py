"""Faults of lists and of what is in them."""

import itertools
import re
from datetime import UTC, datetime, timedelta
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


def _without_future(value: Any) -> None:
    now = datetime.now(UTC)
    value["items"] = [
        item for item in value["items"] if datetime.fromisoformat(item["published_at"]) < now
    ]


def _inclusive(request: Asked) -> None:
    params = dict(request.params)
    if request.path.endswith("/entries") and re.match(r"\d{4}-\d\d-\d\dT", params.get("since", "")):
        since = datetime.fromisoformat(params["since"]) - timedelta(microseconds=1)
        request.params = list((params | {"since": since.isoformat()}).items())


_SOURCES = {
    "sample_of_at_most_five": sample(_one_more),
    "sample_says_that_it_is_one": sample(setting(limit=50)),
    "sample_says_it_in_these_words": sample(setting(agent="Hello.")),
    "sample_items_have_basic_fields_only": items("/sources", setting(tags=[])),
    "sample_total_is_the_whole_catalog": sample(setting(total=5)),
    "sample_is_not_filtered": page("/sources", _without_last, query="vendor="),
    "sample_is_stable": sample(_turned),
    "sample_is_of_healthy_sources": sample(_ill),
    "sample_sources_have_their_fields": items("/sources", without("vendor")),
    "sources_have_their_fields": items("/sources", without("tags")),
    "catalog_page_says_what_it_is": page("/sources", setting(limit=20)),
    "slugs_are_unique_and_pages_do_not_overlap": page("/sources", _one_more),
    "sources_come_in_the_order_of_slugs": page("/sources", backwards),
    "adapter_types_share_the_catalog": ignores("/sources", "adapterType"),
    "search_finds_names_and_vendors_in_any_case": page("/sources", empty, query="q=[A-Z]{3}"),
    "search_finds_words_of_both": page("/sources", empty, query="q=[^&]*%20"),
    "search_has_no_wildcards": asks("/sources", "q=(%25|_)&", ""),
    "any_source_is_found_by_its_name": page("/sources", empty, query="q="),
    "selected_gives_the_sources_of_the_key": ignores("/sources", "selected"),
    "last_update_is_the_newest_entry": items(
        "/sources", setting(lastUpdatedAt="2020-01-01T00:00:00Z")
    ),
    "only_troubled_sources_have_a_message": items("/sources", setting(healthMessage="Slow.")),
    "every_filter_cuts_the_catalog": ignores("/sources", "vendor"),
    "filters_work_together": ignores("/sources", "kind"),
    "filters_work_with_a_search": ignores("/sources", "q"),
    "selected_sources_are_filtered_too": asks("/sources", "vendor=nobody[^&]*", "limit=1"),
}
_ENTRIES = {
    "entries_have_their_fields": items("/entries", without("title")),
    "entries_keep_their_id": items("/entries", _new_id),
    "entries_page_says_what_it_is": page("/entries", setting(plan="pro")),
    "entries_are_of_the_sources_asked_for": items("/entries", setting(source="initech.mail")),
    "entries_inherit_vendor_and_tags": items("/entries", setting(tags=["other"])),
    "entries_come_newest_first": page("/entries", backwards),
    "since_is_strict": Fault(asked=_inclusive),
    "since_means_a_moment": asks("/entries", "%2B05%3A30", "Z"),
    "since_may_be_any_time": status(200, 500, "/entries", query="since=9999"),
    "since_cuts_every_source_anywhere": asks("/entries", "since=[^&]*&(?=.*offset=[1-9])", ""),
    "a_source_named_twice_counts_once": page("/entries", more("total", 1), query=r"=([^,&]+),\1"),
    "random_pages_are_parts_of_the_list": page("/latest", _counted_on_page),
    "sources_together_have_the_entries_of_each": page("/entries", more("total", 1), query=","),
    "feeds_show_the_entries_of_the_sources": items("/latest", setting(title="Another title")),
    "important_entries_say_why": items("/important", _unproven),
    "evidence_is_word_for_word": items("/important", _in_other_words),
    "feeds_come_newest_first": page("/latest", backwards),
    "feeds_are_cut_for_the_public": items("/latest", setting(raw={})),
    "future_entries_wait": asks("/latest", "^limit", "future=1&limit"),
    "future_entries_are_shown_on_demand": ignores("/latest", "future"),
    "texts_are_plain": items("/latest", _marked),
    "entries_have_what_lies_ahead": page("/entries", _without_future),
    "parts_of_words_find_nothing": asks("/latest", "q=([a-z]+)", r"q=\1*"),
    "entries_are_filtered_by_what_they_show": ignores("/latest", "vendor"),
    "entries_are_filtered_by_kind_and_category": ignores("/latest", "kind"),
    "filters_of_entries_hold_on_every_page": links("/latest", "vendor=[^&>]*", ""),
    "entries_are_found_by_their_words": ignores("/latest", "q"),
    "no-feed-address": items("/latest", setting(changelog=_FEED)),
    "every-answer-is-as-promised": items("/latest", without("tags")),
}
_ADDITIONS = {
    "changes_from_the_beginning_give_every_entry": asks("/changes", "limit=100$", "after=now"),
    "pages_of_changes_join_without_a_gap": links(
        "/changes", "after=[^&>]*([^>]*limit=7)", r"after=now\1"
    ),
    "an_idle_follower_keeps_its_cursor": links("/changes", ".*", ""),
    "one_cursor_serves_all_sources": asks("/changes", "^limit=100$", "after=now"),
    "a_request_waits_no_longer_than_it_says": asks("/changes", "wait=1", "wait=3"),
    "changes_of_an_unselected_source_are_refused": status(403, 404, "/changes"),
    "changes_are_filtered": ignores("/changes", "vendor"),
    "pages_name_their_neighbours": links("/latest", "offset=4", "offset=5"),
    "a_neighbour_is_the_page_it_is_called": links("/latest", "offset=3", "offset=4"),
    "diffs_are_an_object": page("/diffs", lambda value: value["items"]),
    "diffs_hold_what_changed": page("/diffs", setting(source="another")),
    "diffs_count_what_they_hold": items("/diffs", _added),
    "deadlines_come_soonest_first": page("/deadlines", backwards),
    "deadlines_are_filtered_by_their_days": ignores("/deadlines", "from"),
    "pages_of_deadlines_are_parts_of_the_list": ignores("/deadlines", "offset"),
    "deadlines_have_their_entries": items("/deadlines", _titled_otherwise),
    "upgrades_put_what_breaks_first": page("/upgrades", backwards),
    "upgrades_lie_between_the_versions": ignores("/upgrades", "to"),
    "pages_of_upgrades_are_parts_of_the_list": ignores("/upgrades", "offset"),
    "an_unknown_part_is_told": page("/upgrades", setting(unknown=[])),
    "a_stack_has_the_upgrades_of_its_parts": page("/stacks", more("total", 1)),
    "a_stack_says_what_covers_each_part": page("/stacks", setting(uncovered=[])),
    "a_stack_that_stays_has_nothing_between": page("/stacks", setting(total=1)),
    "webhooks_show_no_secret": items("/webhooks", setting(name="whsec_AAAA")),
    "deliveries_are_listed_by_state": page("/webhooks/deliveries", more("total", 1)),
}
FAULTS = {**_SOURCES, **_ENTRIES, **_ADDITIONS}
