"""A named check, and the probe through which it sends requests and reports faults."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from random import Random
from typing import Any

from conformance.callers import Caller, LimitedKey, seeded_random
from conformance.http_messages import Response
from conformance.report import Fault
from conformance.sampling import PAGE, Listing, page_offsets
from conformance.site import Params, Site

_PAGES = 12
"""Pages that are read of a list; of a longer one a sample."""
_EACH = 4
"""Pages that are read of one source among many."""


class Audience(Enum):
    """The callers that a check is made for."""

    SITE = "once"
    """Once, as the public."""
    PUBLIC = "without a key"
    ANYBODY = "everybody"
    KEY = "every key"
    READER = "every key that may read entries"
    DIFF_READER = "every key that may read diffs"
    LIMITED = "every key whose plan has slots"
    WRITER = "once, where writing is allowed"

    def includes(self, caller: Caller) -> bool:
        """Return whether the check is made for this caller."""
        return {
            Audience.SITE: caller.key is None,
            Audience.PUBLIC: caller.key is None,
            Audience.ANYBODY: True,
            Audience.KEY: caller.key is not None,
            Audience.READER: caller.reads_entries,
            Audience.DIFF_READER: caller.reads_diffs,
            Audience.LIMITED: caller.plan in ("free", "starter"),
            Audience.WRITER: caller.key is None,
        }[self]

    @property
    def lacking(self) -> str:
        """Why a check is skipped when no caller matches its audience."""
        return {
            Audience.KEY: "no key was given",
            Audience.READER: "no key that may read entries was given",
            Audience.DIFF_READER: "no key that may read diffs was given",
            Audience.LIMITED: "no key of a plan with slots was given",
            Audience.WRITER: "storing was not allowed",
        }.get(self, "nobody asked")


class NotApplicable(Exception):
    """The deployment has no data for the check; the text says what is missing."""


class Stopped(Exception):
    """The check cannot go on; its fault is recorded."""


@dataclass(slots=True)
class Probe:
    """Sends requests for one caller and records faults."""

    site: Site
    caller: Caller
    callers: tuple[Caller, ...]
    now: datetime
    contract: Mapping[str, Any]
    dead_keys: tuple[str, ...] = ()
    session: str = ""
    """The cookie of somebody who is signed in: NAME=VALUE."""
    limited_keys: tuple[LimitedKey, ...] = ()
    listings: dict[str, Listing] = field(default_factory=dict)
    """Lists that checks of one caller share, as they were read."""
    remembered: dict[str, Response] = field(default_factory=dict)
    """Responses that checks of one run share by name, because a rate limit allows few of them."""
    faults: list[Fault] = field(default_factory=list)
    tried: int = 0
    last: Response | None = None
    """The last response."""

    def get(
        self,
        path: str,
        params: Params = "",
        *,
        status: int | None = 200,
        headers: Mapping[str, str] | None = None,
        caller: Caller | None = None,
    ) -> Response:
        """GET a path of the API; another status than the expected one ends the check.

        `status` None accepts any status. `headers` are sent besides the caller's key.
        """
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
        self.expect_refusal(response, status, code)
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
        body: bytes | None = None,
    ) -> Response:
        """Send a request to the API."""
        carried = {**(caller or self.caller).headers, **(headers or {})}
        return self.visit(
            self.site.base_path + path, params, method=method, status=status, headers=carried,
            body=body,
        )  # fmt: skip

    def visit(
        self,
        path: str,
        params: Params = "",
        *,
        method: str = "GET",
        status: int | None = 200,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
    ) -> Response:
        """Send a request to a path of the site, with no key but what the headers carry."""
        response = self.site.send(method, path, params, headers=headers, body=body)
        self.tried += 1
        self.last = response
        if status is not None and response.status != status:
            self.expect(False, response, f"answered {response.status} instead of {status}")
            raise Stopped
        return response

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
        total = first.field("total")
        total = total if isinstance(total, int) and total >= 0 else len(first.items)
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

    def expect(self, holds: bool, response: Response, otherwise: str) -> None:
        """Record a fault unless the condition holds; `otherwise` says what is wrong."""
        if not holds:
            request = response.request
            self.faults.append(
                Fault(f"{request.method} {otherwise}", request.curl(), response.summary())
            )

    def expect_refusal(self, response: Response, status: int, code: str) -> None:
        """Expect an Error object with this status and code."""
        actual = response.field("code")
        words = f"{response.status} {actual}" if actual else f"{response.status}"
        right = (response.status, actual) == (status, code)
        self.expect(right, response, f"answered {words}, not {status} {code}")

    def source(self) -> str:
        """Return a source of the caller; end the check if there is none."""
        return str(self.needs(self.caller.sources, "no source is selected for the key")[0])

    def needs(self, value: Any, what: str) -> Any:
        """Return the value; end the check if it is empty."""
        if not value:
            raise NotApplicable(what)
        return value


@dataclass(frozen=True, slots=True)
class Check:
    """A named check of one sentence of the specification or of a decision."""

    name: str
    says: str
    origin: str
    operation: str
    audience: Audience
    run: Callable[[Probe], None]
    of_chance: bool = False
    """Whether a single failure counts, because the fault does not show every time."""

    @property
    def is_specified(self) -> bool:
        """True where the specification or a standard says so, False where this project decided."""
        return not self.origin.startswith("docs/")


def check(
    origin: str, says: str, *, operation: str, audience: Audience, of_chance: bool = False
) -> Callable[[Callable[[Probe], None]], Check]:
    """Make a function a check, named after it."""

    def name(run: Callable[[Probe], None]) -> Check:
        title = run.__name__.replace("_", "-")
        return Check(title, says, origin, operation, audience, run, of_chance)

    return name
