"""How much a client may ask: cost units a minute, and requests at a time (docs/decisions/0199)."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import timedelta
from math import ceil
from typing import Final
from weakref import WeakValueDictionary

from limits import RateLimitItemPerMinute
from limits.storage import Storage
from starlette.types import Scope

from handlers.context import Network
from handlers.http.client_ip import client_bucket
from handlers.http.refusals import ANSWER_HEADERS, RateLimited
from handlers.majors import Major
from openapi.contract import UNITS, operations_of

MOST: Final = 64
"""Requests of one client that are in hand at a time, those included that wait."""
OUTSIDE: Final = 3
"""What everything outside of the contract costs, but for FREE."""
FREE: Final = ("/static/", "/healthz", "/readyz")
"""How the paths begin that cost nothing."""
REMEMBERED: Final = 10_000
"""Credentials whose account is remembered."""
SOON: Final = timedelta(seconds=1)
APART_SECONDS: Final = 0.004
"""Between two requests of a client while others of it wait, and after one that was refused."""
LONGEST_PAUSE_SECONDS: Final = 0.1
SWEEP_SECONDS: Final = 10.0
"""Between two times that windows which have ended are dropped."""


@dataclass(slots=True, weakref_slot=True)
class Client:
    """The requests of a client that are in hand, one of which is answered at a time."""

    requests: int = 0
    place: asyncio.Lock = field(default_factory=asyncio.Lock)

    def free_place(self) -> None:
        """Let the next request be answered.

        The limiter holds clients weakly: whoever will call this keeps the client until then.
        """
        self.place.release()


@dataclass(slots=True)
class Sender:
    """The sender of a request.

    ``account_id`` is known once its credential was found to be valid, ``is_wrong`` that it is not.
    ``headers`` go out with the response.
    """

    name: str
    credential: str | None = None
    account_id: int | None = None
    is_wrong: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    client: Client | None = None
    began: float | None = None

    async def take_place(self) -> None:
        """Wait until the request may be answered."""
        if self.client is not None:
            await self.client.place.acquire()
            self.began = asyncio.get_running_loop().time()

    def leave_place(self, status: int = 200) -> None:
        """Let another request of the client be answered.

        While others of it wait, and after a refusal, it pauses for as long as this one took: a
        client that floods uses half of the time.
        """
        if self.client is None or self.began is None:
            return
        loop = asyncio.get_running_loop()
        took, self.began = loop.time() - self.began, None
        if self.client.requests > 1 or status >= 400:
            pause = min(max(took, APART_SECONDS - took), LONGEST_PAUSE_SECONDS)
            loop.call_later(pause, self.client.free_place)
        else:
            self.client.place.release()


current_sender: Final[ContextVar[Sender | None]] = ContextVar("changewire_sender", default=None)


def note_account(account_id: int) -> None:
    """Remember the account of the current request's credential."""
    if (sender := current_sender.get()) is not None:
        sender.account_id = account_id


def note_wrong_credential() -> None:
    """Remember that the current request's credential is not valid."""
    if (sender := current_sender.get()) is not None:
        sender.is_wrong = True


def leave_place() -> None:
    """Let another request of the client be answered while this one waits for something new."""
    if (sender := current_sender.get()) is not None:
        sender.leave_place()


class Windows(Storage):
    """Counts by key in memory, each until its window ends. For one thread: the event loop.

    The library's own memory storage starts a thread that looks at all windows up to a hundred times
    a second: with 100,000 addresses, half of a processor.
    """

    STORAGE_SCHEME = None
    base_exceptions = ValueError

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[str, tuple[int, float]] = {}
        self._sweep_at = 0.0

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Add to a count, which begins anew where its window has ended; return it."""
        now = time.time()
        if now >= self._sweep_at:
            self._sweep_at = now + SWEEP_SECONDS
            self._counts = {name: own for name, own in self._counts.items() if own[1] > now}
        count, end = self._counts.get(key, (0, 0.0))
        if end <= now:
            count, end = 0, now + expiry
        self._counts[key] = count + amount, end
        return count + amount

    def get(self, key: str) -> int:
        """Return the count of a window, 0 where it has ended."""
        count, end = self._counts.get(key, (0, 0.0))
        return count if end > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """Return when a window ends, as seconds since the epoch."""
        return self._counts.get(key, (0, time.time()))[1]

    def check(self) -> bool:
        """Return True: memory is always there."""
        return True

    def reset(self) -> int:
        """Forget all windows; return how many there were."""
        count = len(self._counts)
        self._counts.clear()
        return count

    def clear(self, key: str) -> None:
        """Forget a window."""
        self._counts.pop(key, None)


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
        self._costs, self._trusted = costs, trusted_proxies
        one, two = RateLimitItemPerMinute(units), RateLimitItemPerMinute(2 * units)
        self._limits = {"key": one, "account": two, "address": one}
        self._windows = Windows()
        self._accounts: OrderedDict[str, int] = OrderedDict()  # by credential
        self._clients: WeakValueDictionary[str, Client] = WeakValueDictionary()

    @contextmanager
    def request(self, scope: Scope, credential: str | None = None) -> Iterator[Sender]:
        """Count a request, also among those in hand while the block runs. Raises RateLimited.

        ``credential`` identifies the key, session or private address that it carries.
        """
        # who pays: the account of a credential that was valid before, else an address
        account_id = None if credential is None else self._accounts.get(credential)
        name = f"account/{account_id}"
        if account_id is None:
            name = f"address/{client_bucket(scope, self._trusted)}"
        sender = Sender(name, credential)
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

    def _spend(self, sender: Sender, cost: int) -> dict[str, str]:
        names = [sender.name]
        if sender.name.startswith("account/"):
            names.append(f"key/{sender.credential}")
        policy, left, waits = [], [], []
        for name in names:
            limit = self._limits[kind := name.partition("/")[0]]
            key = limit.key_for(name)
            count = self._windows.incr(key, limit.get_expiry(), cost)
            seconds = max(1, ceil(self._windows.get_expiry(key) - time.time()))
            policy.append(f'"{kind}";q={limit.amount};w=60')
            left.append(f'"{kind}";r={max(0, limit.amount - count)};t={seconds}')
            waits += [] if count <= limit.amount else [seconds]
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
