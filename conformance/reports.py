"""The results of a run as plain values for programs."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import pytest


@dataclass(frozen=True, slots=True)
class Result:
    """The result of one check for one caller."""

    check: str
    """The check, its caller and its operation, as pytest names them."""
    outcome: str
    """passed, failed or skipped."""
    seconds: float
    says: str
    """The sentence of the specification or of a decision that it checks."""
    origin: str
    """The document that has the sentence."""
    words: str
    """What was found, with the request that shows it, or why the check was skipped."""


class Report:
    """A plugin of pytest that collects the results of a run."""

    def __init__(self) -> None:
        self.status: int = 0
        """The exit status of pytest."""
        self.configured = False
        """Whether pytest understood its options."""
        self.site, self.requests = "", 0
        self.unseen: list[str] = []
        self.left_out: list[str] = []
        self.results: list[Result] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """Note that pytest understood its options."""
        self.configured = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a result; what passed before and after the check itself is none."""
        if report.when == "call" or not report.passed:
            said = dict(report.user_properties)
            words = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self.results.append(
                Result(
                    check=report.nodeid.partition("::")[2].removeprefix("test_"),
                    outcome=report.outcome,
                    seconds=round(report.duration, 3),
                    says=str(said.get("says", "")),
                    origin=str(said.get("origin", "")),
                    words=str(words or "").removeprefix("Skipped: "),
                )
            )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Take over what was never seen and what was left out."""
        run = session.config.pluginmanager.get_plugin("conformance-run")
        if run is not None:
            self.site, self.requests = run.suite.site.address, run.suite.evidence.requests
            self.unseen, self.left_out = run.gaps(session.config)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        failed = [asdict(result) for result in self.results if result.outcome == "failed"]
        verdict = "has no findings, but not everything was seen" if self.unseen else "conforms"
        return {
            "target": self.site,
            "requests": self.requests,
            "passed": not failed,
            "verdict": "does not conform" if failed else verdict,
            "counts": dict(Counter(result.outcome for result in self.results)),
            "unseen": self.unseen,
            "leftOut": self.left_out,
            "findings": failed,
            "results": [asdict(result) for result in self.results],
        }
