"""A report for people as one HTML file, and for build servers as JUnit XML."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from itertools import groupby
from xml.etree import ElementTree as ET

from conformance.report import NOBODY, Finding, Report, Result, Shown

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; padding: .3rem .6rem }
tr { border-bottom: 1px solid #ccc } .failed { color: #a00 } .passed { color: #060 }
.skipped, .unfinished, .unseen, .untried { color: #555 } pre { background: #f4f4f4; padding: .6rem }
pre { overflow-wrap: anywhere; white-space: pre-wrap } pre + pre { color: #444; margin-top: -1rem }
.scroll { overflow-x: auto }
details { margin: .2rem 0 } .overview { margin-bottom: 1rem } th[scope=row] { font-weight: normal }
td.failed, span.failed { font-weight: bold }
"""
_NOT_XML = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if code not in (9, 10, 13)}
_NOT_XML |= dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")


def as_html(report: Report) -> str:
    """Return the report as one self-contained HTML page."""
    counts = report.counts()
    summary = ", ".join(
        f"{counts[outcome]} {outcome}" for outcome in ("failed", "passed", "skipped")
    )
    verdict = report.verdict.value
    parts = [
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width, initial-scale=1'>"
        "<title>Conformance report</title>",
        f"<style>{_STYLE}</style><h1>Conformance: <span class={verdict}>{verdict}</span></h1>",
        f"<p>{escape(report.target)}, {report.requests} requests, seed {report.seed}: ",
        f"{summary}.</p>",
    ]
    if report.failed:
        parts.append("<h2>What failed</h2>")
        parts += [_failure(finding) for finding in report.findings]
    parts += _listed("What was never seen", report.unseen)
    parts += _listed("What was left out", report.left_out)
    parts += ["<h2>What was tried</h2>", _overview(report)]
    parts += [_caller(name, results) for name, results in by_caller(report)]
    return _clean("\n".join(parts)) + "\n"


def by_caller(report: Report) -> list[tuple[str, list[Result]]]:
    """Return the results of each caller, callers in the order they came."""
    callers = list(dict.fromkeys(result.caller for result in report.results))
    ordered = sorted(report.results, key=lambda result: callers.index(result.caller))
    return [
        (name, list(group)) for name, group in groupby(ordered, key=lambda result: result.caller)
    ]


def _overview(report: Report) -> str:
    """Return a table of operations by callers, with the outcomes of their checks."""
    callers = [name for name, _ in by_caller(report) if name != NOBODY]
    counts = Counter((result.operation, result.caller, result.outcome) for result in report.results)
    rows = "".join(
        f"<tr><th scope=row>{escape(operation)}"
        + "".join(_cell(counts, operation, name) for name in callers)
        for operation in sorted({operation for operation, name, _ in counts if name != NOBODY})
    )
    heads = "".join(f"<th scope=col>{escape(name)}" for name in callers)
    table = f"<table class=overview><tr><th scope=col>Operation{heads}{rows}</table>"
    return f"<div class=scroll tabindex=0>{table}</div>"


def _cell(counts: Counter[tuple[str, str, str]], operation: str, caller: str) -> str:
    outcomes = {
        outcome: counts[operation, caller, outcome] for outcome in ("failed", "passed", "skipped")
    }
    words = ", ".join(
        f"<span class={outcome}>{number} {outcome}</span>"
        for outcome, number in outcomes.items()
        if number
    )
    return f"<td>{words or '–'}"


def _listed(heading: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []
    return [f"<h2>{heading}</h2><ul>", *(f"<li>{escape(line)}" for line in lines), "</ul>"]


def _failure(finding: Finding) -> str:
    faults = "".join(_fault(shown) for shown in finding.faults)
    callers = ", ".join(finding.callers)
    words = (finding.check, finding.operation, callers, finding.says, finding.origin)
    check, operation, callers, says, origin = map(escape, words)
    return (
        f"<h3 class=failed>{check}</h3>"
        f"<p>{operation}, {callers}. <q>{says}</q> ({origin})</p>{faults}"
    )


def _fault(shown: Shown) -> str:
    fault = shown.fault
    texts = (fault.curl, fault.answer)
    lines = "".join(f"<pre>{escape(text)}</pre>" for text in texts if text)
    callers = escape(", ".join(shown.callers))
    return f"<p>{escape(fault.sentence)} <small>({callers})</small></p>{lines}"


def _caller(name: str, results: list[Result]) -> str:
    rows = "".join(
        f"<tr><td class={result.outcome}>{result.outcome}<td>{escape(result.operation)}"
        f"<td>{escape(result.check)}<td>{result.tried}<td>{escape(result.skipped or result.says)}"
        for result in sorted(results, key=lambda one: (one.group, one.operation, one.check))
    )
    counts = Counter(result.outcome for result in results)
    summary = ", ".join(f"{number} {outcome}" for outcome, number in sorted(counts.items()))
    heads = "<tr><th>Outcome<th>Operation<th>Check<th>Requests<th>What it checks"
    table = f"<div class=scroll tabindex=0><table>{heads}{rows}</table></div>"
    return f"<details><summary>{escape(name)}: {summary}</summary>{table}</details>"


def as_junit(report: Report) -> str:
    """Return the report as JUnit XML: a suite for each caller, a case for each result."""
    counts = report.counts()
    root = ET.Element(
        "testsuites", name="conformance", tests=str(len(report.results)),
        failures=str(counts["failed"]), skipped=str(counts["skipped"]),
        time=_seconds(report.results),
    )  # fmt: skip
    for name, results in by_caller(report):
        outcomes = Counter(result.outcome for result in results)
        suite = ET.SubElement(
            root, "testsuite", name=_clean(name), tests=str(len(results)),
            failures=str(outcomes["failed"]), skipped=str(outcomes["skipped"]),
            time=_seconds(results),
        )  # fmt: skip
        for result in results:
            case = ET.SubElement(
                suite, "testcase", name=_clean(result.check),
                classname=f"{result.group}.{_clean(result.operation)}", time=_seconds([result]),
            )  # fmt: skip
            if result.faults:
                lines = [
                    f"{fault.sentence}\n{fault.curl}\n{fault.answer}".strip()
                    for fault in result.faults
                ]
                failure = ET.SubElement(case, "failure", message=_clean(result.faults[0].sentence))
                failure.text = _clean("\n\n".join(lines))
            if result.outcome == "skipped":
                ET.SubElement(case, "skipped", message=_clean(result.skipped))
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _seconds(results: Sequence[Result]) -> str:
    return f"{sum(result.seconds for result in results):.3f}"


def _clean(text: str) -> str:
    """Replace characters of responses that XML or UTF-8 cannot hold."""
    return text.translate(_NOT_XML)
