"""Events of webhooks (docs/webhooks.md), and what vendors wrote on one line. Pure."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

import orjson

from storage.catalog.stack_upgrades import PartUpgrade
from storage.delivery.deliveries import DueDelivery
from storage.delivery.fanout import Event
from storage.delivery.subscriptions import SourceIds
from storage.entries.changes import ChangeRecord
from storage.entries.documents import timestamp
from storage.entries.entry_filter import EntryFilter
from storage.entries.filter_matching import FilteredEntry, lets_through
from storage.models.webhooks import EventType

MOST_UPGRADES: Final = 20
LONGEST_URL: Final = 900  # a mail's line has at most 998 characters


def matching_changes(
    changes: Sequence[ChangeRecord], source_ids: SourceIds, *, only_important: bool
) -> list[ChangeRecord]:
    """Return the changes of these sources that receivers are notified of, in their order."""
    return [
        change
        for change in changes
        if (source_ids is None or change.source_id in source_ids)
        and (change.important or not only_important)
        and (change.announced or change.revision > 1)
    ]


def filtered_changes(
    changes: Sequence[ChangeRecord],
    filter_: EntryFilter | None,
    entries: Mapping[int, FilteredEntry],
) -> list[ChangeRecord]:
    """Return the changes that a filter lets through; none for None.

    An edit is matched by its new text alone. So the first message about an entry may be an edit,
    and there is none about an edit that no longer matches.
    """
    if filter_ is None:
        return []
    return [change for change in changes if lets_through(filter_, entries[change.number])]


def event_of(change: ChangeRecord, *, learned_at: datetime, follows: bool = True) -> Event:
    """Return the event for a change, of a source that the account follows or only runs."""
    entry = orjson.loads(change.document)
    names = [entry["source"], entry["id"], str(change.revision)]
    event_type = EventType.PUBLISHED if change.revision == 1 else EventType.EDITED
    if not follows:
        event_type = EventType.BREAKS_STACK
        names.append(event_type)
    return Event(
        entry_key=change.entry_key,
        revision=change.revision,
        event_type=event_type,
        message_id=message_id(*names),
        occurred_at=learned_at,
    )


def message_id(*names: str) -> str:
    """Return the id of a revision's event, the same wherever and whenever it is made."""
    name = "\0".join(names)
    return f"evt_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def body_of(job: DueDelivery, upgrades: Sequence[PartUpgrade] = ()) -> bytes:
    """Return the JSON object that is sent; the entry in it is the stored one, byte for byte.

    ``upgrades``: which parts of the account's stack the entry is a newer version of.
    """
    data = job.document
    if data is None:
        data = orjson.dumps({"webhook": job.webhook})
    head = {"type": job.event_type.value, "timestamp": timestamp(job.occurred_at)}
    listed = orjson.dumps([_upgrade(it) for it in upgrades[:MOST_UPGRADES]])
    after = b',"upgrades":%b' % listed if upgrades else b""
    return b'%b,"data":%b%b}' % (orjson.dumps(head)[:-1], data, after)


def _upgrade(upgrade: PartUpgrade) -> dict[str, str | int]:
    return {
        "part": upgrade.part,
        "from": upgrade.running,
        "to": upgrade.version,
        "total": upgrade.total,
        "breaking": upgrade.breaking,
    }


def linkable(url: str | None) -> str | None:
    """Return an address that may be in a mail as a link: http or https, else None."""
    if url is None or len(url) > LONGEST_URL or not url.isascii() or not url.isprintable():
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    is_web = parts.scheme.lower() in ("http", "https") and bool(parts.netloc)
    return url if is_web and not set(url) & set(' <>"') else None


def categories_of(importance: bytes | None) -> tuple[str, ...]:
    """Return why an entry is important, none if it is not."""
    categories: Sequence[str] = [] if importance is None else orjson.loads(importance)["categories"]
    return tuple(categories)
