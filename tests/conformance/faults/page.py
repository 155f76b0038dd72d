"""The page docs/mutation.md: every fault, and which check found it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from faults.runs import Finding

_HEAD = """# How well the suite finds faults

The conformance suite is measured on broken services: a small service with keys of every plan runs
in process, one fault at a time is put into it, and the suite has to report a failure that the
service without the fault does not have. Written by `tox -e mutation`; the faults are in
`tests/conformance/faults/`.
"""
PARTIAL = "partial"
"""The area of faults that show in a part of the lists only."""
_GROUPS = {"specification": "named check", "contract": "generated request", "run": "the run ended"}


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of the command found."""

    findings: Sequence[Finding]
    seeds: Sequence[int]
    sound_failures: Sequence[str]
    """What failed without a fault, over all seeds."""
    requests: int
    """Requests to the service without a fault, over all seeds."""
    took: timedelta


def score(findings: Sequence[Finding]) -> float:
    """The share of faults that were found, from 0 to 1."""
    return sum(bool(finding.check) for finding in findings) / max(1, len(findings))


def as_markdown(measured: Measured, *, reasons: Mapping[str, str], today: date) -> str:
    """The page."""
    findings = measured.findings
    partial = [finding for finding in findings if finding.area == PARTIAL]
    single = [finding for finding in findings if finding.area != PARTIAL]
    groups = Counter(finding.group for finding in findings if finding.check)
    found = groups.total()
    lines = [
        _HEAD,
        f"{today:%Y-%m-%d}: **{found} of {len(findings)} faults found "
        f"({score(findings):.1%})**: {groups['specification']} by named checks, "
        f"{groups['contract']} by generated requests only, {groups['run']} because the run could "
        "not go on (a key that does not work, no contract).",
        "",
        f"Of the single faults, which show whenever they are asked for, {_score_of(single)}; of "
        f"the partial ones, which show in one item of many, beyond some page, of one source or now "
        f"and then, {_score_of(partial)}.",
        "",
        f"Without a fault, {len(measured.seeds)} seeds ({measured.seeds[0]} to "
        f"{measured.seeds[-1]}), {measured.requests} requests: "
        + ("no failure." if not measured.sound_failures else "; ".join(measured.sound_failures)),
        "",
        "Named checks are made first, those that are meant for the kind of fault before the "
        "others; generated requests are sent only where they see nothing. So the table names the "
        "check that came first, not every one that would have failed.",
        "",
    ]
    missed = [finding for finding in findings if not finding.check]
    if missed:
        lines += ["## Not found", "", "| fault | why |", "|---|---|"]
        lines += [f"| {_cell(each.fault)} | {_cell(reasons[each.fault])} |" for each in missed]
        lines.append("")
    lines += [
        "## Every fault",
        "",
        "| area | fault | found by | how | asked as |",
        "|---|---|---|---|---|",
    ]
    lines += [_row(finding) for finding in findings]
    return "\n".join(lines) + "\n"


def _score_of(findings: Sequence[Finding]) -> str:
    found = sum(bool(finding.check) for finding in findings)
    return f"{found} of {len(findings)} are found ({score(findings):.1%})"


def _row(found: Finding) -> str:
    by = f"`{found.check}`" if found.check else "**not found**"
    how = _GROUPS.get(found.group, "")
    return f"| {found.area} | {_cell(found.fault)} | {by} | {how} | {found.caller} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("_", "\\_").replace("*", "\\*")
