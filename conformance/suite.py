"""One run of the suite: the site, its contract, the callers, and what was seen of it."""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, ClassVar

import httpx2

from conformance.callers import Caller, LimitedKey, find_callers
from conformance.evidence import REQUEST, Evidence
from conformance.http_messages import Response, redacted
from conformance.probe import Probe
from conformance.relative_paths import base_path, relative
from conformance.rules import Watch
from conformance.site import TIMEOUT, Pace, Site, Unreachable, document_of
from contract_diff.readable import reasons_against

WAIT_SECONDS = 5.0
"""How long a site that is just starting is waited for."""
_API = "/api/v"
_WORKERS = "PYTEST_XDIST_WORKER_COUNT"


class NotConformable(Exception):
    """The site serves nothing that can be checked; the message says why."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which checks are made, and with how many requests."""

    site: str
    """The address of the site, or of its API where it serves several."""
    api_keys: Sequence[str] = field(default=(), repr=False)
    dead_keys: Sequence[str] = field(default=(), repr=False)
    """Keys that were revoked or have expired: every one has to be refused."""
    limited_keys: Sequence[LimitedKey] = field(default=(), repr=False)
    """Keys that may not use an operation; the suite cannot find that out itself."""
    session: str = field(default="", repr=False)
    """The cookie of somebody who is signed in, NAME=VALUE; empty where there is none."""
    contract: Mapping[str, Any] | None = None
    """Responses are held against it instead of the served one."""
    feed_addresses: Sequence[str] = ()
    """Feed addresses that must not be shown; without them they are recognised by their form."""
    max_examples: int = 50
    """Random requests for each operation and caller; 0 leaves generated requests out."""
    rate: float | None = None
    """The largest number of requests a second; None sets no limit."""
    allow_writes: bool = False
    """Whether requests for sources may be stored; everything else only reads."""
    only_specification: bool = False
    """Whether the decisions of this project are left out."""
    strict: bool = False
    """Whether a response may have no field that the served contract does not name."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that must not appear in reports."""
        limited = (one.key for one in self.limited_keys)
        return (*self.api_keys, *self.dead_keys, *limited, self.session.partition("=")[2])


class Suite:
    """A site under test, with what the checks of one process share."""

    current: ClassVar["Suite | None"] = None
    """The suite of this process: Schemathesis makes tests of its contract as they are imported."""

    def __init__(self, options: Options, callers: Sequence[Caller] = ()) -> None:
        """Open a site; without `callers` find out what each key may do.

        Raises Unreachable, UnusableKey and NotConformable if a run would prove nothing.
        """
        self.options = options
        address, version = _split(options.site)
        workers = int(os.environ.get(_WORKERS, 1))
        pace = Pace(None if options.rate is None else options.rate / workers)
        client = httpx2.Client(timeout=TIMEOUT, trust_env=False)
        self.site = Site(client, address, base_path="", pace=pace)
        _wait_for(self.site)
        if version:
            self.site.document = document_of(self.site, version)
        served = _served_contract(self.site, needed=options.contract is None)
        held_against = options.contract or served
        for reason in reasons_against(held_against)[:1]:
            raise NotConformable(
                f"The contract that responses are held against cannot be used: {reason}"
            )
        self.contract = relative(held_against)
        self.site.base_path = base_path(self.contract)
        api = self.site.url(self.site.base_path)
        self.evidence = Evidence(api, self.site.address)
        self.site.listener = self.evidence.hear
        self.callers = tuple(callers) or tuple(find_callers(self.site, options.api_keys))
        self.watch = Watch(
            api=api,
            contract=self.contract,
            feed_addresses=options.feed_addresses,
            only_specification=options.only_specification,
            unnamed_in=relative(served) if options.strict and served else None,
        )
        self.site.listener = self.hear
        now, remembered = datetime.now(UTC), dict[str, Response]()
        self.probes = {
            caller.name: Probe(
                self.site, caller, self.callers, now, self.contract,
                dead_keys=tuple(options.dead_keys), session=options.session,
                limited_keys=tuple(options.limited_keys), remembered=remembered,
                only_specification=options.only_specification,
            )
            for caller in self.callers
        }  # fmt: skip

    def hear(self, response: Response) -> None:
        """Hold a response against the rules for all, and remember what it showed."""
        self.evidence.hear(response)
        self.watch.hear(response)

    def redacted(self, text: str) -> str:
        """Return a text without the keys of the run."""
        return redacted(text, self.options.secrets)

    def unseen(self) -> Iterator[str]:
        """Yield the operations whose content was never seen, with the reasons."""
        options = self.options
        return self.evidence.unseen(
            self.contract, additions=not options.only_specification, writes=options.allow_writes
        )

    def left_out(self) -> Iterator[str]:
        """Yield what the options and the keys of the run left out."""
        if not self.options.allow_writes:
            yield f"{REQUEST}: nothing was stored; --allow-writes lets it be checked"
        if not self.options.max_examples:
            yield "generated requests: --max-examples is 0"
        for caller in self.callers:
            if caller.key is not None and not caller.reads_entries and not caller.reads_diffs:
                yield f"{caller.name}: this key may read neither entries nor diffs"


def _split(url: str) -> tuple[str, str]:
    """Return the site's address and the API's path on it, empty where the address has none."""
    site, api, version = url.rstrip("/").rpartition(_API)
    return (site, api + version) if api and version.isdecimal() else (url.rstrip("/"), "")


def _wait_for(site: Site) -> None:
    """Return as soon as the site answers anything; raise Unreachable if it does not in time."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            site.send("GET", f"{site.document}.json")
        except Unreachable:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
        else:
            return


def _served_contract(site: Site, *, needed: bool) -> Mapping[str, Any]:
    """Return the contract that a site serves; an empty one where none is needed."""
    response = site.send("GET", f"{site.document}.json")
    if isinstance(response.json, dict) and "paths" in response.json:
        return response.json
    if not needed:
        return {}
    received = f"{response.status} {response.headers.get('content-type', '')}".strip()
    raise NotConformable(
        f"{response.request.url} is no OpenAPI document but {received}: is this the site's address?"
    )
