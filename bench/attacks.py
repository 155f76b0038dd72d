"""Compare a customer's response times alone and beside an attacker, for each of many attacks.

The service runs as an operator starts it, over SQLite with the whole catalog. A customer on the All
plan reads one page after the other, in turns alone and while one free account, or one anonymous
address, repeats a request as fast as it can from a process of its own. A trusted proxy gives both
addresses of their own; slow readers come without it. Printed are the customer's p99 calm and
attacked with their ratio (promised: at most 2 for requests inside the limits), the customer's 429s,
all 5xx, the slowest /healthz, and what the attacker got. Exit status 1 if there was a 5xx.

    python bench/attacks.py [--seconds 1] [--rounds 4] [--connections 32] [--only NAME…]
"""

import argparse
import asyncio
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx2
from common import parser_of, quantile
from specimen.serving import CHANGEWIRE, serve
from specimen.site import Site, make_site

ATTACKER, CUSTOMER = "203.0.113.7", "198.51.100.9"
PROXY, OUTSIDE = "127.0.0.1", "127.0.0.2"
OPML = b'<opml version="2.0"><body>%s</body></opml>'
OUTLINES = b"".join(
    b'<outline type="rss" xmlUrl="https://vendor%d.example/feed"/>' % n for n in range(300)
)
FORM = "application/x-www-form-urlencoded"
SLOW_SOCKETS = 300


@dataclass(frozen=True, slots=True)
class Attack:
    """A request that is repeated. ``who``: nobody, the free key, or the free account's session."""

    name: str
    target: str
    who: str = "nobody"
    method: str = "GET"
    body: bytes = b""
    media_type: str = FORM
    headers: Mapping[str, str] = field(default_factory=dict)


ATTACKS = (
    Attack("empty imports", "/app/sources/import", "session", "POST", OPML % b""),
    Attack("imports", "/app/sources/import", "session", "POST", OPML % OUTLINES),
    Attack("unknown slugs", "/api/v1/entries?sources=acme.comptue", "key"),
    Attack("sources not selected", "/api/v1/entries?sources=acme.s1,acme.s2,acme.s3", "key"),
    Attack("wrong parameters", "/api/v1/latest?limit=0&offset=x&nothing=1"),
    Attack("wrong keys", "/api/v1/sources", headers={"X-Api-Key": "cw_live_wrong"}),
    Attack("unknown paths", "/api/v1/nowhere"),
    Attack("unknown pages", "/nowhere/at/all"),
    Attack("deep pages", "/api/v1/latest?limit=100&offset=1000000"),
    Attack("deep pages of the catalog", "/api/v1/sources?limit=100&offset=6000", "key"),
    Attack("deep pages of the site", "/latest?offset=5000"),
    Attack("exports as CSV", "/api/v1/entries.csv?sources=acme.compute&limit=100", "key"),
    Attack("exports of the contract", "/openapi.json"),
    Attack("sign-ins", "/auth/login", method="POST", body=b"email=ada%40acme.example"),
    Attack("links of nobody", "/auth/confirm?token=x"),
    Attack("forms without a token", "/app/api-keys", "session", "POST", b"name=x"),
    Attack("requests for sources", "/api/v1/sources/request", "nobody", "POST",
           b'{"url": "https://acme.example/feed"}', "application/json"),
    Attack("stacks", "/api/v1/stacks", "key", "POST",
           b'{"components": ["pkg:npm/left-pad@1.0.0"]}', "application/json"),
    Attack("large bodies", "/api/v1/stacks", "key", "POST", b"x" * 500_000, "text/plain"),
    Attack("feeds", "/rss/updates.xml"),
    Attack("feeds of a vendor", "/rss/important.xml?vendor=acme"),
    Attack("calendars", "/deadlines.ics"),
    Attack("searches", "/api/v1/latest?q=depre*%20-removed%20%22end%20of%20life%22"),
    Attack("searches of the site", "/search?q=the%20a%20of"),
    Attack("searches of the catalog", "/api/v1/sources?q=kuberntes", "key"),
    Attack("slow readers", "/openapi.json"),
)  # fmt: skip


