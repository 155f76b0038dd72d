"""The operations that a run saw, and those with content: no content, no check."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from conformance.http_messages import Response

SAMPLE, CATALOG = "GET /sources without a key", "GET /sources with a key"
RSS = "GET {site_url}/rss/updates.xml"
REQUEST = "POST /sources/request"
_SPECIFIED = (SAMPLE, CATALOG, "GET /entries", "GET /diffs", "GET /important", "GET /latest", RSS)
_MANAGING = "GET /webhooks"
_CREDENTIALS = {"authorization", "x-api-key", "cookie"}


class Evidence:
    """Hears every response of a run and remembers which operations showed content."""

    def __init__(self, api: str, site: str) -> None:
        """`api` is the address that operations begin with, `site` that of the RSS feed."""
        self._api = api
        self._rss = f"{urlsplit(site).path.rstrip('/')}/rss/updates.xml"
        self._seen: set[str] = set()
        self._statuses: dict[str, Counter[int]] = defaultdict(Counter)

    def hear(self, response: Response) -> None:
        """Note what a response says of its operation."""
        operation = self._operation(response)
        self._statuses[operation][response.status] += 1
        if 200 <= response.status < 300 and _has_content(response):
            self._seen.add(operation)

    def dump(self) -> str:
        """Return what was heard, for another process to merge."""
        return json.dumps([sorted(self._seen), self._statuses])

    def merge(self, dumped: str) -> None:
        """Add what another process heard."""
        seen, statuses = json.loads(dumped)
        self._seen.update(seen)
        for operation, counts in statuses.items():
            self._statuses[operation].update({int(code): n for code, n in counts.items()})

    @property
    def requests(self) -> int:
        """How many requests were answered."""
        return sum(counts.total() for counts in self._statuses.values())

    def unseen(
        self, contract: Mapping[str, Any], *, additions: bool, writes: bool
    ) -> Iterator[str]:
        """Yield each operation whose content was never seen, with the reason.

        `additions`: also the operations of the contract that the specification does not know.
        """
        operations = [*_SPECIFIED, *([REQUEST] if writes else [])]
        if additions:
            reads = [f"GET {path}" for path, item in contract["paths"].items() if "get" in item]
            operations += [name for name in reads if name not in (*_SPECIFIED, "GET /sources")]
        for operation in operations:
            if operation not in self._seen and not self._is_of_an_account(operation):
                yield f"{operation}: {self._reason(operation)}"

    def _is_of_an_account(self, operation: str) -> bool:
        """Return whether an operation reads what is an account's, and no caller has any."""
        refused = self._statuses[operation].keys() <= {400, 401, 403, 404, 429}
        return operation.startswith(_MANAGING) and refused

    def _operation(self, response: Response) -> str:
        request = response.request
        address = request.url.partition("?")[0]
        if not address.startswith(self._api):
            path = urlsplit(address).path
            return RSS if path == self._rss else f"{request.method} {path}"
        operation = f"{request.method} {address.removeprefix(self._api)}"
        if operation != "GET /sources":
            return operation
        keyed = _CREDENTIALS & {name.lower() for name in request.headers}
        return CATALOG if keyed and response.field("sample") is not True else SAMPLE

    def _reason(self, operation: str) -> str:
        statuses = self._statuses[operation]
        if not statuses:
            return "nobody in this run could ask for it"
        if any(200 <= status < 300 for status in statuses):
            return "every response was empty"
        shown = ", ".join(str(status) for status, _ in statuses.most_common(3))
        return f"every request was refused ({shown})"


def _has_content(response: Response) -> bool:
    """Return whether a body holds anything: an item where there is a list of them."""
    if "json" not in response.headers.get("content-type", ""):
        return b"<item" in response.body if b"<channel" in response.body else bool(response.body)
    body = response.json
    if not isinstance(body, dict):
        return bool(body)
    lists = [value for value in body.values() if isinstance(value, list)]
    return any(lists) if lists else bool(body)
