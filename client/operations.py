"""One method for each operation of the contract."""

import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, TypedDict, TypeVar, Unpack, cast
from uuid import uuid4

from client.errors import InvalidCall, KeyMissing
from client.pages import News, Pages, merged, news_of, paged
from client.transport import Transport
from openapi import queries, shapes
from openapi.query import Query
from openapi.vocabulary import AdapterType, Category, Health, SearchOrder

Shape = TypeVar("Shape")
QueryShape = TypeVar("QueryShape", bound=Query)
MOST_NAMED = 100
"""Sources that one request may name; more are read in several, or chosen from all changes."""
PAUSE_SECONDS = 1.0
"""The pause after a request that was to wait and did not."""
NEED_A_KEY = (
    *("list_sources", "list_entries", "list_changes", "get_diffs", "bulk"),
    *("list_webhooks", "list_deliveries", "list_facets", "get_me"),
)


class Paging(TypedDict, total=False):
    """The part of a list: at most ``limit`` items in all, from ``offset`` on."""

    limit: int | None
    offset: int


class EntryFilters(TypedDict, total=False):
    """The filters of entries. Times have a time zone."""

    vendor: str | None
    tag: str | None
    kind: str | None
    category: Iterable[Category] | None
    prerelease: Literal["false", "true"] | None
    since: datetime | None
    until: datetime | None
    q: str | None


class EntryListing(EntryFilters, Paging, total=False):
    """The filters of a list of entries, and the order of what ``q`` finds."""

    order: SearchOrder | None


class PublicListing(EntryListing, total=False):
    """The same of a public list; with a key it is narrowed to some sources, or those followed."""

    sources: Iterable[str] | None
    following: bool


