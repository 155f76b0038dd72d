"""The machine-readable description (specification, introduction and 9)."""

import json
import re

import pytest
import yaml

from conformance.probe import Probe, expect
from conformance.relative_paths import relative
from contract_diff import Severity, compare
from contract_diff.document import Document
from contract_diff.readable import reasons_not_to_compare

_OPERATIONS = {
    ("get", "/sources"), ("post", "/sources/request"), ("get", "/entries"), ("get", "/diffs"),
    ("get", "/important"), ("get", "/latest"),
}  # fmt: skip
_PARAMETERS = {
    "/sources": {"vendor", "q", "adapterType", "kind", "limit", "offset", "selected"},
    "/entries": {"sources", "since", "limit", "offset"},
    "/diffs": {"source"},
    "/important": {"limit", "offset"},
    "/latest": {"limit", "offset", "future"},
}
"""Query parameters of each path (specification 4)."""
_BOUNDS_OF_ENTRIES = {(low, high) for low in (1, None) for high in (100, 200)}
"""The specification names 100 and 200 (section 8), and no smallest one."""


@pytest.mark.origin("specification 9")
def test_the_contract_carries_its_version(public: Probe) -> None:
    """The version is part of the path: /api/v1. The machine-readable description carries the
    version 1.0.0; a later major version says so in both."""
    response = public.visit(f"{public.site.document}.json")
    contract = relative(response.json) if isinstance(response.json, dict) else {}
    version = str(contract.get("info", {}).get("version"))
    servers = [str(server.get("url", "")).rstrip("/") for server in contract.get("servers", [])]
    majors = {match[1] for server in servers if (match := re.search(r"/api/v(\d+)$", server))}
    expect(bool(majors), response, f"has the servers {servers}")
    right = not majors or version.partition(".")[0] in majors
    expect(right, response, f"has the version {version} at {servers}")


@pytest.mark.origin("specification 4")
def test_the_contract_has_every_operation(public: Probe) -> None:
    """All paths are relative to {base_url}. Only GET and one POST exist."""
    response = public.visit(f"{public.site.document}.json")
    paths = relative(response.json or {}).get("paths", {})
    for method, path in sorted(_OPERATIONS):
        expect(method in paths.get(path, {}), response, f"has no {method.upper()} {path}")


@pytest.mark.origin("specification 4")
def test_the_contract_has_every_parameter(public: Probe) -> None:
    """The tables of query parameters; limit 1 to 100 (specification 8)."""
    response = public.visit(f"{public.site.document}.json")
    contract = relative(response.json or {})
    document = Document(contract)
    for path, names in _PARAMETERS.items():
        item = contract.get("paths", {}).get(path, {})
        listed = [*item.get("parameters", []), *item.get("get", {}).get("parameters", [])]
        parameters = {
            parameter.get("name"): parameter for parameter in map(document.resolve, listed)
        }
        missing = sorted(names - parameters.keys())
        expect(not missing, response, f"names no {', '.join(missing)} on {path}")
        if "limit" in parameters:
            schema = document.resolve(parameters["limit"].get("schema", {}))
            bounds = schema.get("minimum"), schema.get("maximum")
            allowed = _BOUNDS_OF_ENTRIES if path == "/entries" else {(1, 100)}
            expect(bounds in allowed, response, f"has limits of {bounds} on {path}")


@pytest.mark.origin("docs/decisions/0001")
def test_both_spellings_of_the_contract_are_one(public: Probe) -> None:
    """One document, no second copy: /openapi.json and /openapi.yaml are the same."""
    written = public.visit(f"{public.site.document}.yaml")
    try:
        loaded = json.loads(json.dumps(yaml.safe_load(written.body), default=str))
    except (yaml.YAMLError, RecursionError):
        expect(False, written, "is no YAML")
        return
    expect(
        loaded == public.visit(f"{public.site.document}.json").json, written, "is not /openapi.json"
    )


@pytest.mark.origin("docs/deprecation")
def test_the_contract_breaks_nobody(public: Probe) -> None:
    """Within v1 a change only adds."""
    response = public.visit(f"{public.site.document}.json")
    served = relative(response.json or {})
    for contract in (public.contract, served):
        for reason in reasons_not_to_compare(contract)[:1]:
            pytest.skip(f"the contracts cannot be compared: {reason}")
    for change in compare(public.contract, served, today=public.now.date()):
        if change.severity is Severity.BREAKING:
            expect(False, response, f"{change.sentence} ({change.place})")


@pytest.mark.origin("docs/decisions/0079")
def test_further_operations_answer(anybody: Probe) -> None:
    """Conforms is said of what was seen: every further GET of the contract is asked as it is."""
    for path, item in anybody.contract.get("paths", {}).items():
        if path in _PARAMETERS or "{" in path or "get" not in item:
            continue
        listed = [*item.get("parameters", []), *item["get"].get("parameters", [])]
        parameters = map(Document(anybody.contract).resolve, listed)
        if not any(parameter.get("required") for parameter in parameters):
            response = anybody.get(path, status=None)
            expect(response.status < 500, response, f"answered {response.status}")
