"""Findings as text, JSON, SARIF 2.1.0 and JUnit XML. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, tostring

from openapi.shapes import StackReport
from openapi.text import counted, shortened
from service.stack.findings import (
    NOT_COMPARED,
    REVIEW,
    RULES,
    FilePlace,
    Stack,
    StackFinding,
    unchecked_of,
)
from service.terminal_escape import plain

COLUMNS: Final = ("finding", "package", "yours", "release", "file", "title")
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_UNCOVERED: Final = frozenset({"no_source", "limit_reached", "being_looked_up"})
_VERDICTS: Final = {
    "breaking": "Breaking",
    REVIEW: "Review",
    "no_breaking_change_found": "No breaking change found",
}
_SHOWN: Final = 160
_LISTED: Final = 10


def rows(findings: Sequence[StackFinding]) -> Iterator[tuple[str, ...]]:
    """Yield the findings as rows of a table."""
    for finding in findings:
        line = f":{finding.place.line}" if finding.place.line else ""
        where = f"{finding.place.file}{line}"
        runs, came = finding.place.version or "", finding.version or ""
        yield finding.rule, finding.part, runs, came, where, shortened(finding.title, _SHOWN)


def summary(report: StackReport, findings: Sequence[StackFinding], stack: Stack) -> Iterator[str]:
    """Yield the report in lines of text."""
    waiting, remarks = awaited(report), (*report["unknown"], *report["gaps"])
    left_out = waiting | {it["part"] for it in remarks if it["reason"] in NOT_COMPARED}
    compared = sum(covered["part"] not in left_out for covered in report["selected"])
    by_reason: defaultdict[str, list[str]] = defaultdict(list)
    for remark in remarks:
        kind = remark["reason"] if remark["reason"] in _UNCOVERED else ""
        by_reason[kind].append(f"{remark['part']}: {remark['text']}")
    yield (
        f"{counted(compared, 'package')} compared, "
        f"{len({*report['uncovered']} - waiting):,} without a source, "
        f"{len(waiting):,} being looked up; "
        f"{counted(report['total'], 'newer entry', 'newer entries')}."
    )
    yield from _first("Without a source", by_reason["no_source"] + by_reason["limit_reached"])
    yield from _first("Being looked up, try again soon", by_reason["being_looked_up"])
    yield from _first("Unknown", by_reason[""])
    yield from _first("Not read", [f"{file}: {named.sentence}" for file, named in stack.unread])
    hidden = report["total"] - len(report["items"])
    if hidden > 0:
        yield f"Only the first {len(report['items']):,} entries are listed."
    verdicts = _verdicts(report)
    for verdict, words in _VERDICTS.items():
        yield from _first(words, [part for part in verdicts if verdicts[part] == verdict])
    if not findings:
        yield "No findings." if compared else "Nothing could be compared."
    if "saved" in report:
        yield f"Saved as {report['saved']['name']}: {counted(report['saved']['parts'], 'package')}."


def awaited(report: StackReport) -> set[str]:
    """Return the parts that are being looked up or read for the first time."""
    return {it["part"] for it in report["unknown"] if it["reason"] == "being_looked_up"}


def _first(what: str, lines: Sequence[str]) -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    yield from (f"{what}: {line}" for line in lines[:_LISTED])
    if len(lines) > _LISTED:
        yield f"{what}: {len(lines) - _LISTED:,} more; --json has all."


def as_json(
    report: StackReport, findings: Sequence[StackFinding], failed: Collection[str], stack: Stack
) -> dict[str, Any]:
    """Return the findings with the answer that they are from."""
    return {
        "failed": sorted(failed),
        "findings": [
            {
                "rule": finding.rule,
                "part": finding.part,
                "file": finding.place.file,
                "line": finding.place.line,
                "runs": finding.place.version,
                "version": finding.version,
                "title": finding.title,
                "text": finding.text,
                "url": finding.url,
                "days": finding.days,
            }
            for finding in findings
        ],
        "parts": [
            {"purl": purl, "file": place.file, "line": place.line} for purl, place in stack.read
        ],
        "unread": [
            {"file": file, "line": named.line, "text": named.text, "reason": named.reason}
            for file, named in stack.unread
        ],
        "report": report,
    }


def as_sarif(
    findings: Sequence[StackFinding], fail_on: Collection[str], report: StackReport, stack: Stack
) -> dict[str, Any]:
    """Return the findings as a SARIF log; what fails is an error, all else a warning.

    Parts to review, and lines that were not read, are notes, or errors where ``fail_on`` has
    review; parts without a source are notifications of the tool, not alerts.
    """
    names = [*RULES]
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in RULES.items()]
    level = "error" if REVIEW in fail_on else "note"
    notes: list[dict[str, Any]] = []
    notifications: list[dict[str, Any]] = []
    for name, reason, place, is_noted in unchecked_of(report, stack):
        text = {"text": plain(f"{name}: {reason}")}
        if place.file and is_noted:
            notes.append(_located(REVIEW, names.index(REVIEW), level, text, place, name))
        else:
            notifications.append({"level": "note", "message": text})
    results = [_result(finding, names.index(finding.rule), fail_on) for finding in findings]
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "changewire stack", "rules": rules}},
                "invocations": [
                    {"executionSuccessful": True, "toolExecutionNotifications": notifications}
                ],
                "results": [*results, *notes],
                "properties": {"verdicts": _verdicts(report), "parts": report["selected"]},
            }
        ],
    }


def _verdicts(report: StackReport) -> dict[str, str]:
    """Return what the service says about each part that has a source."""
    return {it["part"]: it["verdict"] for it in report["selected"] if "verdict" in it}


def _result(finding: StackFinding, rule: int, fail_on: Collection[str]) -> dict[str, Any]:
    place = finding.place
    link = f" {finding.url}" if finding.url else ""
    text = plain(f"{finding.part}: {finding.title}. {finding.text}{link}")
    level = "error" if finding.rule in fail_on else "warning"
    told = {"text": text}
    return _located(finding.rule, rule, level, told, place, finding.part, finding.entry)


def _located(
    rule: str, index: int, level: str, message: dict[str, str], place: FilePlace, *about: str
) -> dict[str, Any]:
    """Return a result with its place, known again by the rule, what it is about, and the file."""
    identity = "\n".join((rule, *about, place.file))
    fingerprint = sha256(identity.encode("utf-8", "replace")).hexdigest()
    return {
        "partialFingerprints": {"finding/v1": fingerprint},
        "ruleId": rule,
        "ruleIndex": index,
        "level": level,
        "message": message,
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": quote(place.file)},
                    "region": {"startLine": place.line or 1},
                }
            }
        ],
    }


def as_junit(
    report: StackReport, stack: Stack, findings: Sequence[StackFinding], fail_on: Collection[str]
) -> bytes:
    """Return a test case for each part; it fails for each rule of ``fail_on`` on its own.

    What was not compared is skipped with its reason, so that nothing passes unseen.
    """
    of_part: defaultdict[str, list[StackFinding]] = defaultdict(list)
    for finding in findings:
        of_part[finding.part].append(finding)
    every = [*unchecked_of(report, stack)]
    reasons = {name: reason for name, reason, *_ in every}
    unchecked = [it for it in every if it[0] not in of_part]
    left_out = {name for name, *_ in unchecked}
    outcome, verdicts = "failure" if REVIEW in fail_on else "skipped", _verdicts(report)
    suite = Element("testsuite", name="changewire stack")
    failures = 0
    for covered in report["selected"]:
        part = covered["part"]
        if part in left_out:
            continue
        places = [finding.place for finding in of_part[part]]
        case = _case(suite, part, next(iter([*places, *stack.places.get(part, ())]), None))
        told = {"verdict": verdicts.get(part), "cves": " ".join(covered.get("cves", ()))}
        told["ends"] = covered["ends"]["to"] if "ends" in covered else None
        properties = SubElement(case, "properties") if any(told.values()) else case
        for name, value in told.items():
            if value:
                SubElement(properties, "property", name=name, value=value)
        told_of = [(it.rule, it.title, it.url or "") for it in of_part[part]]
        told_of += [(REVIEW, reasons[part], "")] if part in reasons else []
        failures += _outcome(case, told_of, fail_on)
    for name, reason, place, _ in unchecked:
        case = _case(suite, name, place)
        SubElement(case, outcome, message=plain(reason), type=REVIEW)
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failures + (len(unchecked) if outcome == "failure" else 0)))
    suite.set("skipped", str(len(unchecked) if outcome == "skipped" else 0))
    written: bytes = tostring(suite, encoding="utf-8", xml_declaration=True)
    return written


def _case(suite: Element, name: str, place: FilePlace | None) -> Element:
    case = SubElement(suite, "testcase", name=plain(name), classname="changewire.stack")
    if place is not None and place.file:
        case.set("file", plain(place.file))
        case.set("line", str(place.line or 1))
    return case


def _outcome(
    case: Element, found: Sequence[tuple[str, str, str]], fail_on: Collection[str]
) -> bool:
    """Write the rule, title and address of what was found of a part; return whether it fails."""
    lines = [f"{rule}: {title} {url}".strip() for rule, title, url in found]
    fails = [(rule, title) for rule, title, _ in found if rule in fail_on]
    if fails:
        failure = SubElement(case, "failure", type=fails[0][0], message=plain(fails[0][1]))
        failure.text = "\n".join(map(plain, lines))
    elif lines:
        SubElement(case, "system-out").text = "\n".join(map(plain, lines))
    return bool(fails)
