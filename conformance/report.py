"""The results of a run of the suite."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

NOBODY = "nobody"
"""The caller of checks that no caller of a run could make."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A violation of the contract or the specification, and the request that shows it."""

    sentence: str
    curl: str = ""
    answer: str = ""


def add_fault(faults: list[Fault], fault: Fault, *, most: int) -> None:
    """Add a fault; of faults with the same sentence the one with the shortest request stays."""
    for position, noted in enumerate(faults):
        if noted.sentence == fault.sentence:
            faults[position] = min(noted, fault, key=lambda one: len(one.curl))
            return
    if len(faults) < most:
        faults.append(fault)


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one check for one operation and one caller."""

    check: str
    group: str
    """contract (generated requests), specification (named checks) or wire (raw requests)."""
    operation: str
    caller: str
    tried: int
    """How many requests it made."""
    faults: tuple[Fault, ...] = ()
    skipped: str = ""
    """Why the check was skipped; empty if it was made."""
    says: str = ""
    """The sentence of the specification or of a decision that it checks."""
    origin: str = ""
    """The document that has the sentence."""
    seconds: float = 0.0
    """How long it took."""

    @property
    def outcome(self) -> str:
        """failed, skipped or passed."""
        if self.faults:
            return "failed"
        return "skipped" if self.skipped else "passed"


@dataclass(frozen=True, slots=True)
class Shown:
    """A fault with the callers that met it."""

    fault: Fault
    callers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that failed for an operation, whoever called: what there is to mend."""

    check: str
    group: str
    operation: str
    callers: tuple[str, ...]
    faults: tuple[Shown, ...]
    says: str
    origin: str


@dataclass(frozen=True, slots=True)
class Report:
    """All results of a run, in the order they came."""

    target: str
    results: tuple[Result, ...]
    requests: int
    """How many requests were sent."""
    unseen: tuple[str, ...] = ()
    """The operations whose content was never seen, each with the reason."""
    left_out: tuple[str, ...] = ()
    """What the options of the run left out, each with the option."""

    @property
    def failed(self) -> list[Result]:
        """The results with faults."""
        return [result for result in self.results if result.faults]

    @property
    def findings(self) -> list[Finding]:
        """The failed checks, each once for an operation, with all callers that met it."""
        grouped: dict[tuple[str, str, str], list[Result]] = {}
        for result in self.failed:
            grouped.setdefault((result.group, result.operation, result.check), []).append(result)
        return [_finding(results) for results in grouped.values()]

    @property
    def verdict(self) -> str:
        """The verdict in a few words, to follow the name of the site."""
        if self.failed:
            return "does not conform"
        return "has no findings, but not everything was seen" if self.unseen else "conforms"

    @property
    def by_caller(self) -> list[tuple[str, list[Result]]]:
        """The results of each caller, callers in the order they came."""
        grouped: dict[str, list[Result]] = {}
        for result in self.results:
            grouped.setdefault(result.caller, []).append(result)
        return list(grouped.items())

    def counts(self) -> Counter[str]:
        """Return how many results there are of each outcome."""
        return Counter(result.outcome for result in self.results)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "target": self.target,
            "requests": self.requests,
            "passed": not self.failed,
            "verdict": self.verdict,
            "counts": dict(self.counts()),
            "unseen": list(self.unseen),
            "leftOut": list(self.left_out),
            "findings": [asdict(finding) for finding in self.findings],
            "results": [{**asdict(result), "outcome": result.outcome} for result in self.results],
        }


def _finding(results: list[Result]) -> Finding:
    """Return what the failed results of one check and operation say together."""
    first = results[0]
    callers: dict[str, list[str]] = {}
    faults: list[Fault] = []
    for result in results:
        for fault in result.faults:
            add_fault(faults, fault, most=len(faults) + 1)
            callers.setdefault(fault.sentence, []).append(result.caller)
    return Finding(
        check=first.check,
        group=first.group,
        operation=first.operation,
        callers=tuple(dict.fromkeys(result.caller for result in results)),
        faults=tuple(
            Shown(fault, tuple(dict.fromkeys(callers[fault.sentence]))) for fault in faults
        ),
        says=first.says,
        origin=first.origin,
    )
