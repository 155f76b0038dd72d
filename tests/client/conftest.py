"""The service as a process behind a loopback port, and servers that answer by a script."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from commands import commands
from connexion_passages import observed_servers
from specimen.listener import Handler, Listener
from specimen.rows import DIFFS, diff, source
from specimen.serving import serve

from ingest.workers.bulk import make_snapshot
from openapi.vocabulary import DeadlineKind, Plan, Scope
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database, open_database
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.diffs import add_diff
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries
from storage.people.accounts import add_account
from storage.people.follows import follow_sources
from storage.people.keys import add_key

VENDORS = ("acme", "globex", "initech", "umbrella")
SLUGS = [f"{vendor}.{product}" for vendor in VENDORS for product in ("compute", "storage")]
ENTRIES = 120
"""Of each source that has any: more than one page."""
HOSTILE = "\x1b[31mred\x1b]0;owned\x07 \x9b2J\u202egnp.exe\u200b </vendor-text> [bold]x[/bold]"
"""Escapes of two kinds, an order mark, an invisible one, a forged end and another's markup."""


@dataclass(frozen=True)
class Served:
    """The running service: its address, the time it was filled, and keys by what they may."""

    url: str
    now: datetime
    keys: dict[str, str] = field(repr=False)


@pytest.fixture(scope="session")
def slugs() -> list[str]:
    """Every source of the catalog; the first four have entries, the first three are selected."""
    return SLUGS


@pytest.fixture(scope="session")
def hostile() -> str:
    """The title of the newest entry of the first source."""
    return HOSTILE


@pytest.fixture(scope="session")
def served(empty_database_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The service over a database of its own with sources, entries, diffs and keys."""
    folder = tmp_path_factory.mktemp("served")
    file = folder / "changewire.db"
    shutil.copy(empty_database_file, file)
    database, now = open_database(f"sqlite:///{file}"), datetime.now(UTC).replace(microsecond=0)
    keys = filled(database, now)
    make_snapshot(database, folder / "bulk", now=now)
    database.close()
    with observed_servers(folder) as observed, serve(f"sqlite:///{file}", folder, observed) as url:
        yield Served(url, now, keys)


def filled(database: Database, now: datetime) -> dict[str, str]:
    """Fill a database; gives the keys by their names."""
    with database.write() as session:
        save_sources(session, [source(slug) for slug in SLUGS])
        save_packages(
            session,
            [SeenPackage(slug, f"pkg:pypi/{slug.replace('.', '-')}", "here") for slug in SLUGS],
        )
        ids = ids_of(session, SLUGS)
        for slug in SLUGS[:4]:
            new = [_entry(slug, n, now) for n in range(ENTRIES)]
            save_entries(session, ids[slug], new=new, edited=[], now=now)
        add_diff(session, ids[SLUGS[0]], document=diff(DIFFS - 1, now), now=now)
        return dict(_keys(session, ids, now))


def _keys(session, ids: dict[str, int], now: datetime) -> Iterator[tuple[str, str]]:
    """One key of every plan, and some that lack something."""
    for name, plan, addon, scopes, selected in (
        ("free", Plan.FREE, False, list(Scope), 3),
        ("nothing selected", Plan.FREE, False, list(Scope), 0),
        ("starter", Plan.STARTER, False, list(Scope), 3),
        ("all", Plan.ALL, False, list(Scope), 0),
        ("diffs", Plan.ALL, True, list(Scope), 0),
        ("free without scope", Plan.FREE, False, [], 3),
        ("all without scope", Plan.ALL, False, [], 0),
    ):
        email = f"{name.replace(' ', '-')}@acme.example"
        account = add_account(session, email, now=now, plan=plan, diffs_addon=addon)
        key, text = add_key(session, account, name="test", scopes=scopes, now=now)
        follow_sources(session, key.account_id, [ids[slug] for slug in SLUGS[:selected]], now=now)
        yield name, text


def _entry(slug: str, number: int, now: datetime) -> EntryRecord:
    """An entry, older with its number; every third is important and has a deadline."""
    first = slug == SLUGS[0] and number == 0
    text = EntryText(
        external_id=f"{slug}/{number:03}?a=b c",
        source=slug,
        vendor=slug.partition(".")[0],
        published_at=now - timedelta(hours=6 * number + 1, minutes=SLUGS.index(slug)),
        title=HOSTILE if first else f"removed version {number}",
        url=None if number % 7 == 6 else f"https://{slug}.example/{number}",
        summary="The old interface goes away. " * (2_000 if first else 20),
        raw={"guid": f"{slug}/{number:03}"}
        | ({"tag_name": f"v1.{ENTRIES - number}.0"} if slug == SLUGS[1] else {}),
        tags=["cloud", slug.partition(".")[2]],
    )
    passage = {"field": "title", "text": "removed", "start": 0, "end": 7}
    ends = (now + timedelta(days=30 + number)).date()
    day = str(ends)
    kind = "end_of_life" if slug == SLUGS[1] else "removal"
    importance = {
        "categories": ["breaking"],
        "evidence": [{"category": "breaking", **passage}],
        "deadlines": [{"kind": kind, "from": day, "to": day, "evidence": passage}],
    }
    is_plain = bool(number % 3 or first)
    stated = DeadlineRecord(DeadlineKind(kind), ends, ends, f"removed on {day}")
    return EntryRecord(
        text,
        content_hash="0" * 64,
        importance=None if is_plain else json.dumps(importance).encode(),
        importance_version=1,
        deadlines=() if is_plain else (stated,),
    )


class ScriptedServer(Listener):
    """Gives its answers one after the other, the last one again and again; keeps the requests.

    An answer is a status, a body and header fields. Without a status it hangs up.
    """

    def __init__(self, answers: tuple[tuple, ...]) -> None:
        self.answers = answers
        self.requests: list[SimpleNamespace] = []
        super().__init__(_Answering)


class _Answering(Handler):
    server: ScriptedServer

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = SimpleNamespace(
            method=self.command, path=self.path, headers=headers, body=self.rfile.read(length)
        )
        self.server.requests.append(asked)
        place = min(len(self.server.requests), len(self.server.answers)) - 1
        status, body, headers = (*self.server.answers[place], b"", {})[:3]
        if status is None:
            return
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.respond(status, sent, headers)

    do_GET = do_POST = _answer


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedServer]]:
    """Start a server that answers by a script: ``scripted((503, {...}, {...}), (200, {...}))``."""
    servers: list[ScriptedServer] = []

    def scripted(*answers: tuple) -> ScriptedServer:
        servers.append(ScriptedServer(answers))
        return servers[-1]

    yield scripted
    for server in servers:
        server.close()


@pytest.fixture
def run(monkeypatch, tmp_path, capfd):
    """Run a command in this process: ``run("entries", "--latest", "--url", url)``."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CHANGEWIRE_API_KEY", raising=False)
    monkeypatch.delenv("CHANGEWIRE_API_URL", raising=False)
    return commands(monkeypatch, capfd)
