"""What a report says, to people and to programs."""

import io
import json
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from conformance.console import print_report, progress
from conformance.junit import as_junit
from conformance.report import NOBODY, Fault, Report, Result, add_fault

PASSED = Result("a-check", "specification", "GET /a", "no key", 3, says="It is so.", seconds=1.5)
SKIPPED = Result("b-check", "specification", "GET /a", "key 1", 0, skipped="no entries")
FAILED = Result(
    "c-check", "contract", "GET /b", "no key", 9,
    (Fault("gave <b>two</b>", "curl -i '/b?a=1&c'", '200 {"a": "]]>"}'),), says="One & one.",
)  # fmt: skip
REPORT = Report("http://acme.example", (PASSED, SKIPPED, FAILED), requests=12)


def test_the_terminal_shows_each_fault_with_the_line_that_repeats_it():
    written = io.StringIO()
    print_report(REPORT, Console(file=written, width=100))

    text = written.getvalue()
    assert "FAILED c-check GET /b, no key" in text
    assert "gave <b>two</b>" in text
    assert "curl -i '/b?a=1&c'" in text
    assert "http://acme.example does not conform: 1 passed, 1 failed, 1 skipped" in text


def test_the_terminal_says_why_something_was_skipped():
    many = tuple(Result(f"{n}-check", "specification", "GET /a", "key 1", 0, skipped="no entries")
                 for n in range(5))  # fmt: skip
    written = io.StringIO()
    print_report(Report("x", many, requests=1), Console(file=written, width=200))

    named = "0-check (key 1), 1-check (key 1), 2-check (key 1) and 2 more"
    assert f"skipped, no entries: {named}" in written.getvalue()


def test_the_terminal_indents_what_was_answered_in_lines():
    fault = Fault("GET is no RSS", "curl -i /rss", "200 <rss>\n<channel>")
    written = io.StringIO()
    result = Result("d-check", "specification", "GET /rss", "no key", 1, (fault,))
    print_report(Report("x", (result,), requests=1), Console(file=written, width=200))

    assert "\n    curl -i /rss\n    200 <rss>\n    <channel>\n" in written.getvalue()


LEFT_OUT = Result("e-check", "specification", "GET /c", NOBODY, 0, skipped="no key was given")


def test_what_nobody_could_check_is_named_and_is_no_caller():
    written = io.StringIO()
    report = Report("x", (PASSED, LEFT_OUT), requests=1)
    print_report(report, Console(file=written, width=200))

    assert "skipped, no key was given: e-check\n" in written.getvalue()
    assert NOBODY not in written.getvalue()


def test_what_was_never_seen_is_named_instead_of_conforms():
    written = io.StringIO()
    unseen, left_out = ("GET /diffs: every request was refused (402)",), ("POST /b: not allowed",)
    report = Report("x", (PASSED,), requests=1, unseen=unseen, left_out=left_out)
    print_report(report, Console(file=written, width=200))

    text = written.getvalue()
    assert "never seen, GET /diffs: every request was refused (402)\n" in text
    assert "left out, POST /b: not allowed\n" in text
    assert "conforms" not in text
    assert "x has no findings, but not everything was seen:" in text


def found_by(caller, *sentences):
    faults = tuple(Fault(sentence, f"curl {caller}") for sentence in sentences)
    return Result("d-check", "wire", "GET /d", caller, 1, faults, says="D.", origin="RFC 1")


def test_a_fault_that_five_callers_met_is_one_finding_with_five_callers():
    callers = ("no key", "key 1", "key 2", "key 3", "key 4")
    results = (*(found_by(caller, "gave two") for caller in callers), FAILED)
    report = Report("x", results, requests=1)
    written = io.StringIO()
    print_report(report, Console(file=written, width=200))

    assert [(one.check, one.callers) for one in report.findings] == [
        ("d-check", callers),
        ("c-check", ("no key",)),
    ]
    assert written.getvalue().count("gave two") == 1
    assert "FAILED d-check GET /d, no key, key 1, key 2, key 3, key 4" in written.getvalue()


def test_a_finding_says_who_met_what_where_callers_differ():
    results = (found_by("no key", "gave two"), found_by("key 1", "gave two", "gave three"))
    written = io.StringIO()
    print_report(Report("x", results, requests=1), Console(file=written, width=200))

    assert "  gave two\n" in written.getvalue()
    assert "  gave three (key 1)\n" in written.getvalue()


def test_a_run_tells_how_far_it_is():
    plain, terminal = io.StringIO(), io.StringIO()
    for console in (Console(file=plain), Console(file=terminal, force_terminal=True, width=200)):
        with progress(console) as tell:
            for result in REPORT.results:
                tell(result)

    assert plain.getvalue() == "Asking as no key\nAsking as key 1\n"
    assert "no key: GET /b, c-check" in terminal.getvalue()


def test_of_equal_faults_the_shortest_request_is_kept():
    faults = []
    for curl in ("curl -i '/b?a=1&b=2'", "curl -i '/b'", "curl -i '/b?c=3'"):
        add_fault(faults, Fault("gave two", curl), most=2)
    for sentence in ("gave three", "gave four"):
        add_fault(faults, Fault(sentence), most=2)

    assert faults == [Fault("gave two", "curl -i '/b'"), Fault("gave three")]


def test_junit_has_a_suite_for_each_caller():
    root = ET.fromstring(as_junit(REPORT))

    assert root.attrib == {
        "name": "conformance", "tests": "3", "failures": "1", "skipped": "1", "time": "1.500",
    }  # fmt: skip
    assert [(each.get("name"), each.get("failures")) for each in root] == [
        ("no key", "1"),
        ("key 1", "0"),
    ]
    failure = root.find(".//failure")
    assert failure is not None
    assert failure.get("message") == "gave <b>two</b>"
    assert failure.text == 'gave <b>two</b>\ncurl -i \'/b?a=1&c\'\n200 {"a": "]]>"}'


@given(st.text())
def test_whatever_a_response_held_junit_can_be_read(text):
    fault = Fault(text, text, text)
    report = Report(text, (Result(text, "wire", text, text, 1, (fault,)),), requests=1)

    ET.fromstring(as_junit(report))


def test_json_has_findings_and_what_was_never_seen():
    report = Report("x", (PASSED, FAILED), requests=2, unseen=("GET /a: empty",))
    written = json.loads(json.dumps(report.as_json()))

    assert (written["passed"], written["verdict"]) == (False, "does not conform")
    assert written["counts"] == {"passed": 1, "failed": 1}
    assert written["unseen"] == ["GET /a: empty"]
    assert [finding["check"] for finding in written["findings"]] == ["c-check"]
    assert written["results"][1]["faults"][0]["curl"] == "curl -i '/b?a=1&c'"


def test_what_a_deployment_answered_cannot_control_the_terminal():
    written = io.StringIO()
    fault = Fault("said \x1b[2J", curl="curl x", answer="a\n\x1b]0;owned\x07\x9b31m [/b]")
    names = ("GET /\x1b[2Jlatest [/b]", "key 1 (\x1b]0;owned\x07 [/b])")
    results = (
        Result("check", "wire", *names, 1, (fault,)),
        Result("other", "contract", *names, 0, skipped="no \x1b[2J entries"),
    )
    report = Report("x\x1b[2J", results, requests=1)
    console = Console(file=written, width=200)

    with progress(console) as tell:
        tell(results[0])
    print_report(report, console)

    assert written.getvalue().replace("\n", "").isprintable()
    assert written.getvalue().count("owned") == 5
