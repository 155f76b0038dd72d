"""The operations of the contract by their operationId; Connexion looks for them here."""

from handlers.api.account import get_me, list_facets
from handlers.api.bulk import download_bulk
from handlers.api.changes import list_changes
from handlers.api.csv_pages import export_entries
from handlers.api.deadlines import list_deadlines
from handlers.api.diffs import get_diffs
from handlers.api.entries import list_entries
from handlers.api.feeds import list_important, list_latest
from handlers.api.saved_stacks import delete_stack
from handlers.api.sources import list_sources, request_source
from handlers.api.stacks import check_stack
from handlers.api.upgrades import list_upgrades
from handlers.api.webhooks import (
    create_webhook,
    delete_webhook,
    list_deliveries,
    list_webhooks,
    redeliver_webhook,
    rotate_webhook,
    test_webhook,
)

__all__ = [
    "check_stack",
    "create_webhook",
    "delete_stack",
    "delete_webhook",
    "download_bulk",
    "export_entries",
    "get_diffs",
    "get_me",
    "list_changes",
    "list_deadlines",
    "list_deliveries",
    "list_entries",
    "list_facets",
    "list_important",
    "list_latest",
    "list_sources",
    "list_upgrades",
    "list_webhooks",
    "redeliver_webhook",
    "request_source",
    "rotate_webhook",
    "test_webhook",
]
