"""Every page, light and narrow, dark and wide: no serious accessibility fault, nothing cut off."""

import hashlib
import json
import re
import urllib.request

import pytest
from site_addresses import PRIVATE, PUBLIC

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
VIEWS = {
    "light phone": {"viewport": PHONE, "color_scheme": "light"},
    "dark desktop": {"viewport": DESKTOP, "color_scheme": "dark"},
}
SERIOUS = {"serious", "critical"}


@pytest.fixture(
    scope="module",
    params=[(path, view) for path in dict.fromkeys(PUBLIC + PRIVATE) for view in VIEWS],
    ids=lambda each: f"{each[0]} {each[1]}",
)
def shown(request, open_shared_page, signed_in):
    """Each page as it is seen, by whoever may see it."""
    path, view = request.param
    address, options = seen_by(path, signed_in)
    with open_shared_page(address, **VIEWS[view], **options) as page:
        yield page


@pytest.fixture
def look(open_page, signed_in):
    """Open a page as whoever may see it."""

    def look(path, **options):
        address, more = seen_by(path, signed_in)
        return open_page(address, **options, **more)

    return look


def seen_by(path, signed_in):
    """Return the address of a page, and the options of a browser that may see it."""
    names = {
        "KEY": signed_in.public_id,
        "HOOK": signed_in.webhook_id,
        "REQUEST": signed_in.request_id,
        "DELIVERY": str(signed_in.delivery_id),
        "DIGEST": signed_in.digest_token,
    }
    address = re.sub("|".join(names), lambda name: names[name[0]], path)
    return address, {"storage_state": signed_in.state} if path in PRIVATE else {}


def faults(axe, page):
    """Return the serious accessibility faults of a page, each with its first place."""
    found = axe.run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in SERIOUS]


def test_a_page_has_no_serious_accessibility_fault(shown, axe):
    assert faults(axe, shown) == []


def test_a_page_fits_its_window(shown):
    assert shown.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_keyboard_reaches_the_content_first(shown):
    shown.evaluate("document.activeElement.blur()")

    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.className") == "skip"
    shown.keyboard.press("Enter")

    assert shown.evaluate("document.activeElement.id") == "main"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_opened_reference_has_no_serious_accessibility_fault(look, axe, scheme):
    page = look("/docs", color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_role("form", name="Try GET /latest").get_by_role("button").click()
    page.get_by_text("200 OK").wait_for()

    assert faults(axe, page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_refusal_and_a_shown_key_have_no_serious_accessibility_fault(look, axe, scheme):
    page = look("/app/api-keys", color_scheme=scheme)
    page.get_by_label("Name").fill("shown")
    page.get_by_role("checkbox").first.uncheck()
    page.get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Make the key").click()
    page.locator("#key").wait_for()
    assert faults(axe, page) == []
    page.goto("/app/api-keys")
    page.get_by_text("Revoke shown").first.click()
    page.get_by_role("button", name="Revoke it now").first.click()
    page.get_by_text("is revoked").wait_for()

    assert faults(axe, page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_deletion_of_an_account_has_no_serious_accessibility_fault(look, axe, scheme):
    page = look("/app/account", color_scheme=scheme, viewport=PHONE)
    page.get_by_text("Delete", exact=True).click()
    page.get_by_label("to confirm").wait_for()

    assert faults(axe, page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_signing_in_elsewhere_or_by_a_wrong_code_has_no_accessibility_fault(
    open_page, service, axe, scheme
):
    service.forget_requests()
    here = open_page("/auth/login", color_scheme=scheme, viewport=PHONE)
    here.get_by_label("E-mail address").fill("judy@acme.example")
    here.get_by_role("button", name="Mail me a link").click()
    here.wait_for_url("**/auth/sent")
    elsewhere = open_page(service.newest_link(), color_scheme=scheme, viewport=PHONE)
    here.get_by_label("Type its code").fill("AAAA-BBBB")
    here.get_by_role("button", name="Sign in here").click()

    here.get_by_text("This is not the code").wait_for()
    elsewhere.get_by_role("heading", name="Another browser asked").wait_for()
    assert faults(axe, here) == faults(axe, elsewhere) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_terminal_is_allowed_on_pages_without_an_accessibility_fault(look, service, axe, scheme):
    challenge = hashlib.sha256(scheme.encode()).hexdigest()
    asked = {"challenge": challenge, "name": "<script>alert(1)</script>"}
    request = urllib.request.Request(
        f"{service.url}/auth/terminal",
        data=json.dumps(asked).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as response:
        code = json.load(response)["code"]
    page = look("/app/connect", color_scheme=scheme, viewport=PHONE)
    page.get_by_label("Code").fill(code)
    page.get_by_role("button", name="Go on").click()
    page.get_by_text("<script>alert(1)</script>").wait_for()
    assert faults(axe, page) == []

    page.get_by_role("button", name="Allow it").click()
    page.get_by_role("heading", name="Your terminal is connected").wait_for()

    assert faults(axe, page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_pasted_file_has_is_shown_without_an_accessibility_fault(look, axe, scheme):
    page = look("/app/sources", color_scheme=scheme, viewport=PHONE)
    page.get_by_text("Start from what you run").click()
    page.get_by_label("Its text").fill('{"dependencies": {"<script>alert(1)</script>": "1"}}')
    page.get_by_role("button", name="See what is covered").click()
    page.get_by_role("heading", name="Not covered 1").wait_for()
    assert faults(axe, page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    page.goto("/app/sources?tier=product&sort=newest")
    page.get_by_text("Start from what you run").click()

    assert faults(axe, page) == []


def test_what_the_keyboard_reaches_can_be_seen(look):
    page = look("/app/api-keys")
    outlines = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        outlines.add(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))

    assert "none" not in outlines
