"""Which requests are answered now: their prices, the allowances of who sends them, and the queue.

One layer in front of the API, pages, forms, feeds, files and tools (docs/decisions/0199).
"""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Final

import structlog
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from handlers.context import Network
from handlers.http.allowances import UNITS, Allowances, minutes, quota_headers
from handlers.http.answer_headers import ANSWER_HEADERS
from handlers.http.auth import SESSION_COOKIES, keys_sent
from handlers.http.client_ip import client_bucket
from handlers.http.cookies import cookies_sent
from handlers.http.lanes import CROWD, Crowded, Lanes
from handlers.http.prices import COSTLY, FREE, price_of
from handlers.http.refusals import RateLimited
from handlers.http.sender import Sender, current_sender
from storage.engine.database import Database
from storage.people.throttle import Limit, add_hits, drop_closed_windows

log = structlog.get_logger(__name__)

PAUSE: Final = timedelta(milliseconds=100)
"""How long a 429 is held back."""
TOGETHER: Final = 5
"""429s of one client within a second that are held back that long; each further one longer."""
REFUSALS: Final = 100
"""Refusals of one client within a second from which on it is slowed down as well."""
SLOWER_S: Final = 0.02
WAITING: Final = 16
"""Requests of one client that wait for something new, more than may be held open of an account."""
REMEMBERED: Final = 10_000
"""Credentials whose account is remembered."""
SOON: Final = timedelta(seconds=1)
DOWNLOADS: Final = "/bulk"
EVENTS: Final = "/mcp"
"""Where a GET is held open for events of the server (Model Context Protocol, Streamable HTTP)."""
PRIVATE_FEEDS: Final = "/private/"


def limits_of(units: int) -> dict[str, Limit]:
    """Return the allowances by what they are for."""
    return {
        "key": minutes(units),
        "account": minutes(2 * units),
        "address": minutes(units),
        "anonymous": minutes(4 * units),
    }


