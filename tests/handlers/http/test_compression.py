"""Responses compressed for clients that can read it, and their ETags (docs/decisions/0012)."""

import gzip
import random

import pytest
import zstandard
from starlette.responses import Response, StreamingResponse
from starlette.testclient import TestClient

from handlers.http.caching import is_held
from handlers.http.compression import LEAST_BYTES, OFF_THE_LOOP_BYTES, Compression, acceptable

ETAG = '"0123abcd"'
TEXT = b'{"title": "Version 1 of the instances API is removed"}' * 40
DECODERS = {
    "gzip": gzip.decompress,
    "zstd": lambda body: zstandard.ZstdDecompressor().decompressobj().decompress(body),
    None: bytes,
}


def serving(body=TEXT, content_type="application/json", status=200, chunk=None, **headers):
    """An application with one response, which it sends at once or in chunks; it knows 304."""

    async def app(scope, receive, send):
        sent = {"ETag": ETAG, "Content-Type": content_type, **headers}
        tags = [value.decode() for name, value in scope["headers"] if name == b"if-none-match"]
        if is_held(tags, ETAG):
            response = Response(status_code=304, headers={"ETag": ETAG})
        elif chunk is not None:
            parts = (body[at : at + chunk] for at in range(0, len(body), chunk))
            response = StreamingResponse(parts, status, sent)
        elif scope["method"] == "HEAD":
            response = Response(b"", status, {**sent, "Content-Length": str(len(body))})
        else:
            response = Response(body, status, sent)
        await response(scope, receive, send)

    return Compression(app)


def ask(app, accept="", method="GET", **headers):
    """Ask with one Accept-Encoding or none; returns the status, the headers and the raw body."""
    client = TestClient(app)
    del client.headers["Accept-Encoding"]
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if accept:
        sent["Accept-Encoding"] = accept
    with client.stream(method, "/", headers=sent) as response:
        return response.status_code, response.headers, b"".join(response.iter_raw())


def coding(app, accept):
    """The coding of a response."""
    return ask(app, accept)[1].get("Content-Encoding")


@pytest.mark.parametrize(
    ("accept", "codings"),
    [
        ("identity, br", ()),
        ("GZIP, deflate, br, zstd", ("zstd", "gzip")),
        ("gzip;q=1.0, zstd;q=0.5", ("gzip", "zstd")),
        ("zstd;q=0, *", ("gzip",)),
        ("identity;q=1, gzip;q=0.5", ()),
        ("gzip;q=nonsense, zstd", ("zstd",)),
    ],
)
def test_a_client_gets_the_coding_it_prefers(accept, codings):
    assert acceptable(accept) == codings


@pytest.mark.parametrize("accept", ["gzip", "zstd"])
@pytest.mark.parametrize("chunk", [None, 7, 1000])
def test_a_compressed_response_is_the_same_text(accept, chunk):
    status, headers, body = ask(serving(chunk=chunk), accept)

    assert (status, headers["Content-Encoding"], DECODERS[accept](body)) == (200, accept, TEXT)
    assert headers["ETag"] == f'"0123abcd-{accept}"'
    assert headers.get("Content-Length", str(len(body))) == str(len(body))


def test_a_response_that_is_compressed_by_a_thread_comes_back():
    body = random.Random(0).randbytes(OFF_THE_LOOP_BYTES).hex().encode()

    assert DECODERS["zstd"](ask(serving(body), "zstd")[2]) == body


@pytest.mark.parametrize(("size", "compressed"), [(LEAST_BYTES - 1, None), (LEAST_BYTES, "gzip")])
def test_a_kibibyte_is_worth_it(size, compressed):
    assert coding(serving(b"x" * size), "gzip") == compressed


@pytest.mark.parametrize(
    ("content_type", "compressed"),
    [
        ("application/atom+xml; charset=utf-8", "zstd"),
        ("text/html; charset=utf-8", "zstd"),
        ("text/event-stream", None),
        ("application/octet-stream", None),
    ],
)
def test_texts_are_compressed(content_type, compressed):
    assert coding(serving(content_type=content_type), "gzip, zstd") == compressed


@pytest.mark.parametrize(
    "header", ["Content-Encoding: br", "Content-Range: bytes 0-9/10", "Cache-Control: no-transform"]
)
def test_what_is_coded_partial_or_not_to_be_changed_stays(header):
    assert ask(serving(**dict([header.split(": ")])), "gzip")[2] == TEXT


PERSONAL = {"content_type": "text/html; charset=utf-8", "Cache-Control": "private, no-store"}


@pytest.mark.parametrize(
    ("site", "compressed"),
    [
        ("same-origin", "gzip"),
        ("none", "gzip"),
        *((other, None) for other in ("same-site", "", "same-origin, none")),
    ],
)
def test_a_page_that_may_hold_a_token_is_compressed_for_our_own_site(site, compressed):
    _, headers, _ = ask(serving(**PERSONAL), "gzip", **{"Sec-Fetch-Site": site})

    assert headers.get("Content-Encoding") == compressed


def test_without_accept_encoding_a_response_stays_but_says_that_it_varies():
    _, headers, body = ask(serving(Vary="Cookie"))

    assert (headers["ETag"], headers["Vary"], body) == (ETAG, "Cookie, Accept-Encoding", TEXT)


@pytest.mark.parametrize(
    ("accept", "sent", "status", "etag"),
    [
        ("gzip, zstd", '"other", "0123abcd-gzip"', 304, '"0123abcd-gzip"'),
        ("gzip", 'W/"0123abcd-gzip"', 304, '"0123abcd-gzip"'),  # a proxy made it weak
        ("gzip", ETAG, 304, ETAG),  # kept since before it was compressed, and as good
        ("gzip", "*", 304, '"0123abcd-gzip"'),
        ("", "*", 304, ETAG),
        ("", '"0123abcd-gzip"', 200, ETAG),  # it says that it cannot read what it has
        ("zstd", '"0123abcd-gzip"', 200, '"0123abcd-zstd"'),
        ("gzip", '"0123abce-gzip"', 200, '"0123abcd-gzip"'),
    ],
)
def test_a_304_names_the_response_that_the_client_has(accept, sent, status, etag):
    seen, headers, _ = ask(serving(), accept, If_None_Match=sent)

    assert (seen, headers["ETag"], headers["Vary"]) == (status, etag, "Accept-Encoding")


def test_a_304_for_any_etag_has_no_body_and_names_a_small_response_as_it_is():
    small, large = serving(b"{}"), serving(chunk=100)

    assert [ask(app, "gzip", If_None_Match="*")[0] for app in (small, large)] == [304, 304]
    assert ask(small, "gzip", If_None_Match="*")[1]["ETag"] == ETAG
    assert ask(large, "gzip", If_None_Match="*")[2] == b""


@pytest.mark.parametrize("accept", ["", "gzip", "zstd"])
def test_head_tells_of_the_get(accept):
    _, got, _ = ask(serving(), accept)
    status, told, body = ask(serving(), accept, "HEAD")

    names = ("ETag", "Vary", "Content-Encoding", "Content-Type")
    assert (status, body) == (200, b"")
    assert [told.get(name) for name in names] == [got.get(name) for name in names]
    assert told.get("Content-Length") in (None, got["Content-Length"])
