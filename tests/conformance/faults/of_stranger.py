"""Faults of the stranger: what is wrong, the check or rule that finds it, and how it is made."""

import itertools
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from stranger import DEAD_KEY

from faults.fault import (
    BASE,
    Asked,
    Fault,
    Reply,
    asks,
    empty,
    ignores,
    items,
    page,
    refusal,
    sample,
    setting,
    status,
    unread,
    without,
    writes,
)

_count = itertools.count()


def _one_more(value: Any) -> None:
    value["items"].append(value["items"][0])


def _without_last(value: Any) -> None:
    del value["items"][-1:]


def _with_tags(value: Any) -> None:
    for item in value["items"]:
        item["tags"] = []


def _counted_on_page(value: Any) -> None:
    value["total"] = len(value["items"])


def _new_id(item: Any) -> None:
    item["id"] = f"{item['id']}-{next(_count)}"


def _without_future(value: Any) -> None:
    now = datetime.now(UTC)
    value["items"] = [
        one for one in value["items"] if datetime.fromisoformat(one["published_at"].upper()) < now
    ]


def _inclusive(request: Asked) -> None:
    params = dict(request.params)
    if request.path.endswith("/entries") and re.match(r"\d{4}-\d\d-\d\dT", params.get("since", "")):
        since = datetime.fromisoformat(params["since"]) - timedelta(microseconds=1)
        request.params = list((params | {"since": since.isoformat()}).items())


def _prefixes(request: Asked) -> None:
    """Find entries by the beginnings of the words that they have."""
    words = ("encryption", "snapshots", "replicas", "gateways", "telemetry")
    request.params = [
        (name, next((word for word in words if name == "q" and word.startswith(value)), value))
        for name, value in request.params
    ]


def _as_key(key: str, *paths: str, instead_of: str = "strg_small") -> Fault:
    """Let a key read with the rights of another key."""

    def asked(request: Asked) -> None:
        headers = request.headers
        here = not paths or request.path in [BASE + path for path in paths]
        if here and headers.get("x-api-key") == instead_of:
            headers["x-api-key"] = key

    return Fault(asked=asked)


def _taken_from_address(request: Asked) -> None:
    params = dict(request.params)
    if "api_key" in params:
        request.headers["x-api-key"] = params.pop("api_key")
        request.params = list(params.items())


def _as_html(reply: Reply) -> None:
    if reply.status == 404 and reply.asked.path.startswith(BASE):
        reply.body, reply.headers["content-type"] = b"<h1>Not found</h1>", "text/html"


def _put_is_get(reply: Reply) -> None:
    if reply.asked.method == "PUT":
        reply.status = 200


def _limits_to_200(contract: Any) -> None:
    for one in contract["paths"]["/api/v1/sources"]["get"]["parameters"]:
        one["schema"].update({"maximum": 200} if one["name"] == "limit" else {})


def _odd_raw(item: Any) -> None:
    item["raw"]["x_origin"] = "https://firm1.example/product-1/atom.xml"


