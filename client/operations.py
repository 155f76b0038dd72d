"""One method for each operation of the contract.

Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the top
of the checkout.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal

from client.calls import Calls, flag, instant, items, new_idempotency_key
from client.follow import News
from client.pages import Pages
from openapi.queries import (
    GetDiffs,
    ListChanges,
    ListDeadlines,
    ListDeliveries,
    ListEntries,
    ListImportant,
    ListLatest,
    ListSources,
    ListUpgrades,
    ListWebhooks,
)
from openapi.shapes import (
    ChangelogEntry,
    ChangelogSource,
    ChangePage,
    DeadlinePage,
    DeletedWebhook,
    Delivery,
    DeliveryPage,
    DiffPage,
    EntryDeadline,
    EntryPage,
    ImportantEntry,
    ImportantEntryPage,
    PublicEntry,
    PublicEntryPage,
    QueuedDeliveries,
    SourcePage,
    SourceRequestRecord,
    StackReport,
    UpgradeEntry,
    UpgradePage,
    WebhookList,
    WebhookSecret,
)
from openapi.vocabulary import AdapterType, Category, SearchOrder


class Operations(Calls):
    """The operations of the API."""

    def sources(
        self,
        *,
        vendor: str | None = None,
        q: str | None = None,
        adapter_type: AdapterType | None = None,
        kind: str | None = None,
        selected: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[SourcePage, ChangelogSource]:
        """List the catalog, or a sample of it.

        ``vendor``: Only sources of this vendor, by its identifier. ``q``: Only sources that are
        meant by these words, the likeliest first. ``adapter_type``: Only sources that are read this
        way. ``kind``: Only sources that publish this kind of changelog, for example
        `release_notes`. ``selected``: When true, only the sources available to the key.
        """
        query = ListSources(
            vendor=vendor, q=q, adapter_type=adapter_type, kind=kind, selected=flag(selected)
        )
        return self._pages(query, limit=limit, offset=offset)

    def request_source(
        self,
        url: str,
        *,
        name: str | None = None,
        vendor: str | None = None,
        note: str | None = None,
        email: str | None = None,
    ) -> SourceRequestRecord:
        """Ask for a changelog to be added."""
        answer: SourceRequestRecord = self._post(
            "/sources/request",
            {"url": url, "name": name, "vendor": vendor, "note": note, "email": email},
        )
        return answer

    def entries(
        self,
        sources: Iterable[str],
        *,
        since: datetime | None = None,
        vendor: str | None = None,
        tag: str | None = None,
        kind: str | None = None,
        category: Iterable[Category] | None = None,
        prerelease: Literal["false", "true"] | None = None,
        until: datetime | None = None,
        q: str | None = None,
        order: SearchOrder | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[EntryPage, ChangelogEntry]:
        """List the entries of selected sources.

        ``sources``: The sources to read, as slugs: separated by commas
        (`sources=acme.compute,acme.storage`), the parameter repeated for each, or both; all mean
        the same. ``since``: Only entries published after this time, not at it. ``vendor``: Only
        what is about this vendor, by its identifier. ``tag``: Only what is about sources with this
        tag, for example `databases`. ``kind``: Only what is about sources that publish this kind of
        changelog, for example `release_notes`. ``category``: Only entries that are important for
        one of these reasons: separated by commas (`category=breaking,security`), the parameter
        repeated for each, or both. ``prerelease``: `false` leaves out what is the release of a
        version that comes before another, such as a beta; `true` gives only that. ``until``: Only
        entries published at this time or before it, written as `since` is. ``q``: Only entries that
        these words occur in: in the title, the headline, the summary as it is served, the slug of
        the source; with a key, in the whole text. ``order``: The order of what `q` finds: `date`,
        the newest first, or `relevance`, what has all words in its title first, then in what is
        public, the newest first in each.
        """
        query = ListEntries(
            sources=items(sources),
            since=instant("since", since),
            vendor=vendor,
            tag=tag,
            kind=kind,
            category=None if category is None else items(category),
            prerelease=prerelease,
            until=instant("until", until),
            q=q,
            order=order,
        )
        return self._pages(query, limit=limit, offset=offset)

    def diffs(self, source: str) -> DiffPage:
        """Get the structured changes of a source.

        ``source``: The source whose changes to get, as its slug.
        """
        answer: DiffPage = self._get(GetDiffs(source=source))
        return answer

    def important(
        self,
        *,
        vendor: str | None = None,
        tag: str | None = None,
        kind: str | None = None,
        category: Iterable[Category] | None = None,
        prerelease: Literal["false", "true"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        q: str | None = None,
        order: SearchOrder | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[ImportantEntryPage, ImportantEntry]:
        """List important entries.

        ``vendor``: Only what is about this vendor, by its identifier. ``tag``: Only what is about
        sources with this tag, for example `databases`. ``kind``: Only what is about sources that
        publish this kind of changelog, for example `release_notes`. ``category``: Only entries that
        are important for one of these reasons: separated by commas (`category=breaking,security`),
        the parameter repeated for each, or both. ``prerelease``: `false` leaves out what is the
        release of a version that comes before another, such as a beta; `true` gives only that.
        ``since``: Only entries published after this time, not at it. ``until``: Only entries
        published at this time or before it, written as `since` is. ``q``: Only entries that these
        words occur in: in the title, the headline, the summary as it is served, the slug of the
        source; with a key, in the whole text. ``order``: The order of what `q` finds: `date`, the
        newest first, or `relevance`, what has all words in its title first, then in what is public,
        the newest first in each.
        """
        query = ListImportant(
            vendor=vendor,
            tag=tag,
            kind=kind,
            category=None if category is None else items(category),
            prerelease=prerelease,
            since=instant("since", since),
            until=instant("until", until),
            q=q,
            order=order,
        )
        return self._pages(query, limit=limit, offset=offset)

    def latest(
        self,
        *,
        future: bool = False,
        vendor: str | None = None,
        tag: str | None = None,
        kind: str | None = None,
        category: Iterable[Category] | None = None,
        prerelease: Literal["false", "true"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        q: str | None = None,
        order: SearchOrder | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[PublicEntryPage, PublicEntry]:
        """List the latest entries.

        ``future``: When true, entries dated in the future are returned too. ``vendor``: Only what
        is about this vendor, by its identifier. ``tag``: Only what is about sources with this tag,
        for example `databases`. ``kind``: Only what is about sources that publish this kind of
        changelog, for example `release_notes`. ``category``: Only entries that are important for
        one of these reasons: separated by commas (`category=breaking,security`), the parameter
        repeated for each, or both. ``prerelease``: `false` leaves out what is the release of a
        version that comes before another, such as a beta; `true` gives only that. ``since``: Only
        entries published after this time, not at it. ``until``: Only entries published at this time
        or before it, written as `since` is. ``q``: Only entries that these words occur in: in the
        title, the headline, the summary as it is served, the slug of the source; with a key, in the
        whole text. ``order``: The order of what `q` finds: `date`, the newest first, or
        `relevance`, what has all words in its title first, then in what is public, the newest first
        in each.
        """
        query = ListLatest(
            future=flag(future),
            vendor=vendor,
            tag=tag,
            kind=kind,
            category=None if category is None else items(category),
            prerelease=prerelease,
            since=instant("since", since),
            until=instant("until", until),
            q=q,
            order=order,
        )
        return self._pages(query, limit=limit, offset=offset)

    def changes(
        self,
        *,
        after: str | None = None,
        sources: Iterable[str] | None = None,
        limit: int = 50,
        wait: int = 0,
        vendor: str | None = None,
        tag: str | None = None,
        kind: str | None = None,
        category: Iterable[Category] | None = None,
        prerelease: Literal["false", "true"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        q: str | None = None,
    ) -> ChangePage:
        """List what is new, edited or removed, in the order it was learned.

        ``after``: Where to go on: the `next` of the last page that you dealt with. ``sources``:
        Only changes of these sources, as slugs: separated by commas, the parameter repeated for
        each, or both. ``wait``: How many seconds the answer may wait until there is a change to
        give. ``vendor``: Only what is about this vendor, by its identifier. ``tag``: Only what is
        about sources with this tag, for example `databases`. ``kind``: Only what is about sources
        that publish this kind of changelog, for example `release_notes`. ``category``: Only entries
        that are important for one of these reasons: separated by commas
        (`category=breaking,security`), the parameter repeated for each, or both. ``prerelease``:
        `false` leaves out what is the release of a version that comes before another, such as a
        beta; `true` gives only that. ``since``: Only entries published after this time, not at it.
        ``until``: Only entries published at this time or before it, written as `since` is. ``q``:
        Only entries that these words occur in: in the title, the headline, the summary as it is
        served, the slug of the source; with a key, in the whole text.
        """
        answer: ChangePage = self._get(
            ListChanges(
                after=after,
                sources=None if sources is None else items(sources),
                limit=limit,
                wait=wait,
                vendor=vendor,
                tag=tag,
                kind=kind,
                category=None if category is None else items(category),
                prerelease=prerelease,
                since=instant("since", since),
                until=instant("until", until),
                q=q,
            )
        )
        return answer

    def follow(
        self,
        sources: Iterable[str] | None = None,
        cursor: str | None = None,
        *,
        wait: int = 0,
        vendor: str | None = None,
        tag: str | None = None,
        kind: str | None = None,
        category: Iterable[Category] | None = None,
        prerelease: Literal["false", "true"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        q: str | None = None,
        limit: int = 100,
    ) -> Iterator[News]:
        """Yield everything the service learned since a cursor, oldest first, until now.

        ``sources``: None for all that the key may read. ``cursor``: None for the start, ``now``,
        or the one of the last News that was processed. There is at least one News, which is empty
        where nothing is new, and then comes after at most ``wait`` seconds.
        """
        return self._follow(
            ListChanges(
                sources=None if sources is None else items(sources),
                wait=wait,
                vendor=vendor,
                tag=tag,
                kind=kind,
                category=None if category is None else items(category),
                prerelease=prerelease,
                since=instant("since", since),
                until=instant("until", until),
                q=q,
                limit=limit,
                after=cursor,
            )
        )

    def deadlines(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        vendor: str | None = None,
        tag: str | None = None,
        kind: str | None = None,
        category: Iterable[Category] | None = None,
        prerelease: Literal["false", "true"] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        q: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[DeadlinePage, EntryDeadline]:
        """List the days by which readers have to act.

        ``from_``: Only deadlines that end on this day or later. ``to``: Only deadlines that begin
        on this day or earlier. ``vendor``: Only what is about this vendor, by its identifier.
        ``tag``: Only what is about sources with this tag, for example `databases`. ``kind``: Only
        what is about sources that publish this kind of changelog, for example `release_notes`.
        ``category``: Only entries that are important for one of these reasons: separated by commas
        (`category=breaking,security`), the parameter repeated for each, or both. ``prerelease``:
        `false` leaves out what is the release of a version that comes before another, such as a
        beta; `true` gives only that. ``since``: Only entries published after this time, not at it.
        ``until``: Only entries published at this time or before it, written as `since` is. ``q``:
        Only entries that these words occur in: in the title, the headline, the summary as it is
        served, the slug of the source; with a key, in the whole text.
        """
        query = ListDeadlines(
            from_=from_,
            to=to,
            vendor=vendor,
            tag=tag,
            kind=kind,
            category=None if category is None else items(category),
            prerelease=prerelease,
            since=instant("since", since),
            until=instant("until", until),
            q=q,
        )
        return self._pages(query, limit=limit, offset=offset)

    def upgrades(
        self,
        *,
        purl: str | None = None,
        stack: bool = False,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[UpgradePage, UpgradeEntry]:
        """List what lies between two versions of a part.

        ``purl``: The part, as a package URL such as `pkg:npm/left-pad` or
        `pkg:github/acme/compute`. ``stack``: When true, all parts that the account has saved at
        `/app/stack`, each from the version that runs to the newest that is known, in the place of
        `purl`, `from` and `to`, which then do not count. ``from_``: The version that is there: only
        what came after it. ``to``: The version that is wanted: nothing after it.
        """
        query = ListUpgrades(purl=purl, stack=flag(stack), from_=from_, to=to)
        return self._pages(query, limit=limit, offset=offset)

    def check_stack(
        self,
        *,
        components: Iterable[str] | None = None,
        file: str | None = None,
        wanted: Iterable[str] | None = None,
    ) -> StackReport:
        """Say what breaks between what runs and what came out."""
        answer: StackReport = self._post(
            "/stacks", {"components": components, "file": file, "wanted": wanted}
        )
        return answer

    def webhooks(self) -> WebhookList:
        """List the webhooks of the account."""
        answer: WebhookList = self._get(ListWebhooks())
        return answer

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
    ) -> WebhookSecret:
        """Make a webhook."""
        answer: WebhookSecret = self._post(
            "/webhooks",
            {
                "name": name,
                "url": url,
                "format": format,
                "events": events,
                "key": key,
                "filter": filter,
            },
            once=idempotency_key or new_idempotency_key(),
        )
        return answer

    def test_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> QueuedDeliveries:
        """Send a test to a webhook."""
        answer: QueuedDeliveries = self._post(
            "/webhooks/test", {"webhook": webhook}, once=idempotency_key or new_idempotency_key()
        )
        return answer

    def rotate_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> WebhookSecret:
        """Give a webhook a new secret."""
        answer: WebhookSecret = self._post(
            "/webhooks/rotate", {"webhook": webhook}, once=idempotency_key or new_idempotency_key()
        )
        return answer

    def delete_webhook(self, webhook: str, *, idempotency_key: str | None = None) -> DeletedWebhook:
        """Delete a webhook."""
        answer: DeletedWebhook = self._post(
            "/webhooks/delete", {"webhook": webhook}, once=idempotency_key or new_idempotency_key()
        )
        return answer

    def deliveries(
        self,
        webhook: str,
        *,
        state: Literal["pending", "delivered", "dead"] | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> Pages[DeliveryPage, Delivery]:
        """List what was sent to a webhook.

        ``webhook``: The id of a webhook of the account. ``state``: Only deliveries that are
        waiting, that arrived, or that were given up.
        """
        query = ListDeliveries(webhook=webhook, state=state)
        return self._pages(query, limit=limit, offset=offset)

    def redeliver_webhook(
        self, webhook: str, *, delivery: str | None = None, idempotency_key: str | None = None
    ) -> QueuedDeliveries:
        """Send messages of a webhook again."""
        answer: QueuedDeliveries = self._post(
            "/webhooks/redeliver",
            {"webhook": webhook, "delivery": delivery},
            once=idempotency_key or new_idempotency_key(),
        )
        return answer
