"""The operations of the contract by their operationId; Connexion looks for them here.

A further major version has a module of its own like this one (``handlers.majors``).
"""

from handlers.api.account import get_me as get_me
from handlers.api.account import list_facets as list_facets
from handlers.api.bulk import download_bulk as download_bulk
from handlers.api.changes import list_changes as list_changes
from handlers.api.csv_pages import export_entries as export_entries
from handlers.api.deadlines import list_deadlines as list_deadlines
from handlers.api.diffs import get_diffs as get_diffs
from handlers.api.entries import list_entries as list_entries
from handlers.api.feeds import list_important as list_important
from handlers.api.feeds import list_latest as list_latest
from handlers.api.saved_stacks import delete_stack as delete_stack
from handlers.api.sources import list_sources as list_sources
from handlers.api.sources import request_source as request_source
from handlers.api.stacks import check_stack as check_stack
from handlers.api.upgrades import list_upgrades as list_upgrades
from handlers.api.webhooks import create_webhook as create_webhook
from handlers.api.webhooks import delete_webhook as delete_webhook
from handlers.api.webhooks import list_deliveries as list_deliveries
from handlers.api.webhooks import list_webhooks as list_webhooks
from handlers.api.webhooks import redeliver_webhook as redeliver_webhook
from handlers.api.webhooks import rotate_webhook as rotate_webhook
from handlers.api.webhooks import test_webhook as test_webhook
