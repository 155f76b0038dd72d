"""Conditional requests and what caches may do (docs/decisions/0012)."""

from collections.abc import Iterator

from conformance.callers import PUBLIC
from conformance.checks.probe import Audience, Probe, check
from conformance.exchange import Answer


def _reads(probe: Probe) -> Iterator[tuple[str, str]]:
    yield from (("/sources", ""), ("/latest", "limit=2"), ("/important", "limit=2"))
    if probe.caller.reads_entries and probe.caller.sources:
        yield "/entries", f"sources={probe.caller.sources[0]}&limit=3"
    if probe.caller.reads_diffs and probe.caller.sources:
        yield "/diffs", f"source={probe.caller.sources[0]}"


def _tag(probe: Probe, answer: Answer) -> str:
    tag = answer.headers.get("etag", "")
    strong = tag.startswith('"') and tag.endswith('"') and len(tag) > 2
    probe.expect(strong, answer, f"has the ETag {tag}" if tag else "has no ETag")
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
            answer = probe.get(path, params, status=None, headers={"If-None-Match": value})
            probe.expect(answer.status == 304, answer, f"answered {answer.status} to {value}")
            if answer.status == 304:
                probe.expect(not answer.body, answer, "has a body")
                probe.expect(answer.headers.get("etag") == tag, answer, "has another ETag")
        for value in ('"other"', tag.strip('"'), '""'):
            answer = probe.get(path, params, status=None, headers={"If-None-Match": value})
            probe.expect(answer.body == plain.body, answer, f"is not whole for {value}")


@check(
    "docs/decisions/0012",
    "The ETag changes if and only if the body changes.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def the_etag_follows_the_body(probe: Probe) -> None:
    seen: dict[str, bytes] = {}
    for path, params in _reads(probe):
        for each in (params, f"{params}&offset=1", f"{params}&offset=2"):
            if "offset" in each and path == "/diffs":
                continue
            answer = probe.get(path, each.lstrip("&"))
            again = probe.get(path, each.lstrip("&"))
            tag = _tag(probe, answer)
            if not tag:
                continue
            same = again.headers.get("etag") == tag or again.body != answer.body
            probe.expect(same, again, "has another ETag for the same body")
            shared = seen.setdefault(tag, answer.body) == answer.body
            probe.expect(shared, answer, "has the ETag of another body")


@check(
    "docs/decisions/0012",
    "Cache-Control: public, max-age=60 where no key was sent, private, no-cache otherwise.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def cache_control_keeps_keys_private(probe: Probe) -> None:
    expected = "public, max-age=60" if probe.caller.key is None else "private, no-cache"
    for path, params in _reads(probe):
        answer = probe.get(path, params)
        found = answer.headers.get("cache-control", "none")
        probe.expect(found == expected, answer, f"has Cache-Control {found}, not {expected}")
        probe.expect("set-cookie" not in answer.headers, answer, "sets a cookie for all to share")


@check(
    "docs/decisions/0012",
    "Vary: Authorization, X-Api-Key, Cookie.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def vary_names_what_decides(probe: Probe) -> None:
    for path, params in _reads(probe):
        answer = probe.get(path, params)
        varies = {each.strip().lower() for each in answer.headers.get("vary", "").split(",")}
        missing = {"authorization", "x-api-key", "cookie"} - varies
        probe.expect(not missing, answer, f"does not vary by {', '.join(sorted(missing))}")


@check(
    "docs/decisions/0012",
    "A 304 is for the caller whose answer it is.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def an_etag_is_worth_nothing_to_others(probe: Probe) -> None:
    mine = probe.get("/sources", {"limit": 3})
    headers = {"If-None-Match": mine.headers.get("etag", "")}
    answer = probe.get("/sources", status=None, headers=headers, caller=PUBLIC)
    probe.expect(answer.status == 200, answer, "told the public that a key's page is unchanged")


@check(
    "docs/decisions/0012",
    "HEAD answers as GET does, without the body (RFC 9110 §9.3.2).",
    operation="HEAD *",
    audience=Audience.ANYBODY,
)
def head_is_get_without_a_body(probe: Probe) -> None:
    for path, params in _reads(probe):
        plain = probe.get(path, params)
        answer = probe.ask("HEAD", path, params)
        probe.expect(answer.status == 200, answer, f"answered {answer.status}")
        probe.expect(not answer.body, answer, "has a body")
        for name in ("etag", "content-type", "cache-control"):
            same = answer.headers.get(name) == plain.headers.get(name)
            probe.expect(same, answer, f"has another {name} than GET")
