"""Another implementation of the interface, by other means and with other choices.

It keeps the specification and chooses otherwise wherever that leaves room: a bare ASGI callable
without a framework, another order of every list, a random sample, further kinds and fields, 200
entries at a time, other codes and no hints, unknown parameters ignored, `1.0` read and written as
1, times in small letters, short bodies only, 404 for methods that do not exist, another shape of
/important and diffs, RSS without guids, and a contract that has `/api/v1` in its paths and says of
slugs that they are text. It also has /changes and the filters of entries (docs/decisions/0114).
"""

import itertools
import json
import random
import re
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from urllib.parse import parse_qsl

from stranger_contract import contract

KEYS = {"strg_full": "all", "strg_small": "free", "strg_other": "starter"}
DEAD_KEY = "strg_dead"
_HOST = re.compile(rb"[\w.:\[\]-]*")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)")
_ELSEWHERE = timezone(timedelta(hours=5, minutes=30))
_REQUESTS_A_MINUTE = 20
_LARGEST = 5000
_SPAN = ("since", "until")
_WORDS = ("encryption", "snapshots", "replicas", "gateways", "telemetry")
_CATEGORIES = ("breaking", "deprecation", "security")
_AHEAD = timedelta(days=2)


class Refused(Exception):
    """A refusal: its status and code."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def _invalid(what: str) -> Refused:
    return Refused(400, "invalid_request", f"Cannot use {what}.")


class Stranger:
    """The service, as an ASGI application."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._sources = [self._source(number) for number in range(130)]
        self._entries = {source["slug"]: self._published(source) for source in self._sources}
        self._kinds = {source["slug"]: source["kind"] for source in self._sources}
        for source in self._sources:
            if self._entries[source["slug"]]:
                source["lastUpdatedAt"] = self._entries[source["slug"]][-2]["published_at"]
        self._sources.sort(key=lambda source: str(source.get("lastUpdatedAt")), reverse=True)
        slugs = [source["slug"] for source in self._sources]
        self._selected = {"strg_full": slugs, "strg_small": slugs[:2], "strg_other": slugs[1:5]}
        self._learned = [entry for entries in self._entries.values() for entry in entries]
        self._latest = sorted(self._learned, key=lambda entry: (_at(entry), entry["id"]))[::-1]
        self._taken = itertools.count(1)

    def _source(self, number: int) -> dict[str, Any]:
        vendor = f"firm{number % 40}"
        source: dict[str, Any] = {
            "slug": f"{vendor}.product-{number}",
            "vendor": vendor,
            "name": f"Product {number}",
            "kind": ("changelog", "docs", "blog")[number % 3],
            "changelogUrl": f"https://{vendor}.example/product-{number}",
            "adapterType": ("rss", "atom", "html", "github_releases")[number % 4],
            "tags": ["tools"] * (number % 2),
            "language": "en",
        }
        if number % 5:
            source["health"] = ("healthy", "degraded")[number % 2]
            source["healthMessage"] = "Slow today." if number % 2 else None
        return source

    def _published(self, source: dict[str, Any]) -> list[dict[str, Any]]:
        """The entries of a source, oldest first and one that lies ahead; some sources have none."""
        number = int(source["slug"].rpartition("-")[2])
        count = 0 if number % 4 == 3 else 5 + number % 30 + number % 10 * 12
        times = [self._now - timedelta(hours=5 * (count - position)) for position in range(count)]
        return [
            {
                "id": f"{number}-{position}",
                "source": source["slug"],
                "vendor": source["vendor"],
                "published_at": _printed(at),
                "title": f"New {_WORDS[(number + position) % 5]} today, {position}",
                "url": f"https://{source['vendor']}.example/feed/{position}.xml",
                "tags": source["tags"],
                "raw": {"link": f"https://{source['vendor']}.example/feed/{position}.xml"},
                "importance": {"categories": [_CATEGORIES[position % 3]]},
            }
            for position, at in enumerate([*times, self._now + _AHEAD] if count else [])
        ]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body, more = body + message.get("body", b""), message.get("more_body", False)
        status, media_type, sent, headers = self.respond(scope, body)
        head = [(b"content-type", media_type.encode()), (b"content-length", b"%d" % len(sent))]
        await send({"type": "http.response.start", "status": status, "headers": head + headers})
        await send({"type": "http.response.body", "body": b"" if _is_head(scope) else sent})

    def respond(self, scope: Any, body: bytes) -> tuple[int, str, bytes, list[Any]]:
        """Return status, media type, body and further headers."""
        path, headers = scope["path"], {name.lower(): value for name, value in scope["headers"]}
        hosts = [value for name, value in scope["headers"] if name.lower() == b"host"]
        try:
            if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
                raise _invalid("this Host")
            if path in _PAGES and scope["method"] == "GET":
                return _PAGES[path](self)
            operation = _OPERATIONS.get((scope["method"], path), Stranger.nothing)
            query = dict(parse_qsl(scope["query_string"].decode("latin-1"), True))
            status, value = operation(self, query, _key_in(headers), body)
        except Refused as refused:
            status, words = refused.status, str(refused)
            value = {"error": words, "message": words, "code": refused.code, "docs": "/help"}
        return status, "application/json", json.dumps(value).encode(), []

    def nothing(self, *_: Any) -> tuple[int, Any]:
        """Refuse whatever else is asked for."""
        raise Refused(404, "gone_fishing", "There is nothing here.")

    def sources(self, query: Any, key: str | None, _: bytes) -> tuple[int, Any]:
        """GET /sources."""
        if key not in KEYS:
            return 200, {
                "sample": True, "total": len(self._sources), "limit": 5, "offset": 0,
                "items": [_basic(one) for one in random.sample(self._sources, 5)],
                "hint": "Sign up.", "agent": "An excerpt; never guess addresses.",
            }  # fmt: skip
        limit, offset = _page(query, most=100)
        _flag(query, "selected")
        found = self._sources
        if query.get("selected") == "1":
            found = [source for source in found if source["slug"] in self._selected[key]]
        if query.get("adapterType", "rss") not in ("rss", "atom", "html", "github_releases"):
            raise _invalid("adapterType")
        for name in ("vendor", "kind", "adapterType"):
            found = [one for one in found if query.get(name) in (None, one[name])]
        words = query.get("q", "").split()
        names = [(f"{one['name']} {one['vendor']}".split(), one) for one in found]
        found = [one for name, one in names if all(word in name for word in words)]
        return 200, _paged(found, limit, offset)

    def entries(self, query: Any, key: str | None, _: bytes) -> tuple[int, Any]:
        """GET /entries."""
        plan = _plan(key)
        slugs = list(dict.fromkeys(filter(None, query.get("sources", "").split(","))))
        if not slugs:
            raise _invalid("a request without sources")
        limit, offset = _page(query, most=200)
        fits = self._filter(query)
        self._allow(key, slugs)
        found = [entry for slug in slugs for entry in self._entries[slug] if fits(entry)]
        found.sort(key=lambda entry: (entry["published_at"], entry["source"]))
        if query.get("order") == "date":
            found.sort(key=lambda entry: (_at(entry), entry["id"]), reverse=True)
        return 200, {"plan": plan, **_paged(found, limit, offset)}

    def _filter(self, query: Any) -> Callable[[dict[str, Any]], bool]:
        """Return whether an entry fits the filters of a query."""
        words = set(query.get("q", "").lower().split())
        categories = set(filter(None, query.get("category", "").split(",")))
        since, until = (_moment(query[name]) if name in query else None for name in _SPAN)

        def fits(entry: dict[str, Any]) -> bool:
            at, own = _at(entry), entry["importance"]["categories"]
            return (
                (since is None or at > since)
                and (until is None or at <= until)
                and query.get("vendor", entry["vendor"]) == entry["vendor"]
                and query.get("kind") in (None, self._kinds[entry["source"]])
                and ("tag" not in query or query["tag"] in entry["tags"])
                and (not categories or bool(categories & set(own)))
                and words <= set(re.findall(r"\w+", entry["title"].lower()))
            )

        return fits

    def changes(self, query: Any, key: str | None, _: bytes) -> tuple[int, Any]:
        """GET /changes: the cursor counts what was learned of all sources."""
        _plan(key)
        limit, _offset = _page(query, most=100)
        fits, every = self._filter(query), len(self._learned)
        slugs = [*filter(None, query.get("sources", "").split(","))] or self._selected[key]
        if "sources" in query:
            self._allow(key, slugs)
        after = query.get("after", "0")
        place = every if after == "now" else _number(after)
        new = [
            (number, entry)
            for number, entry in enumerate(self._learned[place:], start=place + 1)
            if entry["source"] in slugs and fits(entry)
        ]
        items = [{"change": "new", "entry": entry} for _, entry in new[:limit]]
        more = len(new) > limit
        return 200, {
            "items": items,
            "next": str(new[limit - 1][0] if more else every),
            "more": more,
        }

    def diffs(self, query: Any, key: str | None, _: bytes) -> tuple[int, Any]:
        """GET /diffs."""
        if _plan(key) != "all":
            raise Refused(402, "payment_required", "Diffs are for those who pay.")
        if not query.get("source"):
            raise _invalid("a request without source")
        self._allow(key, [query["source"]])
        changed = {"title": {"before": "A", "after": "B"}}
        return 200, {"before": {"at": "Monday"}, "after": {"at": "Tuesday"}, "changed": changed}

    def latest(self, query: Any, _key: str | None, _: bytes) -> tuple[int, Any]:
        """GET /latest."""
        limit, offset = _page(query, most=100)
        _flag(query, "future")
        ahead = "future" in query
        found = [entry for entry in self._latest if ahead or _at(entry) <= self._now]
        return 200, _paged(found, limit, offset)

    def important(self, query: Any, _key: str | None, _: bytes) -> tuple[int, Any]:
        """GET /important, in a shape of its own."""
        limit, offset = _page(query, most=100)
        return 200, {"count": len(self._latest), "entries": self._latest[offset : offset + limit]}

    def request(self, _: Any, __: str | None, body: bytes) -> tuple[int, Any]:
        """POST /sources/request."""
        try:
            if len(body) > _LARGEST:
                raise Refused(413, "too_long", "Shorter, please.")
            wanted = json.loads(body)
        except (ValueError, RecursionError):
            wanted = None
        if not isinstance(wanted, dict) or not _valid(wanted):
            raise _invalid("this body")
        if next(self._taken) > _REQUESTS_A_MINUTE:
            raise Refused(429, "slow_down", "Later, please.")
        words = "Only the address and your remark are kept."
        return 201, {"id": "7", "status": "pending", "url": wanted["url"], "message": words}

    def _allow(self, key: str | None, slugs: list[str]) -> None:
        if KEYS[key] != "all" and set(slugs) - set(self._selected[key]):
            raise Refused(403, "forbidden", "Not with this plan.")
        if set(slugs) - self._entries.keys():
            raise Refused(404, "no_such_source", "No such source.")

    def document(self) -> tuple[int, str, bytes, list[Any]]:
        """GET /openapi.json."""
        return 200, "application/json", json.dumps(contract()).encode(), []

    def rss(self) -> tuple[int, str, bytes, list[Any]]:
        """GET /rss/updates.xml."""
        item = "<item><description>Something is new.</description></item>"
        feed = f"<rss version='2.0'><channel><title>News</title>{item * 3}</channel></rss>"
        return 200, "text/xml", feed.encode(), []

    def elsewhere(self) -> tuple[int, str, bytes, list[Any]]:
        """Sign in at another site."""
        return 302, "text/plain", b"", [(b"location", b"https://login.example/")]