_CATALOG = {
    "the sample has six sources": ("sample_is_of_at_most_five_sources", sample(_one_more)),
    "the sample is filtered": (
        "sample_is_of_at_most_five_sources", page("/sources", _without_last, query="vendor=nobody")
    ),
    "the sample does not say what it is": ("sample_says_that_it_is_one", sample(without("agent"))),
    "the sample counts itself": ("sample_says_that_it_is_one", sample(setting(total=5))),
    "the sample shows tags": ("sample_sources_have_their_fields", sample(_with_tags)),
    "a sample source lacks its vendor": (
        "sample_sources_have_their_fields", items("/sources", without("vendor"))
    ),
    "a page has 20 sources": ("catalog_page_says_what_it_is", asks("/sources", "^$", "limit=20")),
    "an unknown adapter type is ignored": (
        "catalog_page_says_what_it_is", asks("/sources", "adapterType=gopher", "")
    ),
    "a source comes twice": (
        "random_pages_are_parts_of_the_list", page("/sources", _one_more)
    ),
    "an adapter type is unknown": (
        "sources_have_their_fields", items("/sources", setting(adapterType="gopher"))
    ),
    "a time has no offset": (
        "sources_have_their_fields",
        items("/sources", setting(lastUpdatedAt="2026-01-01T00:00:00")),
    ),
    "vendor is ignored": ("every_filter_cuts_the_catalog", ignores("/sources", "vendor")),
    "vendor is a beginning": (
        "every_filter_cuts_the_catalog", asks("/sources", "vendor=firm(?=&|$)", "")
    ),
    "kind is ignored beside vendor": (
        "every_filter_cuts_the_catalog", asks("/sources", "(vendor=[^&]*&)kind=[^&]*&?", r"\1")
    ),
    "names are not searched": (
        "any_source_is_found_by_its_name", page("/sources", empty, query="q=Product")
    ),
    "selected is ignored": (
        "selected_gives_the_sources_of_the_key", ignores("/sources", "selected")
    ),
    "q is ignored": ("any_source_is_found_by_its_name", ignores("/sources", "q")),
    "a healthy source has a message": (
        "only_troubled_sources_have_a_message", items("/sources", setting(healthMessage="Slow."))
    ),
    "lastUpdatedAt is of a future entry": (
        "last_update_is_the_newest_entry",
        items("/sources", setting(lastUpdatedAt="2099-01-01T00:00:00Z")),
    ),
    "total counts the page": (
        "random_pages_are_parts_of_the_list", page("/sources", _counted_on_page)
    ),
    "pages overlap by one": (
        "random_pages_are_parts_of_the_list", asks("/sources", "offset=100", "offset=99")
    ),
}  # fmt: skip
_ENTRIES = {
    "an id changes": ("entries_keep_their_id", items("/entries", _new_id)),
    "an entry lacks its title": ("entries_have_their_fields", items("/entries", without("title"))),
    "the plan is unknown": ("entries_page_says_what_it_is", page("/entries", setting(plan="pro"))),
    "entries are of another source": (
        "sources_together_have_the_entries_of_each",
        items("/entries", setting(source="firm1.other")),
    ),
    "only the first source is read": (
        "sources_together_have_the_entries_of_each",
        asks("/entries", "sources=([^,&]+),[^&]*", r"sources=\1"),
    ),
    "tags are not those of the source": (
        "entries_inherit_vendor_and_tags", items("/entries", setting(tags=["other"]))
    ),
    "since is not strict": ("since_cuts_every_source_anywhere", Fault(asked=_inclusive)),
    "since is a day": (
        "since_cuts_every_source_anywhere",
        asks("/entries", r"(since=[\d-]+)T[^&]*", r"\1T00:00:00Z"),
    ),
    "since holds on the first page only": (
        "since_cuts_every_source_anywhere",
        asks("/entries", "since=[^&]*&(?=.*offset=[1-9])", ""),
    ),
    "the offset of since is ignored": (
        "since_cuts_every_source_anywhere", asks("/entries", "%2B05%3A30", "Z")
    ),
    "since needs no offset": (
        "since_needs_an_offset", asks("/entries", "(since=2026-01-01)$", r"\1T00:00:00Z")
    ),
    "a late since fails": (
        "since_needs_an_offset", status(200, 500, "/entries", query="since=9999")
    ),
    "without sources all are read": (
        "entries_need_sources", asks("/entries", "^limit=5$", "sources=firm0.product-0")
    ),
    "offset is ignored": ("random_pages_are_parts_of_the_list", ignores("/entries", "offset")),
    "future entries are left out of /entries": (
        "entries_have_what_lies_ahead", page("/entries", _without_future)
    ),
    "feeds have other titles": (
        "feeds_show_the_entries_of_the_sources", items("/latest", setting(title="Another title"))
    ),
    "limit 0 is taken": ("limit_is_1_to_100", asks("/latest", "limit=0", "limit=1")),
    "limit 101 is taken": ("limit_is_1_to_100", asks("/important", "limit=101", "limit=100")),
    "a negative offset is taken": ("offset_is_at_least_0", asks("/latest", "offset=-1", "")),
    "diffs are a list": ("diffs_are_an_object", page("/diffs", lambda value: [value])),
    "diffs need no source": ("diffs_need_a_source", asks("/diffs", "^$", "source=firm0.product-0")),
    "a filter lets everything through": (
        "entries_are_filtered_by_what_they_show", ignores("/entries", "tag")
    ),
    "until is ignored": ("entries_are_filtered_by_what_they_show", ignores("/entries", "until")),
    "the second category is ignored": (
        "entries_are_filtered_by_what_they_show",
        asks("/entries", "(category=[a-z_]+)(%2C|,)[a-z_]+", r"\1"),
    ),
    "kinds of sources are ignored": (
        "entries_are_filtered_by_kind", ignores("/entries", "kind")
    ),
    "filters hold on the first page only": (
        "filters_of_entries_hold_on_every_page", asks("/entries", "vendor=.*(offset=[1-9])", r"\1")
    ),
    "words are ignored": ("entries_are_found_by_their_words", ignores("/entries", "q")),
    "parts of words are found": ("parts_of_words_find_nothing", Fault(asked=_prefixes)),
    "changes without sources are of unselected ones": (
        "one_cursor_serves_all_sources", _as_key("strg_other", "/changes")
    ),
    "changes need sources": (
        "one_cursor_serves_all_sources", asks("/changes", "^limit=100", "after=now&limit=100")
    ),
    "changes of unselected sources are given": (
        "changes_of_an_unselected_source_are_refused", _as_key("strg_other", "/changes")
    ),
    "changes begin now": (
        "changes_from_the_beginning_give_every_entry", asks("/changes", "limit=100$", "after=now")
    ),
    "changes are lost between pages": (
        "pages_of_changes_join_without_a_gap", asks("/changes", "after=([0-9]+)", r"after=1\1")
    ),
    "an idle cursor moves": (
        "an_idle_follower_keeps_its_cursor",
        page("/changes", lambda value: value.update(next=f"{next(_count)}")),
    ),
    "changes are not filtered": ("changes_are_filtered", ignores("/changes", "vendor")),
}  # fmt: skip
_ACCESS = {
    "no key is a 403": ("no_key_is_refused", status(401, 403)),
    "a wrong key reads diffs": ("wrong_keys_are_refused", status(401, 200, "/diffs")),
    "a revoked key reads": ("dead_keys_are_refused", _as_key("strg_full", instead_of=DEAD_KEY)),
    "a key without the add-on reads diffs": (
        "limited_keys_are_refused", _as_key("strg_full", "/diffs")
    ),
    "a missing add-on is a 404": ("diffs_need_the_add_on", status(402, 404, "/diffs")),
    "Authorization is not read": ("both_headers_carry_the_key", unread("authorization")),
    "a key in the address counts": (
        "a_key_in_the_address_is_no_key", Fault(asked=_taken_from_address)
    ),
    "/latest needs a key": ("public_operations_need_no_key", status(200, 401, "/latest")),
    "an unselected source is empty": (
        "an_unselected_source_is_refused", status(403, 200, "/entries")
    ),
    "any account's selection counts": (
        "an_unselected_source_is_refused", _as_key("strg_other", "/entries")
    ),
    "slots are not counted": (
        "more_sources_than_slots_are_refused", status(403, 404, "/entries", query=",")
    ),
    "PUT is answered": ("only_get_and_one_post_exist", Fault(answered=_put_is_get)),
    "a feed address has an odd name in raw": ("no-feed-address", items("/entries", _odd_raw)),
    "an error has no message": ("every-no-is-an-error-object", refusal(400, without("message"))),
    "an error is not its message": (
        "every-no-is-an-error-object", refusal(401, setting(error="no"))
    ),
    "a 400 has another code": ("every-no-is-an-error-object", refusal(400, setting(code="bad"))),
    "an error is HTML": ("every-body-is-json", Fault(answered=_as_html)),
    "an error is a failure": ("no-server-error", status(404, 500)),
    "the contract has another version": (
        "the_contract_carries_its_version",
        page("/openapi.json", lambda contract: contract["info"].update(version="2.0.0")),
    ),
    "the contract lacks /latest": (
        "the_contract_has_every_operation",
        page("/openapi.json", lambda contract: contract["paths"].pop("/api/v1/latest") and None),
    ),
    "the contract allows limits of 200": (
        "the_contract_has_every_operation", page("/openapi.json", _limits_to_200)
    ),
    "nobody can sign in": ("the_site_has_its_pages", status(302, 404, "/auth/login")),
    "RSS is not well-formed": (
        "rss_is_well_formed", writes("/rss/updates.xml", b"</channel>", b"")
    ),
    "RSS shows a feed address": (
        "rss_shows_no_feed_address",
        writes("/rss/updates.xml", b"</item>", b"<link>https://a.example/feed.xml</link></item>"),
    ),
    "a request is new": (
        "a_request_is_taken", page("/sources/request", setting(status="new"), status=201)
    ),
    "a wrong request is a 422": ("a_wrong_body_is_refused", status(400, 422)),
    "requests are not limited": ("too_many_requests_are_refused", status(429, 400)),
}  # fmt: skip
FAULTS = {**_CATALOG, **_ENTRIES, **_ACCESS}
