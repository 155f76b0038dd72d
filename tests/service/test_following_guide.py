"""The shell example of docs/following.md, run against a server as a reader would run it."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import orjson
import pytest
from connexion_passages import observed_servers
from specimen.programs import needed
from specimen.serving import free_port, listening

from openapi.vocabulary import Plan, Scope
from service.clock import clock
from storage.catalog.sources import ids_of
from storage.engine.database import open_database
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries
from storage.people.accounts import add_account
from storage.people.keys import add_key

GUIDE = Path(__file__).parents[2] / "docs" / "following.md"
SERVICE = "import sys; from service.cli import main; sys.argv[0] = 'changewire'; main()"
HEADER = "slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags"
ROW = (
    "acme.{0},acme,Acme {0},changelog,,https://acme.example/{0},rss,https://acme.example/f/{0},api"
)
SLUGS = ("acme.compute", "acme.storage")


@pytest.fixture
def database(run, tmp_path, database_url):
    """The database of the commands, with two sources."""
    rows = "\n".join(ROW.format(name) for name in ("compute", "storage"))
    (tmp_path / "catalog.csv").write_text(f"{HEADER}\n{rows}\n")
    assert run("catalog", "load", "catalog.csv")[0] == 0
    database = open_database(database_url)
    yield database
    database.close()


@pytest.fixture
def publish(database):
    """Store entries of a look, or their edits: ``publish(slug, {id: (title, days old)})``."""

    def publish(slug, entries):
        written = {
            external_id: EntryRecord(
                EntryText(
                    external_id=external_id,
                    source=slug,
                    vendor="acme",
                    published_at=clock() - timedelta(days=days),
                    title=title,
                    url=None,
                    summary=None,
                    raw={},
                    tags=["api"],
                ),
                title.ljust(64, "0"),
                None,
                1,
            )
            for external_id, (title, days) in entries.items()
        }
        with database.write() as session:
            source_id = ids_of(session, [slug])[slug]
            known = known_entries(session, source_id, ids=list(written), urls=())
            edited = [Edit(each, written.pop(each.external_id)) for each in known]
            save_entries(session, source_id, new=list(written.values()), edited=edited, now=clock())

    return publish


@pytest.fixture
def follow(database, tmp_path):
    """Run the example to its end; return the titles in the inbox."""
    needed("curl", "curl")
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=clock(), plan=Plan.ALL)
        _, key = add_key(session, account, name="a", scopes=[Scope.READ_ENTRIES], now=clock())
    (script,) = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    environment = {**os.environ, "CHANGEWIRE_SITE_URL": site, "CHANGEWIRE_LOG_LEVEL": "warning"}
    command = [sys.executable, "-c", SERVICE, "serve", "--port", str(port)]
    place = tmp_path / "follower"
    place.mkdir()

    def follow():
        known = {"CHANGEWIRE_API_URL": f"{site}/api/v1", "CHANGEWIRE_API_KEY": key}
        subprocess.run(
            ["sh", "-c", script], cwd=place, env={**os.environ, **known}, check=True, timeout=60
        )
        pages = (place / "inbox").read_bytes().replace(b'}{"items"', b'}\n{"items"').splitlines()
        items = [item for page in pages for item in orjson.loads(page)["items"]]
        return [item["entry"]["title"] for item in items]

    with (
        observed_servers(tmp_path) as observed,
        listening(command, port, "/readyz", tmp_path / "service.log", environment | observed),
    ):
        yield follow


@pytest.mark.slow
def test_the_example_gets_everything_once(publish, follow):
    publish("acme.compute", {str(age): (f"{age} days old", age) for age in range(130)})
    first = follow()
    publish("acme.storage", {"1": ("back-dated", 900)})
    publish("acme.compute", {"5": ("edited", 5)})

    assert first == [f"{age} days old" for age in reversed(range(130))]
    assert follow() == [*first, "back-dated", "edited"]
    assert follow() == [*first, "back-dated", "edited"]
