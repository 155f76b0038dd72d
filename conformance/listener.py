"""Checks every response of a run against the rules for all responses."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from jsonschema_rs import ReferencingError

from conformance.checks.universal import (
    AS_PROMISED,
    NOTHING_UNNAMED,
    RULES,
    Rule,
    broken_rules,
)
from conformance.evidence import Evidence
from conformance.http_messages import Response, redacted
from conformance.report import Fault, Result, add_fault
from openapi.strictness import strict
from openapi.validation import ContractValidator

_MOST_FAULTS = 5
_UNREAD = "the contract is written in another way than can be compiled"


class Listener:
    """Receives every response of a run and records which rules were broken."""

    def __init__(
        self,
        *,
        api: str,
        keys: Iterable[str],
        feed_addresses: Iterable[str],
        contract: Mapping[str, Any],
        evidence: Evidence | None = None,
        only_specification: bool = False,
        served: Mapping[str, Any] | None = None,
    ) -> None:
        """`contract` is what responses are held against, `served` what the site says of itself.

        Without `served` no response is searched for what nobody named.
        """
        self._api = api
        self._validators = {
            AS_PROMISED: _validator(contract),
            NOTHING_UNNAMED: _validator(served, read=strict) if served is not None else None,
        }
        self._keys = tuple(keys)
        self._feed_addresses = tuple(feed_addresses)
        self._heard: Counter[str] = Counter()
        self._faults: dict[tuple[str, Rule], list[Fault]] = defaultdict(list)
        self._evidence = evidence
        self._rules = [
            rule
            for rule in RULES
            if (rule.is_specified or not only_specification)
            and (rule is not NOTHING_UNNAMED or served is not None)
        ]
        self.caller = ""
        """The caller of the present responses."""

    def hear(self, response: Response) -> None:
        """Check one response."""
        self._heard[self.caller] += 1
        if self._evidence is not None:
            self._evidence.hear(response)
        of_api = response.request.url.startswith(self._api)
        broken = list(broken_rules(response, of_api=of_api, feed_addresses=self._feed_addresses))
        for rule, validator in self._validators.items():
            if of_api and not broken and validator is not None:
                broken = [(rule, sentence) for sentence in _violations(validator, response)]
        for rule, sentence in broken:
            curl = redacted(response.request.curl(), self._keys)
            fault = Fault(sentence, curl, redacted(response.summary(), self._keys))
            add_fault(self._faults[self.caller, rule], fault, most=_MOST_FAULTS)

    @property
    def heard(self) -> int:
        """How many responses were checked."""
        return sum(self._heard.values())

    def results(self) -> Iterator[Result]:
        """Yield one result for each rule, for the present caller if it had any response."""
        for rule in self._rules if self._heard[self.caller] else ():
            yield Result(
                check=rule.name,
                group="specification",
                operation="every answer",
                caller=self.caller,
                tried=self._heard[self.caller],
                faults=tuple(self._faults.get((self.caller, rule), ())),
                skipped=_UNREAD if self._validators.get(rule, rule) is None else "",
                says=rule.says,
                origin=rule.origin,
            )


def _violations(validator: ContractValidator, response: Response) -> list[str]:
    """Return the first violation of a contract by a response of an operation."""
    request = response.request
    operation = validator.operation_at(request.method, urlsplit(request.url).path)
    if operation is None or (request.method == "HEAD" and not response.body):
        return []
    # ids may happen to be numbers, which the validator takes for such
    headers = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    violations = validator.response(operation.operation_id, response.status, headers, response.body)
    return [
        ": ".join(filter(None, (operation.path, violation.where, violation.sentence)))
        for violation in violations[:1]
    ]


def _validator(
    contract: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda contract: contract,
) -> ContractValidator | None:
    """Return a validator of the contract as `read` returns it; None if it cannot be compiled.

    Generated requests are checked against such a contract nevertheless.
    """
    try:
        return ContractValidator(read(contract))
    except (AttributeError, LookupError, TypeError, ValueError, ReferencingError):
        return None
