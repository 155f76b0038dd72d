"""Holds every answer of a run against the rules for all answers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from conformance.checks.universal import RULES, Rule, broken_rules
from conformance.exchange import Answer, redacted
from conformance.report import Fault, Result

_MOST_FAULTS = 5


class Listener:
    """Hears every answer, whoever caused it, and remembers which rules were broken."""

    def __init__(self, *, api: str, keys: Iterable[str], feed_addresses: Iterable[str]) -> None:
        self._api = api
        self._keys = tuple(keys)
        self._feed_addresses = tuple(feed_addresses)
        self._heard: Counter[str] = Counter()
        self._faults: dict[tuple[str, Rule], list[Fault]] = defaultdict(list)
        self.caller = ""
        """Whose answers are heard at the moment."""

    def hear(self, answer: Answer) -> None:
        """Take one answer."""
        self._heard[self.caller] += 1
        of_api = answer.request.url.startswith(self._api)
        for rule, sentence in broken_rules(
            answer, of_api=of_api, feed_addresses=self._feed_addresses
        ):
            faults = self._faults[self.caller, rule]
            if len(faults) < _MOST_FAULTS:
                curl = redacted(answer.request.curl(), self._keys)
                faults.append(Fault(sentence, curl, redacted(answer.summary(), self._keys)))

    @property
    def heard(self) -> int:
        """How many answers were heard."""
        return sum(self._heard.values())

    def results(self) -> Iterator[Result]:
        """One result for each rule and caller."""
        for caller, heard in self._heard.items():
            for rule in RULES:
                yield Result(
                    check=rule.name,
                    group="specification",
                    operation="every answer",
                    caller=caller,
                    tried=heard,
                    faults=tuple(self._faults.get((caller, rule), ())),
                    says=rule.says,
                    origin=rule.origin,
                )
