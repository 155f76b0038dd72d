"""A report as SARIF 2.1.0, for tools that show findings beside code."""

from hashlib import sha256
from typing import Any

from conformance.report import EXIT_CODES, Finding, Report

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_sarif(report: Report) -> dict[str, Any]:
    """Return the report as a SARIF log: a rule for each failed check, a result for each finding."""
    findings = report.findings
    rules = list({finding.check: finding for finding in findings}.values())
    numbers = {finding.check: number for number, finding in enumerate(rules)}
    driver = {"name": "changewire conformance", "rules": [_rule(finding) for finding in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [
            {
                "executionSuccessful": report.exit_code in (0, 1),
                "exitCode": EXIT_CODES[report.verdict],
                "toolExecutionNotifications": [
                    {"level": "warning", "message": {"text": f"never seen, {line}"}}
                    for line in report.unseen
                ],
            }
        ],
        "results": [
            _result(finding, numbers[finding.check], report.target) for finding in findings
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(finding: Finding) -> dict[str, Any]:
    text = finding.says or finding.check
    return {
        "id": finding.check,
        "shortDescription": {"text": text},
        "help": {"text": f"{text} ({finding.origin})"},
    }


def _result(finding: Finding, rule: int, target: str) -> dict[str, Any]:
    sentences = "; ".join(shown.fault.sentence for shown in finding.faults)
    identity = "\n".join((finding.group, finding.operation, finding.check))
    return {
        "ruleId": finding.check,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": f"{finding.operation}, {', '.join(finding.callers)}: {sentences}"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": "openapi.json"}},
                "logicalLocations": [
                    {"fullyQualifiedName": f"{target} {finding.operation}", "kind": "member"}
                ],
            }
        ],
        "partialFingerprints": {
            "finding/v1": sha256(identity.encode("utf-8", "replace")).hexdigest()
        },
        "properties": {
            "callers": list(finding.callers),
            "requests": [shown.fault.curl for shown in finding.faults],
        },
    }
