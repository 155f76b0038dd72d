"""The invented vendors' servers, as a transport: nothing leaves the machine."""

from collections.abc import Callable, Sequence
from datetime import datetime
from hashlib import sha256

import httpcore2
import httpx2

from service.demo.documents import document
from service.demo.vendors import SHOWN, Announcement, Product, announcements

_LOGIN = b"<!doctype html><title>Sign in</title><form><input type=password></form>"


class InventedInternet:
    """Answers requests for the documents of the invented vendors as they are at ``clock()``."""

    def __init__(
        self, products: Sequence[Product], *, clock: Callable[[], datetime], now: datetime
    ) -> None:
        """``now`` is the day on which the two years of announcements end."""
        self._clock, self._now = clock, now
        self._by_address: dict[str, tuple[Product, list[Announcement]]] = {
            product.feed_url or product.changelog_url: (product, announcements(product, now=now))
            for product in products
        }

    def handle_request(self, request: httpcore2.Request) -> httpcore2.Response:
        """Answer a request: 404 for every address that is none of the documents'."""
        document = self._by_address.get(bytes(request.url).decode())
        return httpcore2.Response(404) if document is None else self._answer(request, *document)

    def close(self) -> None:
        """Nothing is open."""

    def _answer(
        self, request: httpcore2.Request, product: Product, all_of_it: list[Announcement]
    ) -> httpcore2.Response:
        at = self._clock()
        match product.trouble_at(at, now=self._now):
            case "down":
                return httpcore2.Response(503)
            case "gone":
                return httpcore2.Response(404)
            case "login":
                return _served(_LOGIN, {"content-type": "text/html"})
        shown = [one for one in all_of_it if one.at <= at][-SHOWN:][::-1]
        body = document(product, shown, at=at)
        etag = f'"{sha256(body).hexdigest()[:16]}"'
        if httpx2.Headers(request.headers).get("if-none-match") == etag:
            return httpcore2.Response(304, headers={"etag": etag})
        kind = "text/html" if product.feed_url is None else "application/xml"
        return _served(body, {"etag": etag, "content-type": kind})


def _served(body: bytes, headers: dict[str, str]) -> httpcore2.Response:
    """Return a response whose content is still to be read, as it is of a real one."""
    return httpcore2.Response(200, headers=list(headers.items()), content=body)
