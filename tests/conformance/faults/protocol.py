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
    "the-contract-carries-its-version": page(
        _CONTRACT, lambda contract: contract["info"].update(version="2.0.0")
    ),
    "the-contract-has-every-operation": page(
        _CONTRACT, lambda contract: contract["paths"].pop("/latest") and None
    ),
    "the-contract-has-every-parameter": page(
        _CONTRACT, lambda it: it["components"]["parameters"]["Limit"]["schema"].update(maximum=200)
    ),
    "the-contract-breaks-nobody": page(_CONTRACT, _needs_vendor),
    "both-spellings-of-the-contract-are-one": writes(
        "/openapi.yaml", b"maximum: 100", b"maximum: 200"
    ),
    "further-operations-answer": status(200, 500, "/deadlines"),
    "an-unchanged-answer-is-304": unread("if-none-match"),
    "the-etag-follows-the-body": header("etag", '"constant"'),
    "cache-control-keeps-keys-private": header("cache-control", "public, max-age=60"),
    "vary-names-what-decides": header("vary", "Authorization, Cookie"),
    "an-etag-is-worth-nothing-to-others": Fault(answered=_unchanged_for_all),
    "head-is-get-without-a-body": Fault(answered=_head_without_tag),
    "other-origins-may-read-without-cookies": header("access-control-allow-credentials", "true"),
    "request-ids-are-unique": header("x-request-id", "0"),
    "answers-are-not-sniffed": header("x-content-type-options", None),
    "the-site-has-its-pages": status(200, 404, "/auth/login"),
    "plans-have-their-prices": writes("/plans", rb"9\.99", b"8.99"),
    "rss-is-well-formed": writes(_RSS, b"</channel>", b""),
    "rss-items-are-whole": writes(_RSS, b"<title>[^<]*</title>", b""),
    "rss-items-keep-their-guid": writes(_RSS, b"</guid>", lambda _: b"-%d</guid>" % next(_count)),
    "rss-items-are-dated-and-newest-first": writes(
        _RSS, b"<pubDate>[^<]*", b"<pubDate>2026-11-20T09:00:00Z"
    ),
    "rss-shows-no-feed-address": writes(_RSS, b"</item>", _FOREIGN),
    "atom-is-whole": writes("/feeds/updates.atom", b"<updated>[^<]*</updated>", b""),
    "a-source-has-a-feed-of-its-own": writes(".atom", b"<feed([^>]*)>", _FEED_LINK),
    "csv-pages-are-the-pages-in-json": writes("/entries.csv", rb"\r\n[^\r]*\r\n$", b"\r\n"),
    "the-api-catalog-names-the-api": writes("/.well-known/api-catalog", b"service-doc", b"doc"),
    "llms-txt-says-what-is-where": writes("/llms.txt", b"/changes", b"/gone"),
}
