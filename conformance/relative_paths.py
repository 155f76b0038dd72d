"""A contract with its paths relative to {base_url}, however its author divided the address."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from contract_diff.document import as_mapping
from contract_diff.servers import servers_of

_KNOWN = "/sources/request"
"""A path that every contract has (specification 4.3)."""


def relative(contract: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the contract with what all addresses begin with in its servers, not in its paths.

    `/api/v1` may stand in either. Paths that do not begin so are no operations of the interface.
    """
    paths = contract.get("paths")
    if not isinstance(paths, dict):
        return contract
    prefix = next((path.removesuffix(_KNOWN) for path in paths if path.endswith(_KNOWN)), "")
    if not prefix:
        return contract
    servers = contract.get("servers") or [{"url": "/"}]
    moved = [
        {**server, "url": f"{str(server.get('url', '')).rstrip('/')}{prefix}"} for server in servers
    ]
    kept = {
        path.removeprefix(prefix): item
        for path, item in paths.items()
        if path.startswith(f"{prefix}/")
    }
    return {**contract, "servers": moved, "paths": kept}


def base_path(contract: Mapping[str, Any]) -> str:
    """Return the path that all operations begin with, version included (specification 9)."""
    if "servers" in contract:
        [(url, server), *_] = servers_of(contract).items()
        return urlsplit(_with_defaults(url, server)).path.rstrip("/")
    return f"/api/v{str(contract.get('info', {}).get('version', 1)).partition('.')[0]}"


def _with_defaults(url: str, server: Mapping[str, Any]) -> str:
    """Return the address of a server whose variables have their defaults (OpenAPI 3.0.3)."""
    for name, variable in as_mapping(server.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(as_mapping(variable).get("default", "")))
    return url
