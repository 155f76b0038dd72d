"""A real service in a process of its own, and a real Chromium in front of it.

Where Chromium or Playwright is missing the tests are skipped, except in CI (CI=true), where
that is a failure.
"""

import re
import shutil
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from pathlib import Path
from types import SimpleNamespace

import pytest
from site_data import fill
from site_people import come
from specimen.programs import missing
from specimen.serving import free_port, listening
from sqlalchemy import delete, select

from storage.catalog.sources import ids_of
from storage.delivery.digests import save_digest
from storage.delivery.fanout import add_test_event
from storage.engine.database import open_database, upgrade
from storage.models import Digest, FetchFacts, RateWindow, Webhook
from storage.models.webhooks import DigestFrequency
from storage.people.accounts import find_account

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@dataclass(frozen=True)
class Service:
    """A running service: where it answers, its database, where its mails are."""

    url: str
    database: object
    outbox: Path

    def newest_link(self):
        """Return the sign-in link of the newest mail."""
        newest = max(self.outbox.glob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        text = message_from_bytes(newest.read_bytes(), policy=policy.default).get_content()
        return re.search(r"http\S+/auth/confirm\?token=\S+", text)[0]

    def forget_requests(self):
        """Let as many people sign in from this address as if nobody had yet."""
        with self.database.write() as session:
            session.execute(delete(RateWindow))

    def delivery_and_digest(self, email, hook):
        """Start a digest and queue a message; return its number, and what ends the digest."""
        settings = Digest(frequency=DigestFrequency.DAILY, hour=6)
        with self.database.write() as session:
            account = find_account(session, email)
            digest = save_digest(session, account.id, settings, now=datetime.now(UTC))
            webhook_id = session.scalar(select(Webhook.id).where(Webhook.public_id == hook))
            return add_test_event(session, webhook_id, now=datetime.now(UTC)), digest.token

    def let_a_source_and_a_webhook_fail(self, hook):
        """Let globex.mail and a webhook fail."""
        now = datetime.now(UTC)
        with self.database.write() as session:
            facts = session.get_one(FetchFacts, ids_of(session, ["globex.mail"])["globex.mail"])
            facts.failures, facts.last_failure, facts.last_message = 3, "forbidden", "403"
            facts.first_failed_at = facts.last_attempt_at = now
            webhook = session.scalar(select(Webhook).where(Webhook.public_id == hook))
            webhook.failures, webhook.failing_since = 3, now


@pytest.fixture(scope="session")
def service(tmp_path_factory):
    """Changewire on a port of its own, with 30 sources of invented vendors."""
    folder = tmp_path_factory.mktemp("service")
    database = open_database(f"sqlite:///{folder}/changewire.db")
    upgrade(database)
    fill(database, datetime.now(UTC).replace(microsecond=0))
    port = free_port()
    settings = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{folder}/changewire.db",
        "CHANGEWIRE_OUTBOX": str(folder / "outbox"),
        "CHANGEWIRE_SITE_URL": f"http://localhost:{port}",
    }
    for name in ("terms", "privacy", "contact"):
        (folder / f"{name}.md").write_text(f"# Our {name}\n\n{'Words of the operator. ' * 40}\n")
        settings[f"CHANGEWIRE_{name.upper()}_FILE"] = str(folder / f"{name}.md")
    program = Path(sys.executable).with_name("changewire")
    command = [str(program), "up", "--no-ingest", "--port", str(port)]
    with listening(command, port, "/healthz", folder / "log", settings):
        yield Service(settings["CHANGEWIRE_SITE_URL"], database, folder / "outbox")
    database.close()


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium."""
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        missing("Playwright is not installed (the extra named browser).")
    installed = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=installed, args=FLAGS)
        except Error as error:
            missing(f"Chromium cannot be started ({str(error).splitlines()[0]}).")
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe(chromium):
    """What finds accessibility faults."""
    try:
        from axe_playwright_python.sync_playwright import Axe
    except ImportError:
        missing("axe-playwright-python is not installed (the extra named browser).")
    return Axe()


def complaint_of(said, page):
    """Return what a message of the console complains about: not that the page is a refusal."""
    is_refusal = "Failed to load resource" in said.text and said.location["url"] == page.url
    return [said.text] if said.type in ("error", "warning") and not is_refusal else []


@contextmanager
def pages_of(chromium, service):
    """Open pages, each in a browser of its own; what a console complains about is a failure."""
    contexts, complaints = [], []

    def open_page(path="/", **options):
        context = chromium.new_context(base_url=service.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda said: complaints.extend(complaint_of(said, page)))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def open_page(chromium, service):
    """Open a page: ``open_page(path, **options)``, with Playwright's options of a context."""
    with pages_of(chromium, service) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def open_shared_page(chromium, service):
    """Open a page for several tests: ``with open_shared_page(path, **options) as page``."""

    @contextmanager
    def open_shared_page(path, **options):
        with pages_of(chromium, service) as open_page:
            yield open_page(path, **options)

    return open_shared_page


@pytest.fixture(scope="session")
def signed_in(service):
    """The cookie of a reader of site_people, and what the addresses of their pages are made of."""
    email, now = "grace@acme.example", datetime.now(UTC)
    token, names = come(service.database, "reader", email, now=now)
    service.let_a_source_and_a_webhook_fail(names["hook"])
    delivery_id, digest_token = service.delivery_and_digest(email, names["hook"])
    return SimpleNamespace(
        state={"cookies": [{"name": "session", "value": token, "url": service.url}], "origins": []},
        public_id=names["key"],
        webhook_id=names["hook"],
        delivery_id=delivery_id,
        digest_token=digest_token,
    )