_PAGES: dict[str, Callable[[Stranger], tuple[int, str, bytes, list[Any]]]] = {
    "/openapi.json": Stranger.document,
    "/rss/updates.xml": Stranger.rss,
    "/auth/login": Stranger.elsewhere,
    "/app/api-keys": Stranger.elsewhere,
}
_OPERATIONS = {
    ("GET", "/api/v1/sources"): Stranger.sources,
    ("GET", "/api/v1/entries"): Stranger.entries,
    ("GET", "/api/v1/diffs"): Stranger.diffs,
    ("GET", "/api/v1/latest"): Stranger.latest,
    ("GET", "/api/v1/important"): Stranger.important,
    ("GET", "/api/v1/changes"): Stranger.changes,
    ("POST", "/api/v1/sources/request"): Stranger.request,
}


async def _live(receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Any]) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _is_head(scope: Any) -> bool:
    return bool(scope["method"] == "HEAD")


def _key_in(headers: dict[bytes, bytes]) -> str | None:
    scheme, _, token = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    bearer = token if scheme.lower() == "bearer" else None
    return headers.get(b"x-api-key", b"").decode("latin-1") or bearer or None


def _plan(key: str | None) -> str:
    if key not in KEYS:
        raise Refused(401, "unauthorized", "Who are you?")
    return KEYS[key]


