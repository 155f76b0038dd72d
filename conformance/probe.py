"""A caller who sends requests and reports what is wrong with the answers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any

import pytest

from conformance.callers import Caller, LimitedKey, seeded_random
from conformance.http_messages import Response
from conformance.sampling import PAGE, Listing, page_offsets
from conformance.site import Params, Site

_PAGES = 12
"""Pages that are read of a list; of a longer one a sample."""
_EACH = 4
"""Pages that are read of one source among many."""


def expect(holds: bool, response: Response, otherwise: str) -> None:
    """Fail unless the condition holds; `otherwise` says what is wrong with the response."""
    if not holds:
        raise AssertionError(response.report(otherwise))


def _expected(response: Response, status: int | None) -> Response:
    """Return a response that has the status; None expects none."""
    right = status is None or response.status == status
    expect(right, response, f"answered {response.status} instead of {status}")
    return response


def expect_refusal(response: Response, status: int, code: str) -> None:
    """Expect an Error object with this status and code."""
    actual = response.field("code")
    words = f"{response.status} {actual}" if actual else f"{response.status}"
    right = (response.status, actual) == (status, code)
    expect(right, response, f"answered {words}, not {status} {code}")


@dataclass(slots=True)
class Probe:
    """Sends requests for one caller; its lists are read once and shared by the checks."""

    site: Site
    caller: Caller
    callers: tuple[Caller, ...]
    now: datetime
    contract: Mapping[str, Any]
    dead_keys: tuple[str, ...] = ()
    session: str = ""
    """The cookie of somebody who is signed in: NAME=VALUE."""
    limited_keys: tuple[LimitedKey, ...] = ()
    only_specification: bool = False
    """Whether the decisions of this project are left out."""
    listings: dict[str, Listing] = field(default_factory=dict)
    """Lists as they were read."""

    def get(
        self,
        path: str,
        params: Params = "",
        *,
        status: int | None = 200,
        headers: Mapping[str, str] | None = None,
        caller: Caller | None = None,
    ) -> Response:
        """GET a path of the API, and expect a status; None takes any."""
        return self.ask("GET", path, params, status=status, headers=headers, caller=caller)

    def get_refused(
        self,
        path: str,
        params: Params = "",
        status: int = 400,
        code: str = "invalid_request",
        *,
        headers: Mapping[str, str] | None = None,
        caller: Caller | None = None,
    ) -> Response:
        """GET a path of the API, and expect an Error object with this status and code."""
        response = self.get(path, params, status=None, headers=headers, caller=caller)
        expect_refusal(response, status, code)
        return response

    def ask(
        self,
        method: str,
        path: str,
        params: Params = "",
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        caller: Caller | None = None,
    ) -> Response:
        """Send a request to the API; `headers` are sent besides the caller's key."""
        carried = {**(caller or self.caller).headers, **(headers or {})}
        response = self.site.send(method, self.site.base_path + path, params, headers=carried)
        return _expected(response, status)

    def visit(self, path: str, *, status: int | None = 200) -> Response:
        """GET a path of the site, with no key."""
        return _expected(self.site.send("GET", path), status)

    def has(self, path: str) -> None:
        """Skip the check if the contract has no such path."""
        self.needs(path in self.contract["paths"], f"the contract has no {path}")

    def random(self, name: str) -> Random:
        """Return random numbers for a purpose: the same in the same run, again and again."""
        return seeded_random(f"{self.caller.name} {name}")

    def listing(
        self, path: str, params: Mapping[str, str | int] | None = None, *, most: int = _PAGES
    ) -> Listing:
        """Return a list as its pages show it: the whole list, or a sample of a long one."""
        query = dict(params or {})
        name = f"{path} {sorted(query.items())}"
        if name not in self.listings:
            self.listings[name] = self._read(path, query, most, self.random(name))
        return self.listings[name]

    def _read(self, path: str, params: dict[str, str | int], most: int, random: Random) -> Listing:
        first = self.get(path, {**params, "limit": PAGE})
        total = max(first.total, len(first.items))
        responses = {0: first}
        for offset in page_offsets(random, total, most=most)[1:]:
            responses[offset] = self.get(path, {**params, "limit": PAGE, "offset": offset})
        positions = {
            offset + number: item
            for offset, response in responses.items()
            for number, item in enumerate(response.items)
        }
        return Listing(total, tuple(responses.values()), positions)

    def entries_of_each(self) -> Iterator[tuple[str, Listing]]:
        """Yield the sources of the caller that are known to the run, with their entries."""
        for source in self.needs(self.caller.sources, "no source is selected for the key"):
            yield source, self.listing("/entries", {"sources": source}, most=_EACH)

    def source(self) -> str:
        """Return a source of the caller; skip the check if there is none."""
        return str(self.needs(self.caller.sources, "no source is selected for the key")[0])

    def needs(self, value: Any, what: str) -> Any:
        """Return the value; skip the check if it is empty, because the site lacks such data."""
        if not value:
            pytest.skip(what)
        return value
