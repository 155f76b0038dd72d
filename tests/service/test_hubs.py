"""Hubs that vendors' feeds name: subscribed to, believed when they sign, cheap when they do not.

The hub is a real one on loopback, and so are the vendor and our callback.
"""

import os
import subprocess
import threading
import time
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from urllib.request import urlopen

import pytest
from specimen.checks import check_now
from specimen.hub import Hub
from specimen.listener import Handler, Listener
from specimen.serving import CHANGEWIRE, free_port, listening
from sqlalchemy import select, update
from waiting import wait_until

from delivery.hub_client import post_form
from delivery.webhook_client import WebhookClient
from handlers.context import Context
from handlers.site.app import create_site
from ingest.fetching.client import FetchPolicy, new_client
from ingest.pipeline.ingestion import Ingestion
from ingest.sandbox.parser_pool import ParserPool
from ingest.workers.hubs import ask_hubs, take_waiting
from openapi.vocabulary import AdapterType, Kind
from outbound.guard import AddressPolicy
from service.source_health import judge
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.models import Entry, FetchFacts, HubPush, HubSubscription, Source
from storage.scheduling.hub_pushes import MOST_WAITING

LOOPBACK = (ip_network("127.0.0.0/8"),)
TODAY = f"{datetime.now(UTC):%d %b %Y %H:%M}".encode()
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


