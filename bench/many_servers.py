"""Several servers as one: revocation, limits, sessions, restarts, slow clients.

    python bench/many_servers.py [--restarts 20] [--slow 200] [--seconds 60]

Starts servers as an operator does, over one database, and clients in this process. Exit 1 where
a key that was revoked is accepted a second later by any server, a rate limit counts wrong over
several of them, what one server gave another does not know, a request that was accepted is not
answered while servers are restarted, a stop takes ten seconds, or slow clients slow the others
down by more than twice.
"""

import asyncio
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
from command_line import parser_of
from specimen.rows import SLUGS
from specimen.serving import CHANGEWIRE, free_port, listening
from specimen.site import Site, make_site, the_time
from specimen.slow_clients import slow_clients

from openapi.vocabulary import Plan, Scope
from storage.engine.database import open_database
from storage.people.accounts import add_account, find_account
from storage.people.keys import add_key, find_key
from storage.people.sessions import add_session

RATE = 50
"""Requests a second, evenly."""


@contextmanager
def server(site: Site, port: int, *, workers: int = 1) -> Iterator[str]:
    """``changewire serve`` over the site's database."""
    environment = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{site.file}",
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_SITE_URL": "http://127.0.0.1",
        "CHANGEWIRE_LOG_LEVEL": "error",
    }
    command = [*CHANGEWIRE, "serve", "--port", str(port)]
    command += ["--workers", str(workers)]
    log = site.file.with_name(f"server-{port}-{time.monotonic_ns()}.log")
    with listening(command, port, "/healthz", log, environment) as url:
        yield url


def revoked_everywhere(site: Site, urls: list[str]) -> list[str]:
    """Revoke keys; every server has to refuse each of them within a second."""
    database = open_database(f"sqlite:///{site.file}")
    slowest, faults = 0.0, []
    for number in range(20):
        with database.write() as session:
            account = add_account(session, f"r{number}@acme.example", now=the_time(), plan=Plan.ALL)
            key, text = add_key(session, account, name="r", scopes=list(Scope), now=the_time())
            public_id = key.public_id
        faults += [f"{url} refuses a new key" for url in urls if entries(url, text) != 200]
        with database.write() as session:
            found = find_key(session, public_id)
            assert found is not None
            found.revoked_at = the_time()
        begun = time.monotonic()
        for url in urls:
            while entries(url, text) != 401 and time.monotonic() - begun < 5:
                time.sleep(0.01)
        slowest = max(slowest, time.monotonic() - begun)
    database.close()
    print(f"20 keys revoked: refused by {len(urls)} servers after {slowest * 1000:.0f} ms at most")
    return [*faults, *(["a revoked key lived for a second"] if slowest >= 1 else [])]


def entries(url: str, key: str) -> int:
    """Ask for a page of entries; return the status."""
    answer = httpx2.get(
        f"{url}/api/v1/entries", params={"sources": SLUGS[0]}, headers={"X-Api-Key": key}
    )
    return answer.status_code


def limit_is_exact(urls: list[str]) -> list[str]:
    """Ask for sources from one address over all servers at once: five are taken."""

    def ask(number: int) -> int:
        url = urls[number % len(urls)]
        body = {"url": f"https://new{number}.example/changelog"}
        return httpx2.post(f"{url}/api/v1/sources/request", json=body, timeout=30).status_code

    with ThreadPoolExecutor(16) as pool:
        statuses = Counter(pool.map(ask, range(64)))
    print(f"64 wishes at once over {len(urls)} servers: {dict(statuses)}")
    return [] if statuses == {201: 5, 429: 59} else [f"the limit counted wrong: {statuses}"]


def known_to_all(site: Site, urls: list[str]) -> list[str]:
    """What one server gave, an ETag or a session, the others know."""
    faults = []
    for path in ("/api/v1/latest", "/rss/updates.xml", "/api/v1/sources"):
        etag = httpx2.get(urls[0] + path).headers["ETag"]
        faults += [
            f"{url}{path} does not know an ETag"
            for url in urls
            if httpx2.get(url + path, headers={"If-None-Match": etag}).status_code != 304
        ]
    database = open_database(f"sqlite:///{site.file}")
    with database.write() as session:
        account = find_account(session, "all@acme.example")
        assert account is not None
        cookie = add_session(session, account, now=the_time())
    database.close()
    signed_in = {"Cookie": f"session={cookie}"}
    faults += [
        f"{url} does not know a session"
        for url in urls
        if httpx2.get(f"{url}/app/api-keys", headers=signed_in).status_code != 200
    ]
    print(faults or "ETags and sessions of one server are known to all")
    return faults


