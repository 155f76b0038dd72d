"""changewire webhook: how the webhooks are doing, sending again, switching off."""

from datetime import datetime
from typing import Annotated

import typer
from sqlalchemy.orm import Session

from openapi.vocabulary import Json
from service.clock import clock
from service.commands.inputs import CommandFailed, opened
from service.commands.output import AsJson, print_json, print_table, say
from storage.delivery.delivery_log import (
    LoggedDelivery,
    count_deliveries,
    page_deliveries,
    send_again,
)
from storage.delivery.webhooks import disable_webhook, enable_webhook, find_webhook, list_webhooks
from storage.entries.documents import timestamp
from storage.models import Webhook
from storage.models.webhooks import DeliveryState, DisabledReason
from storage.people.accounts import find_account

webhook = typer.Typer(help="Webhooks.", no_args_is_help=True, add_completion=False)
WebhookId = Annotated[str, typer.Argument(help="The webhook's id, 12 characters.")]
SHOWN = 20
MOST_KEY = 2**63 - 1  # what a column of either database holds


@webhook.command("list")
def webhook_list(
    email: Annotated[str | None, typer.Argument(help="Only this account's.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """List webhooks. Example: changewire webhook list ada@acme.example"""
    with opened() as (_, database), database.read() as session:
        rows = [_as_row(session, each) for each in list_webhooks(session, _account(session, email))]
    if json:
        print_json([*rows])
        return
    columns = ("id", "account", "name", "state", "waiting", "dead", "last_success_at")
    print_table(columns, [[_cell(row[name]) for name in columns] for row in rows])


@webhook.command("show")
def webhook_show(webhook_id: WebhookId, *, json: AsJson = False) -> None:
    """Show a webhook and its newest messages. Example: changewire webhook show 0A1b2C3d4E5f"""
    with opened() as (_, database), database.read() as session:
        found = _webhook(session, webhook_id)
        row = _as_row(session, found)
        lines = [_as_line(each) for each in page_deliveries(session, found.id, limit=SHOWN)]
    if json:
        print_json(row | {"deliveries": [*lines]})
        return
    print_table(("fact", "value"), [[name, _cell(value)] for name, value in row.items()])
    columns = ("delivery", "event", "source", "state", "attempts", "status", "fault")
    print_table(columns, [[_cell(line[name]) for name in columns] for line in lines])


@webhook.command("redeliver")
def webhook_redeliver(
    webhook_id: WebhookId,
    delivery: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_KEY, help="Only this delivery; without it: all dead letters."),
    ] = None,
) -> None:
    """Send dead letters again. Example: changewire webhook redeliver 0A1b2C3d4E5f"""
    with opened() as (_, database), database.write() as session:
        found = _webhook(session, webhook_id)
        if found.disabled_at is not None:
            raise CommandFailed(
                f"The webhook {webhook_id} is off; switch it on with: changewire webhook enable"
            )
        count = send_again(session, found.id, delivery, now=clock())
        if delivery is not None and not count:
            raise CommandFailed(f"The webhook {webhook_id} has no ended delivery {delivery}.")
    say(f"{count} on the way again; changewire up or worker sends them.")


@webhook.command("disable")
def webhook_disable(webhook_id: WebhookId) -> None:
    """Send nothing more; only you can undo it. Example: changewire webhook disable 0A1b2C3d4E5f"""
    with opened() as (_, database), database.write() as session:
        found = _webhook(session, webhook_id)
        disable_webhook(session, found.id, DisabledReason.OPERATOR, now=clock())
        found.disabled_reason = DisabledReason.OPERATOR
    say(f"The webhook {webhook_id} is off.")


@webhook.command("enable")
def webhook_enable(
    webhook_id: WebhookId,
    *,
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="Send what was learned meanwhile too.")
    ] = False,
) -> None:
    """Send to it again. Example: changewire webhook enable 0A1b2C3d4E5f --catch-up"""
    with opened() as (_, database), database.write() as session:
        enable_webhook(session, _webhook(session, webhook_id), catch_up=catch_up)
    say(f"The webhook {webhook_id} is on.")


def _account(session: Session, email: str | None) -> int | None:
    if email is None:
        return None
    found = find_account(session, email)
    if found is None:
        raise CommandFailed(f"There is no account {email}; see: changewire account list")
    return found.id


def _webhook(session: Session, webhook_id: str) -> Webhook:
    found = find_webhook(session, webhook_id)
    if found is None:
        raise CommandFailed(f"There is no webhook {webhook_id}; see: changewire webhook list")
    return found


def _as_row(session: Session, found: Webhook) -> dict[str, Json]:
    return {
        "id": found.public_id,
        "account": found.account.email,
        "name": found.name,
        "url": found.url,
        "events": "important" if found.only_important else "all",
        "state": state_of(found),
        "waiting": count_deliveries(session, found.id, DeliveryState.PENDING),
        "dead": count_deliveries(session, found.id, DeliveryState.DEAD),
        "failures": found.failures,
        "last_attempt_at": _time(found.last_attempt_at),
        "last_success_at": _time(found.last_success_at),
        "paused_until": _time(found.paused_until),
    }


def state_of(found: Webhook) -> str:
    """Return how a webhook stands in one word or two."""
    if found.disabled_reason is not None:
        return f"off ({found.disabled_reason.value})"
    return "on" if found.failing_since is None else "failing"


def _as_line(line: LoggedDelivery) -> dict[str, Json]:
    return {
        "delivery": line.delivery_id,
        "event": line.event_type.value,
        "message": line.message_id,
        "source": line.slug,
        "state": line.state.value,
        "attempts": line.attempts,
        "next_attempt_at": _time(line.next_attempt_at),
        "status": None if line.last is None else line.last.status,
        "fault": None if line.last is None else line.last.fault,
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)


def _cell(value: Json) -> str:
    return "" if value is None else str(value)
