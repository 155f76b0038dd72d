"""What vendors, customers and addresses say is text on every page, and never markup."""

import json
from datetime import timedelta

import pytest
from site_addresses import PLACEHOLDERS, paths
from site_data import fill
from site_people import come

from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord

EVIL = "\"'><script>alert(1)</script>{{ 7*7 }}"
NAMES = {"slug": "umbrella.console", "vendor": "umbrella", "address": "markup", "diff_id": "1"}
PARAMETERS = (
    *("q", "vendor", "tag", "category", "kind", "since", "until", "order", "offset", "days"),
    *("prerelease", "tier", "health", "sort", "reason", "day", "view", "from", "show"),
    *("name", "sources", "plan", "addon", "next", "digest", "feed", "key", "mine"),
)
HOSTILE = dict.fromkeys(PARAMETERS, EVIL)


@pytest.fixture
def mallory(new_browser, database, catalog, show, now):
    """Somebody who names everything in markup, at a site whose vendors write markup."""
    fill(database, now)
    day = (now + timedelta(days=23)).date()
    goes = DeadlineRecord(DeadlineKind.REMOVAL, day, day, EVIL)
    show(
        EVIL, EVIL, slug="umbrella.console", categories=["breaking"], deadlines=[goes], tags=[EVIL]
    )
    token, names = come(database, "stopped", "mallory@acme.example", now=now)
    mallory = new_browser()
    mallory.client.set_cookie("__Host-session", token, domain="changewire.example")
    mallory.names = names
    return mallory


def is_harmless(page):
    """Tell whether a page runs nothing that others wrote, and computed nothing."""
    harm = ("<script>alert", "<img", 'href="javascript:', "49 }}", "script>49")
    return not any(each in page for each in harm)


@pytest.fixture
def shown(pages, mallory):
    """Every page as it answers, with a hostile text in every parameter and without."""
    names = {"public_id": mallory.names["key"], "webhook_id": mallory.names["hook"]}
    asked = ({}, {"view": "words"}, {"filter": mallory.names["filter"]}, HOSTILE)
    found = {}
    for path in paths(pages, {"GET"}, PLACEHOLDERS | NAMES | names):
        for query in asked:
            answer = mallory.get(path, query_string=query, follow_redirects=True)
            if answer.mimetype == "text/html":
                found[path, "q" in query] = answer
    return found


def test_no_text_of_others_becomes_markup_and_no_parameter_is_a_fault(shown):
    assert [place for place, answer in shown.items() if not is_harmless(answer.text)] == []
    assert [place for place, answer in shown.items() if answer.status_code >= 500] == []


def test_hostile_texts_are_shown_where_they_belong(shown):
    """Otherwise the pages would be harmless because they are empty."""
    places = {path for (path, _), answer in shown.items() if "&lt;script&gt;alert(" in answer.text}
    wanted = {
        *("/latest", "/important", "/", "/deadlines", "/search", "/sources", "/vendors/umbrella"),
        *("/sources/umbrella.console", "/sources/umbrella.console/diffs/1"),
        *("/e/umbrella.console/markup", "/app/api-keys", "/app/filters", "/app/webhooks"),
        *("/app/plan", "/following", "/guide/search"),
    }
    assert wanted - places == set()


@pytest.mark.parametrize(
    ("path", "page", "form"),
    [
        ("/auth/login", "/auth/login", {"email": EVIL}),
        ("/app/webhooks", "/app/webhooks", {"name": EVIL, "url": EVIL}),
        ("/app/filters", "/app/filters", {"name": EVIL, "since": EVIL}),
        ("/app/api-keys", "/app/api-keys", {"name": EVIL}),
        ("/app/stack/proposals", "/app/stack", {"text": f"a b c {EVIL}"}),
        ("/app/stack/proposals", "/app/stack", {"text": json.dumps({"dependencies": {EVIL: "1"}})}),
        ("/sources/request", "/sources", {"url": EVIL, "note": EVIL}),
    ],
)
def test_what_a_form_said_comes_back_as_text(ada, new_browser, path, page, form):
    browser = new_browser() if path == "/auth/login" else ada

    answer = browser.post(path, page=page, **form)

    assert answer.status_code in (200, 400)
    assert is_harmless(answer.text)
