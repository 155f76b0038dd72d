"""Clients and logs that record what a service accepted and sent while it is disturbed."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event

import httpx2
import orjson

from client import Client
from client.errors import ChangewireError
from ingest.workers.common import in_background


@contextmanager
def again_and_again(*actions: Callable[[], None]) -> Iterator[None]:
    """Repeat the actions, each in a thread, until the block ends."""
    stop = Event()

    def repeat(action: Callable[[], None]) -> None:
        while not stop.is_set():
            action()

    work = {f"again-{place}": partial(repeat, action) for place, action in enumerate(actions)}
    with in_background(stop, **work):
        yield


class Asker:
    """Requests sources, each from another address; records the accepted requests."""

    def __init__(self, site: str) -> None:
        self.accepted: list[tuple[float, str]] = []
        self.failures: Counter[str] = Counter()
        self._site = site
        self._number = 0

    def again(self) -> None:
        """Request one more source."""
        self._number += 1
        number, sent_at = self._number, time.monotonic()
        try:
            response = httpx2.post(
                f"{self._site}/api/v1/sources/request",
                json={"url": f"https://new{number}.example/changelog"},
                headers={"X-Forwarded-For": f"203.0.{number // 250}.{number % 250}"},
                timeout=10,
            )
        except httpx2.HTTPError as error:
            self.failures[type(error).__name__] += 1
            return
        if response.status_code == 201:
            self.accepted.append((sent_at, response.json()["id"]))
        else:
            self.failures[str(response.status_code)] += 1
            time.sleep(0.02)

    def accepted_since(self, at: float) -> bool:
        """Tell whether a request sent after a time was accepted."""
        return bool(self.accepted) and self.accepted[-1][0] > at


class Follower:
    """Follows every source over the API; records its entries in their order."""

    def __init__(self, site: str, key: str, slugs: list[str]) -> None:
        self.entries: list[tuple[str, str]] = []
        self._client = Client(site, api_key=key)
        self._slugs = slugs
        self._cursor: str | None = None

    def again(self) -> None:
        """Fetch the new entries."""
        try:
            for page in self._client.follow(self._slugs, self._cursor):
                self.entries += [(entry["source"], entry["id"]) for entry in page.entries]
                self._cursor = page.cursor
        except ChangewireError:
            pass  # the next call goes on at the cursor
        time.sleep(0.2)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class Log:
    """The log of a worker."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def size(self) -> int:
        """Return its size in bytes."""
        return self.file.stat().st_size if self.file.exists() else 0

    def new_entries(self, since: int = 0) -> Counter[str]:
        """Return the number of new entries in the log, by source."""
        counts: Counter[str] = Counter()
        with self.file.open("rb") as file:
            file.seek(since)
            for line in file:
                event = orjson.loads(line) if line[:1] == b"{" and line[-1:] == b"\n" else {}
                if event.get("event") == "checked":
                    counts[event["slug"]] += event["new"]
        return counts