def raw(attack: Attack, host: str, secrets: Mapping[str, str]) -> bytes:
    """Return an attack's request as it goes over the wire."""
    body, media_type = attack.body, attack.media_type
    if attack.target.endswith("import"):
        boundary = b"----attack"
        media_type = "multipart/form-data; boundary=----attack"
        body = b"\r\n".join(
            [b"--" + boundary, b'Content-Disposition: form-data; name="csrf_token"', b"",
             secrets["csrf"].encode(), b"--" + boundary,
             b'Content-Disposition: form-data; name="list"; filename="a.opml"',
             b"Content-Type: text/xml", b"", body, b"--" + boundary + b"--", b""]
        )  # fmt: skip
    headers = {"Host": host, "X-Forwarded-For": ATTACKER, **attack.headers}
    if attack.who == "key":
        headers["X-Api-Key"] = secrets["key"]
    if attack.who == "session":
        headers |= {"Cookie": secrets["cookie"], "Origin": f"http://{host}"}
    if body:
        headers |= {"Content-Type": media_type, "Content-Length": str(len(body))}
    head = "".join(f"{name}: {text}\r\n" for name, text in headers.items())
    return f"{attack.method} {attack.target} HTTP/1.1\r\n{head}\r\n".encode() + body


async def flood(request: bytes, port: int, connections: int, seconds: float) -> Counter[str]:
    """Send a request over and over; return the statuses."""
    seen: Counter[str] = Counter()
    ends = time.monotonic() + seconds

    async def one() -> None:
        while time.monotonic() < ends:
            try:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                while time.monotonic() < ends:
                    writer.write(request)
                    head = await reader.readuntil(b"\r\n\r\n")
                    seen[head[9:12].decode()] += 1
                    length = re.search(rb"(?i)content-length: (\d+)", head)
                    if length is None:  # chunked
                        await reader.readuntil(b"0\r\n\r\n")
                    else:
                        await reader.readexactly(int(length[1]))
            except (OSError, EOFError, ValueError):
                seen["closed"] += 1
                await asyncio.sleep(0.01)
            finally:
                writer.close()

    tasks = [asyncio.create_task(one()) for _ in range(connections)]
    await asyncio.wait(tasks, timeout=seconds + 1)
    for task in tasks:
        task.cancel()
    return seen


def never_read(request: bytes, port: int, seconds: float) -> Counter[str]:
    """Ask over hundreds of connections, and read none of them."""
    sockets, ends = [], time.monotonic() + seconds
    for _ in range(SLOW_SOCKETS):
        each = socket.socket()
        each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        each.settimeout(2)
        each.bind((OUTSIDE, 0))
        try:
            each.connect(("127.0.0.1", port))
            each.send(request * 60)
        except OSError:
            break
        sockets.append(each)
    time.sleep(max(0, ends - time.monotonic()))
    for each in sockets:
        each.close()
    return Counter({"open": len(sockets)})


class Customer:
    """Reads one page after the other, with a key of its own."""

    def __init__(self, url: str, key: str) -> None:
        headers = {"X-Api-Key": key, "X-Forwarded-For": CUSTOMER}
        self.client = httpx2.Client(base_url=url, headers=headers, timeout=20, trust_env=False)
        self.times: list[float] = []
        self.health: list[float] = []
        self.seen: Counter[int] = Counter()

    def read(self, seconds: float) -> None:
        """Ask for as long as told."""
        ends, number = time.monotonic() + seconds, 0
        while time.monotonic() < ends:
            target = TARGETS[number % len(TARGETS)]
            number += 1
            began = time.perf_counter()
            status = self.client.get(target).status_code
            took = time.perf_counter() - began
            (self.health if target == "/healthz" else self.times).append(took)
            self.seen[status] += 1
            time.sleep(0.003)

    def p99(self) -> float:
        """Return the ninety-ninth percentile in milliseconds."""
        return 1000 * quantile(self.times, 0.99)


