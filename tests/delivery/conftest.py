"""A receiver's server on loopback, a small catalog with a follower, and a clock that tests move."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import NamedTuple

import pytest
from filling import catalog_row
from specimen.listener import Handler, Listener

from delivery.context import DeliveryContext
from delivery.webhook_client import WebhookClient
from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import ids_of, save_sources
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries
from storage.models import Account
from storage.people.accounts import add_account
from storage.people.follows import follow_sources
from storage.people.keys import add_key
from storage.people.saved_filters import add_filter

CERTIFICATE = Path(__file__).parents[1] / "ingest" / "fetch_acme_example.pem"
LOOPBACK = (ip_network("127.0.0.0/8"),)
SLUGS = ("acme.compute", "acme.mail", "globex.storage", "initech.console")
WHY = b'{"categories":["breaking"],"evidence":[]}'


class Received(NamedTuple):
    """One message as it arrived."""

    headers: dict
    body: bytes


@dataclass
class Reply:
    """An answer: a status with fields and a body, or whatever ``raw`` does with the socket."""

    status: int = 204
    headers: dict = field(default_factory=dict)
    body: bytes = b""
    raw: Callable | None = None


class Receiver:
    """A server that takes messages. ``answer`` is a Reply, or a function of what arrived."""

    def __init__(self, *, tls=False):
        self.received, self.answer = [], Reply()
        self.arrived = threading.Event()
        self.busy = self.most_busy = 0
        lock, this = threading.Lock(), self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                fields = {name.lower(): value for name, value in self.headers.items()}
                request = Received(fields, body)
                with lock:
                    this.received.append(request)
                    this.busy += 1
                    this.most_busy = max(this.most_busy, this.busy)
                this.arrived.set()
                reply = this.answer(request) if callable(this.answer) else this.answer
                with lock:
                    this.busy -= 1
                with suppress(OSError):
                    if reply.raw is None:
                        self.respond(reply.status, reply.body, reply.headers)
                    else:
                        self.close_connection = True
                        reply.raw(self.wfile)

        self._listener = Listener(Answering, certificate=CERTIFICATE if tls else None)
        self.port = self._listener.server_port

    def url(self, path="/hook", *, host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"

    def close(self):
        self._listener.close()


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def other_receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def tls_receiver():
    receiver = Receiver(tls=True)
    yield receiver
    receiver.close()


@pytest.fixture
def reply():
    """Make answers of a receiver."""
    return Reply


@dataclass
class Clock:
    """A clock that tests move."""

    at: object

    def __call__(self):
        return self.at

    def forward(self, **by):
        self.at += timedelta(**by)


@pytest.fixture
def clock(now):
    return Clock(now)


@pytest.fixture
def make_webhook_client():
    """Make webhook clients that may reach loopback."""
    made = []

    def make_webhook_client(**options):
        options = {"user_agent": "Changewire/test", "allow": LOOPBACK, **options}
        made.append(WebhookClient(**options))
        return made[-1]

    yield make_webhook_client
    for client in made:
        client.close()


@pytest.fixture
def mails():
    """What was mailed, newest last."""
    return []


@pytest.fixture
def context(database, clock, make_webhook_client, mails):
    """What delivery needs, with a clock that stands still and no chance."""
    return DeliveryContext(
        db=database,
        webhook_client=make_webhook_client(),
        carry=mails.append,
        now=clock,
        draw=lambda: 0.5,
        site_url="https://changewire.example",
    )


@pytest.fixture
def catalog(database):
    """Four sources, by slug."""
    with database.write() as session:
        save_sources(session, map(catalog_row, SLUGS))
        return ids_of(session, SLUGS)


@pytest.fixture
def publish(database, clock, catalog):
    """Store an entry, or an edit of it, as ingestion would."""

    def publish(
        title, *, slug="acme.compute", important=False, text="All about it.", announced=True
    ):
        written = EntryRecord(
            EntryText(
                external_id=title,
                source=slug,
                vendor=slug.partition(".")[0],
                published_at=clock(),
                title=title,
                url=f"https://{slug}.example/{title.replace(' ', '-')}",
                summary=text,
                raw={"guid": title},
                tags=["cloud"],
            ),
            content_hash="0" * 64,
            importance=WHY if important else None,
            importance_version=1,
            announced=announced,
        )
        with database.write() as session:
            key = catalog[slug]
            stored = known_entries(session, key, ids=[title], urls=[])
            edits = [Edit(stored[0], written)] if stored else []
            new = [] if stored else [written]
            save_entries(session, key, new=new, edited=edits, now=clock())

    return publish


@pytest.fixture
def ada(database, now, catalog):
    """The account of ada@acme.example on the Free plan, with two sources selected for a key."""
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now)
        key, _ = add_key(session, account, name="k", scopes=[Scope.READ_ENTRIES], now=now)
        follow_sources(
            session, key.account_id, [catalog["acme.compute"], catalog["acme.mail"]], now=now
        )
        return account.id


@pytest.fixture
def save_filter(database, ada, clock):
    """Save a filter of ada's: ``save_filter("category=security")``; return its row's key."""

    def save_filter(query):
        with database.write() as session:
            return add_filter(session, ada, name="mine", query=query, now=clock()).id

    return save_filter


@pytest.fixture
def set_plan(database, ada):
    def set_plan(plan=Plan.ALL):
        with database.write() as session:
            session.get_one(Account, ada).plan = plan

    return set_plan
