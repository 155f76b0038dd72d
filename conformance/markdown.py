"""A report as Markdown, for comments and summaries of build servers."""

import re

from conformance.report import VERDICTS, Finding, Report
from conformance.terminal_escape import escape_control

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!@&])")
_MOST_FAULTS = 3


def as_markdown(report: Report) -> str:
    """Return the report as one page: the verdict, each finding, what was not seen."""
    counts = report.counts()
    numbers = ", ".join(
        f"{counts[outcome]} {outcome}" for outcome in ("failed", "passed", "skipped")
    )
    lines = [
        f"# {_plain(report.target)} {VERDICTS[report.verdict]}",
        "",
        f"{len(report.findings)} findings; {numbers}; {report.requests} requests, "
        f"seed {report.seed}.",
    ]
    for finding in report.findings:
        lines += _finding(finding)
    for heading, entries in (("Never seen", report.unseen), ("Left out", report.left_out)):
        lines += (
            ["", f"## {heading}", "", *(f"- {_plain(entry)}" for entry in entries)]
            if entries
            else []
        )
    return "\n".join(lines) + "\n"


def _finding(finding: Finding) -> list[str]:
    lines = [
        "",
        f"## {_plain(finding.check)}: {_plain(finding.operation)}",
        "",
        f"{_plain(finding.says)} ({_plain(finding.origin)})",
        "",
        f"Met by {_plain(', '.join(finding.callers))}.",
    ]
    for shown in finding.faults[:_MOST_FAULTS]:
        lines += ["", _plain(shown.fault.sentence)]
        lines += [line for text in (shown.fault.curl, shown.fault.answer) for line in _block(text)]
    left = len(finding.faults) - _MOST_FAULTS
    return [*lines, "", f"And {left} more."] if left > 0 else lines


def _block(text: str) -> list[str]:
    """Return a text as a block of code, with a fence that the text does not hold."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return ["", fence, escape_control(text), fence] if text else []


def _plain(text: str) -> str:
    """Return a text on one line, without any meaning in Markdown or HTML."""
    return _SPECIAL.sub(r"\\\1", " ".join(escape_control(text).split()))
