"""GET /diffs (specification 4.4): what checks of real documents publish."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network

import pytest
from snapshot_laws import apply, diff_from_wire, invert
from specimen.checks import check_now
from specimen.listener import Handler, Listener
from sqlalchemy import select

from changelog_reader.snapshots.snapshot import SnapshotEntry, decode, encode, normal_words
from ingest.fetching.client import FetchPolicy, new_client
from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from openapi.vocabulary import AdapterType, Kind
from outbound.guard import AddressPolicy
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import ids_of, save_sources
from storage.models import Snapshot, SnapshotBody

HOUR = timedelta(hours=1)


def rss(*items):
    written = "".join(
        f"<item><guid isPermaLink='false'>{key}</guid><title>{title}</title>"
        f"<link>https://acme.example/{key}</link><description>{text}</description>"
        f"<category>{label}</category>"
        f"<pubDate>Fri, {int(key):02} May 2026 09:00:00 GMT</pubDate></item>"
        for key, title, text, label in items
    )
    return f"<rss version='2.0'><channel><title>Acme</title>{written}</channel></rss>".encode()


def page(*items):
    written = "".join(
        f"<h2 id='v{key}'>{title} (2026-05-{int(key):02})</h2>"
        f"<p>{text}</p><ul><li>{label}</li></ul>"
        for key, title, text, label in items
    )
    return f"<html><body><main><h1>Changelog</h1>{written}</main></body></html>".encode()


WRITERS = {AdapterType.RSS: rss, AdapterType.HTML: page}
LONG = "The old endpoint keeps working until the end of the year and is removed after that."
VERSIONS = [
    [
        ("3", "Version 1.2", LONG, "api"),
        ("2", "Version 1.1", "Faster and smaller.", "core"),
        ("1", "Version 1.0", "The first one.", "core"),
    ],
    [
        ("3", "Version 1.2 is out", LONG.replace("end of the year", "summer"), "api"),
        ("2", "Version 1.1", "Faster and smaller.", "core"),
        ("1", "Version 1.0", "The first one.", "core"),
    ],
    [
        ("4", "Version 1.3", "Critical security fix for CVE-2026-12345.", "security"),
        ("3", "Version 1.2 is out", LONG.replace("end of the year", "summer"), "beta"),
        ("2", "Version 1.1", "Faster and smaller.", "core"),
    ],
]


class Vendor:
    """A vendor's server on loopback that publishes one document, and no robots.txt."""

    def __init__(self):
        self.body = b""
        vendor = self

        class Answering(Handler):
            def do_GET(self):
                found = self.path == "/changes"
                self.send_response(200 if found else 404)
                self.send_header("Content-Length", str(len(vendor.body) if found else 0))
                self.end_headers()
                if found:
                    self.wfile.write(vendor.body)

        self.listener = Listener(Answering)
        self.address = f"http://127.0.0.1:{self.listener.server_port}/changes"


@pytest.fixture(scope="module")
def vendor() -> Iterator[Vendor]:
    """The server of an invented vendor."""
    found = Vendor()
    yield found
    found.listener.close()


@pytest.fixture(scope="module")
def ingestion_of() -> Iterator[object]:
    """Make ingestion on a database at a time: ``ingestion_of(database, now)``."""
    policy = FetchPolicy(addresses=AddressPolicy(allow=(ip_network("127.0.0.0/8"),)))
    client = new_client(policy, user_agent="Changewire/test")
    with ParserPool(workers=1) as parsers:
        yield lambda db, at: Ingestion(db=db, client=client, parsers=parsers, now=lambda: at)
    client.close()


@pytest.fixture
def published(database, catalog, vendor, ingestion_of, now):
    """Look at a source of an adapter type once for each version; returns its slug."""

    def published(adapter_type, versions=VERSIONS):
        slug = f"acme.{adapter_type.value}"
        row = CatalogRow(
            slug=slug,
            vendor="acme",
            name="Acme",
            kind=Kind.CHANGELOG,
            homepage=None,
            changelog_url=vendor.address,
            adapter_type=adapter_type,
            feed_url=None if adapter_type is AdapterType.HTML else vendor.address,
            tags=("cloud",),
        )
        with database.write() as session:
            save_sources(session, [row])
            source_id = ids_of(session, [slug])[slug]
        for number, version in enumerate(versions):
            vendor.body = WRITERS[adapter_type](*version)
            report = check_now(ingestion_of(database, now + number * 24 * HOUR), source_id)
            assert report.message is None
        return slug

    return published


