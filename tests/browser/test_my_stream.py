"""One's own stream in a real browser: keys, chips with and without script, menus."""

import pytest
from site_faults import DESK, PHONE, faults, fits


@pytest.fixture
def reader(open_page, signed_in):
    """Open the stream of somebody who reads the whole catalog."""
    return lambda **options: open_page("/app/stream", storage_state=signed_in.state, **options)


def test_keys_go_search_help_and_open(reader):
    page = reader(viewport=DESK)

    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator(".line").nth(1)
    assert second.locator(".headline").evaluate("(each) => each === document.activeElement")
    page.keyboard.press("k")
    assert page.locator(".headline").first.evaluate("(each) => each === document.activeElement")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "words"
    page.keyboard.type("jko?")
    assert page.locator("#words").input_value() == "jko?"
    page.reload()
    page.keyboard.press("j")
    address = page.locator(".headline").first.get_attribute("href")
    page.keyboard.press("o")
    page.wait_for_url(f"**{address}")


def test_keys_can_be_switched_off(reader):
    page = reader()
    page.get_by_role("button", name="Keys").click()
    page.get_by_label("Use these keys in this browser").uncheck()
    page.get_by_role("button", name="Close").click()
    page.evaluate("document.activeElement.blur()")

    page.reload()
    page.keyboard.press("j")
    assert page.locator(".line:focus-within").count() == 0


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_chips_narrow_and_lead_to_the_private_feed_of_the_view(reader, script):
    page = reader(java_script_enabled=script, viewport=PHONE)
    page.get_by_role("link", name="Breaking", exact=True).click()
    page.locator("summary", has_text="Vendor").click()
    page.get_by_role("link", name="acme", exact=True).click()
    assert page.url.endswith("/app/stream?category=breaking&vendor=acme")

    page.get_by_role("link", name="Private feed").click()
    page.get_by_role("button", name="Save the filter").click()
    page.get_by_role("button", name="Make the private feed").click()
    page.get_by_text("/entries.atom").first.wait_for()
    for name in ("A view with a name that is long", "Another view with a long name"):
        page.goto(f"/app/filters?vendor=acme&name={name}&then=stream")
        page.get_by_role("button", name="Save the filter").click()
        page.get_by_role("heading", name=name).wait_for()

    assert fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_what_opens_has_no_accessibility_fault(reader, axe, scheme, size):
    page = reader(color_scheme=scheme, viewport=size)
    assert faults(axe, page) == []
    for menu in page.locator("details.chip-menu summary").all():
        menu.click()
        assert faults(axe, page) == []
        assert fits(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keys").wait_for()
    assert faults(axe, page) == []
