"""Paths, methods and headers of any HTTP interface (specification 1, 4 and 7)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from conformance.callers import Caller
from conformance.http_messages import Response
from conformance.probe import Probe, expect
from conformance.raw_requests import REQUESTS, RawRequest, faults_of

_PATHS = ("/sources", "/entries", "/diffs", "/important", "/latest")
_ROUNDS, _AT_ONCE = 15, 8


@pytest.mark.origin("specification 4")
def test_only_get_and_one_post_exist(anybody: Probe) -> None:
    """Only GET and one POST exist; all errors use the Error object."""
    for path in _PATHS:
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "QUERY", "POST"):
            response = anybody.ask(method, path)
            refused = 400 <= response.status < 500
            expect(refused, response, f"answered {response.status} to {method}")
    for path in ("/nothing", "/sources/request", "/sources/acme", "/entries/1", "/Sources"):
        response = anybody.get(path, status=None)
        expect(400 <= response.status < 500, response, f"answered {response.status}")


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


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(raw, id=raw.name, marks=pytest.mark.origin(raw.demanded_by.partition(":")[0]))
        for raw in REQUESTS
    ],
)
def test_a_raw_request_is_answered(public: Probe, raw: RawRequest) -> None:
    """Valid HTTP gets a response, and anything else ends without a hang."""
    faults = faults_of(raw, public.site, only_specification=public.only_specification)
    assert not faults, faults


@pytest.mark.origin("specification 5.6")
@pytest.mark.once
def test_callers_are_not_mixed_up(public: Probe) -> None:
    """Authentication required: full catalog on /sources, /entries, /diffs; whoever else asks
    meanwhile."""

    def ask(question: tuple[Caller, str, str]) -> Response:
        caller, path, params = question
        return public.get(path, params, status=None, caller=caller)

    questions = [
        question
        for one in public.callers
        for question in ((one, "/sources", "limit=2"), (one, "/latest", "limit=1"),
                         (one, "/entries", f"sources={one.any_source}&limit=1"))
    ]  # fmt: skip
    alone = [_whose(ask(question)) for question in questions] * _ROUNDS
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        responses = pool.map(ask, questions * _ROUNDS)
        for question, before, response in zip(questions * _ROUNDS, alone, responses, strict=True):
            words = f"is not what {question[0].name} is told when nobody else asks"
            expect(_whose(response) == before, response, words)


def _whose(response: Response) -> tuple[object, ...]:
    """Return the parts of a response that depend on the caller, not on new entries."""
    members = tuple(response.field(name) for name in ("sample", "plan", "limit", "code"))
    # a sample need not be the same twice
    items = [] if response.field("sample") is True else response.items
    fields = frozenset(name for item in items for name in item)
    slugs = tuple(str(item.get("slug")) for item in items)
    return response.status, response.headers.get("cache-control"), members, slugs, fields
