"""A list of entries in a real browser: keys, filters with and without script."""

import pytest
from site_faults import DESK, PHONE, fits


@pytest.fixture
def reader(open_page, signed_in):
    """Open the list of somebody who follows the whole catalog."""
    return lambda **options: open_page("/following", storage_state=signed_in.state, **options)


def test_keys_go_search_help_open_and_can_be_disabled(reader):
    page = reader(viewport=DESK)
    page.goto("/following?q=version&order=relevance")  # never folded

    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator(".line").nth(1)
    assert second.locator(".headline").evaluate("(each) => each === document.activeElement")
    page.keyboard.press("k")
    assert page.locator(".headline").first.evaluate("(each) => each === document.activeElement")
    page.keyboard.press("/")
    page.keyboard.type("jko?")
    assert "jko?" in page.locator("#words").input_value()
    page.reload()
    page.keyboard.press("j")
    address = page.locator(".headline").first.get_attribute("href")
    page.keyboard.press("o")
    page.wait_for_url(f"**{address}")

    page.go_back()
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    page.get_by_label("Enable in this browser").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    page.keyboard.press("j")
    assert page.locator(".line:focus-within").count() == 0


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_a_long_title_is_whole_on_the_page_of_its_source(open_page, viewport):
    title = open_page("/sources/acme.compute", viewport=viewport).locator(".headline").first
    is_whole = "it => (it.innerText = 'A title. '.repeat(20), it.scrollHeight <= it.clientHeight)"
    assert title.evaluate(is_whole)


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_filters_lead_to_a_private_feed_and_to_tabs(reader, script):
    page = reader(java_script_enabled=script, viewport=PHONE)
    page.get_by_role("link", name="Breaking", exact=True).click()
    page.get_by_text("More filters").click()
    page.get_by_label("Vendor").fill("acme")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/following?category=breaking&q=&vendor=acme&**")

    page.get_by_role("button", name="Private feed").click()
    page.get_by_role("button", name="Create private feed").click()
    page.get_by_text("/entries.atom").first.wait_for()
    for name in ("A filter with a name that is long", "Another filter with a long name"):
        page.goto(f"/app/filters?vendor=acme&name={name}&then=list")
        page.get_by_role("button", name="Save filter").click()
        page.get_by_role("link", name=name).first.wait_for()

    assert fits(page)
