"""Faults of HTTP, of the served contract, and of what stands beside the API."""

from typing import Any

from faults.fault import Fault, Reply, header, page, status, unread, writes

_RSS, _CONTRACT = "/rss/updates.xml", "/openapi.json"
_FOREIGN = b'<source url="https://feeds.acme.example/compute.xml">Acme</source></item>'


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
    "the_site_has_its_pages": status(200, 404, "/auth/login"),
    "rss_is_well_formed": writes(_RSS, b"</channel>", b""),
    "rss_items_are_whole": writes(_RSS, b"<title>[^<]*</title>", b""),
    "rss_items_are_dated_and_newest_first": writes(
        _RSS, b"<pubDate>[^<]*", b"<pubDate>2026-11-20T09:00:00Z"
    ),
    "rss_shows_no_feed_address": writes(_RSS, b"</item>", _FOREIGN),
    "csv_pages_are_the_pages_in_json": writes("/entries.csv", rb"\r\n[^\r]*\r\n$", b"\r\n"),
}
