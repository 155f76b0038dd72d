"""Checks of concurrent callers (specification 5: what a key may see is for that key)."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from conformance.callers import Caller
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response

_ROUNDS = 15
_AT_ONCE = 8


@check(
    "specification 5.6",
    "Authentication required: full catalog on /sources, /entries, /diffs; whoever else asks "
    "meanwhile.",
    operation="GET *",
    audience=Audience.SITE,
    of_chance=True,
)
def callers_are_not_mixed_up(probe: Probe) -> None:
    questions = [question for caller in probe.callers for question in _questions(caller)]
    expected = [_ask(probe, *question) for question in questions]
    order = [number for _ in range(_ROUNDS) for number in range(len(questions))]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        responses = list(pool.map(lambda number: _ask(probe, *questions[number]), order))
    for number, response in zip(order, responses, strict=True):
        same = _whose(response) == _whose(expected[number])
        name = questions[number][0].name
        probe.expect(same, response, f"is not what {name} is told when nobody else asks")


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
