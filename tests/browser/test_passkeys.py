"""A passkey of Chromium's virtual authenticator: added, used, removed."""

import pytest

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def page(open_page, service):
    """Somebody who is signed in by a link, on a device with a finger on it."""
    page = open_page("/auth/login")
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    page.get_by_label("E-mail address").fill("finger@acme.example")
    page.get_by_role("button", name="Mail me a link").click()
    page.wait_for_url("**/auth/sent")
    page.goto(service.newest_link())
    page.get_by_role("button", name="Sign in as").click()
    page.wait_for_url("**/app/sources")
    return page


def sign_out(page):
    page.context.clear_cookies()
    page.goto("/auth/login?next=/app/security")


def test_a_passkey_is_added_signs_in_and_is_removed(page):
    page.goto("/app/security")
    page.get_by_label("Name of the passkey").fill("Ring finger")
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("The passkey is added").wait_for()
    page.get_by_role("button", name="Add a passkey").click()
    page.get_by_text("This device has a passkey of yours already.").wait_for()

    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/app/security")
    page.get_by_text("with the passkey Ring finger").wait_for()

    page.get_by_role("button", name="Remove the passkey Ring finger").click()
    page.get_by_text("The passkey is removed").wait_for()
    sign_out(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.get_by_text("That passkey did not work here").wait_for()


def test_who_has_no_passkey_reads_so(page):
    sign_out(page)

    page.get_by_role("button", name="Sign in with a passkey").click()

    page.get_by_text("No passkey was used.").wait_for()
