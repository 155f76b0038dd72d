"""Conditional requests and what caches may do (docs/decisions/0012)."""

from collections.abc import Iterator

import pytest

from conformance.callers import PUBLIC
from conformance.http_messages import Response
from conformance.lists import lists_of
from conformance.probe import Probe, expect
from conformance.site import query_string


def _reads(probe: Probe) -> Iterator[tuple[str, str]]:
    """Yield requests that are answered with content: first pages, and random ones."""
    for path, params in lists_of(probe):
        total = probe.get(path, {**params, "limit": 1}).field("total")
        if isinstance(total, int) and total > 3:
            offset = probe.random(f"caching {path}").randrange(total // 2, total)
            yield path, query_string({**params, "limit": 3, "offset": offset})
    yield from (("/sources", ""), ("/latest", "limit=2"), ("/important", "limit=2"))
    if probe.caller.reads_entries and probe.caller.sources:
        yield "/entries", f"sources={probe.caller.sources[0]}&limit=3"
    if probe.caller.reads_diffs and probe.caller.sources:
        yield "/diffs", f"source={probe.caller.sources[0]}"


def _tag(response: Response) -> str:
    tag = response.headers.get("etag", "")
    strong = tag.startswith('"') and tag.endswith('"') and len(tag) > 2
    expect(strong, response, f"has the ETag {tag}" if tag else "has no ETag")
    return tag


@pytest.mark.origin("docs/decisions/0012")
def test_an_unchanged_answer_is_304(anybody: Probe) -> None:
    """Strong ETag and If-None-Match give 304 on every GET."""
    for path, params in _reads(anybody):
        plain = anybody.get(path, params)
        tag = _tag(plain)
        if not tag:
            continue
        for value in (tag, f"W/{tag}", "*", f'"other", {tag}', f'"a","b",{tag}'):
            response = anybody.get(path, params, status=None, headers={"If-None-Match": value})
            expect(response.status == 304, response, f"answered {response.status} to {value}")
            if response.status == 304:
                expect(not response.body, response, "has a body")
                expect(response.headers.get("etag") == tag, response, "has another ETag")
        for value in ('"other"', tag.strip('"'), '""'):
            response = anybody.get(path, params, status=None, headers={"If-None-Match": value})
            expect(response.body == plain.body, response, f"is not whole for {value}")


@pytest.mark.origin("docs/decisions/0012")
def test_the_etag_follows_the_body(anybody: Probe) -> None:
    """The ETag changes if and only if the body changes."""
    bodies: dict[str, bytes] = {}
    for path, params in _reads(anybody):
        further = () if path == "/diffs" or "offset" in params else (1, 2)
        for query in (params, *(f"{params}&offset={offset}" for offset in further)):
            response = anybody.get(path, query.lstrip("&"))
            again = anybody.get(path, query.lstrip("&"))
            tag = _tag(response)
            if not tag:
                continue
            same = again.headers.get("etag") == tag or again.body != response.body
            expect(same, again, "has another ETag for the same body")
            shared = bodies.setdefault(tag, response.body) == response.body
            expect(shared, response, "has the ETag of another body")


@pytest.mark.origin("docs/decisions/0012")
def test_cache_control_keeps_keys_private(anybody: Probe) -> None:
    """Cache-Control: public, max-age=60 where no key was sent, private, no-cache otherwise."""
    expected = "public, max-age=60" if anybody.caller.key is None else "private, no-cache"
    for path, params in _reads(anybody):
        response = anybody.get(path, params)
        header = response.headers.get("cache-control", "none")
        expect(header == expected, response, f"has Cache-Control {header}, not {expected}")
        expect("set-cookie" not in response.headers, response, "sets a cookie for all to share")


@pytest.mark.origin("docs/decisions/0012")
def test_vary_names_what_decides(anybody: Probe) -> None:
    """Vary: Authorization, X-Api-Key, Cookie."""
    for path, params in _reads(anybody):
        response = anybody.get(path, params)
        varies = {part.strip().lower() for part in response.headers.get("vary", "").split(",")}
        missing = {"authorization", "x-api-key", "cookie"} - varies
        expect(not missing, response, f"does not vary by {', '.join(sorted(missing))}")


@pytest.mark.origin("docs/decisions/0012")
def test_an_etag_is_worth_nothing_to_others(holder: Probe) -> None:
    """A 304 is for the caller whose answer it is."""
    mine = holder.get("/sources", {"limit": 3})
    headers = {"If-None-Match": mine.headers.get("etag", "")}
    response = holder.get("/sources", status=None, headers=headers, caller=PUBLIC)
    expect(response.status == 200, response, "told the public that a key's page is unchanged")


@pytest.mark.origin("docs/decisions/0012")
def test_head_is_get_without_a_body(anybody: Probe) -> None:
    """HEAD answers as GET does, without the body (RFC 9110 §9.3.2)."""
    for path, params in _reads(anybody):
        plain = anybody.get(path, params)
        response = anybody.ask("HEAD", path, params)
        expect(response.status == 200, response, f"answered {response.status}")
        expect(not response.body, response, "has a body")
        for name in ("etag", "content-type", "cache-control"):
            same = response.headers.get(name) == plain.headers.get(name)
            expect(same, response, f"has another {name} than GET")
