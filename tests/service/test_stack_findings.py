"""What ``changewire stack`` makes of an answer: findings, SARIF, JUnit (service/stack)."""

import json
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from package_versions.component import Component, FileParts, unread
from service.stack.findings import failing, findings_of, stack_of
from service.stack.formats import as_json, as_junit, as_sarif, rows, summary

PART = "pkg:pypi/flask"
FILES = [("a/requirements.txt", FileParts([Component("pypi", "Flask", version="3.0.0", line=7)]))]


def entry(category="breaking", title="Flask 3.1.0: removed", **more):
    evidence = {"category": category, "field": "title", "text": "removed", "start": 13, "end": 20}
    return {
        "part": PART,
        "id": "1",
        "source": "flask.releases",
        "vendor": "flask",
        "published_at": "2026-11-20T00:00:00Z",
        "title": title,
        "url": "https://flask.example/3.1.0",
        "version": "3.1.0",
        "tags": [],
        "importance": {"categories": [category], "evidence": [evidence]},
        **more,
    }


def deadline(days, source="flask.releases"):
    return {
        "kind": "end_of_life",
        "from": "2026-12-31",
        "to": "2026-12-31",
        "days": days,
        "text": "3.0 ends on 31 December 2026.",
        "subject": None,
        "versions": None,
        "entry": entry() | {"source": source},
    }


def report(items=(), deadlines=(), **more):
    found = [item["importance"]["categories"][0] for item in items if "importance" in item]
    return {
        "selected": [{"part": PART, "sources": ["flask.releases"]}],
        "proposed": [],
        "uncovered": [],
        "total": len(items),
        "counts": {each: found.count(each) for each in ("breaking", "deprecation", "security")},
        "items": list(items),
        "unknown": [],
        "gaps": [],
        "deadlines": list(deadlines),
        **more,
    }


STACK = stack_of(FILES)


def components(**versions):
    return [
        (file, FileParts([Component("pypi", "flask", version=version, line=line)]))
        for line, (file, version) in enumerate(versions.items(), 1)
    ]


def places(found):
    return [(it.place.file, it.place.line, it.place.version) for it in found]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, {"s1": "3.1.0", "s2": "3.0.0"}, [("s2", 2, "3.0.0")]),
        (None, {"s1": "main", "s2": "trunk"}, [("s1", 1, "main")]),
        ({"b": "3.0.0"}, {"a": "3.1.0"}, [("a", 1, "3.0.0")]),
        ({"b1": "3.1.0", "b2": "2.0"}, {"a": "3.1.0"}, [("a", 1, "2.0")]),
    ],
)
def test_a_finding_stands_where_an_older_version_runs_or_is_replaced(before, after, expected):
    wanted, running = stack_of(components(**after)), before and stack_of(components(**before))
    found = findings_of(report([entry()]), wanted, within=90, running=running)

    assert places(found) == expected


@pytest.mark.parametrize(
    ("version", "subject", "found"),
    [
        ("3.0.0", "Flask 3.0", 1),
        ("3.1.2", "Flask 3.0", 0),
        ("3.1.2", "Python 3.0", 1),
        (None, "Flask 3.0", 1),
    ],
)
def test_an_end_of_named_versions_is_a_finding_of_those_who_run_them(version, subject, found):
    files = stack_of(components(a=version))
    ends = deadline(5) | {"subject": subject, "versions": "3.0"}

    assert len(findings_of(report(deadlines=[ends]), files, within=90)) == found


@pytest.mark.parametrize(("version", "found"), [("3.0.0", 1), ("3.1.0", 0), (None, 0)])
def test_what_ended_long_ago_is_a_finding_of_those_who_run_it(version, found):
    ended = deadline(-400) | {"subject": "Flask 3.0", "versions": "3.0", "to": "2025-10-20"}

    findings = findings_of(report(deadlines=[ended]), stack_of(components(a=version)), within=0)

    assert [it.title.split(":")[0] for it in findings] == ["ended 2025-10-20"] * found


@pytest.mark.parametrize(
    ("days", "source", "found"),
    [(90, "flask.releases", 1), (91, "flask.releases", 0), (5, "other.releases", 0)],
)
def test_ends_of_life_count_as_far_ahead_as_asked(days, source, found):
    findings = findings_of(report(deadlines=[deadline(days, source)]), STACK, within=90)

    assert [finding.rule for finding in findings] == ["end-of-life"] * found


