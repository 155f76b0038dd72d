"""Reads the service with the client that OpenAPI Generator writes; says as JSON what it saw."""

import json
import sys
from datetime import UTC, datetime, timedelta

from changewire_client import (
    ApiClient,
    ApiException,
    Configuration,
    DiffsApi,
    EntriesApi,
    FeedsApi,
    SourceRequest,
    SourcesApi,
)

url, all_key, diffs_key = sys.argv[1:]
TWO = ["acme.compute", "acme.storage"]


def client(key=None):
    """A client of anybody, or with a key; by itself it writes offsets without their colon."""
    return ApiClient(
        Configuration(f"{url}/api/v1", access_token=key, datetime_format="%Y-%m-%dT%H:%M:%S+00:00")
    )


def refusal(ask):
    """The status and the code of a no."""
    try:
        ask()
    except ApiException as refused:
        return [refused.status, refused.data.code]
    return []


public, keyed = client(), client(all_key)
sample = SourcesApi(public).list_sources().actual_instance
catalog = SourcesApi(keyed).list_sources(vendor="acme", limit=2).actual_instance
page = EntriesApi(keyed).list_entries(TWO, limit=3)
since = datetime.now(UTC) - timedelta(hours=16)
important = FeedsApi(public).list_important(limit=100)
diffs = DiffsApi(client(diffs_key)).get_diffs("acme.compute")
fields = diffs.items[0].changes[0].fields
asked = SourcesApi(public).request_source(SourceRequest(url="https://acme.example/news"))
seen = {
    "sample": [type(sample).__name__, len(sample.items)],
    "catalog": [type(catalog).__name__, catalog.total, catalog.items[0].changelog_url],
    "entries": [page.total, *(item.title for item in page.items)],
    "since": EntriesApi(keyed).list_entries(TWO, since=since).total,
    "latest": len(FeedsApi(public).list_latest(limit=100).items),
    "important": sorted({item.importance.deadlines[0].evidence.text for item in important.items}),
    "diffs": [diffs.total, fields[0].after.actual_instance, fields[1].before],
    "asked": asked.status,
    "refused": [
        refusal(lambda: EntriesApi(keyed).list_entries([f"a.{n}" for n in range(100)], limit=1)),
        refusal(lambda: SourcesApi(client("cw_wrong")).list_sources()),
        refusal(lambda: DiffsApi(keyed).get_diffs("acme.compute")),
        refusal(lambda: DiffsApi(client(diffs_key)).get_diffs("nobody.nothing")),
    ],
}
sys.stdout.write(json.dumps(seen))
