"""What one request looks like, and what each answer to it means."""

import ast
import gzip
import zlib
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import brotli
import pytest

import ingest
from ingest.fetching.client import ACCEPT
from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from openapi.vocabulary import AdapterType

FEED = b"<rss><channel><item><title>Acme 1.2</title></item></channel></rss>"


def test_a_document_comes_with_its_type_address_and_validators(site, ask):
    site.reply(
        "/feed",
        body=FEED,
        content_type="application/rss+xml; charset=utf-8",
        etag='W/"v1"',
        last_modified="Sat, 21 Nov 2026 10:00:00 GMT",
        cache_control="max-age=600",
    )

    assert ask(site.url()) == Fetched(
        body=FEED,
        content_type="application/rss+xml; charset=utf-8",
        address=site.url(),
        validators=Validators(site.url(), 'W/"v1"', "Sat, 21 Nov 2026 10:00:00 GMT"),
        freshness=timedelta(minutes=10),
        body_hash=sha256(FEED).hexdigest(),
    )


def test_the_request_is_honest_and_carries_nothing_else(site, ask):
    site.reply("/feed", body=FEED)

    ask(site.url(), accept=ACCEPT[AdapterType.RSS])

    assert {name.lower(): value for name, value in site.seen[0].fields} == {
        "host": f"127.0.0.1:{site.port}",
        "connection": "keep-alive",
        "user-agent": "Changewire/1.0.0 (+https://changewire.example)",
        "accept-encoding": "gzip, br",
        "accept": ACCEPT[AdapterType.RSS],
    }


