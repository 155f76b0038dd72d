"""A report as JUnit XML, for build servers."""

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from conformance.report import Report, Result

_NOT_XML = {code: "\N{REPLACEMENT CHARACTER}" for code in range(32) if code not in (9, 10, 13)}
_NOT_XML |= dict.fromkeys((*range(0xD800, 0xE000), 0xFFFE, 0xFFFF), "\N{REPLACEMENT CHARACTER}")


def as_junit(report: Report) -> str:
    """Return the report as JUnit XML: a suite for each caller, a case for each result."""
    root = ET.Element("testsuites", {"name": "conformance", **_totals(report.results)})
    for name, results in report.by_caller:
        suite = ET.SubElement(root, "testsuite", {"name": _clean(name), **_totals(results)})
        for result in results:
            _add_case(suite, result)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(results: Sequence[Result]) -> dict[str, str]:
    outcomes = Counter(result.outcome for result in results)
    return {
        "tests": str(len(results)),
        "failures": str(outcomes["failed"]),
        "skipped": str(outcomes["skipped"]),
        "time": f"{sum(result.seconds for result in results):.3f}",
    }


def _add_case(suite: ET.Element, result: Result) -> None:
    case = ET.SubElement(
        suite, "testcase", name=_clean(result.check),
        classname=f"{result.group}.{_clean(result.operation)}", time=f"{result.seconds:.3f}",
    )  # fmt: skip
    if result.faults:
        lines = [f"{one.sentence}\n{one.curl}\n{one.answer}".strip() for one in result.faults]
        failure = ET.SubElement(case, "failure", message=_clean(result.faults[0].sentence))
        failure.text = _clean("\n\n".join(lines))
    elif result.skipped:
        ET.SubElement(case, "skipped", message=_clean(result.skipped))


def _clean(text: str) -> str:
    """Replace characters of responses that XML or UTF-8 cannot hold."""
    return text.translate(_NOT_XML)
