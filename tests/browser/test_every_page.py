"""Every page, light and dark, wide and narrow: no serious accessibility fault, nothing cut off."""

import pytest
from site_addresses import PRIVATE, PUBLIC

WIDTHS = {"phone": {"width": 360, "height": 740}, "desktop": {"width": 1280, "height": 800}}
SERIOUS = {"serious", "critical"}


@pytest.fixture
def look(open_page, signed_in):
    """Open a page as whoever may see it."""

    def look(path, **options):
        if path in PRIVATE:
            options["storage_state"] = signed_in.state
        path = path.replace("KEY", signed_in.public_id).replace("HOOK", signed_in.webhook_id)
        path = path.replace("REQUEST", signed_in.request_id)
        path = path.replace("DELIVERY", str(signed_in.delivery_id))
        path = path.replace("DIGEST", signed_in.digest_token)
        return open_page(path, **options)

    return look


def faults(axe, page):
    """Return the serious accessibility faults of a page, each with its first place."""
    found = axe.run(page).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found if each["impact"] in SERIOUS]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PUBLIC + PRIVATE)
def test_a_page_has_no_serious_accessibility_fault(look, axe, path, scheme):
    page = look(path, color_scheme=scheme, viewport=WIDTHS["phone"])

    assert faults(axe, page) == []


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
    page = look("/app/account", color_scheme=scheme, viewport=WIDTHS["phone"])
    page.get_by_text("Delete", exact=True).click()
    page.get_by_label("to confirm").wait_for()

    assert faults(axe, page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_pasted_file_has_is_shown_without_an_accessibility_fault(look, axe, scheme):
    page = look("/app/sources", color_scheme=scheme, viewport=WIDTHS["phone"])
    page.get_by_text("Start from what you run").click()
    page.get_by_label("Its text").fill('{"dependencies": {"<script>alert(1)</script>": "1"}}')
    page.get_by_role("button", name="See what is covered").click()
    page.get_by_role("heading", name="Not covered 1").wait_for()
    assert faults(axe, page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    page.goto("/app/sources?tier=product&sort=newest")
    page.get_by_text("Start from what you run").click()

    assert faults(axe, page) == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("path", PUBLIC + PRIVATE)
def test_a_page_fits_its_window(look, path, width):
    page = look(path, viewport=WIDTHS[width])

    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.parametrize("path", PUBLIC + PRIVATE)
def test_the_keyboard_reaches_the_content_first(look, path):
    page = look(path)
    page.evaluate("document.activeElement.blur()")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")

    assert page.evaluate("document.activeElement.id") == "main"


def test_what_the_keyboard_reaches_can_be_seen(look):
    page = look("/app/api-keys")
    outlines = set()
    for _ in range(14):
        page.keyboard.press("Tab")
        outlines.add(page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))

    assert "none" not in outlines
