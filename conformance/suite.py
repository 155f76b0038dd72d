"""One run of the suite: the site, its contract, the callers, and what was seen of it."""

import os
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlsplit

import httpx2
import yaml

from conformance.callers import Caller, find_callers, limited_key
from conformance.evidence import Evidence
from conformance.http_messages import Response, redacted
from conformance.probe import Probe
from conformance.rules import Watch
from conformance.site import TIMEOUT_SECONDS, Site, Unusable, document_of
from contract_diff.document import as_mapping
from contract_diff.readable import reasons_against
from contract_diff.servers import servers_of

WAIT_SECONDS = 5.0
"""How long a site that is just starting is waited for."""
_API = "/api/v"
_WORKERS = "PYTEST_XDIST_WORKER_COUNT"
_KNOWN = "/sources/request"
"""A path that every contract has (specification 4.3)."""


class Suite:
    """A site under test, with what the checks of one process share."""

    current: ClassVar["Suite | None"] = None
    """The suite of this process: Schemathesis makes tests of its contract as they are imported."""

    def __init__(self, option: Namespace, callers: Sequence[Caller] = ()) -> None:
        """Open a site with the options of pytest; without `callers` find out what each key may do.

        Raises Unusable if a run would prove nothing.
        """
        self.option = option
        limited = tuple(map(limited_key, option.limited_key))
        self._secrets = (
            *option.api_key, *option.dead_key, *(key for key, *_ in limited),
            option.session.partition("=")[2],
        )  # fmt: skip
        self.site = _opened_site(option)
        served = _served_contract(self.site, needed=option.contract is None)
        self.contract = _expected_contract(option, served)
        self.site.base_path = base_path(self.contract)
        api = self.site.url(self.site.base_path)
        self.evidence = Evidence(api, self.site.address)
        self.site.listener = self.evidence.hear
        self.callers = tuple(callers) or tuple(find_callers(self.site, option.api_key))
        self.watch = Watch(
            api=api,
            contract=self.contract,
            feed_addresses=option.feed_address,
            only_specification=option.only_specification,
            unnamed_in=relative(served) if option.no_unnamed and served else None,
        )
        self.site.listener = self.hear
        now = datetime.now(UTC)
        self.probes = {
            caller.name: Probe(
                self.site, caller, self.callers, now, self.contract, tuple(option.dead_key),
                option.session, limited, only_specification=option.only_specification,
            )
            for caller in self.callers
        }  # fmt: skip

    def hear(self, response: Response) -> None:
        """Hold a response against the rules for all, and remember what it showed."""
        self.evidence.hear(response)
        self.watch.hear(response)

    def redacted(self, text: str) -> str:
        """Return a text without the keys of the run."""
        return redacted(text, self._secrets)

    def unseen(self) -> Iterator[str]:
        """Yield the operations whose content was never seen, with the reasons."""
        additions, writes = not self.option.only_specification, self.option.allow_writes
        return self.evidence.unseen(self.contract, additions=additions, writes=writes)


def _opened_site(option: Namespace) -> Site:
    """Return the site of the options once it answers. Raises Unusable."""
    address, version = _split(option.site)
    rate = option.rate and option.rate / int(os.environ.get(_WORKERS, 1))
    client = httpx2.Client(timeout=TIMEOUT_SECONDS, trust_env=False)
    site = Site(client, address, rate=rate)
    _wait_for(site)
    if version:
        site.document = document_of(site, version)
    return site


def _split(url: str) -> tuple[str, str]:
    """Return the site's address and the API's path on it, empty where the address has none."""
    site, api, version = url.rstrip("/").rpartition(_API)
    return (site, api + version) if api and version.isdecimal() else (url.rstrip("/"), "")


def _wait_for(site: Site) -> None:
    """Return as soon as the site answers anything; raise Unusable if it does not in time."""
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            site.send("GET", f"{site.document}.json")
        except Unusable:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)
        else:
            return


def _served_contract(site: Site, *, needed: bool) -> Mapping[str, Any]:
    """Return the contract that a site serves; an empty one where none is needed."""
    response = site.send("GET", f"{site.document}.json")
    if isinstance(response.json, dict) and "paths" in response.json:
        return response.json
    if not needed:
        return {}
    received = f"{response.status} {response.headers.get('content-type', '')}".strip()
    raise Unusable(
        f"{response.request.url} is no OpenAPI document but {received}: is this the site's address?"
    )


def _expected_contract(option: Namespace, served: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the contract that responses are held against. Raises Unusable."""
    contract = served
    if option.contract:
        contract = as_mapping(yaml.safe_load(Path(option.contract).read_bytes()))
    for reason in reasons_against(contract)[:1]:
        raise Unusable(f"The contract that responses are held against cannot be used: {reason}")
    return relative(contract)


def relative(contract: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the contract with what all addresses begin with in its servers, not in its paths.

    `/api/v1` may be in either. Paths that do not begin so are no operations of the interface.
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
    if "servers" not in contract:
        return f"/api/v{str(contract.get('info', {}).get('version', 1)).partition('.')[0]}"
    [(url, server), *_] = servers_of(contract).items()
    for name, variable in as_mapping(server.get("variables")).items():
        url = url.replace(f"{{{name}}}", str(as_mapping(variable).get("default", "")))
    return urlsplit(url).path.rstrip("/")
