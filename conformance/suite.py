"""Runs the suite."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from starlette.types import ASGIApp

from conformance.callers import Caller, LimitedKey, find_callers
from conformance.checks import CHECKS
from conformance.checks.probe import Audience, Check, NotApplicable, Probe, Stopped
from conformance.evidence import REQUEST, Evidence
from conformance.fuzzing import FuzzingOptions, fuzz
from conformance.http_messages import Response, redacted
from conformance.listener import Listener
from conformance.raw_requests import send_raw_requests
from conformance.relative_paths import base_path, relative
from conformance.report import NOBODY, Fault, Report, Result
from conformance.sampling import Listing
from conformance.site import Site, Unreachable, document_of, open_site
from contract_diff.readable import reasons_against

_MOST_FAULTS = 10
SILENT = "the site no longer answers"
"""Why the checks after several requests without an answer are skipped."""


class UnreadableContract(Exception):
    """The site serves a description that cannot be checked against."""


class NoContract(Exception):
    """The site serves no description at all: most likely it is another site."""


@dataclass(frozen=True, slots=True)
class Options:
    """Which checks are made, and with how many requests."""

    max_examples: int = 50
    """Random requests for each operation and caller; 0 leaves generated requests out."""
    api: str = ""
    """The base path of the API to check, where a site serves several; empty takes the first."""
    rate: float | None = None
    """The largest number of requests a second; None sets no limit."""
    allow_writes: bool = False
    """Whether requests for sources may be stored; everything else only reads."""
    decisions: bool = True
    """Whether the decisions of this project are checked, besides the specification."""
    strict: bool = False
    """Whether a response may have no field that the served contract does not name."""
    only: frozenset[str] = frozenset()
    """Names of the only checks to make; empty makes all of them."""
    raw_requests: bool = True
    """Whether requests are sent that no client library would send; needs a network address."""
    feed_addresses: tuple[str, ...] = ()
    """Feed addresses that must not be shown; without them they are recognised by their form."""
    session: str = field(default="", repr=False)
    """The cookie of somebody who is signed in, NAME=VALUE; empty where there is none."""
    dead_keys: tuple[str, ...] = field(default=(), repr=False)
    """Keys that were revoked or have expired: every one has to be refused."""
    limited_keys: tuple[LimitedKey, ...] = ()
    """Keys that may not use an operation; the suite cannot find that out itself."""

    @property
    def left_out(self) -> Iterator[str]:
        """Yield what a run with these options does not do, each with the option that would."""
        if not self.allow_writes:
            yield f"{REQUEST}: nothing was stored; --allow-writes lets it be checked"
        if not self.max_examples:
            yield "generated requests: --max-examples is 0"


def run(
    target: str | ASGIApp,
    keys: Sequence[str] = (),
    *,
    now: datetime,
    options: Options | None = None,
    contract: Mapping[str, Any] | None = None,
    progress: Callable[[Result], None] = lambda _: None,
) -> Report:
    """Check the site at an address, or an application in process, as the public and with keys.

    Responses are checked against `contract`, by default the one that the site serves.
    `progress` is called with every result. Raises Unreachable, UnusableKey and UnreadableContract
    if a run would prove nothing.
    """
    chosen = options or Options()
    with open_site(target, rate=chosen.rate) as site:
        if chosen.api:
            site.document = document_of(site, chosen.api)
        served = _served_contract(site, needed=contract is None)
        held_against = contract or served
        reasons = reasons_against(held_against)
        if reasons:
            raise UnreadableContract(
                f"The contract that responses are held against cannot be used: {reasons[0]}"
            )
        held_against, served = relative(held_against), relative(served)
        site.base_path = base_path(held_against)
        suite = _Suite(site, target, tuple(keys), now, chosen, held_against, served)
        results = []
        for result in suite.results():
            progress(result)
            results.append(result)
    name = target if isinstance(target, str) else "the application in process"
    return Report(
        name,
        tuple(results),
        requests=suite.requests,
        unseen=() if chosen.only else tuple(suite.unseen()),
        left_out=(*(() if chosen.only else chosen.left_out), *suite.powerless()),
    )


def _served_contract(site: Site, *, needed: bool) -> Mapping[str, Any]:
    """Return the contract that a site serves; an empty one where none is needed."""
    response = site.send("GET", f"{site.document}.json")
    if not isinstance(response.json, dict) or "paths" not in response.json:
        if not needed:
            return {}
        received = f"{response.status} {response.headers.get('content-type', '')}".strip()
        raise NoContract(
            f"{response.request.url} is no OpenAPI document but {received}: "
            "is this the site's address?"
        )
    return response.json


@dataclass(slots=True)
class _Suite:
    site: Site
    target: str | ASGIApp
    keys: tuple[str, ...]
    now: datetime
    options: Options
    contract: Mapping[str, Any]
    served: Mapping[str, Any]
    requests: int = 0
    remembered: dict[str, Response] = field(default_factory=dict)
    listings: dict[str, Listing] = field(default_factory=dict)
    evidence: Evidence = field(init=False)
    callers: tuple[Caller, ...] = ()

    def unseen(self) -> Iterator[str]:
        """Yield the operations whose content was never seen, with the reasons."""
        chosen = self.options
        return self.evidence.unseen(
            self.contract, additions=chosen.decisions, writes=chosen.allow_writes
        )

    def powerless(self) -> Iterator[str]:
        """Yield the keys that may read nothing but the catalog."""
        for caller in self.callers:
            if caller.key is not None and not caller.reads_entries and not caller.reads_diffs:
                yield f"{caller.name}: this key may read neither entries nor diffs"

    def results(self) -> Iterator[Result]:
        """Yield every result; the rules for all responses to a caller come after its checks."""
        self.evidence = Evidence(self.site.url(self.site.base_path), self.site.address)
        listener = Listener(
            api=self.site.url(self.site.base_path),
            keys=self._secrets(),
            feed_addresses=self.options.feed_addresses,
            contract=self.contract,
            served=(self.served or None) if self.options.strict else None,
            evidence=self.evidence,
            only_specification=not self.options.decisions,
        )
        self.site.listener = self.evidence.hear
        callers = self.callers = tuple(find_callers(self.site, self.keys))
        self.site.listener = listener.hear
        for caller in callers:
            listener.caller = caller.name
            self.listings.clear()
            for check in self._checks_for(caller):
                yield self._run_check(check, caller, callers)
            yield from self._fuzzed(caller, listener)
            for result in listener.results():
                if not self.options.only or result.check in self.options.only:
                    yield result
        yield from self._raw()
        yield from self._checks_for_nobody(callers)
        self.requests += listener.heard

    def _chosen_checks(self) -> list[Check]:
        """Return the checks that the options select, for any caller."""
        return [
            check
            for check in CHECKS
            if (not self.options.only or check.name in self.options.only)
            and (check.is_specified or self.options.decisions)
        ]

    def _checks_for(self, caller: Caller) -> list[Check]:
        """Return the checks for one caller; those that write come first, before a limit is used."""
        chosen = [
            check
            for check in self._chosen_checks()
            if check.audience.includes(caller)
            and (check.audience is not Audience.WRITER or self.options.allow_writes)
        ]
        return sorted(chosen, key=lambda check: check.audience is not Audience.WRITER)

    def _checks_for_nobody(self, callers: Sequence[Caller]) -> Iterator[Result]:
        """Yield a skipped result for each check that fits no caller of this run."""
        made = {check.name for caller in callers for check in self._checks_for(caller)}
        for check in self._chosen_checks():
            if check.name not in made:
                yield self._result(check, NOBODY, skipped=check.audience.lacking)

    def _fuzzed(self, caller: Caller, listener: Listener) -> Iterator[Result]:
        """Yield the results of generated requests."""
        if not self.options.max_examples or self.options.only or self.site.is_silent:
            return
        fuzzing = FuzzingOptions(
            max_examples=self.options.max_examples,
            writes=self.options.allow_writes,
            only_specification=not self.options.decisions,
        )
        base_url, pace = self.site.url(self.site.base_path), self.site.pace
        yield from fuzz(self.contract, self.target, base_url, caller, fuzzing, listener, pace)

    def _raw(self) -> Iterator[Result]:
        if self.options.only or not self.options.raw_requests or self.site.is_silent:
            return
        if isinstance(self.target, str):
            for result in send_raw_requests(
                self.target,
                self.site.base_path,
                pace=self.site.pace,
                only_specification=not self.options.decisions,
            ):
                self.requests += result.tried
                yield result

    def _run_check(self, check: Check, caller: Caller, callers: tuple[Caller, ...]) -> Result:
        """Return the result of a check; one that fails is repeated once.

        A service that ingests may publish between two requests that a check compares, so only a
        check that fails twice counts. Checks of concurrency are not repeated.
        """
        result = self._attempt(check, caller, callers)
        once = check.audience is Audience.WRITER or check.of_chance
        if not result.faults or once:
            return result
        self.listings.clear()  # lists are read anew
        return self._attempt(check, caller, callers)

    def _attempt(self, check: Check, caller: Caller, callers: tuple[Caller, ...]) -> Result:
        chosen = self.options
        probe = Probe(
            self.site, caller, callers, self.now, self.contract,
            dead_keys=chosen.dead_keys, limited_keys=chosen.limited_keys, session=chosen.session,
            remembered=self.remembered, listings=self.listings,
        )  # fmt: skip
        skipped, began = SILENT if self.site.is_silent else "", time.monotonic()
        try:
            if not skipped:
                check.run(probe)
        except NotApplicable as missing:
            skipped = str(missing)
        except Stopped:
            pass  # its fault is noted
        except Unreachable as error:
            probe.faults.append(Fault(str(error), error.request.curl()))
        except KeyError as error:
            words = f"met an answer without {error}, this one or one before"
            probe.faults.append(_fault_with(words, probe.last))
        except (AttributeError, IndexError, RecursionError, TypeError, ValueError) as error:
            words = f"met an answer of another shape, this one or one before: {error!r}"
            probe.faults.append(_fault_with(words, probe.last))
        faults = tuple(self._without_secrets(fault) for fault in probe.faults[:_MOST_FAULTS])
        result = self._result(check, caller.name, skipped=skipped, tried=probe.tried, faults=faults)
        return replace(result, seconds=time.monotonic() - began)

    def _result(
        self,
        check: Check,
        caller: str,
        *,
        skipped: str,
        tried: int = 0,
        faults: tuple[Fault, ...] = (),
    ) -> Result:
        return Result(
            check=check.name,
            group="specification",
            operation=check.operation,
            caller=caller,
            tried=tried,
            faults=faults,
            skipped=skipped,
            says=check.says,
            origin=check.origin,
        )

    def _secrets(self) -> tuple[str, ...]:
        """Return the secrets that must not appear in results."""
        limited = (limited_key.key for limited_key in self.options.limited_keys)
        session = self.options.session.partition("=")[2]
        return (*self.keys, *self.options.dead_keys, *limited, session)

    def _without_secrets(self, fault: Fault) -> Fault:
        keys = self._secrets()
        return replace(
            fault,
            sentence=redacted(fault.sentence, keys),
            curl=redacted(fault.curl, keys),
            answer=redacted(fault.answer, keys),
        )


def _fault_with(sentence: str, response: Response | None) -> Fault:
    """Return a fault with the response that shows it, if there was one."""
    return (
        Fault(sentence, response.request.curl(), response.summary())
        if response
        else Fault(sentence)
    )
