"""Who notices what a service takes, tells and forgets, while something is done to it."""

import time
from collections import Counter
from pathlib import Path

import httpx2
import orjson

from client import Client
from client.errors import ChangewireError


class Asker:
    """Asks for sources one after the other, each from another address; keeps what was taken."""

    def __init__(self, site: str) -> None:
        self.taken: list[tuple[float, str]] = []
        self.others: Counter[str] = Counter()
        self._site = site
        self._number = 0

    def again(self) -> None:
        """Ask for one more."""
        self._number += 1
        number, asked_at = self._number, time.monotonic()
        try:
            answer = httpx2.post(
                f"{self._site}/api/v1/sources/request",
                json={"url": f"https://new{number}.example/changelog"},
                headers={"X-Forwarded-For": f"203.0.{number // 250}.{number % 250}"},
                timeout=10,
            )
        except httpx2.HTTPError as error:
            self.others[type(error).__name__] += 1
            return
        if answer.status_code == 201:
            self.taken.append((asked_at, answer.json()["id"]))
        else:
            self.others[str(answer.status_code)] += 1
            time.sleep(0.02)

    def took_since(self, at: float) -> bool:
        """Tell whether a request was taken that was sent after a time."""
        return bool(self.taken) and self.taken[-1][0] > at


class Follower:
    """Follows every source over the API; keeps what it was told, in its order."""

    def __init__(self, site: str, key: str, slugs: list[str]) -> None:
        self.told: list[tuple[str, str]] = []
        self._client = Client(site, api_key=key)
        self._slugs = slugs
        self._cursor = "start"

    def again(self) -> None:
        """Ask what is new."""
        try:
            for news in self._client.follow(self._slugs, self._cursor):
                self.told += [(each["source"], each["id"]) for each in news.entries]
                self._cursor = news.cursor
        except ChangewireError:
            pass  # that is what the cursor is for
        time.sleep(0.2)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class Log:
    """What a worker says of its looks."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def size(self) -> int:
        """Return how much it has said."""
        return self._file.stat().st_size if self._file.exists() else 0

    def looks(self, since: int = 0) -> Counter[str]:
        """Return how many new entries it says to have stored, by source."""
        found: Counter[str] = Counter()
        with self._file.open("rb") as said:
            said.seek(since)
            for line in said:
                event = orjson.loads(line) if line[:1] == b"{" and line[-1:] == b"\n" else {}
                if event.get("event") == "checked":
                    found[event["slug"]] += event["new"]
        return found