class Operations:
    """The operations of the API. The contract explains their parameters."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @property
    def has_key(self) -> bool:
        """Return True if requests have an API key."""
        return self._transport.api_key is not None

    def sources(
        self,
        *,
        vendor: str | None = None,
        q: str | None = None,
        adapter_type: AdapterType | None = None,
        kind: str | None = None,
        selected: bool = False,
        health: Health | None = None,
        **paging: Unpack[Paging],
    ) -> Pages[shapes.SourcePage, shapes.ChangelogSource]:
        """List the catalog; ``q`` finds the best match first, ``selected`` the key's own."""
        filters = {"vendor": vendor, "q": q, "adapter_type": adapter_type, "kind": kind}
        own = {"selected": selected, "health": health}
        return self._pages(queries.ListSources, **own, **filters, **paging)

    def request_source(
        self,
        url: str,
        *,
        name: str | None = None,
        vendor: str | None = None,
        note: str | None = None,
        email: str | None = None,
    ) -> shapes.SourceRequestRecord:
        """Ask for a changelog to be added."""
        members = {"url": url, "name": name, "vendor": vendor, "note": note, "email": email}
        return self._post(shapes.SourceRequestRecord, "/sources/request", members)

    def entries(
        self, sources: Iterable[str], *, cve: str | None = None, **filters: Unpack[EntryListing]
    ) -> Pages[shapes.EntryPage, shapes.ChangelogEntry]:
        """List the entries of sources, newest first."""
        return self._pages(queries.ListEntries, sources=_slugs(sources), cve=cve, **filters)

    def diffs(self, source: str) -> shapes.DiffPage:
        """Get the changes of a source's document."""
        return self._get(shapes.DiffPage, queries.GetDiffs(source=source))

    def important(
        self, **filters: Unpack[PublicListing]
    ) -> Pages[shapes.ImportantEntryPage, shapes.ImportantEntry]:
        """List breaking changes, deprecations and security fixes of all sources."""
        return self._pages(queries.ListImportant, **filters)

    def latest(
        self, *, future: bool = False, **filters: Unpack[PublicListing]
    ) -> Pages[shapes.PublicEntryPage, shapes.PublicEntry]:
        """List the latest entries of all sources; ``future``: those dated ahead, too."""
        return self._pages(queries.ListLatest, future=future, **filters)

    def changes(
        self,
        *,
        after: str | None = None,
        sources: Iterable[str] | None = None,
        limit: int = 50,
        wait: int = 0,
        following: bool = False,
        **filters: Unpack[EntryFilters],
    ) -> shapes.ChangePage:
        """Get one page of new, edited and removed entries after a cursor."""
        place = {"after": after, "limit": limit, "wait": wait, "following": following}
        query = _query(queries.ListChanges, sources=_slugs(sources), **place, **filters)
        return self._get(shapes.ChangePage, query)

    def follow(
        self,
        sources: Iterable[str] | None = None,
        cursor: str | None = None,
        *,
        wait: int = 0,
        limit: int = 100,
        following: bool = False,
        **filters: Unpack[EntryFilters],
    ) -> Iterator[News]:
        """Yield everything the service learned since a cursor, oldest first, until now.

        ``sources``: None for all that the key may read. ``cursor``: None for the start, ``now``,
        or the one of the last News that was processed. There is at least one News, which is empty
        where nothing is new, and then comes after at most ``wait`` seconds.
        """
        slugs = _slugs(sources)
        place = {"after": cursor, "limit": limit, "wait": wait, "following": following}
        many = slugs is not None and len(slugs) > MOST_NAMED
        named = None if many else slugs
        query = _query(queries.ListChanges, "follow", sources=named, **place, **filters)
        return self._follow(query, frozenset(slugs or ()) if many else None)

    def deadlines(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        offset: int = 0,
        sources: Iterable[str] | None = None,
        following: bool = False,
        **filters: Unpack[EntryFilters],
    ) -> Pages[shapes.DeadlinePage, shapes.EntryDeadline]:
        """List the days by which readers have to act, between two days such as 2026-11-01."""
        own = {"from_": from_, "to": to, "sources": _slugs(sources), "following": following}
        return self._pages(queries.ListDeadlines, limit=limit, offset=offset, **own, **filters)

    def facets(self) -> shapes.Facets:
        """List the tags, vendors and kinds of the catalog, with the number of sources of each."""
        return self._get(shapes.Facets, queries.ListFacets())

    def me(self) -> shapes.Me:
        """Get what the key may do: its plan, scopes, sources and expiry."""
        return self._get(shapes.Me, queries.GetMe())

    def upgrades(
        self,
        *,
        purl: str | None = None,
        stack: str | bool = False,
        from_: str | None = None,
        to: str | None = None,
        **paging: Unpack[Paging],
    ) -> Pages[shapes.UpgradePage, shapes.UpgradeEntry]:
        """List what lies between two versions of a package, or of a saved stack."""
        package = {"purl": purl, "stack": stack, "from_": from_, "to": to}
        return self._pages(queries.ListUpgrades, **package, **paging)

    def check_stack(self, **stack: Unpack[shapes.Stack]) -> shapes.StackReport:
        """List what breaks between the versions that run and the latest; ``name`` saves them."""
        _require_known(stack, shapes.Stack.__annotations__, "check_stack")
        return self._post(shapes.StackReport, "/stacks", stack)

    def delete_stack(self, name: str) -> shapes.SavedStack:
        """Delete a saved stack."""
        return self._post(shapes.SavedStack, "/stacks/delete", {"name": name})

    def webhooks(self) -> shapes.WebhookList:
        """List the webhooks of the account."""
        return self._get(shapes.WebhookList, queries.ListWebhooks())

    def create_webhook(
        self,
        name: str,
        url: str,
        *,
        format: str | None = None,
        events: str | None = None,
        key: str | None = None,
        filter: str | None = None,
        idempotency_key: str | None = None,
    ) -> shapes.WebhookSecret:
        """Create a webhook."""
        members = {"name": name, "url": url, "format": format, "events": events, "key": key}
        members["filter"] = filter
        return self._change(shapes.WebhookSecret, "/webhooks", members, idempotency_key)

    def test_webhook(
        self, webhook: str, *, idempotency_key: str | None = None
    ) -> shapes.QueuedDeliveries:
        """Send a test to a webhook."""
        members = {"webhook": webhook}
        return self._change(shapes.QueuedDeliveries, "/webhooks/test", members, idempotency_key)

    def rotate_webhook(
        self, webhook: str, *, idempotency_key: str | None = None
    ) -> shapes.WebhookSecret:
        """Give a webhook a new secret."""
        members = {"webhook": webhook}
        return self._change(shapes.WebhookSecret, "/webhooks/rotate", members, idempotency_key)

    def delete_webhook(
        self, webhook: str, *, idempotency_key: str | None = None
    ) -> shapes.DeletedWebhook:
        """Delete a webhook."""
        members = {"webhook": webhook}
        return self._change(shapes.DeletedWebhook, "/webhooks/delete", members, idempotency_key)

    def deliveries(
        self,
        webhook: str,
        *,
        state: Literal["pending", "delivered", "dead"] | None = None,
        **paging: Unpack[Paging],
    ) -> Pages[shapes.DeliveryPage, shapes.Delivery]:
        """List what was sent to a webhook."""
        return self._pages(queries.ListDeliveries, webhook=webhook, state=state, **paging)

    def redeliver_webhook(
        self, webhook: str, *, delivery: str | None = None, idempotency_key: str | None = None
    ) -> shapes.QueuedDeliveries:
        """Send one delivery of a webhook again, or all that failed."""
        members = {"webhook": webhook, "delivery": delivery}
        path = "/webhooks/redeliver"
        return self._change(shapes.QueuedDeliveries, path, members, idempotency_key)

    def _get(self, shape: type[Shape], query: Query) -> Shape:
        """Return the response to a query, which has a shape of the contract."""
        self._require_key(query.OPERATION)
        return cast("Shape", self._transport.get(query))

    def _change(
        self, shape: type[Shape], path: str, members: Mapping[str, Any], key: str | None
    ) -> Shape:
        """Send a change that happens once, however often its key is sent; made if not given."""
        return self._post(shape, path, members, key or str(uuid4()))

    def _post(
        self, shape: type[Shape], path: str, members: Mapping[str, Any], key: str | None = None
    ) -> Shape:
        """Send a body; with an idempotency key it may be sent again."""
        given = {name: value for name, value in members.items() if value is not None}
        body = {name: v if isinstance(v, str | bool) else list(v) for name, v in given.items()}
        return cast("Shape", self._transport.post(path, body, key))

    def _pages(
        self, shape: type[Query], /, *, limit: int | None = None, offset: int = 0, **values: Any
    ) -> Pages[Any, Any]:
        query = _query(shape, **values)
        self._require_key(query.OPERATION)
        walk = paged(partial(self._page, query))
        if isinstance(query, queries.ListEntries) and len(query.sources) > MOST_NAMED:
            starts = range(0, len(query.sources), MOST_NAMED)
            named = [query.sources[start : start + MOST_NAMED] for start in starts]
            parts = [partial(self._page, replace(query, sources=slugs)) for slugs in named]
            walk = merged(list(map(paged, parts)))
        return Pages(walk, limit=limit, offset=offset)

    def _page(self, query: Query, limit: int, offset: int) -> dict[str, Any]:
        return self._transport.get(query, limit=limit, offset=offset)

    def _follow(self, query: queries.ListChanges, chosen: Collection[str] | None) -> Iterator[News]:
        self._require_key(query.OPERATION)
        more = True
        while more:
            began = time.monotonic()
            page = self._transport.get(query)
            news, more = news_of(page, chosen)
            more = more and news.cursor != query.after
            query = replace(query, after=news.cursor)
            if query.wait and not page["items"] and time.monotonic() - began < PAUSE_SECONDS:
                self._transport.sleep(PAUSE_SECONDS)  # too many requests wait there already
            yield news

    def _require_key(self, operation: str) -> None:
        if operation in NEED_A_KEY and not self.has_key:
            hint = "Create one on the site, at /app/api-keys."
            raise KeyMissing("This call needs an API key.", hint=hint)


def _require_known(values: Iterable[str], known: Collection[str], method: str) -> None:
    for name in values:
        if name not in known:
            raise TypeError(f"Client.{method}() got an unexpected keyword argument {name!r}")


def _query(shape: type[QueryShape], method: str = "", /, **values: Any) -> QueryShape:
    """Return a query with arguments as the contract has them; None and False are left out."""
    method = method or shape.OPERATION.removeprefix("list_")
    _require_known(values, [field.name for field in fields(shape)], method)
    given = {name: value for name, value in values.items() if value is not None}
    return shape(**{name: _sent(name, it) for name, it in given.items() if it is not False})


def _sent(name: str, value: Any) -> Any:
    if name in ("since", "until"):
        if not isinstance(value, datetime) or value.tzinfo is None:
            raise InvalidCall(f"{name} is a datetime with a time zone: datetime.now(UTC)")
        return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if value is True:
        return "1"
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else value


def _slugs(sources: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return slugs, each once; one text may hold several, with commas."""
    every = sources.split(",") if isinstance(sources, str) else sources
    if not isinstance(every, Iterable | None):
        raise InvalidCall("sources must be slugs, such as ['acme.compute']")
    return None if every is None else tuple(dict.fromkeys(every))
