"""Faults of HTTP, of the served contract, and of what stands beside the API."""

import itertools
from typing import Any

from faults.fault import Fault, Reply, header, page, status, unread, writes

_RSS, _CONTRACT = "/rss/updates.xml", "/openapi.json"
_FOREIGN = b'<source url="https://feeds.acme.example/compute.xml">Acme</source></item>'
_FEED_LINK = rb'<feed\1><link rel="alternate" href="https://feeds.acme.example/feed.xml"/>'
_count = itertools.count()


def _needs_vendor(contract: Any) -> None:
    contract["components"]["parameters"]["Vendor"]["required"] = True


def _unchanged_for_all(reply: Reply) -> None:
    if reply.status == 200 and "if-none-match" in reply.asked.headers:
        reply.status, reply.body = 304, b""


def _head_without_tag(reply: Reply) -> None:
    if reply.asked.method == "HEAD":
        reply.headers.pop("etag", None)


FAULTS = {
    "the_contract_carries_its_version": page(
        _CONTRACT, lambda contract: contract["info"].update(version="2.0.0")
    ),
    "the_contract_has_every_operation": page(
        _CONTRACT, lambda contract: contract["paths"].pop("/latest") and None
    ),
    "the_contract_has_every_parameter": page(
        _CONTRACT, lambda it: it["components"]["parameters"]["Limit"]["schema"].update(maximum=200)
    ),
    "the_contract_breaks_nobody": page(_CONTRACT, _needs_vendor),
    "both_spellings_of_the_contract_are_one": writes(
        "/openapi.yaml", b"maximum: 100", b"maximum: 200"
    ),
    "further_operations_answer": status(200, 500, "/deadlines"),
    "an_unchanged_answer_is_304": unread("if-none-match"),
    "the_etag_follows_the_body": header("etag", '"constant"'),
    "cache_control_keeps_keys_private": header("cache-control", "public, max-age=60"),
    "vary_names_what_decides": header("vary", "Authorization, Cookie"),
    "an_etag_is_worth_nothing_to_others": Fault(answered=_unchanged_for_all),
    "head_is_get_without_a_body": Fault(answered=_head_without_tag),
    "other_origins_may_read_without_cookies": header("access-control-allow-credentials", "true"),
    "request_ids_are_unique": header("x-request-id", "0"),
    "answers_are_not_sniffed": header("x-content-type-options", None),
    "the_site_has_its_pages": status(200, 404, "/auth/login"),
    "plans_have_their_prices": writes("/plans", rb"9\.99", b"8.99"),
    "rss_is_well_formed": writes(_RSS, b"</channel>", b""),
    "rss_items_are_whole": writes(_RSS, b"<title>[^<]*</title>", b""),
    "rss_items_keep_their_guid": writes(_RSS, b"</guid>", lambda _: b"-%d</guid>" % next(_count)),
    "rss_items_are_dated_and_newest_first": writes(
        _RSS, b"<pubDate>[^<]*", b"<pubDate>2026-11-20T09:00:00Z"
    ),
    "rss_shows_no_feed_address": writes(_RSS, b"</item>", _FOREIGN),
    "atom_is_whole": writes("/feeds/updates.atom", b"<updated>[^<]*</updated>", b""),
    "a_source_has_a_feed_of_its_own": writes(".atom", b"<feed([^>]*)>", _FEED_LINK),
    "csv_pages_are_the_pages_in_json": writes("/entries.csv", rb"\r\n[^\r]*\r\n$", b"\r\n"),
    "the_api_catalog_names_the_api": writes("/.well-known/api-catalog", b"service-doc", b"doc"),
    "llms_txt_says_what_is_where": writes("/llms.txt", b"/changes", b"/gone"),
}