async def asked(
    url: str, seconds: float, rate: int = RATE, stop: threading.Event | None = None
) -> tuple[list[float], Counter[str]]:
    """Ask evenly, each time with a new connection; return the times taken and the outcomes.

    ``refused`` is a connection that nobody took; a request that was taken has an answer, or is
    ``lost``.
    """
    times: list[float] = []
    outcomes: Counter[str] = Counter()

    async def once() -> None:
        begun = time.perf_counter()
        outcomes[await _outcome(url)] += 1
        times.append(time.perf_counter() - begun)

    begun = time.monotonic()
    running = []
    number = 0
    while time.monotonic() - begun < seconds and not (stop and stop.is_set()):
        running.append(asyncio.create_task(once()))
        number += 1
        await asyncio.sleep(max(0.0, begun + number / rate - time.monotonic()))
    await asyncio.gather(*running)
    return times, outcomes


async def _outcome(url: str) -> str:
    host, _, port = url.removeprefix("http://").partition(":")
    try:
        reader, writer = await asyncio.open_connection(host, int(port))
    except OSError:
        return "refused"
    try:
        request = (
            f"GET /api/v1/latest?limit=10 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        writer.write(request.encode())
        async with asyncio.timeout(30):
            answer = await reader.read()
    except (OSError, TimeoutError):
        return "lost"
    finally:
        writer.close()
    head = answer.partition(b"\r\n")[0]
    return head.decode().partition(" ")[2] or "lost"


def restarted(site: Site, times: int) -> list[str]:
    """Stop the server and start it again, under an even load.

    While there is none, nobody takes a connection; what was taken has to be answered.
    """
    port = free_port()
    took = []
    with under_load(port) as load:
        for _ in range(times):
            with server(site, port):
                time.sleep(1)
                begun = time.monotonic()
            took.append(time.monotonic() - begun)
    print(f"{times} restarts: {dict(load)}; a stop took {max(took):.1f} s at most")
    return failures(load, fine={"200 OK", "refused"})


@contextmanager
def under_load(port: int) -> Iterator[Counter[str]]:
    """Ask evenly until the block ends; gives what came of it, complete when it has ended."""
    stop = threading.Event()
    outcomes: Counter[str] = Counter()
    with ThreadPoolExecutor(1) as pool:
        load = pool.submit(asyncio.run, asked(f"http://127.0.0.1:{port}", 3600, stop=stop))
        try:
            yield outcomes
        finally:
            stop.set()
            outcomes.update(load.result()[1])


def failures(outcomes: Counter[str], *, fine: set[str]) -> list[str]:
    """Say what must not have come of a request."""
    failed = {name: count for name, count in outcomes.items() if name not in fine}
    return [f"requests failed: {failed}"] if failed else []


def stopped_with_open_clients(site: Site) -> list[str]:
    """Stop while clients have sent half a request."""
    port = free_port()
    with server(site, port):
        halves = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
        for number, connection in enumerate(halves):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x" if number % 2 else b"GET / HTT")
        begun = time.monotonic()
    took = time.monotonic() - begun
    for connection in halves:
        connection.close()
    print(f"stopped with 50 half-open clients in {took:.1f} s")
    return ["a stop took ten seconds"] if took >= 10 else []


def undisturbed(site: Site, slow: int, seconds: float) -> list[str]:
    """Compare the times of honest clients without slow ones, before and after, and beside them."""
    port = free_port()
    with server(site, port) as url:
        asyncio.run(asked(url, 5))
        alone, _ = asyncio.run(asked(url, seconds / 2))
        with slow_clients(port, slow):
            time.sleep(2)
            beside, outcomes = asyncio.run(asked(url, seconds))
        again, _ = asyncio.run(asked(url, seconds / 2))
    before, after = p99([*alone, *again]), p99(beside)
    print(
        f"p99 {before * 1000:.0f} ms alone, {after * 1000:.0f} ms beside {slow} slow clients "
        f"({after / before:.2f} x); {dict(outcomes)}"
    )
    return ["slow clients slow the others down"] if after > 2 * before else []


def p99(times: list[float]) -> float:
    """The time that 99 of 100 do not exceed."""
    return sorted(times)[int(len(times) * 0.99)]


def main() -> int:
    """Try everything."""
    parser = parser_of(__doc__, restarts=20, slow=200, seconds=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        site = make_site(Path(folder), now=the_time())
        with server(site, free_port()) as one, server(site, free_port(), workers=2) as two:
            faults = revoked_everywhere(site, [one, two])
            faults += limit_is_exact([one, two])
            faults += known_to_all(site, [one, two])
        faults += restarted(site, options.restarts)
        faults += stopped_with_open_clients(site)
        faults += undisturbed(site, options.slow, options.seconds)
    print("\n".join(faults) or "no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
