"""What everybody sees: light pages with live figures, and an honest no."""

import gc
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from filling import important
from site_addresses import PRIVATE, PUBLIC
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from handlers.site.app import create_site
from openapi.contract import load_operations
from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord

IMPORTANT = important("breaking", "security", text="Old tokens are refused <now>")
ANY_PAGE_BYTES = 150_000


def test_the_first_page_has_live_figures_and_examples(browser, publish, show, now):
    day = (now + timedelta(days=30)).date()
    publish("acme.compute", important=IMPORTANT, gone=timedelta(hours=2))
    goes = DeadlineRecord(DeadlineKind.REMOVAL, day, day, "The console goes.")
    show("Console", "It goes.", deadlines=[goes], categories=["breaking"])
    for text in ("It stays free.", "It costs money."):
        show("Prices", text, slug="acme.mail", external_id="prices")

    shown = browser.get("/").text

    for name, count in (("sources", 18), ("vendors", 6), ("important changes", 2)):
        assert f"<dt>{name}</dt><dd>{count}</dd>" in shown
    assert "Old tokens are refused &lt;now&gt;" in shown
    assert f'<time datetime="{day}">' in shown
    assert "<del>stays free.</del><ins>costs money.</ins>" in shown
    assert '<a href="/vendors/acme">' in shown


def test_edits_are_shown_to_everybody_as_far_as_the_text_is_public(browser, show):
    same = "word " * 120
    for title, text in (("One", f"Free.{same}It stays."), ("Two", f"Paid now.{same}It goes.")):
        show(title, text, external_id="edited")
    for text in (f"{same}before", f"{same}after"):
        show("Far", text, slug="acme.mail", external_id="far")

    shown = browser.get("/edits").text

    assert "<del>One</del><ins>Two</ins>" in shown
    assert "<del>Free.word </del><ins>Paid now.word </ins>" in shown
    assert ("It stays." in shown, shown.count("<del>")) == (False, 2)
    assert shown.count("Changed further down in the text") == 1


def test_no_page_is_heavy(ada, new_browser):
    private = [path for path in PRIVATE if not re.search("[A-Z]{3}", path)]
    for browser, paths in ((new_browser(), [*PUBLIC, "/sitemap.xml"]), (ada, private)):
        weights = {path: len(browser.get(path).data) for path in paths}
        assert {path: each for path, each in weights.items() if each >= ANY_PAGE_BYTES} == {}


def test_what_a_page_shows_is_freed_without_a_search_for_garbage(browser, show, request):
    request.addfinalizer(lambda: gc.set_debug(0))
    show("Console", "It goes.", categories=["breaking"])
    left = {}
    for path in PUBLIC:
        browser.get(path)  # keeps what the next one uses as well
        gc.collect()
        gc.set_debug(gc.DEBUG_SAVEALL)
        browser.get(path)
        gc.collect()
        gc.set_debug(0)
        left[path] = {type(it).__name__ for it in gc.garbage if "handlers." in type(it).__module__}
        gc.garbage.clear()

    assert {path: names for path, names in left.items() if names} == {}


def test_figures_are_at_most_a_minute_old(browser, publish, clock):
    browser.get("/")
    publish("acme.compute", news=timedelta(hours=1))
    assert "<dt>entries</dt><dd>0</dd>" in browser.get("/").text

    clock.forward(seconds=60)

    assert "<dt>entries</dt><dd>1</dd>" in browser.get("/").text


def test_the_reference_shows_every_operation_parameter_and_answer(browser):
    listed = browser.get("/docs").text

    for operation in load_operations():
        assert f'href="/docs/{operation.operation_id}"' in listed
        shown = browser.get(f"/docs/{operation.operation_id}").text
        assert f"/api/v1{operation.path}" in shown
        for parameter in operation.parameters:
            assert f'name="{parameter.name}"' in shown
        for status in operation.responses:
            assert f"<code>{status}</code>" in shown


def test_programs_that_read_for_people_find_every_operation_and_feed(browser):
    response = browser.get("/llms.txt")

    assert response.mimetype == "text/plain"
    for operation in load_operations():
        assert f"{operation.method} /api/v1{operation.path}" in response.text
    for feed in ("/rss/updates.xml", "/feeds/important.json", "/deadlines.ics"):
        assert f"https://changewire.example{feed}" in response.text
    for other in ("/entries.csv", "changewire mcp", "/feeds/SLUG.atom", "/.well-known/api-catalog"):
        assert other in response.text


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/sources", "/api/v10"])
def test_under_api_a_no_is_the_error_object(browser, path):
    response = browser.get(path)

    assert (response.status_code, response.mimetype) == (404, "application/json")
    assert response.json["code"] == "not_found"


@pytest.mark.parametrize("path", ["/nothing/here", "/app/webhooks/nothing", "/sources/no.such"])
def test_a_page_that_is_not_there_knows_who_is_signed_in(ada, path):
    response = ada.get(path)

    assert (response.status_code, response.mimetype) == (404, "text/html")
    assert "Page not found" in response.text
    assert "Sign out" in response.text
    assert "Sign in" not in response.text


@pytest.fixture
def broken(services, new_browser):
    """A browser at a site whose clock has a fault."""

    def fault():
        raise ZeroDivisionError("a secret detail")

    browser = new_browser()
    site = create_site(replace(services, now=fault), secret_key="another secret")
    browser.client = site.test_client()
    return browser


def test_a_fault_of_ours_is_a_page_without_details(broken):
    response = broken.get("/")

    assert (response.status_code, response.mimetype) == (500, "text/html")
    assert "This is our fault" in response.text
    assert "secret detail" not in response.text
    assert "Traceback" not in response.text
    assert response.headers["Content-Security-Policy"]


def lose(database):
    """Let no connection to a database succeed any more."""

    def refused(*_):
        raise OperationalError("connect", {}, OSError("nobody listens"))

    database.engine.dispose()
    event.listen(database.engine, "do_connect", refused)


def test_a_database_that_is_gone_is_a_503_that_says_when_to_come_back(browser, database):
    lose(database)

    response = browser.get("/")

    assert response.status_code == 503
    assert response.headers["Retry-After"] == "5"
    assert "try again in a moment" in response.text
