"""Paths, methods and headers of any HTTP interface (specification 1, 4 and 7)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.callers import Caller
from conformance.http_messages import Response
from conformance.probe import Probe, expect, expect_refusal

_PATHS = ("/sources", "/entries", "/diffs", "/important", "/latest")
_ELSEWHERE = (
    "", "/", "/nothing", "/sources/", "//sources", "/sources/acme", "/Sources", "/sources.json",
    "/sources%2F", "/sources;a=b", "/sources/request/",
    "/entries/1", "/feed", "/openapi.json", "/sources%00", "/sources%0a", "/admin", "/.env",
)  # fmt: skip


@pytest.mark.origin("docs/decisions/0004")
def test_unknown_paths_are_404(anybody: Probe) -> None:
    """JSON under /api/v1 for everything, unknown paths included: 404 not_found."""
    for path in _ELSEWHERE:
        anybody.get_refused(path, "", 404, "not_found")


@pytest.mark.origin("specification 4")
def test_other_methods_are_405(anybody: Probe) -> None:
    """Only GET and one POST exist."""
    for path, _, method in _other_methods():
        response = anybody.ask(method, path)
        words = f"answered {response.status} to {method}"
        expect(response.status >= 400, response, words)


def _other_methods() -> Iterator[tuple[str, str, str]]:
    """Yield each path with the method that it has and one that it has not."""
    for path in (*_PATHS, "/sources/request"):
        right, wrong = ("POST", "GET") if path == "/sources/request" else ("GET", "POST")
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "QUERY", wrong):
            yield path, right, method


@pytest.mark.origin("docs/decisions/0004")
def test_a_405_names_the_methods_there_are(anybody: Probe) -> None:
    """405 method_not_allowed; Allow names the methods there are (RFC 9110 §15.5.6)."""
    for path, needed, method in _other_methods():
        response = anybody.ask(method, path)
        expect_refusal(response, 405, "method_not_allowed")
        allowed = {part.strip() for part in response.headers.get("allow", "").split(",")}
        expect(needed in allowed, response, f"allows {sorted(allowed)} and not {needed}")
        expect(method not in allowed, response, f"allows {method}, which it refuses")


@pytest.mark.origin("specification, introduction")
def test_the_site_has_its_pages(public: Probe) -> None:
    """{site_url} serves the sign-in page (/auth/login), the key management page (/app/api-keys),
    /openapi.json and /rss/updates.xml."""
    page = public.visit("/auth/login", status=None)
    html = page.status == 200 and "text/html" in page.headers.get("content-type", "")
    elsewhere = page.status in (301, 302, 303, 307, 308)  # people may sign in at another site
    expect(html or elsewhere, page, "is no page")
    keys = public.visit("/app/api-keys", status=None)
    led = keys.status in (301, 302, 303, 307, 308)
    expect(led or keys.status in (200, 401, 403), keys, f"answered {keys.status}")
    expect(keys.status != 200 or "cw_" not in keys.text, keys, "shows keys to anybody")
    public.visit("/rss/updates.xml")


_ROUNDS = 15
_AT_ONCE = 8


@pytest.mark.origin("specification 5.6")
@pytest.mark.once
def test_callers_are_not_mixed_up(public: Probe) -> None:
    """Authentication required: full catalog on /sources, /entries, /diffs; whoever else asks
    meanwhile."""
    questions = [question for caller in public.callers for question in _questions(caller)]
    expected = [_ask(public, *question) for question in questions]
    order = [number for _ in range(_ROUNDS) for number in range(len(questions))]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        responses = list(pool.map(lambda number: _ask(public, *questions[number]), order))
    for number, response in zip(order, responses, strict=True):
        same = _whose(response) == _whose(expected[number])
        name = questions[number][0].name
        expect(same, response, f"is not what {name} is told when nobody else asks")


def _questions(caller: Caller) -> Iterator[tuple[Caller, str, str]]:
    yield caller, "/sources", "limit=2"
    yield caller, "/latest", "limit=1"
    if caller.reads_entries:
        yield caller, "/entries", f"sources={caller.sources[0]}&limit=1"


def _ask(probe: Probe, caller: Caller, path: str, params: str) -> Response:
    return probe.get(path, params, status=None, caller=caller)


def _whose(response: Response) -> tuple[object, ...]:
    """Return the parts of a response that depend on the caller, not on new entries."""
    members = tuple(response.field(name) for name in ("sample", "plan", "limit", "code"))
    random = response.field("sample") is True  # a sample need not be the same twice
    items = [] if random else response.items
    slugs = tuple(str(item.get("slug")) for item in items)
    fields = frozenset(name for item in items for name in item)
    return response.status, response.headers.get("cache-control"), members, slugs, fields