class Vendor:
    """A vendor whose feed names a hub."""

    def __init__(self, hub):
        self.hub, self.items, self.requests, vendor = hub, [("1", "One")], 0, self

        class Answering(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                vendor.requests += 1
                body = vendor.feed(*vendor.items)
                etag = f'"{len(vendor.items)} {vendor.hub.url}"'
                is_known = self.headers.get("If-None-Match") == etag
                body = b"" if is_known else body
                self.respond(304 if is_known else 200, body, {"ETag": etag})

        self._listener = Listener(Answering)
        self.url = f"{self._listener.url}/feed"

    def feed(self, *items, hub=None):
        """The feed with some (guid, title) items, the newest first."""
        written = "".join(
            f"<item><guid isPermaLink='false'>{guid}</guid><title>{title}</title>"
            f"<link>https://acme.example/{guid}</link><description>About {title}.</description>"
            f"<pubDate>Sat, 21 Nov 2026 0{guid}:00:00 GMT</pubDate></item>"
            for guid, title in items
        )
        return (
            "<rss version='2.0' xmlns:atom='http://www.w3.org/2005/Atom'><channel>"
            f"<title>Acme</title><atom:link rel='hub' href='{self.hub.url}'/>"
            f"<atom:link rel='self' href='{self.url}'/>{written}</channel></rss>"
        ).encode()

    def close(self):
        self._listener.close()


def row_of(vendor):
    """The vendor's line in the catalog."""
    return CatalogRow(
        slug="acme.api",
        vendor="acme",
        name="Acme",
        kind=Kind.CHANGELOG,
        homepage=None,
        changelog_url=vendor.url,
        adapter_type=AdapterType.RSS,
        feed_url=vendor.url,
        tags=("api",),
    )


class Callback:
    """Our callback, listening; requests pass to the site as a server would pass them."""

    def __init__(self, site):
        client = site.test_client()

        class Passing(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                answer = client.open(
                    self.path, method=self.command, data=body, headers=list(self.headers.items())
                )
                self.send_response(answer.status_code)
                for name, value in answer.headers:
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.data)

            do_POST = do_GET

        self._listener = Listener(Passing)
        self.url = self._listener.url

    def close(self):
        self._listener.close()


class World:
    """A source whose feed names a hub, the service, and a clock that is put forward."""

    def __init__(self, database, pool, now):
        self.database, self.moment = database, now
        self.hub = Hub()
        self.vendor = Vendor(self.hub)
        client = new_client(
            FetchPolicy(addresses=AddressPolicy(LOOPBACK)), user_agent="Changewire/1.0.0"
        )
        self.ingestion = Ingestion(database, client, pool, now=lambda: self.moment)
        services = Context(database, lambda: self.moment, judge, "https://changewire.example")
        self.callback = Callback(create_site(services, secret_key="x" * 32))
        self.sender = WebhookClient(user_agent="Changewire/1.0.0", allow=LOOPBACK)
        self.stop = threading.Event()
        with database.write() as session:
            save_sources(session, [row_of(self.vendor)])
            self.source = session.scalars(select(Source.id)).one()

    def check(self):
        """Poll the vendor."""
        return check_now(self.ingestion, self.source)

    def ask(self):
        """Ask hubs for what is due, and wait until they have verified it."""
        asked = ask_hubs(
            self.ingestion,
            self.stop,
            callback=self.callback.url,
            post=lambda url, fields: post_form(self.sender, url, fields),
        )
        self.hub.settled()
        return asked

    def subscribe(self):
        """Poll, ask, and poll once more a while later."""
        self.check()
        self.ask()
        self.moment += 2 * HOUR
        self.check()

    def take(self):
        """Parse what was pushed."""
        return take_waiting(self.ingestion, self.stop)

    def only(self, model):
        with self.database.read() as session:
            return session.scalars(select(model)).one()

    def titles(self):
        with self.database.read() as session:
            return set(session.scalars(select(Entry.title)))

    def wait_for_poll(self):
        """How long from now until the vendor is polled."""
        return self.only(FetchFacts).next_check_at - self.moment

    def close(self):
        for part in (self.hub, self.vendor, self.callback, self.sender, self.ingestion.client):
            part.close()


@pytest.fixture(scope="module")
def pool():
    with ParserPool(workers=1) as children:
        yield children


@pytest.fixture
def world(database, pool, now):
    world = World(database, pool, now)
    yield world
    world.close()


def test_a_hub_that_a_feed_names_is_asked_with_a_secret_and_confirmed(world):
    world.check()
    assert world.ask() == 1
    (asked,) = world.hub.asked
    assert (asked["hub.topic"], len(asked["hub.secret"])) == (world.vendor.url, 43)
    assert world.hub.refused == []
    assert world.only(HubSubscription).live_until == world.moment + 10 * DAY


def test_while_a_hub_pushes_the_vendor_is_polled_once_a_day(world):
    world.check()
    before = world.wait_for_poll()
    world.ask()
    world.moment += before
    world.check()
    assert before < 12 * HOUR
    assert 24 * HOUR <= world.wait_for_poll() <= 25 * HOUR


def test_what_is_pushed_is_an_entry_without_a_request_to_the_vendor(world):
    world.subscribe()
    requests = world.vendor.requests
    assert world.hub.push(world.vendor.feed(("2", "Two"))) == [202]
    (report,) = world.take()
    assert (report.new, world.titles(), world.vendor.requests) == (1, {"One", "Two"}, requests)


def test_a_push_of_a_part_of_the_feed_loses_and_edits_nothing(world):
    world.vendor.items = [("3", "Three"), ("2", "Two"), ("1", "One")]
    world.subscribe()
    world.hub.push(world.vendor.feed(("4", "Four"), ("1", "One, in other words")))
    (report,) = world.take()
    assert (report.new, report.edited) == (1, 0)
    assert world.titles() == {"One", "Two", "Three", "Four"}
    world.vendor.items = [("4", "Four"), *world.vendor.items]
    assert (world.check().new, world.check().edited) == (0, 0)


def test_after_a_push_the_vendor_is_polled_as_if_there_were_no_hub(world):
    world.subscribe()
    world.moment += 3 * HOUR
    world.hub.push(world.vendor.feed(("2", "Two")))
    world.take()
    assert world.wait_for_poll() < 12 * HOUR


def test_a_push_that_says_nothing_new_leads_to_no_request(world):
    world.subscribe()
    before = world.only(FetchFacts).next_check_at
    world.hub.push(world.vendor.feed(("1", "One")))
    world.take()
    assert world.only(FetchFacts).next_check_at == before


@pytest.mark.parametrize("signature", ["sha256=" + "0" * 64, "sha256=", "md5=1", "", "sha256=ü"])
def test_a_push_with_a_wrong_signature_is_dropped(world, signature):
    world.subscribe()
    (subscription,) = world.hub.subscriptions.values()
    path = subscription.callback.removeprefix(world.callback.url)
    services = Context(world.database, lambda: world.moment, judge, "https://changewire.example")
    client = create_site(services, secret_key="x" * 32).test_client()
    answer = client.post(
        path, data=world.vendor.feed(("2", "Two")), headers={"X-Hub-Signature": signature}
    )
    assert (answer.status_code, world.take()) == (202, [])


def test_a_stronger_signature_is_taken(world):
    world.subscribe()
    world.hub.method = "sha512"
    world.hub.push(world.vendor.feed(("2", "Two")))
    assert [report.new for report in world.take()] == [1]


def test_a_hub_that_signs_with_sha1_only_is_left_and_its_source_polled(world):
    world.subscribe()
    world.hub.method = "sha1"
    world.hub.push(world.vendor.feed(("2", "Two")))
    subscription = world.only(HubSubscription)
    assert (world.take(), subscription.live_until) == ([], None)
    assert "SHA-1" in subscription.note
    assert world.wait_for_poll() <= timedelta()


def test_a_subscription_is_renewed_before_its_lease_ends(world):
    world.subscribe()
    world.moment += 8 * DAY
    assert (world.ask(), len(world.hub.subscriptions)) == (1, 1)
    assert world.only(HubSubscription).live_until == world.moment + 10 * DAY


def test_a_hub_that_died_is_polled_around_when_its_lease_ends(world):
    world.subscribe()
    world.hub.answer = 500
    world.moment += 8 * DAY
    world.ask()
    assert world.only(HubSubscription).note == "The response was 500."
    world.moment += 3 * DAY
    world.check()
    world.ask()
    assert world.only(HubSubscription).live_until is None
    assert world.wait_for_poll() <= HOUR
    world.moment += HOUR
    world.check()
    assert world.wait_for_poll() < 12 * HOUR


def test_a_hub_that_is_away_is_asked_ever_more_rarely(world):
    world.check()
    world.hub.answer = 503
    pauses = []
    for _ in range(10):
        world.ask()
        pauses.append(world.only(HubSubscription).next_ask_at - world.moment)
        world.moment += pauses[-1]
    assert pauses[:3] == [HOUR, 2 * HOUR, 4 * HOUR]
    assert pauses[-1] == 7 * DAY


def test_a_hub_that_keeps_silent_about_an_entry_is_left(world):
    world.subscribe()
    world.moment += DAY
    world.vendor.items = [("9", "Nine"), ("1", "One")]
    with world.database.write() as session:
        yesterday = world.moment - 5 * DAY
        session.execute(update(HubSubscription).values(live_since=yesterday))
    world.check()
    assert world.only(HubSubscription).note == "The hub did not push what was published."
    assert world.wait_for_poll() < 12 * HOUR


def test_a_flood_is_refused_behind_its_first_pushes(world):
    world.subscribe()
    answers = world.hub.flood(world.vendor.feed((str(n), f"Item {n}")) for n in range(2, 9))
    assert answers == [202] * MOST_WAITING + [429] * 3
    for _ in range(MOST_WAITING):
        world.take()
    assert len(world.titles()) == 1 + MOST_WAITING
    later = world.hub.flood(world.vendor.feed(("9", f"Nine {n}")) for n in range(20))
    assert later.count(202) <= MOST_WAITING


def test_what_cannot_be_read_is_dropped_and_changes_nothing(world):
    world.subscribe()
    before = world.only(FetchFacts)
    world.hub.push(b"<html>no feed</html>")
    world.take()
    after = world.only(FetchFacts)
    assert (after.next_check_at, after.failures) == (before.next_check_at, 0)
    with world.database.read() as session:
        assert session.scalars(select(HubPush)).all() == []


def test_a_push_waits_while_the_source_is_checked_by_somebody(world):
    world.subscribe()
    world.hub.push(world.vendor.feed(("2", "Two")))
    with world.database.write() as session:
        session.execute(update(FetchFacts).values(leased_until=world.moment + HOUR))
    assert world.take() == []
    with world.database.write() as session:
        session.execute(update(FetchFacts).values(leased_until=None))
    assert [report.new for report in world.take()] == [1]


def test_nobody_subscribes_us_to_what_we_did_not_ask_for(world):
    world.check()
    row = world.only(HubSubscription)
    callback = f"{world.callback.url}/websub?token={row.token}"
    intent = {
        "hub.mode": "subscribe",
        "hub.topic": row.topic,
        "hub.challenge": "abc",
        "hub.lease_seconds": "864000",
    }
    assert world.hub.tell(callback, intent)[0] == 404
    world.ask()
    assert world.hub.tell(callback, intent | {"hub.topic": "https://evil.example/"})[0] == 404
    assert world.hub.tell(callback, intent | {"hub.mode": "unsubscribe"})[0] == 404
    assert world.hub.tell(callback, intent | {"hub.lease_seconds": "60"})[0] == 404
    assert world.hub.tell(callback, intent | {"hub.lease_seconds": "-1"})[0] == 400
    assert world.hub.tell(callback, intent) == (200, "abc")


def test_a_hub_that_refuses_is_left_for_a_week(world):
    world.check()
    world.ask()
    row = world.only(HubSubscription)
    callback = f"{world.callback.url}/websub?token={row.token}"
    refusal = {"hub.mode": "denied", "hub.topic": row.topic, "hub.reason": "no more room"}
    assert world.hub.tell(callback, refusal)[0] == 200
    row = world.only(HubSubscription)
    assert (row.note, row.next_ask_at) == ("The hub refused: no more room", world.moment + 7 * DAY)


def test_a_feed_that_names_another_hub_leaves_the_first(world):
    world.subscribe()
    before = world.only(HubSubscription).token
    world.vendor.hub = Hub()
    world.moment += DAY
    world.check()
    row = world.only(HubSubscription)
    assert (row.hub, row.live_until) == (world.vendor.hub.url, None)
    assert row.token != before
    assert world.hub.push(world.vendor.feed(("2", "Two"))) == [410]
    world.vendor.hub.close()


@pytest.mark.slow
def test_an_entry_is_seen_within_ten_seconds_of_its_push_and_our_own_hub_is_told(
    database, tmp_path
):
    """The whole service as an operator starts it, with a hub of the vendor's and one of ours."""
    hub, ours, port = Hub(), Hub(), free_port()
    vendor = Vendor(hub)
    with database.write() as session:
        save_sources(session, [row_of(vendor)])
    environment = {
        "CHANGEWIRE_DATABASE_URL": database.engine.url.render_as_string(hide_password=False),
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_SITE_URL": f"http://127.0.0.1:{port}",
        "CHANGEWIRE_FETCH_ALLOW": "127.0.0.0/8",
        "CHANGEWIRE_HUB_CALLBACK": f"http://127.0.0.1:{port}",
        "CHANGEWIRE_FEED_HUB": ours.url,
    }
    serve = [*CHANGEWIRE, "serve", "--port", str(port)]
    with listening(serve, port, "/healthz", tmp_path / "serve.log", environment) as url:
        worker = subprocess.Popen(
            [*CHANGEWIRE, "worker"],
            env={**os.environ, **environment},
            cwd=tmp_path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_until(lambda: hub.subscriptions)
            pushed_at = time.monotonic()
            today = vendor.feed(("2", "Two")).replace(b"21 Nov 2026 02:00", TODAY)
            assert hub.push(today) == [202]
            wait_until(lambda: b"Two" in read(f"{url}/feeds/acme.api.atom"))
            assert time.monotonic() - pushed_at < 10
            wait_until(lambda: f"{url}/feeds/acme.api.atom" in ours.told)
            assert f'<{ours.url}>; rel="hub"' in links(f"{url}/rss/updates.xml")
            assert f'rel="hub" href="{ours.url}"'.encode() in read(f"{url}/feeds/updates.atom")
        finally:
            worker.terminate()
            worker.wait(timeout=20)
            for part in (hub, ours, vendor):
                part.close()


def read(url):
    with urlopen(url, timeout=10) as response:
        return response.read()


def links(url):
    with urlopen(url, timeout=10) as response:
        return response.headers["Link"]
