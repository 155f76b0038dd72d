"""The digest: chosen on the page, ended by one click without signing in (RFC 8058)."""

import re
from datetime import UTC, datetime

import pytest

from storage.models import Digest

PAGE = "/app/webhooks"
DAILY = {"frequency": "daily", "hour": "6", "events": "all"}


@pytest.fixture
def digest(rows):
    """Read the only digest there is; None if there is none."""
    return lambda: next(iter(rows(Digest)), None)


def choose(browser, **form):
    return browser.post("/app/digest", page=PAGE, **{**DAILY, **form})


@pytest.mark.parametrize(
    ("frequency", "hour", "events", "next_at"),
    [
        ("daily", "6", "all", datetime(2026, 11, 22, 6, tzinfo=UTC)),
        ("weekly", "23", "important", datetime(2026, 11, 23, 23, tzinfo=UTC)),  # a Monday
    ],
)
def test_a_digest_comes_at_its_hour(ada, digest, frequency, hour, events, next_at):
    assert choose(ada, frequency=frequency, hour=hour, events=events).status_code == 303

    assert (digest().next_at, digest().frequency) == (next_at, frequency)
    assert digest().only_important is (events == "important")
    assert f'value="{frequency}" checked' in ada.get(PAGE).text


def test_one_click_sends_a_filter_and_the_form_another_one(ada, digest):
    save = {"page": "/app/filters", "then": "digest"}
    ada.post("/app/filters", name="Of Acme", vendor="acme", **save)
    first = digest().filter_id
    led = ada.post("/app/filters", name="Of Globex", vendor="globex", **save).location
    assert digest().filter_id == first is not None
    public_id = re.search(r"digest=(\w+)#", led)[1]

    choose(ada, filter=public_id)

    assert digest().filter_id != first
    assert f'<option value="{public_id}" selected>Of Globex</option>' in ada.get(PAGE).text
    ada.post("/app/stack", page="/app/stack", part=["pkg:npm/a@1.0"])
    choose(ada, filter="stack:1")
    assert (digest().filter_id, digest().stack) == (None, "1")
    assert '<option value="stack:1" selected>' in ada.get(PAGE).text
    assert choose(ada, filter="0A1b2C3d4E5f").status_code == 400
    assert (digest().filter_id, digest().stack) == (None, "1")


def test_changing_it_keeps_what_was_told_and_the_page_ends_it(ada, digest):
    choose(ada)
    before = digest()
    choose(ada, hour="8")

    assert (digest().token, digest().position) == (before.token, before.position)
    assert digest().hour == 8
    choose(ada, frequency="off")
    assert digest() is None
    assert "Digest turned off." in ada.get(PAGE).text


@pytest.mark.parametrize(
    "form",
    [{"frequency": "hourly"}, {"hour": "24"}, {"hour": "-1"}, {"hour": ""}, {"events": "none"}],
)
def test_a_form_that_makes_no_sense_changes_nothing(ada, digest, form):
    assert choose(ada, **form).status_code == 400
    assert digest() is None


def unsubscribe(browser, token):
    """End a digest as mail programs do."""
    form = {"List-Unsubscribe": "One-Click"}
    return browser.client.post(f"/unsubscribe?token={token}", base_url=browser.base, data=form)


def test_a_mail_program_ends_it_with_one_request(ada, digest, new_browser):
    choose(ada)

    token = digest().token

    assert [unsubscribe(new_browser(), token).status_code for _ in range(2)] == [200, 200]
    assert digest() is None


def test_looking_at_the_link_ends_nothing_and_its_button_does(ada, digest, new_browser):
    choose(ada)
    link = f"/unsubscribe?token={digest().token}"
    stranger = new_browser()

    page = stranger.get(link)

    assert page.status_code == 200
    assert "ada@acme.example" in page.text
    assert page.headers["Cache-Control"] == "private, no-store"
    assert digest() is not None
    assert stranger.post(link, page=link).status_code == 200
    assert digest() is None
    assert stranger.get(link).status_code == 404


@pytest.mark.parametrize("token", ["unknown", "x" * 5000, "%00"])
def test_a_token_that_nobody_was_given_ends_nothing(ada, digest, new_browser, token):
    choose(ada)

    unsubscribe(new_browser(), token)
    assert digest() is not None
