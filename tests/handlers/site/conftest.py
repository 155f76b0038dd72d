"""The pages as a browser sees them: an application with a mailbox, and people who click."""

import re
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta
from html import unescape
from types import SimpleNamespace

import filling
import pytest

from handlers.site.app import create_site
from openapi.vocabulary import AdapterType, Kind, Plan, Tier
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import open_database
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, known_entries, save_entries
from storage.people.accounts import find_account

HOST = "changewire.example"
SITE = f"https://{HOST}"
SECRET = "a secret of the tests"
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
LINK = re.compile(r"https?://\S+/auth/confirm\?token=\S+")


@dataclass
class Clock:
    """A clock that tests move."""

    at: object

    def __call__(self):
        return self.at

    def forward(self, **by):
        self.at += timedelta(**by)


@dataclass
class Browser:
    """Somebody with a browser of their own: keeps cookies, sends forms with their tokens."""

    client: object
    mails: list
    base: str = SITE
    headers: dict = field(default_factory=dict)

    def get(self, path, **more):
        headers = self.headers | more.pop("headers", {})
        return self.client.get(path, base_url=self.base, headers=headers, buffered=True, **more)

    def post(self, path, *, page="/auth/login", headers=None, **data):
        """Send a form; ``page`` is where its token comes from."""
        found = TOKEN.search(self.get(page, follow_redirects=True).text)
        data["csrf_token"] = found[1] if found else ""
        return self.client.post(
            path, base_url=self.base, data=data, headers=self.headers | (headers or {})
        )

    def ask(self, email="ada@acme.example", **more):
        """Ask for a sign-in link."""
        return self.post("/auth/login", email=email, **more)

    def mailed_link(self):
        """Return the path of the link in the newest mail."""
        return LINK.search(self.mails[-1].text)[0].removeprefix(self.base)

    def confirm(self, link):
        """Open a link and press its button."""
        token = link.partition("token=")[2]
        return self.post("/auth/confirm", page=link, token=token)

    def sign_in(self, email="ada@acme.example"):
        self.ask(email)
        response = self.confirm(self.mailed_link())
        assert response.status_code == 303
        return response

    def new_key(self, **form):
        """Make a key on the keys page; return its text."""
        form = {"name": "report", "scope": "read:entries", "expiry": "", **form}
        response = self.post("/app/api-keys", page="/app/api-keys", **form)
        assert response.status_code == 201
        return unescape(re.search(r'id="key">([^<]+)<', response.text)[1])


@pytest.fixture
def clock(now):
    return Clock(now)


@pytest.fixture
def mails():
    """What the pages have sent, newest last."""
    return []


@pytest.fixture
def pages(services, clock, mails):
    """The pages' application."""
    return create_site(replace(services, now=clock, send_mail=mails.append), secret_key=SECRET)


@pytest.fixture
def pages_with(services, clock, mails):
    """Make the pages' application with other services: ``pages_with(offer=…)``; a browser of it."""

    def pages_with(**other):
        made = replace(services, now=clock, send_mail=mails.append, **other)
        site = create_site(made, secret_key=SECRET)
        return Browser(site.test_client(), mails)

    return pages_with


@pytest.fixture
def new_browser(pages, mails):
    """Open a browser that nobody has used yet."""
    return lambda **more: Browser(pages.test_client(), mails, **more)


@pytest.fixture
def browser(new_browser):
    return new_browser()


@pytest.fixture(scope="session")
def signed_in(database_with_catalog, new_database_url, services_of):
    """A database where Ada has just signed in, with her mails and her session's cookies."""
    url, mails = new_database_url(like=database_with_catalog), []
    with closing(open_database(url)) as database:
        services = replace(services_of(database), send_mail=mails.append)
        browser = Browser(create_site(services, secret_key=SECRET).test_client(), mails)
        headers = browser.sign_in().headers.getlist("Set-Cookie")
    cookies = [browser.client.get_cookie(each.partition("=")[0], HOST) for each in headers]
    return SimpleNamespace(url=url, mails=mails, cookies=[each for each in cookies if each])


@pytest.fixture
def database_to_copy(request, database_to_copy):
    """The one where Ada is signed in for tests that have her."""
    if "ada" in request.fixturenames:
        return request.getfixturevalue("signed_in").url
    return database_to_copy


@pytest.fixture
def ada(signed_in, browser):
    """A browser whose owner, ada@acme.example, is signed in on the Free plan."""
    browser.mails += signed_in.mails
    for cookie in signed_in.cookies:
        browser.client.set_cookie(cookie.key, cookie.value, domain=HOST)
    return browser


@pytest.fixture
def tool(database, catalog):
    """A repository in the catalog, with another name."""
    row = filling.catalog_row(
        "acme.tool",
        name="Tool <b>",
        kind=Kind.RELEASE_NOTES,
        changelog_url="https://github.com/Acme/Tool/releases",
        adapter_type=AdapterType.GITHUB_RELEASES,
        feed_url="https://github.com/Acme/Tool/releases.atom",
        tags=("databases",),
        tier=Tier.COMPONENT,
        aliases=("@acme/tool",),
    )
    with database.write() as session:
        save_sources(session, [row])


@pytest.fixture
def set_plan(database):
    """Change a plan as the operator does: ``set_plan(Plan.ALL, diffs_addon=True)``."""

    def set_plan(plan=Plan.FREE, *, diffs_addon=False, email="ada@acme.example"):
        with database.write() as session:
            account = find_account(session, email)
            account.plan, account.diffs_addon = plan, diffs_addon

    return set_plan


@pytest.fixture
def select(ada):
    """Let ada follow sources: ``select("acme.mail", …)``."""

    def select(*slugs):
        page = "/app/sources"
        assert ada.post(page, page=page, slug=list(slugs)).status_code == 303

    return select


@pytest.fixture
def rows(database):
    """Read the rows of a model, oldest first: ``rows(Webhook)``."""

    def rows(model):
        with database.read() as session:
            return session.query(model).order_by(*model.__table__.primary_key).all()

    return rows


@pytest.fixture
def show(database, now):
    """Store an entry, or its edit: ``show(title, summary=…, hours=1, …)``."""

    def show(
        title,
        summary="All about it.",
        *,
        slug="acme.mail",
        external_id=None,
        hours=1.0,
        url="https://acme.example/1",
        tags=("cloud", "email"),
        categories=(),
        deadlines=(),
        important=None,
        seen=timedelta(0),
        **raw,
    ):
        text = EntryText(
            external_id=external_id or title,
            source=slug,
            vendor=slug.partition(".")[0],
            published_at=now - timedelta(hours=hours),
            title=title,
            url=url,
            summary=summary,
            raw=raw,
            tags=tags,
        )
        why = filling.important(*categories, text=title) if categories else important
        written = EntryRecord(text, "0" * 64, why, 1, tuple(deadlines))
        with database.write() as session:
            source_id = ids_of(session, [slug])[slug]
            known = known_entries(session, source_id, ids=[text.external_id], urls=())
            save_entries(
                session,
                source_id,
                new=[] if known else [written],
                edited=[Edit(known[0], written)] if known else [],
                now=now + seen,
            )

    return show
