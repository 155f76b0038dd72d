"""Pages that come instead of the page."""

import pytest

from changelog_reader.adapters.base import BlockedDocument
from changelog_reader.adapters.html import parse_page

LONG = "<p>" + "All that changed in this release is told here at length. " * 80 + "</p>"

BLOCKED = {
    "a challenge by its script": "<title>x</title><script>window._cf_chl_opt={}</script>",
    "a challenge by its words": "<title>Just a moment...</title><p>Checking your browser</p>",
    "a captcha": "<title>Security check</title><div class='g-recaptcha'></div>",
    "a captcha service": "<p>x</p><script src='https://geo.captcha-delivery.com/c.js'></script>",
    "a denial": "<title>Access denied</title><p>You don't have permission to access this.</p>",
    "a sign-in form": "<title>Sign in</title><form><input type='password'></form>",
    "a sign-in page in words": "<title>Log in | Acme</title><p>Sign in to continue</p>",
    "a consent wall": "<title>Before you continue</title><p>Before you continue to Acme</p>",
    "a robot check": "<title>Robot check</title><p>unusual traffic</p>",
}

HONEST = {
    "one weak sign": "<title>Changelog</title><p>ray id</p>",
    "a title alone": "<title>Please wait for 2.0</title><p>Soon.</p>",
    "a changelog about captchas": f"<title>Sign in</title>{LONG}<p>g-recaptcha, h-captcha</p>",
    "a page with a sign-in form": f"<title>Changes</title>{LONG}<input type='password'>",
}


@pytest.mark.parametrize("markup", BLOCKED.values(), ids=BLOCKED)
def test_a_page_in_the_way_is_a_failure(markup):
    with pytest.raises(BlockedDocument):
        parse_page(markup.encode(), address="https://acme.example/changelog", content_type=None)


@pytest.mark.parametrize("markup", HONEST.values(), ids=HONEST)
def test_an_honest_page_is_not(markup):
    document = parse_page(
        markup.encode(), address="https://acme.example/changelog", content_type=None
    )

    assert document.entries == ()
