"""Every page, on a phone and a desk, light and dark: no accessibility fault, nothing cut off."""

import re

import pytest
from site_addresses import PRIVATE, PUBLIC
from site_faults import PHONE, faults_of_all_views

UNSEEN_WITH_FOCUS = """() => [...document.querySelectorAll(
    'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
)].filter((each) => {
    if (!each.checkVisibility({ visibilityProperty: true })) return false;
    each.focus();
    const shown = each.matches('.samples input') ? each.labels[0] : each;
    return document.activeElement === each && getComputedStyle(shown).outlineStyle === 'none';
}).map((each) => each.outerHTML.slice(0, 100))"""
STILL = {"viewport": PHONE, "reduced_motion": "reduce"}


@pytest.fixture(scope="module", params=dict.fromkeys(PUBLIC + PRIVATE))
def shown(request, open_shared_page, signed_in):
    """Each page as it is seen, by whoever may see it."""
    address, options = seen_by(request.param, signed_in)
    with open_shared_page(address, **STILL, **options) as page:
        yield page


def seen_by(path, signed_in):
    """Return the address of a page, and the options of a browser that may see it."""
    names = {
        "KEY": signed_in.public_id,
        "HOOK": signed_in.webhook_id,
        "DELIVERY": str(signed_in.delivery_id),
        "DIGEST": signed_in.digest_token,
    }
    address = re.sub("|".join(names), lambda name: names[name[0]], path)
    return address, {"storage_state": signed_in.state} if path in PRIVATE else {}


def test_a_page_has_no_fault(shown, axe):
    assert faults_of_all_views(axe, shown) == []


def test_the_keyboard_reaches_the_content_first(shown):
    shown.evaluate("document.activeElement.blur()")

    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.className") == "skip"
    shown.keyboard.press("Enter")

    assert shown.evaluate("document.activeElement.id") == "main"


def test_what_the_keyboard_reaches_can_be_seen(shown):
    shown.keyboard.press("Tab")

    assert shown.evaluate(UNSEEN_WITH_FOCUS) == []


def test_an_opened_reference_has_no_accessibility_fault(open_page, axe):
    page = open_page("/docs/list_latest", **STILL)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    page.get_by_role("form", name="Try GET /latest").get_by_role("button").click()
    page.get_by_text("200 OK").wait_for()

    assert faults_of_all_views(axe, page) == []
