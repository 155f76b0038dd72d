"""The machine-readable description (specification, introduction and 9)."""

import json
import re

import yaml

from conformance.checks.probe import Audience, NotApplicable, Probe, check
from conformance.relative_paths import relative
from contract_diff import Severity, compare
from contract_diff.document import Document
from contract_diff.readable import reasons_not_to_compare

_OPERATION = "GET {site_url}/openapi.json"
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


@check(
    "specification 9",
    "The version is part of the path: /api/v1. The machine-readable description carries the "
    "version 1.0.0; a later major version says so in both.",
    operation=_OPERATION,
    audience=Audience.SITE,
)
def the_contract_carries_its_version(probe: Probe) -> None:
    response = probe.visit(f"{probe.site.document}.json")
    contract = relative(response.json) if isinstance(response.json, dict) else {}
    version = str(contract.get("info", {}).get("version"))
    servers = [str(server.get("url", "")).rstrip("/") for server in contract.get("servers", [])]
    majors = {match[1] for server in servers if (match := re.search(r"/api/v(\d+)$", server))}
    probe.expect(bool(majors), response, f"has the servers {servers}")
    right = not majors or version.partition(".")[0] in majors
    probe.expect(right, response, f"has the version {version} at {servers}")


@check(
    "specification 4",
    "All paths are relative to {base_url}. Only GET and one POST exist.",
    operation=_OPERATION,
    audience=Audience.SITE,
)
def the_contract_has_every_operation(probe: Probe) -> None:
    response = probe.visit(f"{probe.site.document}.json")
    paths = relative(response.json or {}).get("paths", {})
    for method, path in sorted(_OPERATIONS):
        probe.expect(method in paths.get(path, {}), response, f"has no {method.upper()} {path}")


@check(
    "specification 4",
    "The tables of query parameters; limit 1 to 100 (specification 8).",
    operation=_OPERATION,
    audience=Audience.SITE,
)
def the_contract_has_every_parameter(probe: Probe) -> None:
    response = probe.visit(f"{probe.site.document}.json")
    contract = relative(response.json or {})
    document = Document(contract)
    for path, names in _PARAMETERS.items():
        item = contract.get("paths", {}).get(path, {})
        listed = [*item.get("parameters", []), *item.get("get", {}).get("parameters", [])]
        parameters = {
            parameter.get("name"): parameter for parameter in map(document.resolve, listed)
        }
        missing = sorted(names - parameters.keys())
        probe.expect(not missing, response, f"names no {', '.join(missing)} on {path}")
        if "limit" in parameters:
            schema = document.resolve(parameters["limit"].get("schema", {}))
            bounds = schema.get("minimum"), schema.get("maximum")
            allowed = _BOUNDS_OF_ENTRIES if path == "/entries" else {(1, 100)}
            probe.expect(bounds in allowed, response, f"has limits of {bounds} on {path}")


@check(
    "docs/decisions/0001",
    "One document, no second copy: /openapi.json and /openapi.yaml are the same.",
    operation="GET {site_url}/openapi.yaml",
    audience=Audience.SITE,
)
def both_spellings_of_the_contract_are_one(probe: Probe) -> None:
    written = probe.visit(f"{probe.site.document}.yaml")
    try:
        loaded = json.loads(json.dumps(yaml.safe_load(written.body), default=str))
    except (yaml.YAMLError, RecursionError):
        probe.expect(False, written, "is no YAML")
        return
    probe.expect(
        loaded == probe.visit(f"{probe.site.document}.json").json, written, "is not /openapi.json"
    )


@check(
    "docs/deprecation",
    "Within v1 a change only adds.",
    operation=_OPERATION,
    audience=Audience.SITE,
)
def the_contract_breaks_nobody(probe: Probe) -> None:
    response = probe.visit(f"{probe.site.document}.json")
    served = relative(response.json or {})
    for contract in (probe.contract, served):
        for reason in reasons_not_to_compare(contract)[:1]:
            raise NotApplicable(f"the contracts cannot be compared: {reason}")
    for change in compare(probe.contract, served, today=probe.now.date()):
        if change.severity is Severity.BREAKING:
            probe.expect(False, response, f"{change.sentence} ({change.place})")


@check(
    "docs/decisions/0079",
    "Conforms is said of what was seen: every further GET of the contract is asked as it is.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def further_operations_answer(probe: Probe) -> None:
    for path, item in probe.contract.get("paths", {}).items():
        if path in _PARAMETERS or "{" in path or "get" not in item:
            continue
        listed = [*item.get("parameters", []), *item["get"].get("parameters", [])]
        parameters = map(Document(probe.contract).resolve, listed)
        if not any(parameter.get("required") for parameter in parameters):
            response = probe.get(path, status=None)
            probe.expect(response.status < 500, response, f"answered {response.status}")
