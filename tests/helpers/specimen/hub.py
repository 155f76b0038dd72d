"""A WebSub hub on loopback: it verifies and signs as the recommendation says, or does not."""

import hashlib
import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from threading import Lock, Thread
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, urlencode
from urllib.request import Request, urlopen

from specimen.listener import Handler, Listener


@dataclass
class Subscription:
    """What a subscriber asked for."""

    callback: str
    topic: str
    secret: str
    lease: int


@dataclass
class Hub:
    """A hub. ``lease``: seconds that it promises, None for those that it is asked for.

    ``method``: what it signs with. ``answer``: the status of its answers to requests; other than
    202 it does nothing else.
    """

    lease: int | None = None
    method: str = "sha256"
    answer: int = 202
    challenge: str = field(default_factory=lambda: secrets.token_hex(16))
    asked: list[dict[str, str]] = field(default_factory=list)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)
    """The addresses of feeds that a publisher said have changed."""
    refused: list[tuple[int, str]] = field(default_factory=list)
    """Callbacks that did not confirm: their status and their answer."""

    def __post_init__(self) -> None:
        self._lock, self._threads, this = Lock(), [], self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                this.take(parse_qs(self.rfile.read(length).decode()))
                self.respond(this.answer)

        self._listener = Listener(Answering)
        self.url = f"{self._listener.url}/hub"

    def take(self, form: dict[str, list[str]]) -> None:
        """Take a request of a subscriber or a publisher."""
        fields = {name: values[0] for name, values in form.items()}
        with self._lock:
            self.asked.append(fields)
            if self.answer != 202:
                return
            if fields["hub.mode"] == "publish":
                self.told += form["hub.url"]
            else:
                self._threads.append(Thread(target=self._verify, args=(fields,), daemon=True))
                self._threads[-1].start()

    def settled(self) -> None:
        """Wait until every request that was taken is verified."""
        for thread in self._threads:
            thread.join()

    def _verify(self, fields: dict[str, str]) -> None:
        lease = self.lease or int(fields["hub.lease_seconds"])
        intent = {
            "hub.mode": fields["hub.mode"],
            "hub.topic": fields["hub.topic"],
            "hub.challenge": self.challenge,
            "hub.lease_seconds": str(lease),
        }
        callback = fields["hub.callback"]
        status, text = self.tell(callback, intent)
        if (status, text) != (200, self.challenge):
            self.refused.append((status, text))
        elif fields["hub.mode"] == "subscribe":
            secret, topic = fields.get("hub.secret", ""), fields["hub.topic"]
            self.subscriptions[callback] = Subscription(callback, topic, secret, lease)

    def tell(self, callback: str, fields: dict[str, str]) -> tuple[int, str]:
        """Send a callback a GET; return the status and the text of its answer."""
        mark = "&" if "?" in callback else "?"
        return _answer(Request(f"{callback}{mark}{urlencode(fields)}"))

    def push(
        self,
        body: bytes,
        *,
        content_type: str = "application/rss+xml",
        signature: str | None = None,
    ) -> list[int]:
        """Push a document to all subscribers; return what they answered.

        ``signature`` replaces the right one.
        """
        return [
            self.push_to(subscription, body, content_type=content_type, signature=signature)
            for subscription in list(self.subscriptions.values())
        ]

    def push_to(
        self,
        subscription: Subscription,
        body: bytes,
        *,
        content_type: str,
        signature: str | None = None,
    ) -> int:
        """Push a document to one subscriber."""
        function = getattr(hashlib, self.method)
        digest = hmac.new(subscription.secret.encode(), body, function).hexdigest()
        headers = {
            "Content-Type": content_type,
            "Link": f'<{self.url}>; rel="hub", <{subscription.topic}>; rel="self"',
            "X-Hub-Signature": signature or f"{self.method}={digest}",
        }
        return _answer(Request(subscription.callback, data=body, headers=headers))[0]

    def flood(self, bodies: Iterable[bytes]) -> list[int]:
        """Push one document after the other."""
        return [status for body in bodies for status in self.push(body)]

    def close(self) -> None:
        """Die."""
        self.settled()
        self._listener.close()


def _answer(request: Request) -> tuple[int, str]:
    try:
        with urlopen(request, timeout=10) as response:
            return response.status, response.read().decode()
    except HTTPError as refusal:
        with refusal:
            return refusal.code, refusal.read().decode(errors="replace")
    except (URLError, OSError):
        return 0, ""
