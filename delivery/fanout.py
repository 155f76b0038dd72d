"""Queue changes of entries as deliveries to the webhooks that follow them."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlalchemy.orm import Session

from delivery.events import event_of, filtered_changes, matching_changes
from storage.catalog.stack_upgrades import stack_sources, upgrades_of_entry
from storage.delivery.fanout import Event, add_events, learned_at, webhooks_behind
from storage.delivery.subscriptions import followed_sources, pushed_filter
from storage.engine.database import Database
from storage.entries.changes import ChangeRecord, breaking_changes, changes_after, newest_change
from storage.entries.filter_matching import FilteredEntry, filtered_entries
from storage.models import Webhook

AT_A_TIME: Final = 500  # changes
MOST_WAITING: Final = 1000  # deliveries of one webhook


def fan_out(db: Database, *, now: datetime) -> int:
    """Queue new changes for the webhooks that follow them; return how many are not up to date.

    The changes are read once for all webhooks at the same position, and a webhook whose queue is
    long waits: neither many webhooks nor a broken one make this expensive.
    """
    with db.read() as session:
        newest = newest_change(session)
        behind = webhooks_behind(session, newest, most_waiting=MOST_WAITING)
        by_position: defaultdict[int, list[Webhook]] = defaultdict(list)
        for webhook in behind:
            by_position[webhook.position].append(webhook)
        plans = {
            webhook_id: (after, *plan)
            for after, group in by_position.items()
            for webhook_id, plan in _plans(session, group, after, newest, now).items()
        }
    if plans:
        with db.write() as session:
            for webhook_id, (after, position, events) in sorted(plans.items()):
                add_events(session, webhook_id, events, after=after, position=position, now=now)
    return sum(position < newest for _, position, _ in plans.values())


def _plans(
    session: Session, group: list[Webhook], after: int, newest: int, now: datetime
) -> dict[int, tuple[int, list[Event]]]:
    """Return the new position and the events of webhooks that are all at the same position."""
    page = changes_after(session, after, limit=AT_A_TIME)
    position = page.changes[-1].number if page.changes else newest
    with_filter = any(webhook.filter_id is not None for webhook in group)
    filtered = filtered_entries(session, page.changes) if with_filter else {}
    matching = {
        webhook.id: _matching(session, webhook, page.changes, filtered, now) for webhook in group
    }
    breaking = breaking_changes(session, after=after, up_to=position)
    of_stacks = {
        webhook.id: _of_stack(session, webhook, breaking, matching[webhook.id]) for webhook in group
    }
    followed = {it.number: it for changes in matching.values() for it in changes}
    others = {it.number: it for changes in of_stacks.values() for it in changes}
    times = learned_at(session, followed.keys() | others.keys())
    events = {it: event_of(change, learned_at=times[it]) for it, change in followed.items()}
    more = {it: event_of(c, learned_at=times[it], follows=False) for it, c in others.items()}
    return {
        key: (
            position,
            [events[it.number] for it in changes] + [more[it.number] for it in of_stacks[key]],
        )
        for key, changes in matching.items()
    }


def _of_stack(
    session: Session,
    webhook: Webhook,
    breaking: Sequence[ChangeRecord],
    told: Collection[ChangeRecord],
) -> list[ChangeRecord]:
    """Return what else newly breaks the stacks of an account whose webhook nothing narrows."""
    if not breaking or webhook.filter_id is not None or webhook.key_id is not None:
        return []
    numbers = {change.number for change in told}
    stack = stack_sources(session, webhook.account_id)
    return [
        change
        for change in breaking
        if change.number not in numbers
        and change.source_id in stack
        and upgrades_of_entry(session, webhook.account_id, change.entry_key)
    ]


def _matching(
    session: Session,
    webhook: Webhook,
    changes: Sequence[ChangeRecord],
    filtered: Mapping[int, FilteredEntry],
    now: datetime,
) -> list[ChangeRecord]:
    source_ids = followed_sources(session, webhook.account, key_id=webhook.key_id, now=now)
    followed = matching_changes(changes, source_ids, only_important=webhook.only_important)
    if webhook.filter_id is None:
        return followed
    return filtered_changes(followed, pushed_filter(session, webhook.filter_id), filtered)
