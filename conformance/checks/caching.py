"""Conditional requests and what caches may do (docs/decisions/0012)."""

from collections.abc import Iterator

from conformance.callers import PUBLIC
from conformance.checks.probe import Audience, Probe, check
from conformance.checks.samples import lists_of
from conformance.http_messages import Response
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


def _tag(probe: Probe, response: Response) -> str:
    tag = response.headers.get("etag", "")
    strong = tag.startswith('"') and tag.endswith('"') and len(tag) > 2
    probe.expect(strong, response, f"has the ETag {tag}" if tag else "has no ETag")
    return tag


@check(
    "docs/decisions/0012",
    "Strong ETag and If-None-Match give 304 on every GET.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def an_unchanged_answer_is_304(probe: Probe) -> None:
    for path, params in _reads(probe):
        plain = probe.get(path, params)
        tag = _tag(probe, plain)
        if not tag:
            continue
        for value in (tag, f"W/{tag}", "*", f'"other", {tag}', f'"a","b",{tag}'):
            response = probe.get(path, params, status=None, headers={"If-None-Match": value})
            probe.expect(response.status == 304, response, f"answered {response.status} to {value}")
            if response.status == 304:
                probe.expect(not response.body, response, "has a body")
                probe.expect(response.headers.get("etag") == tag, response, "has another ETag")
        for value in ('"other"', tag.strip('"'), '""'):
            response = probe.get(path, params, status=None, headers={"If-None-Match": value})
            probe.expect(response.body == plain.body, response, f"is not whole for {value}")


@check(
    "docs/decisions/0012",
    "The ETag changes if and only if the body changes.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def the_etag_follows_the_body(probe: Probe) -> None:
    bodies: dict[str, bytes] = {}
    for path, params in _reads(probe):
        further = () if path == "/diffs" or "offset" in params else (1, 2)
        for query in (params, *(f"{params}&offset={offset}" for offset in further)):
            response = probe.get(path, query.lstrip("&"))
            again = probe.get(path, query.lstrip("&"))
            tag = _tag(probe, response)
            if not tag:
                continue
            same = again.headers.get("etag") == tag or again.body != response.body
            probe.expect(same, again, "has another ETag for the same body")
            shared = bodies.setdefault(tag, response.body) == response.body
            probe.expect(shared, response, "has the ETag of another body")


@check(
    "docs/decisions/0012",
    "Cache-Control: public, max-age=60 where no key was sent, private, no-cache otherwise.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def cache_control_keeps_keys_private(probe: Probe) -> None:
    expected = "public, max-age=60" if probe.caller.key is None else "private, no-cache"
    for path, params in _reads(probe):
        response = probe.get(path, params)
        header = response.headers.get("cache-control", "none")
        probe.expect(header == expected, response, f"has Cache-Control {header}, not {expected}")
        probe.expect(
            "set-cookie" not in response.headers, response, "sets a cookie for all to share"
        )


@check(
    "docs/decisions/0012",
    "Vary: Authorization, X-Api-Key, Cookie.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def vary_names_what_decides(probe: Probe) -> None:
    for path, params in _reads(probe):
        response = probe.get(path, params)
        varies = {part.strip().lower() for part in response.headers.get("vary", "").split(",")}
        missing = {"authorization", "x-api-key", "cookie"} - varies
        probe.expect(not missing, response, f"does not vary by {', '.join(sorted(missing))}")


@check(
    "docs/decisions/0012",
    "A 304 is for the caller whose answer it is.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def an_etag_is_worth_nothing_to_others(probe: Probe) -> None:
    mine = probe.get("/sources", {"limit": 3})
    headers = {"If-None-Match": mine.headers.get("etag", "")}
    response = probe.get("/sources", status=None, headers=headers, caller=PUBLIC)
    probe.expect(response.status == 200, response, "told the public that a key's page is unchanged")


@check(
    "docs/decisions/0012",
    "HEAD answers as GET does, without the body (RFC 9110 §9.3.2).",
    operation="HEAD *",
    audience=Audience.ANYBODY,
)
def head_is_get_without_a_body(probe: Probe) -> None:
    for path, params in _reads(probe):
        plain = probe.get(path, params)
        response = probe.ask("HEAD", path, params)
        probe.expect(response.status == 200, response, f"answered {response.status}")
        probe.expect(not response.body, response, "has a body")
        for name in ("etag", "content-type", "cache-control"):
            same = response.headers.get(name) == plain.headers.get(name)
            probe.expect(same, response, f"has another {name} than GET")
