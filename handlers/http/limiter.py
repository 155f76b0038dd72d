"""How much a client may ask: cost units a minute, and requests at a time (docs/decisions/0199)."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from hashlib import blake2b
from math import ceil
from typing import Final
from weakref import WeakValueDictionary

from limits import RateLimitItemPerMinute
from limits.strategies import FixedWindowRateLimiter
from starlette.types import Scope

from handlers.context import Network
from handlers.http.auth import SESSION_COOKIES, keys_sent
from handlers.http.client_ip import client_bucket
from handlers.http.cookies import cookies_sent
from handlers.http.one_thread import ANSWER_HEADERS
from handlers.http.refusals import RateLimited
from handlers.http.sender import Client, Sender, current_sender
from handlers.http.windows import Windows
from handlers.majors import Major
from openapi.contract import operations_of
from storage.people.throttle import UNITS

MOST: Final = 64
"""Requests of one client that are in hand at a time, those included that wait."""
OUTSIDE: Final = 3
"""What everything outside of the contract costs, but for FREE."""
FREE: Final = ("/static/", "/healthz", "/readyz")
"""How the paths begin that cost nothing."""
PRIVATE_FEEDS: Final = "/private/"
REMEMBERED: Final = 10_000
"""Credentials whose account is remembered."""
SOON: Final = timedelta(seconds=1)


def costs_of(majors: Iterable[Major]) -> dict[tuple[str, str], int]:
    """Return the costs of all operations by method and path."""
    return {
        (operation.method, major.base_path + operation.path): operation.cost
        for major in majors
        for operation in operations_of(major.contract)
    }


class Limiter:
    """Counts what clients spend, in this process. ``units``: what a key or an address may."""

    def __init__(
        self,
        costs: Mapping[tuple[str, str], int],
        *,
        trusted_proxies: Sequence[Network] = (),
        units: int = UNITS,
    ) -> None:
        self._costs = costs
        self._trusted = trusted_proxies
        one, two = RateLimitItemPerMinute(units), RateLimitItemPerMinute(2 * units)
        self._limits = {"key": one, "account": two, "address": one}
        self._windows = FixedWindowRateLimiter(Windows())
        self._accounts: OrderedDict[str, int] = OrderedDict()  # by credential
        self._clients: WeakValueDictionary[str, Client] = WeakValueDictionary()

    @contextmanager
    def request(self, scope: Scope) -> Iterator[Sender]:
        """Count a request, also among those in hand while the block runs. Raises RateLimited."""
        sender = self._sender(scope)
        current_sender.set(sender)
        if scope["path"].startswith(FREE):
            yield sender
            return
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        cost = self._costs.get((method, scope["path"]))
        headers = self._spend(sender, OUTSIDE if cost is None else cost)
        sender.headers = {} if cost is None else headers
        client = self._clients.setdefault(sender.name, Client())
        if client.requests >= MOST:
            raise RateLimited(SOON, {**ANSWER_HEADERS, **headers})
        sender.client = client
        client.requests += 1
        try:
            yield sender
        finally:
            sender.leave_place()
            client.requests -= 1
            self._remember(sender)

    def _sender(self, scope: Scope) -> Sender:
        """Return who pays: the account of a credential that was valid before, else an address."""
        credential = credential_of(scope)
        account_id = None if credential is None else self._accounts.get(credential)
        if account_id is None:
            return Sender(f"address/{client_bucket(scope, self._trusted)}", credential)
        return Sender(f"account/{account_id}", credential)

    def _spend(self, sender: Sender, cost: int) -> dict[str, str]:
        names = [sender.name]
        if sender.name.startswith("account/"):
            names.append(f"key/{sender.credential}")
        policy, left, waits = [], [], []
        for name in names:
            kind = name.partition("/")[0]
            limit = self._limits[kind]
            is_admitted = self._windows.hit(limit, name, cost=cost)
            window = self._windows.get_window_stats(limit, name)
            seconds = max(1, ceil(window.reset_time - time.time()))
            policy.append(f'"{kind}";q={limit.amount};w=60')
            left.append(f'"{kind}";r={max(0, window.remaining)};t={seconds}')
            waits += [] if is_admitted else [seconds]
        headers = {"RateLimit-Policy": ", ".join(policy), "RateLimit": ", ".join(left)}
        if waits:
            raise RateLimited(timedelta(seconds=max(waits)), {**ANSWER_HEADERS, **headers})
        return headers

    def _remember(self, sender: Sender) -> None:
        """Remember whose credential a request carried."""
        if sender.credential is not None and sender.is_wrong:
            self._accounts.pop(sender.credential, None)
        elif sender.credential is not None and sender.account_id is not None:
            self._accounts[sender.credential] = sender.account_id
            self._accounts.move_to_end(sender.credential)
            if len(self._accounts) > REMEMBERED:
                self._accounts.popitem(last=False)


def credential_of(scope: Scope) -> str | None:
    """Return an identifier of a request's key, session or private address; it is no secret."""
    headers = scope["headers"]
    secret = next(iter(keys_sent(headers)), None)
    if secret is None and any(name == b"cookie" for name, _ in headers):
        cookies = cookies_sent(headers)
        secret = next((cookies[name] for name in SESSION_COOKIES if cookies.get(name)), None)
    if secret is None and scope["path"].startswith(PRIVATE_FEEDS):
        secret = scope["path"].removeprefix(PRIVATE_FEEDS).partition("/")[0]
    return blake2b(secret.encode(), digest_size=12).hexdigest() if secret else None
