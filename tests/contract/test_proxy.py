"""Prism between the conformance suite and the service: no answer breaks the contract.

Prism holds each answer against the contract with a validator of its own. It only watches: what
the suite asks is passed on as it is, for much of it is wrong on purpose.
"""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from specimen.serving import free_port, listening

from conformance.suite import Options, run
from openapi.contract import base_path, load_contract, load_operations

FORWARDED = re.compile(r'Forwarding "(\w+)" request to http://[^/]+(/[^?\s]*)\S*\.\.\.')
VIOLATION = re.compile(r"Violation: (response\S* .*)")
OF_PRISM = {
    "head-is-get-without-a-body": "Prism reads the body that a HEAD answer does not have",
    "unknown-paths-are-404": "Prism turns /api/v1//sources into /api/v1/sources",
}
"""What the suite sees of Prism itself; the suite's own tests check this without Prism."""
A_HEAD = "curl -i -I "
"""How a HEAD is repeated. Prism answers each with 500, for it waits for the body."""
A_GET_WITH_A_BODY = re.compile(r"curl (-X GET .* -d |(?!.*-X ).* --data-binary )", re.DOTALL)
"""Prism answers it with 501: the library by which it sends requests on does not send it."""
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def proxy(command, live, tmp_path):
    """Start Prism in front of the service: ``with proxy(contract) as (url, log): …``."""

    def proxy(contract, log):
        file = tmp_path / "openapi.yaml"
        file.write_text(yaml.safe_dump(at_the_root(contract), sort_keys=False))
        port = free_port()
        arguments = ("proxy", file, live.url, "--port", port)
        only_watching = ("--validate-request=false", "--cors=false")
        program = command("prism", *arguments, *only_watching)
        return listening(program, port, "/api/v1/latest", log)

    return proxy


def at_the_root(contract):
    """The contract with the base path in its paths: Prism compares these with what is asked."""
    paths = {f"{base_path()}{path}": item for path, item in contract["paths"].items()}
    return {**contract, "servers": [{"url": "/"}], "paths": paths}


def words(log: Path):
    return COLOURS.sub("", log.read_text(encoding="utf-8", errors="replace"))


def faults_of_others(report):
    """What the suite found, without what is Prism's."""
    return [
        (result.check, fault.sentence, fault.curl)
        for result in report.failed
        for fault in result.faults
        if result.check not in OF_PRISM
        and not fault.curl.startswith(A_HEAD)
        and not A_GET_WITH_A_BODY.match(fault.curl)
    ]


def test_prism_sees_no_violation_while_the_suite_runs_through_it(proxy, live, tmp_path):
    log, keys = tmp_path / "prism.log", [live.keys["free"], live.keys["diffs"]]
    options = Options(max_examples=2, raw_requests=False)
    with proxy(load_contract(), log) as url:
        report = run(url, keys, now=datetime.now(UTC), options=options)

    said = words(log)
    assert set(VIOLATION.findall(said)) == set()
    read = {
        base_path() + operation.path for operation in load_operations() if operation.method == "GET"
    }
    assert {path for method, path in FORWARDED.findall(said) if method == "get"} >= read
    assert faults_of_others(report) == []


def test_prism_sees_what_breaks_the_contract(proxy, live, tmp_path):
    contract, log = load_contract(), tmp_path / "prism.log"
    contract["components"]["schemas"]["ChangelogEntry"]["properties"]["title"]["type"] = "integer"
    only = frozenset({"entries-come-newest-first"})
    with proxy(contract, log) as url:
        run(url, [live.keys["all"]], now=datetime.now(UTC), options=Options(only=only))

    assert any("title" in each for each in VIOLATION.findall(words(log)))
