"""Every page is opened in a browser by tests, or is said to be none."""

import re

import pytest
from site_addresses import NO_PAGES, PRIVATE, PUBLIC
from werkzeug.exceptions import NotFound

GONE = ("/operator", "/operator/requests", "/auth/passkey", "/auth/terminal", "/app/connect")
FILLED = (("KEY", "k"), ("HOOK", "h"), ("DELIVERY", "1"), ("DIGEST", "d"))


@pytest.fixture
def endpoints(browser):
    """The endpoints of all that answers to GET."""
    rules = browser.client.application.url_map.iter_rules()
    return {rule.endpoint for rule in rules if "GET" in rule.methods}


@pytest.fixture
def opened(browser):
    """The endpoints of the addresses that the tests with a browser open."""
    adapter = browser.client.application.url_map.bind("changewire.example")
    found = set()
    for address in (*PUBLIC, *PRIVATE):
        path = re.sub(r"\?.*", "", address)
        for word, value in FILLED:
            path = path.replace(word, value)
        try:
            found.add(adapter.match(path)[0])
        except NotFound:
            assert path == "/no-such-page"
    return found


@pytest.mark.parametrize("path", GONE)
def test_an_address_that_is_gone_is_not_found(browser, path):
    assert browser.get(path).status_code == 404


def test_each_page_is_opened_in_a_browser(endpoints, opened):
    others = {each for each in endpoints if {each, each.partition(".")[0]} & set(NO_PAGES)}

    assert endpoints - others - opened == set()


def test_what_is_no_page_still_answers(endpoints, opened):
    blueprints = {each.partition(".")[0] for each in endpoints}

    assert set(NO_PAGES) - endpoints - blueprints == set()
    assert opened.isdisjoint(NO_PAGES)
