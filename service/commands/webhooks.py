"""changewire webhook: list and show webhooks, send again, switch them off and on."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from service.clock import clock
from service.commands import tables
from service.commands.inputs import opened, require_account
from service.commands.output import (
    AsJson,
    CommandFailed,
    cell,
    command_group,
    print_json,
    print_rows,
    print_table,
    record,
    say,
)
from storage.delivery import delivery_log, webhooks

webhook = command_group("Manage webhooks: list, explain, redeliver, disable and enable.")
WebhookId = Annotated[str, typer.Argument(help="The webhook's id, 12 characters.")]
SHOWN = 20
MOST_KEY = 2**63 - 1  # the largest integer of either database


@webhook.command("list")
def webhook_list(
    email: Annotated[str | None, typer.Argument(help="Filter by account.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """List webhooks. Example: changewire webhook list ada@acme.example"""
    with opened() as (_, database), database.read() as session:
        account_id = None if email is None else require_account(session, email).id
        rows = [_shown(session, webhook) for webhook in webhooks.list_webhooks(session, account_id)]
    columns = ("id", "account", "name", "state", "waiting", "dead", "last_success_at")
    print_rows(rows, columns, json=json)


@webhook.command("show")
def webhook_show(webhook_id: WebhookId, *, json: AsJson = False) -> None:
    """Show a webhook and its latest messages. Example: changewire webhook show 0A1b2C3d4E5f"""
    with opened() as (_, database), database.read() as session:
        webhook = _require_webhook(session, webhook_id)
        row = _shown(session, webhook)
        deliveries = list(
            map(_delivery, delivery_log.page_deliveries(session, webhook.id, limit=SHOWN))
        )
    if json:
        print_json(row | {"deliveries": deliveries})
        return
    print_table(("fact", "value"), [[name, cell(value)] for name, value in row.items()])
    columns = ("delivery", "event", "source", "state", "attempts", "status", "fault")
    print_rows(deliveries, columns, json=False)


@webhook.command("redeliver")
def webhook_redeliver(
    webhook_id: WebhookId,
    delivery: Annotated[
        int | None,
        typer.Option(min=1, max=MOST_KEY, help="One delivery; default: all failed ones."),
    ] = None,
) -> None:
    """Redeliver failed messages. Example: changewire webhook redeliver 0A1b2C3d4E5f"""
    with opened() as (_, database), database.write() as session:
        webhook = _require_webhook(session, webhook_id)
        if webhook.disabled_at is not None:
            raise CommandFailed(
                f"The webhook {webhook_id} is disabled; enable it with: changewire webhook enable"
            )
        count = delivery_log.send_again(session, webhook.id, delivery, now=clock())
        if delivery is not None and not count:
            raise CommandFailed(f"The webhook {webhook_id} has no finished delivery {delivery}.")
    say(f"{count} on the way again; changewire up or worker sends them.")


@webhook.command("disable")
def webhook_disable(webhook_id: WebhookId) -> None:
    """Disable a webhook. Example: changewire webhook disable 0A1b2C3d4E5f"""
    with opened() as (_, database), database.write() as session:
        webhook = _require_webhook(session, webhook_id)
        webhooks.disable_by_operator(session, webhook, now=clock())
    say(f"The webhook {webhook_id} is off.")


@webhook.command("enable")
def webhook_enable(
    webhook_id: WebhookId,
    *,
    catch_up: Annotated[
        bool, typer.Option("--catch-up", help="Also send entries found in the meantime.")
    ] = False,
) -> None:
    """Enable a webhook. Example: changewire webhook enable 0A1b2C3d4E5f --catch-up"""
    with opened() as (_, database), database.write() as session:
        webhook = _require_webhook(session, webhook_id)
        webhooks.enable_webhook(session, webhook, catch_up=catch_up)
        webhooks.note_enabled_by_operator(session, webhook, now=clock())
    say(f"The webhook {webhook_id} is on.")


def _require_webhook(session: tables.Session, webhook_id: str) -> tables.Webhook:
    webhook = webhooks.find_webhook(session, webhook_id)
    if webhook is None:
        raise CommandFailed(f"There is no webhook {webhook_id}; see: changewire webhook list")
    return webhook


def _shown(session: tables.Session, webhook: tables.Webhook) -> dict[str, Any]:
    return {
        "id": webhook.public_id,
        "account": webhook.account.email,
        **record(webhook, "name url"),
        "events": "important" if webhook.only_important else "all",
        "state": _state(webhook),
        "waiting": delivery_log.count_deliveries(session, webhook.id, tables.DeliveryState.PENDING),
        "dead": delivery_log.count_deliveries(session, webhook.id, tables.DeliveryState.DEAD),
        **record(webhook, "failures last_attempt_at last_success_at paused_until"),
    }


def _state(webhook: tables.Webhook) -> str:
    if webhook.disabled_reason is not None:
        return f"off ({webhook.disabled_reason})"
    return "on" if webhook.failing_since is None else "failing"


def _delivery(delivery: delivery_log.LoggedDelivery) -> dict[str, Any]:
    return {
        "delivery": delivery.delivery_id,
        "event": delivery.event_type,
        "message": delivery.message_id,
        "source": delivery.slug,
        **record(delivery, "state attempts next_attempt_at"),
        "status": delivery.last and delivery.last.status,
        "fault": delivery.last and delivery.last.fault,
    }