class Admission:
    """Admits requests. ``shared``: the database over which several servers count together.

    ``bases`` are the paths that the versions of the API are at.
    """

    def __init__(
        self,
        *,
        now: Callable[[], datetime],
        bases: Sequence[str],
        trusted_proxies: Sequence[Network] = (),
        units: int = UNITS,
        shared: Database | None = None,
        lanes: Lanes | None = None,
        pause: timedelta = PAUSE,
    ) -> None:
        self._now = now
        self._bases = tuple(f"{base}/" for base in bases)
        self._trusted = trusted_proxies
        self._limits = limits_of(units)
        self._shared = shared
        self._pause = pause.total_seconds()
        self._lanes = lanes or Lanes()
        self._waiting = Lanes(width=WAITING, shared=WAITING)
        self._allowances = Allowances()
        self._accounts: OrderedDict[str, int] = OrderedDict()  # by credential
        self._second, self._refused = 0, Counter[str]()
        self._told_at = now()
        self._telling: asyncio.Task[None] | None = None

    def charge(self, scope: Scope) -> Sender:
        """Count a request before anything of it is looked at. Raises RateLimited."""
        price, credential = price_of(scope, self._bases), credential_of(scope)
        account_id = None if credential is None else self._accounts.get(credential)
        if account_id is None:
            client = f"address/{client_bucket(scope, self._trusted)}"
        else:
            client = f"account/{account_id}"
        sender = Sender(client, price, credential, waits=waits(scope))
        current_sender.set(sender)
        if price != FREE:
            headers = self._spend(sender)
            sender.headers = headers if scope["path"].startswith(self._bases) else {}
        return sender

    def _spend(self, sender: Sender) -> Mapping[str, str]:
        """Spend the price of a request; return what its response says of it."""
        now, names = self._now(), [sender.client]
        if sender.client.startswith("account/"):
            names.append(f"key/{sender.credential}")
        elif sender.credential is None:
            names.append("anonymous")
        quotas = {name: self._limits[name.partition("/")[0]] for name in names}
        states = self._allowances.spend(quotas, sender.price, now=now)
        refused = [state for state in states if not state.admitted]
        disclosed = {  # the shared allowance is shown only when it refuses
            name.partition("/")[0]: state
            for name, state in zip(names, states, strict=True)
            if name != "anonymous" or not state.admitted
        }
        headers = quota_headers(disclosed)
        if refused:
            longest = max(state.resets_in for state in refused)
            raise RateLimited(longest, {**ANSWER_HEADERS, **headers})
        return headers

    @asynccontextmanager
    async def place(self, sender: Sender) -> AsyncIterator[None]:
        """Wait for the client's turn; it lasts while the block runs. Raises RateLimited."""
        if sender.price == FREE:
            yield
            return
        lanes = self._waiting if sender.waits else self._lanes
        weight = lanes.width if sender.price >= COSTLY and not sender.waits else 1
        async with self._turn(lanes, sender.client, sender, weight):
            yield

    def large_body(self, sender: Sender) -> AbstractAsyncContextManager[None]:
        """Wait until a large body of the client may be read: one at a time. Raises RateLimited.

        Who sends them queues as somebody else, so that other requests of the client go on during
        an upload, and a crowd of bodies rests.
        """
        return self._turn(self._lanes, f"body/{sender.client}", sender, self._lanes.width)

    @asynccontextmanager
    async def _turn(
        self, lanes: Lanes, client: str, sender: Sender, weight: int
    ) -> AsyncIterator[None]:
        try:
            async with lanes.place(client, weight):
                yield
        except Crowded:
            raise RateLimited(SOON, {**ANSWER_HEADERS, **sender.headers}) from None

    async def pause(self) -> None:
        """Hold the 429 of this request back, so that who sends on and on is answered no faster.

        Over hundreds of connections a client would still get thousands of them, so the tenth within
        a second is held back twice as long, the hundredth twenty times.
        """
        sender = current_sender.get()
        refused = 0 if sender is None else self._refusals_of(sender.client)
        await asyncio.sleep(self._pause * max(1, refused / TOGETHER))

    async def slow_down(self, sender: Sender) -> None:
        """Keep the place of a refused request for a moment if its client gets many.

        Refusals cost so little that one client could make the event loop do nothing else; what is
        refused at once leaves nobody waiting, so they are counted, too.
        """
        if sender.price == FREE:
            return
        refused = self._refusals_of(sender.client)
        if self._lanes.waiting(sender.client) >= CROWD or refused > REFUSALS:
            await asyncio.sleep(SLOWER_S)

    def _refusals_of(self, client: str) -> int:
        """Count a refusal; return how many a client has got within this second."""
        second = int(time.monotonic())
        if second != self._second:
            self._second, self._refused = second, Counter()
        self._refused[client] += 1
        return self._refused[client]

    def settle(self, sender: Sender) -> None:
        """Remember whose credential a request carried, once it is answered."""
        if sender.credential is not None and sender.is_wrong:
            self._accounts.pop(sender.credential, None)
        elif sender.credential is not None and sender.account_id is not None:
            self._accounts[sender.credential] = sender.account_id
            self._accounts.move_to_end(sender.credential)
            if len(self._accounts) > REMEMBERED:
                self._accounts.popitem(last=False)
        if self._shared is not None and self._now() - self._told_at >= SOON:
            self._told_at = self._now()
            self._telling = asyncio.create_task(run_in_threadpool(self.tell, self._shared))

    def tell(self, database: Database) -> None:
        """Add what busy clients spend to the counts of all servers; others never reach a limit."""
        now = self._now()
        unreported = self._allowances.unreported(self._limits, now=now)
        if not unreported:
            return
        try:
            with database.write() as session:
                drop_closed_windows(session, now=now)
                for name, units in sorted(unreported.items()):
                    limit = self._limits[name.partition("/")[0]]
                    spent, closes_at = add_hits(session, f"units/{name}", units, limit, now=now)
                    self._allowances.learn(name, spent, closes_at, added=units)
        except SQLAlchemyError as error:
            log.warning("allowances not shared", reason=str(error).splitlines()[0])


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


def waits(scope: Scope) -> bool:
    """Tell whether a request takes long without work: a download, or one that waits for events."""
    if scope["path"].startswith(DOWNLOADS):
        return True
    is_held = scope["path"] == EVENTS or b"wait=" in scope.get("query_string", b"")
    return is_held and scope["method"] == "GET"
