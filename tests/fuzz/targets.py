"""What is fuzzed: functions of bytes that a vendor sends. Each raises when a rule is broken."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Final

from invariants import ADDRESS, Broken, check_document

from changelog_reader.adapters.base import Adapter, UnreadableDocument
from changelog_reader.adapters.feed import parse_feed
from changelog_reader.adapters.github_releases import parse_github_releases
from changelog_reader.adapters.html import parse_page
from changelog_reader.adapters.html.dates import DateHabits, find_date
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.importance import classify
from ingest.fetching.outcomes import (
    as_headers,
    failure_of,
    freshness,
    parse_http_date,
    retry_after,
    validators,
)
from ingest.fetching.robots import Robots, parse, refusal

NOW: Final = datetime(2026, 11, 1, 12, tzinfo=UTC)
DAY: Final = timedelta(days=1)


def _read(adapter: Adapter, body: bytes, *, hides_address: bool = True) -> None:
    with suppress(UnreadableDocument):  # BlockedDocument is one of them
        document = adapter(body, address=ADDRESS, content_type=None)
        check_document(document, hides_address=hides_address)


def rss(body: bytes) -> None:
    """A feed that is said to be RSS."""
    _read(parse_feed, body)


def atom(body: bytes) -> None:
    """A feed that is said to be Atom."""
    _read(parse_feed, body)


def json_feed(body: bytes) -> None:
    """JSON where a feed is expected."""
    _read(parse_feed, body if body[:1] == b"{" else b"{" + body)


def github_releases(body: bytes) -> None:
    """An answer of GitHub's API, or the Atom feed of a repository."""
    _read(parse_github_releases, body)


def html(body: bytes) -> None:
    """A changelog page; its entries may link to the page itself."""
    _read(parse_page, body, hides_address=False)


def robots(body: bytes) -> None:
    """A robots.txt and two pages of the site."""
    rules = Robots(NOW, parse(body))
    for path in ("/changelog", "/robots.txt"):
        refusal(rules, f"https://acme.example{path}", now=NOW)


def headers(body: bytes) -> None:
    """The header of an answer."""
    lines = (line.partition(b":") for line in body.splitlines())
    found = as_headers((name.strip(), value.strip()) for name, _, value in lines)
    for wait, longest in (
        (freshness(found, now=NOW), DAY),
        (retry_after(found, now=NOW), 31 * DAY),
    ):
        if wait is not None and not timedelta() <= wait <= longest:
            raise Broken(f"a wait of {wait}")
    validators(found, address=ADDRESS)
    for status in (401, 403, 429, 503, 599):
        failure_of(status, found)


def dates(body: bytes) -> None:
    """A text where a date is expected."""
    text = body.decode("utf-8", "replace")
    read = [parse_timestamp(text), parse_http_date(text)]
    for language in ("", "en", "de", "ja"):
        found = find_date(text, DateHabits(language))
        read.append(found.at if found else None)
        if found and not 0 <= found.start < found.end <= len(text):
            raise Broken("a date outside of its text")
    for moment in read:
        if moment is not None and moment.utcoffset() != timedelta():
            raise Broken(f"{moment!r} is not in UTC")


def importance(body: bytes) -> None:
    """The title of an entry, and its text after the first line end."""
    title, _, summary = body.decode("utf-8", "replace").partition("\n")
    for each in classify(title, summary, published_at=NOW).evidence:
        if each.text not in (title if each.field == "title" else summary):
            raise Broken(f"{each.text!r} is not what the vendor wrote")


TARGETS: Final[Mapping[str, Callable[[bytes], None]]] = {
    each.__name__: each
    for each in (rss, atom, json_feed, github_releases, html, robots, headers, dates, importance)
}