def _page(query: dict[str, str], *, most: int) -> tuple[int, int]:
    limit, offset = _number(query.get("limit", "50")), _number(query.get("offset", "0"))
    if not 1 <= limit <= most or offset < 0:
        raise _invalid("limit or offset")
    return limit, offset


def _number(text: str) -> int:
    """Read a number as JSON Schema counts integers: 1.0 is one."""
    try:
        number = float(text)
        if number != int(number):
            raise _invalid(text)
        return int(number)
    except (OverflowError, ValueError) as error:
        raise _invalid(text) from error


def _flag(query: dict[str, str], name: str) -> None:
    if query.get(name, "1") != "1":
        raise _invalid(name)


def _at(entry: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(entry["published_at"].upper())


def _moment(text: str) -> datetime:
    if not _TIME.fullmatch(text):
        raise _invalid("since")
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError as error:
        raise _invalid("since") from error


def _printed(moment: datetime) -> str:
    """Print a time as RFC 3339 allows it too: small letters, any fraction, another offset."""
    if moment.day % 2:
        return f"{moment.astimezone(UTC):%Y-%m-%dt%H:%M:%S.%f000z}"
    return moment.astimezone(_ELSEWHERE).isoformat(timespec="milliseconds")


def _paged(found: list[Any], limit: int, offset: int) -> dict[str, Any]:
    items = found[offset : offset + limit]
    numbers = {"total": float(len(found)), "limit": float(limit), "offset": offset}
    return {**numbers, "items": items, "more": "no"}


def _basic(source: dict[str, Any]) -> dict[str, Any]:
    names = ("slug", "vendor", "name", "kind", "lastUpdatedAt", "health", "language")
    return {name: source[name] for name in names if name in source}


def _valid(wanted: dict[str, Any]) -> bool:
    texts = [wanted.get(name, "a@b.example") for name in ("name", "vendor", "note", "email")]
    if not all(isinstance(text, str) for text in texts):
        return False
    url, email = wanted.get("url"), texts[-1]
    known = isinstance(url, str) and re.fullmatch(r"https?://[\w.-]+(:\d+)?(/\S*)?", url)
    return bool(known) and re.fullmatch(r"[\w.+-]+@[\w-]+(\.[\w-]+)+", email) is not None