TARGETS = ("/api/v1/entries?sources=acme.compute", "/api/v1/latest", "/healthz")
TARGETS += ("/api/v1/sources?vendor=acme", "/api/v1/important")


def secrets_of(site: Site, url: str) -> dict[str, str]:
    """Return what the free account has: its key, its session and the token of its forms."""
    name, _, token = site.session.partition("=")
    origin = {"Origin": url}
    with httpx2.Client(base_url=url, headers=origin, trust_env=False) as client:
        client.cookies.set(name, token, domain="127.0.0.1")
        page = client.get("/app/api-keys")
        found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page.text)
        csrf = found[1] if found else ""
        cookies = {each.name: each.value for each in client.cookies.jar}
        cookie = "; ".join(f"{name}={text}" for name, text in cookies.items())
    return {"key": site.keys["free"], "cookie": cookie, "csrf": csrf}


def attack_from_outside(options: argparse.Namespace) -> None:
    """Be the attacking process: attack once for each line, say what was seen."""
    attack = next(each for each in ATTACKS if each.name == options.attack)
    request = raw(attack, f"127.0.0.1:{options.port}", json.loads(sys.stdin.readline()))
    for _ in sys.stdin:
        if attack.name == "slow readers":
            seen = never_read(request, options.port, options.seconds)
        else:
            seen = asyncio.run(flood(request, options.port, options.connections, options.seconds))
        print(json.dumps(seen), flush=True)


def attacked(attack: Attack, url: str, site: Site, options: argparse.Namespace) -> bool:
    """Measure one attack; return whether the service withstood it."""
    rounds, seconds = options.rounds, options.seconds
    if attack.name == "slow readers":  # they are ended after some seconds
        rounds, seconds = 1, options.rounds * options.seconds
    command = [sys.executable, __file__, "--attack", attack.name, "--port", url.rpartition(":")[2]]
    command += ["--seconds", str(seconds), "--connections", str(options.connections)]
    calm, customer = (Customer(url, site.keys["all"]) for _ in range(2))
    got: Counter[str] = Counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as one:
        assert one.stdin is not None
        assert one.stdout is not None
        one.stdin.write(json.dumps(secrets_of(site, url)) + "\n")
        for _ in range(rounds):
            calm.read(seconds)
            one.stdin.write("\n")
            one.stdin.flush()
            time.sleep(0.2)
            customer.read(seconds - 0.2)
            got.update(json.loads(one.stdout.readline()))
            time.sleep(0.2)
    failed = sum(count for status, count in customer.seen.items() if status >= 500)
    failed += sum(count for status, count in got.items() if status.startswith("5"))
    before, after = calm.p99(), customer.p99()
    print(
        f"{attack.name:28} {before:7.1f} {after:8.1f} {after / before:6.1f} "
        f"{customer.seen[429]:5} {failed:5} {1000 * max(customer.health):8.0f}  {dict(got)}",
        flush=True,
    )
    return failed == 0


def main() -> int:
    """Run all attacks, each beside a calm time."""
    parser = parser_of(__doc__, seconds=1.0, rounds=4, connections=32)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--attack")
    parser.add_argument("--port", type=int)
    options = parser.parse_args()
    if options.attack:
        attack_from_outside(options)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        site = make_site(Path(folder), now=datetime.now(UTC), large=True)
        program = [*CHANGEWIRE, "catalog", "load"]
        environment = {**os.environ, "CHANGEWIRE_DATABASE_URL": site.url}
        subprocess.run(program, env=environment, check=True, capture_output=True)
        settings = {"CHANGEWIRE_TRUSTED_PROXIES": PROXY, "CHANGEWIRE_OUTBOX": folder}
        print(f"load {os.getloadavg()[0]:.1f}; p99 in ms: calm, attacked, ratio; 429, 5xx, health")
        with serve(site.url, Path(folder), settings) as url:
            Customer(url, site.keys["all"]).read(2)
            chosen = [each for each in ATTACKS if not options.only or each.name in options.only]
            results = [attacked(attack, url, site, options) for attack in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
