"""Webhooks and their deliveries in the shapes of the contract. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from openapi.vocabulary import Json
from storage.delivery.delivery_log import LoggedDelivery
from storage.entries.documents import timestamp, timestamp_or_none
from storage.models import DeliveryAttempt, Webhook


@dataclass(frozen=True, slots=True)
class Names:
    """The public ids of an account's keys and saved filters, by their keys in the database."""

    keys: Mapping[int, str]
    filters: Mapping[int, str]


def as_webhook(webhook: Webhook, names: Names) -> dict[str, Json]:
    """Return the Webhook of the contract; it never has a secret."""
    reason = webhook.disabled_reason
    return {
        "id": webhook.public_id,
        "name": webhook.name,
        "url": webhook.url,
        "format": webhook.format.value,
        "events": "important" if webhook.only_important else "all",
        "createdAt": timestamp(webhook.created_at),
        "failures": webhook.failures,
        **_present(
            {
                "key": names.keys.get(webhook.key_id or 0),
                "filter": names.filters.get(webhook.filter_id or 0),
                "failingSince": timestamp_or_none(webhook.failing_since),
                "lastAttemptAt": timestamp_or_none(webhook.last_attempt_at),
                "lastSuccessAt": timestamp_or_none(webhook.last_success_at),
                "disabledAt": timestamp_or_none(webhook.disabled_at),
                "disabledReason": None if reason is None else reason.value,
            }
        ),
    }


def as_delivery(line: LoggedDelivery) -> dict[str, Json]:
    """Return the Delivery of the contract."""
    return {
        "id": str(line.delivery_id),
        "messageId": line.message_id,
        "type": line.event_type.value,
        "state": line.state.value,
        "createdAt": timestamp(line.created_at),
        "attempts": line.attempts,
        **_present(
            {
                "nextAttemptAt": timestamp_or_none(line.next_attempt_at),
                "source": line.slug,
                "title": line.title,
                "lastAttempt": None if line.last is None else _as_attempt(line.last),
            }
        ),
    }


def _as_attempt(attempt: DeliveryAttempt) -> dict[str, Json]:
    answer = attempt.answer.decode("utf-8", "replace").replace("\x00", "\ufffd")
    return {
        "at": timestamp(attempt.at),
        "durationMs": attempt.duration_ms,
        **_present({"status": attempt.status, "fault": attempt.fault, "answer": answer or None}),
    }


def _present(members: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in members.items() if value is not None}
