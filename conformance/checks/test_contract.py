"""The machine-readable description (specification, introduction and 9)."""

import re

import pytest

from conformance.probe import Probe, expect
from conformance.suite import relative
from contract_diff.document import Document

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
    contract = relative(response.json or {})
    version = str(contract.get("info", {}).get("version"))
    servers = [str(server.get("url", "")).rstrip("/") for server in contract.get("servers", [])]
    majors = {match[1] for server in servers if (match := re.search(r"/api/v(\d+)$", server))}
    right = version.partition(".")[0] in majors
    expect(right, response, f"has the version {version} at {servers}")


@pytest.mark.origin("specification 4")
def test_the_contract_has_every_operation(public: Probe) -> None:
    """All paths are relative to {base_url}. Only GET and one POST exist. The tables of query
    parameters; limit 1 to 100 (specification 8)."""
    response = public.visit(f"{public.site.document}.json")
    contract = relative(response.json or {})
    document, paths = Document(contract), contract.get("paths", {})
    posted = "post" in paths.get("/sources/request", {})
    expect(posted, response, "has no POST /sources/request")
    for path, names in _PARAMETERS.items():
        item = paths.get(path, {})
        expect("get" in item, response, f"has no GET {path}")
        listed = [*item.get("parameters", []), *item["get"].get("parameters", [])]
        parameters = {one.get("name"): one for one in map(document.resolve, listed)}
        missing = sorted(names - parameters.keys())
        expect(not missing, response, f"names no {', '.join(missing)} on {path}")
        if "limit" in names:
            schema = document.resolve(parameters["limit"].get("schema", {}))
            bounds = schema.get("minimum"), schema.get("maximum")
            allowed = _BOUNDS_OF_ENTRIES if path == "/entries" else {(1, 100)}
            expect(bounds in allowed, response, f"has limits of {bounds} on {path}")
