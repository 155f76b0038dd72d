"""The results of a run as plain values for programs."""

from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

_FOLDER: Final = Path(__file__).parent


class Report:
    """A plugin of pytest that collects the results of a run."""

    def __init__(self) -> None:
        self.status: int = 0
        """The exit status of pytest."""
        self.configured = False
        """Whether pytest understood its options."""
        self.site, self.requests = "", 0
        self.unseen: list[str] = []
        self.results: list[dict[str, Any]] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self) -> None:
        """Note that pytest understood its options."""
        self.configured = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a result; what passed before and after the check itself is none."""
        if report.when == "call" or not report.passed:
            words = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self.results.append(
                {
                    "check": report.nodeid.partition("::")[2].removeprefix("test_"),
                    "outcome": report.outcome,
                    "seconds": round(report.duration, 3),
                    **dict(report.user_properties),  # says, and the origin of that sentence
                    "words": str(words or "").removeprefix("Skipped: "),
                }
            )

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Take over what was never seen."""
        run = session.config.pluginmanager.get_plugin("conformance-run")
        if run is not None:
            self.site, self.requests = run.suite.site.address, run.suite.evidence.requests
            self.unseen = run.unseen(session.config)

    def as_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        failed = [result for result in self.results if result["outcome"] == "failed"]
        verdict = "has no findings, but not everything was seen" if self.unseen else "conforms"
        return {
            "target": self.site,
            "requests": self.requests,
            "passed": not failed,
            "verdict": "does not conform" if failed else verdict,
            "counts": dict(Counter(result["outcome"] for result in self.results)),
            "unseen": self.unseen,
            "findings": failed,
            "results": self.results,
        }


def run(arguments: list[str]) -> Report:
    """Run pytest on the checks; return what was found."""
    report = Report()
    own = ["-p", "conformance.plugin", "-c", str(_FOLDER / "pytest.ini"), str(_FOLDER / "checks")]
    report.status = pytest.main([*own, *arguments], plugins=[report])
    return report