def test_sarif_names_rule_level_line_and_message():
    findings = findings_of(report([entry(), entry("security")]), STACK, within=90)

    (run,) = as_sarif(findings, ["breaking"], report(), STACK)["runs"]
    breaking, security = run["results"]

    assert (breaking["level"], security["level"]) == ("error", "warning")
    assert run["tool"]["driver"]["rules"][breaking["ruleIndex"]]["id"] == breaking["ruleId"]
    place = breaking["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "a/requirements.txt"}, "region": {"startLine": 7}}
    assert "https://flask.example/3.1.0" in breaking["message"]["text"]
    assert breaking["partialFingerprints"] != security["partialFingerprints"]


def test_junit_has_a_case_for_each_part_and_a_failure_for_what_fails():
    answer = report([entry(), entry("security")])
    findings = findings_of(answer, STACK, within=90)

    suite = fromstring(as_junit(answer, STACK, findings, ["breaking"]))
    (case,) = suite

    counts = {"tests": "1", "failures": "1", "skipped": "0"}
    assert suite.attrib == {"name": "changewire stack", **counts}
    assert [case.get(it) for it in ("name", "file", "line")] == [PART, "a/requirements.txt", "7"]
    assert (case[0].tag, case[0].get("type")) == ("failure", "breaking")
    assert "security" in case[0].text
    assert fromstring(as_junit(answer, STACK, findings, []))[0][0].tag == "system-out"


def remark(part, reason, text):
    return {"part": part, "reason": reason, "text": text, "count": 0, "entries": []}


FLASK = Component("pypi", "flask", version=None, line=1)
LEFT_PAD = Component("pypi", "left-pad", version="1.0", line=2)
MORE = unread("-r more.txt", "another file", line=3)
UNREAD = stack_of([("r.txt", FileParts([FLASK, LEFT_PAD], [MORE]))])
NOT_COMPARED = report(
    unknown=[remark(PART, "not_compared", "No version of this part is pinned.")],
    uncovered=["pkg:pypi/left-pad"],
)


def test_in_junit_what_was_not_compared_is_skipped_with_its_reason():
    suite = fromstring(as_junit(NOT_COMPARED, UNREAD, [], ["breaking"]))

    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "0", "3")
    assert [(it.get("name"), it.get("line"), it[0].tag) for it in suite] == [
        (PART, "1", "skipped"),
        ("pkg:pypi/left-pad", "2", "skipped"),
        ("-r more.txt", "3", "skipped"),
    ]


@pytest.mark.parametrize(
    ("where", "reason", "waiting"),
    [("unknown", "being_looked_up", 1), ("gaps", "no_releases", 0), ("unknown", "not_compared", 0)],
)
def test_what_nothing_is_known_of_is_neither_compared_nor_without_a_source(where, reason, waiting):
    first, *_, last = summary(report(**{where: [remark(PART, reason, "Soon.")]}), [], STACK)

    start = f"0 packages compared, 0 without a source, {waiting} being looked up"
    assert (first[: len(start)], last) == (start, "Nothing could be compared.")


@pytest.mark.parametrize("items", [[], [entry()]])
@pytest.mark.parametrize(("fail_on", "level"), [([], "note"), (["review"], "error")])
def test_what_has_to_be_reviewed_fails_only_if_asked_for_whatever_else_breaks(
    items, fail_on, level
):
    verdict = "breaking" if items else "review"
    selected = [{"part": PART, "sources": ["flask.releases"], "verdict": verdict}]
    gaps = [remark(PART, "before_history", "The oldest known version is 3.0.5.")]
    answer = report(items, selected=selected, gaps=gaps)
    findings = findings_of(answer, STACK, within=90)

    (run,) = as_sarif(findings, fail_on, answer, STACK)["runs"]
    junit = fromstring(as_junit(answer, STACK, findings, fail_on))

    assert failing(findings, answer, fail_on, STACK) == fail_on
    assert [it["level"] for it in run["results"] if it["ruleId"] == "review"] == [level]
    assert len(run["results"][-1]["partialFingerprints"]["finding/v1"]) == 64
    assert run["properties"]["verdicts"] == {PART: verdict}
    assert [it.get("type") for it in junit.iter("failure")] == fail_on
    assert f"{verdict.capitalize()}: {PART}" in summary(answer, findings, STACK)


def test_junit_names_the_verdict_of_a_part_its_fixed_holes_and_its_end():
    covered = {"part": PART, "sources": ["flask.releases"], "verdict": "no_breaking_change_found"}
    covered |= {"cves": ["CVE-2026-1234"], "ends": {"to": "2026-12-31"}}
    (case,) = fromstring(as_junit(report(selected=[covered]), STACK, [], ["review"]))

    assert [it.attrib for it in case[0]] == [
        {"name": "verdict", "value": "no_breaking_change_found"},
        {"name": "cves", "value": "CVE-2026-1234"},
        {"name": "ends", "value": "2026-12-31"},
    ]


def test_json_lists_the_parts_that_were_read():
    parts = as_json(report(), [], [], STACK)["parts"]

    assert parts == [{"purl": "pkg:pypi/flask@3.0.0", "file": "a/requirements.txt", "line": 7}]


@given(st.text(max_size=80))
def test_whatever_a_vendor_writes_every_format_is_well_formed(title):
    answer = report([entry(title=title)])
    findings = findings_of(answer, STACK, within=90)

    fromstring(as_junit(answer, STACK, findings, ["breaking"]))
    json.dumps(as_sarif(findings, [], answer, STACK))
    json.dumps(as_json(answer, findings, [], STACK))
    assert all(len(row) == 6 for row in rows(findings))
    assert list(summary(answer, findings, STACK))