@pytest.fixture
def states(database):
    """Read every stored state by the id under which /diffs speaks of it."""

    def states():
        query = select(Snapshot.id, SnapshotBody.body).join(SnapshotBody)
        with database.read() as session:
            return {f"snapshot_{key}": decode(body) for key, body in session.execute(query)}

    return states


def normalised(change):
    """Return a change with the texts that snapshots hold: served ones are as the vendor wrote."""
    sides = {"before": change.before, "after": change.after}
    return replace(change, **{name: side and normal(side) for name, side in sides.items()})


def normal(placed):
    item = placed.item
    if not isinstance(item, SnapshotEntry):
        return placed
    title, url, summary = normal_words(item.title, item.url, item.summary)
    return replace(placed, item=item._replace(title=title, url=url, summary=summary))


@pytest.mark.parametrize("adapter_type", WRITERS)
def test_what_is_served_leads_from_each_state_to_the_next_and_back(
    client, new_key, published, states, vendor, adapter_type
):
    slug = published(adapter_type)

    response = client.get(f"/api/v1/diffs?source={slug}", headers=new_key(diffs_addon=True))

    found = response.json()
    assert (response.status_code, found["adapterType"], found["total"]) == (200, adapter_type, 2)
    assert adapter_type is AdapterType.HTML or vendor.address not in response.text
    by_id = states()
    for item in found["items"]:
        before, after = by_id[item["before"]["snapshotId"]], by_id[item["after"]["snapshotId"]]
        changes = tuple(map(normalised, diff_from_wire(json.loads(json.dumps(item))).changes))
        assert apply(before, changes) == after
        assert apply(after, invert(changes)) == before
        assert item["after"]["contentHash"] == encode(after)[0]
        assert item["after"]["entryCount"] == len(after.entries)
    newest, older = found["items"]
    assert newest["before"] == older["after"]


def test_a_silent_edit_is_told_in_facts_and_words(client, new_key, published):
    slug = published(AdapterType.RSS)

    response = client.get(f"/api/v1/diffs?source={slug}", headers=new_key(diffs_addon=True))

    newest, older = response.json()["items"]
    (edited,) = older["changes"]
    assert [fact["type"] for fact in edited["facts"]] == ["title_changed"]
    assert [field["path"] for field in edited["fields"]] == ["title", "summary"]
    for field in edited["fields"]:
        spans = field["spans"]
        kept = {op: [span for span in spans if span["op"] != op] for op in ("insert", "delete")}
        assert "".join(each["text"] for each in kept["insert"]) == field["before"]
        assert "".join(each["text"] for each in kept["delete"]) == field["after"]
    assert [change["op"] for change in newest["changes"]] == ["changed", "added", "rolled_off"]
    assert newest["stats"] == {
        "added": 1,
        "changed": 1,
        "removed": 0,
        "rolledOff": 1,
        "unchanged": 1,
    }


def test_a_source_that_never_changed_has_no_diffs(client, new_key, published):
    slug = published(AdapterType.RSS, VERSIONS[:1] * 2)

    found = client.get(f"/api/v1/diffs?source={slug}", headers=new_key(diffs_addon=True)).json()

    assert found == {"source": slug, "adapterType": "rss", "total": 0, "items": []}


def test_only_the_newest_twenty_are_listed_and_all_are_counted(client, new_key, published):
    slug = published(
        AdapterType.RSS, [[("1", f"Version {number}", "Text.", "core")] for number in range(23)]
    )

    found = client.get(f"/api/v1/diffs?source={slug}", headers=new_key(diffs_addon=True)).json()

    assert (found["total"], len(found["items"])) == (22, 20)
    assert found["items"][0]["changes"][0]["after"]["title"] == "Version 22"