def test_the_environment_is_not_asked_for_proxies(site, ask, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    site.reply("/feed", body=FEED)

    assert isinstance(ask(site.url()), Fetched)


@pytest.mark.parametrize(
    "etag", ['"abc"', 'W/"abc"', "unquoted", '"with, comma"', '"caf\xe9"', '""', "'single'"]
)
def test_an_etag_goes_back_byte_for_byte(site, ask, etag):
    site.reply("/feed", body=FEED, etag=etag)
    known = ask(site.url()).validators

    ask(site.url(), validators=known)

    assert site.seen[1].get("If-None-Match") == etag


def test_not_modified_keeps_the_validators_and_takes_new_ones(site, ask):
    site.reply(
        "/feed", 304, last_modified="Sun, 22 Nov 2026 10:00:00 GMT", cache_control="max-age=60"
    )

    outcome = ask(site.url(), validators=Validators(site.url(), '"v1"', "old"))

    assert outcome == NotModified(
        Validators(site.url(), '"v1"', "Sun, 22 Nov 2026 10:00:00 GMT"),
        freshness=timedelta(minutes=1),
    )


def test_a_304_that_nobody_asked_for_is_a_fault_of_the_server(site, ask):
    site.reply("/feed", 304)

    assert ask(site.url()).failure is Failure.SERVER_ERROR


def raw_deflate(text: bytes) -> bytes:
    """Pack a text as some servers do, without the header and the checksum of RFC 1950."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(text) + packer.flush()


PACKED = {
    "gzip": ("gzip", gzip.compress(FEED)),
    "deflate": ("deflate", zlib.compress(FEED)),
    "deflate without zlib": ("deflate", raw_deflate(FEED)),
    "br": ("br", brotli.compress(FEED)),
    "the older name": ("X-GZip", gzip.compress(FEED)),
    "charset beside it": ("gzip, UTF-8", gzip.compress(FEED)),
    "two members": ("gzip", gzip.compress(FEED[:100]) + gzip.compress(FEED[100:])),
}


@pytest.mark.parametrize(("coding", "packed"), PACKED.values(), ids=PACKED)
def test_compressed_documents_are_unpacked(site, ask, coding, packed):
    site.reply("/feed", body=packed, content_encoding=coding)

    assert ask(site.url()).body == FEED


@pytest.mark.parametrize("name", ["identity", "none", "UTF-8", "aws-chunked", "", "8bit, utf-8"])
def test_what_names_no_coding_is_passed_over(site, ask, name):
    site.reply("/feed", body=FEED, content_encoding=name)

    assert ask(site.url()).body == FEED


@pytest.mark.parametrize("left", [0.1, 0.5, 0.99], ids=["start", "middle", "end"])
@pytest.mark.parametrize(("coding", "packed"), PACKED.values(), ids=PACKED)
def test_a_compressed_document_that_is_cut_off_is_a_failure(site, ask, coding, packed, left):
    site.reply("/feed", body=packed[: int(len(packed) * left)], content_encoding=coding)

    outcome = ask(site.url())

    assert outcome.failure is Failure.BAD_ENCODING
    assert outcome.message == "The content is cut off."


def test_a_gzip_file_with_very_many_members_is_a_failure(site, ask):
    site.reply("/feed", body=gzip.compress(b"") * 100_000, content_encoding="gzip")

    assert ask(site.url()).failure is Failure.BAD_ENCODING


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", b"this is not gzip"),
        ("br", b"this is not brotli"),
        ("zstd", b"(\xb5/\xfd"),
        ("gzip, gzip", gzip.compress(gzip.compress(FEED, mtime=0), mtime=0)),
        ("x-acme", FEED),
    ],
)
def test_a_coding_that_was_not_asked_for_or_is_broken_is_a_failure(site, ask, coding, body):
    site.reply("/feed", body=body, content_encoding=coding)

    assert ask(site.url()).failure is Failure.BAD_ENCODING


@pytest.mark.parametrize(
    ("status", "headers", "failure"),
    [
        (400, {}, Failure.CLIENT_ERROR),
        (401, {}, Failure.UNAUTHORIZED),
        (403, {}, Failure.FORBIDDEN),
        (403, {"cf_mitigated": "challenge"}, Failure.BLOCKED),
        (403, {"retry_after": "60"}, Failure.RATE_LIMITED),
        (403, {"x_ratelimit_remaining": "0", "x_ratelimit_reset": "1"}, Failure.RATE_LIMITED),
        (403, {"x_ratelimit_remaining": "12"}, Failure.FORBIDDEN),
        (404, {}, Failure.NOT_FOUND),
        (408, {}, Failure.TIMEOUT),
        (410, {}, Failure.GONE),
        (429, {}, Failure.RATE_LIMITED),
        (503, {}, Failure.SERVER_ERROR),
        (503, {"retry_after": "60"}, Failure.UNAVAILABLE),
        (503, {"cf_mitigated": "challenge"}, Failure.BLOCKED),
        (200, {"cf_mitigated": "challenge"}, Failure.BLOCKED),
        (204, {}, Failure.SERVER_ERROR),
        (301, {}, Failure.SERVER_ERROR),
    ],
)
def test_a_status_has_one_meaning(site, ask, status, headers, failure):
    site.reply("/feed", status, **headers)

    outcome = ask(site.url())

    assert (outcome.failure, outcome.status) == (failure, status)


@pytest.mark.parametrize("body", [b"", b"\n  \n"])
def test_a_document_without_content_is_empty(site, ask, body):
    site.reply("/feed", body=body)

    assert ask(site.url()) == Failed(
        Failure.NO_CONTENT, status=200, message="The response is empty."
    )


def test_a_token_is_not_sent_where_a_redirect_leads(site, ask):
    site.reply("/feed", 302, location=site.url("/moved", host="globex.example"))
    site.reply("/moved", body=FEED)

    ask(site.url(), headers=((b"Authorization", b"Bearer acme"),))

    assert [seen.get("Authorization") for seen in site.seen] == ["Bearer acme", None]


def test_nothing_else_in_ingestion_can_reach_the_network():
    networked = {"httpx2", "httpcore2", "httpx", "requests", "urllib3", "socket"}
    allowed = {"fetching/fetch.py"}
    folder = Path(ingest.__file__).parent

    found = {
        str(path.relative_to(folder))
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
        if name.partition(".")[0] in networked or name.startswith(("urllib.request", "http.client"))
    }

    assert found <= allowed
