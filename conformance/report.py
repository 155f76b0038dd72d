"""The results of a run of the suite."""

from collections import Counter
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

TIME_IS_OVER = "the time for the run was over"
"""Why the checks after the deadline were skipped."""
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

    @property
    def outcome(self) -> str:
        """failed, skipped or passed."""
        if self.faults:
            return "failed"
        return "skipped" if self.skipped else "passed"


class Verdict(Enum):
    """The verdict of a run on a deployment."""

    PASSED = "passed"
    FAILED = "failed"
    UNFINISHED = "unfinished"
    UNTRIED = "untried"


@dataclass(frozen=True, slots=True)
class Report:
    """All results of a run, in the order they came."""

    target: str
    seed: int
    results: tuple[Result, ...]
    requests: int
    """How many requests were sent."""

    @property
    def failed(self) -> list[Result]:
        """The results with faults."""
        return [result for result in self.results if result.faults]

    @property
    def verdict(self) -> Verdict:
        """Failed if there are faults, unfinished if the deadline passed before the end.

        Untried if nothing could be checked.
        """
        if self.failed:
            return Verdict.FAILED
        if any(result.skipped == TIME_IS_OVER for result in self.results):
            return Verdict.UNFINISHED
        return Verdict.PASSED if self.counts()["passed"] else Verdict.UNTRIED

    @property
    def exit_code(self) -> int:
        """1 if there are faults or nothing could be checked, else 0."""
        return 1 if self.verdict in (Verdict.FAILED, Verdict.UNTRIED) else 0

    def counts(self) -> Counter[str]:
        """Return how many results there are of each outcome."""
        return Counter(result.outcome for result in self.results)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "target": self.target,
            "seed": self.seed,
            "requests": self.requests,
            "passed": self.exit_code == 0,
            "verdict": self.verdict.value,
            "counts": dict(self.counts()),
            "results": [{**asdict(result), "outcome": result.outcome} for result in self.results],
        }
