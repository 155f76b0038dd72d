"""The rules that hold for every answer."""

import json

import pytest

from conformance.http_messages import Request, Response
from conformance.rules import broken_rules

NO = {"error": "No.", "code": "invalid_request", "message": "No.", "hint": "Try."}


def broken(status, body, *, media_type="application/json", of_api=True, feed_addresses=()):
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    answer = Response(Request("GET", "/"), status, {"content-type": media_type}, raw)
    return {rule.name for rule, _ in broken_rules(
        answer, of_api=of_api, feed_addresses=feed_addresses
    )}  # fmt: skip


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"items": []}),
        (200, {"url": "https://acme.example/changelog", "changelogUrl": "https://acme.example/"}),
        (200, {"summary": "https://acme.example/feed.xml", "hint": "https://acme.example/rss"}),
        (200, {"title": "feed", "feed": None}),
        (200, {"url": "https://acme.example/1.xml", "raw": {"link": "https://acme.example/1.xml"}}),
        (400, NO),
        (401, {**NO, "code": "unauthorized"}),
        (403, {"error": "a", "message": "a", "code": "source_not_selected"}),
        (408, {**NO, "code": "invalid_request"}),
    ],
)
def test_an_answer_as_it_should_be_breaks_no_rule(status, body):
    assert broken(status, body) == set()


@pytest.mark.parametrize(
    "body",
    [
        {"feedUrl": "https://acme.example/x"},
        {"feed_url": "https://acme.example/x"},
        {"items": [{"raw": {"link": "https://acme.example/releases.atom"}}]},
        {"items": [{"raw": {"title_detail": {"base": "https://acme.example/feed/"}}}]},
        {"items": [{"raw": {"links": ["https://acme.example/index.xml?a=b"]}}]},
        {"items": [{"changelogUrl": "https://acme.example/rss"}]},
        {"a": "https://acme.example/FEED.XML"},
        {"items": [{"url": "https://acme.example/1", "raw": {"url": "https://acme.example/rss"}}]},
        {"items": [{"raw": {"summary": "https://acme.example/releases.atom"}}]},
        {"items": [{"raw": {"x_origin": "https://feeds.acme.example/compute"}}]},
        {"items": [{"raw": {"x_origin": "https://acme.example/news?lang=en&format=rss"}}]},
        {"a": "https://acme.example/blog/feed.json"},
    ],
)
def test_a_feed_address_is_seen_wherever_it_stands(body):
    assert broken(200, body) == {"no-feed-address"}


def test_a_known_feed_address_is_seen_in_prose_too():
    body = {"summary": "See https://acme.example/all today."}

    assert broken(200, body, feed_addresses=["https://acme.example/all"]) == {"no-feed-address"}
    assert broken(200, body, feed_addresses=["https://acme.example/other"]) == set()


@pytest.mark.parametrize(
    "body",
    [{**NO, "error": "Other."}, {"error": "No.", "message": "No."}, {**NO, "hint": None}, [NO],
     {**NO, "code": "unauthorized"}, {**NO, "code": "teapot"}],
)  # fmt: skip
def test_a_no_of_another_shape_is_seen(body):
    assert broken(400, body) == {"every-no-is-an-error-object"}


def test_a_failure_of_the_service_is_seen():
    assert broken(500, {**NO, "code": "internal_error"}) == {"no-server-error"}
