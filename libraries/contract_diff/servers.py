"""Changes in the addresses of an operation."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from contract_diff.change import ContractChange, Effect, Severity, Spot
from contract_diff.document import Node, as_list, as_mapping

_PORTS = {"http": ":80", "https": ":443"}
_MOST_ADDRESSES = 200


def servers_of(*owners: Node) -> dict[str, Node]:
    """Return the servers of the first owner that has any, by URL; else `/` (OpenAPI 3.0.3)."""
    for owner in owners:
        servers = [
            server for server in as_list(owner.get("servers")) if isinstance(server, Mapping)
        ]
        if servers:
            return {_one_spelling(str(server.get("url", "/"))): server for server in servers}
    return {"/": {}}


def _one_spelling(url: str) -> str:
    """Return an address with its scheme and host in lower case, without its usual port."""
    scheme, separator, rest = url.rstrip("/").partition("://")
    host, slash, path = rest.partition("/")
    if not separator or "{" in host:
        return url.rstrip("/") or "/"
    scheme, host = scheme.lower(), host.lower().removesuffix(_PORTS.get(scheme.lower(), " "))
    return f"{scheme}://{host}{slash}{path}"


def _is_among(url: str, server: Node, others: Mapping[str, Node]) -> bool:
    """Return whether all addresses of a server are among those of others."""
    addresses = _addresses(url, server)
    known = {address for other in others for address in _addresses(other, others[other])}
    patterns = [
        re.compile("[^/?#]*".join(map(re.escape, re.split(r"{[^}]*}", address))))
        for address in known
        if "{" in address
    ]
    return all(
        address in known or any(pattern.fullmatch(address) for pattern in patterns)
        for address in addresses
    )


def _addresses(url: str, server: Node) -> set[str]:
    """Return the addresses of a server, its variables filled in where their values are listed."""
    addresses = {url}
    for name, variable in as_mapping(server.get("variables")).items():
        values = as_list(as_mapping(variable).get("enum"))
        if values and len(addresses) * len(values) <= _MOST_ADDRESSES:
            addresses = {
                address.replace(f"{{{name}}}", str(value))
                for address in addresses
                for value in values
            }
    return {_one_spelling(address) for address in addresses}


def compare_servers(
    old: Mapping[str, Node], new: Mapping[str, Node], spot: Spot
) -> Iterator[ContractChange]:
    """Addresses that came and went; a base path that is gone is gone everywhere."""
    covered = {url for url in old if url not in new and _is_among(url, old[url], new)}
    gone_paths = {_path(url) for url in old.keys() - covered} - {_path(url) for url in new}
    for path in sorted(gone_paths):
        phrase = f"no longer begin with {path}, but with {', '.join(sorted(map(_path, new)))}"
        yield spot.report("base-path-removed", Severity.BREAKING, phrase)
    for url in sorted((old.keys() | new.keys()) - covered):
        if url not in new:
            if _path(url) not in gone_paths:
                yield spot.report("removed", Severity.BREAKING, f"no longer include {url}")
        elif url not in old and _is_among(url, new[url], old):
            continue
        elif url not in old:
            yield spot.report("added", Severity.INFO, f"now include {url}")
        else:
            yield from _variables(url, old[url], new[url], spot)


def with_one_base(old: Node, new: Node) -> tuple[Node, Node]:
    """Return two contracts with their base paths in `paths`, where it moved there or from there.

    Requests go to the same addresses then. Contracts that share no address stay as they are.
    """
    bases = [{_path(url) for url in servers_of(contract)} for contract in (old, new)]
    if bases[0] == bases[1] or len(bases[0]) != 1 or len(bases[1]) != 1:
        return old, new
    before, after = _at_the_root(old, *bases[0]), _at_the_root(new, *bases[1])
    if before["paths"].keys() & after["paths"].keys():
        return before, after
    return old, new


def _at_the_root(contract: Node, base: str) -> dict[str, Any]:
    base = base.rstrip("/")
    servers = [
        {**server, "url": url.rstrip("/").removesuffix(base) or "/"}
        for url, server in servers_of(contract).items()
    ]
    paths = {f"{base}{path}": item for path, item in as_mapping(contract.get("paths")).items()}
    return {**contract, "servers": servers, "paths": paths}


def _path(url: str) -> str:
    """Return the path of a server address, also where its host is a variable."""
    return urlsplit(url.replace("{", "").replace("}", "")).path.rstrip("/") or "/"


def _variables(url: str, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    before, after = as_mapping(old.get("variables")), as_mapping(new.get("variables"))
    for name in sorted(before.keys() & after.keys()):
        was, now = as_mapping(before[name]), as_mapping(after[name])
        here = f"in the variable {name} of {url}"
        if was.get("default") != now.get("default"):
            phrase = f"have the default {now.get('default')} {here}, not {was.get('default')}"
            yield spot.report("variable-default-changed", Severity.WARNING, phrase)
        allowed = [set(map(str, as_list(variable.get("enum")))) for variable in (was, now)]
        if allowed[1] and not allowed[0]:
            phrase = f"allow only {', '.join(sorted(allowed[1]))} {here}"
            yield spot.report("variable-values-set", Effect.NARROWS, phrase)
        elif allowed[0] and not allowed[1]:
            phrase = f"allow any value {here}"
            yield spot.report("variable-values-removed", Effect.WIDENS, phrase)
        else:
            for value in sorted(allowed[0] - allowed[1]):
                phrase = f"no longer allow {value} {here}"
                yield spot.report("variable-value-removed", Effect.NARROWS, phrase)
            for value in sorted(allowed[1] - allowed[0]):
                yield spot.report("variable-value-added", Effect.WIDENS, f"allow {value} {here}")
