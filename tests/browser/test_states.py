"""Every state of pages that an address alone does not show, in all views without a fault."""

from datetime import UTC, datetime

import pytest
from site_faults import FITS, PHONE, faults_of_all_views
from site_people import come
from site_states import NOBODY, STATES, WITHOUT_SCRIPT, State
from sqlalchemy import text

from storage.people.credentials import new_token

STILL = {"viewport": PHONE, "reduced_motion": "reduce"}
OPEN = "document.querySelectorAll('main details').forEach((each) => { each.open = true; })"
UNCHECKED = "document.querySelectorAll('form').forEach((each) => { each.noValidate = true; })"
"""As browsers without such checks send forms, so that the service's own words are seen."""


@pytest.fixture
def reach(open_page, service):
    """Bring a page into a state: ``reach(State(...), **options)``."""

    def reach(state, **options):
        service.forget_requests()
        page, names = open_page("/healthz", **STILL, **options), {}
        if state.who:
            email = f"{new_token()[:12]}@acme.example".lower()
            token, names = come(service.database, state.who, email, now=datetime.now(UTC))
            cookie = {"name": "session", "value": token, "url": service.url}
            page.context.add_cookies([cookie])
            names |= {"email": email}
        page.goto(state.path.format_map(names) if names else state.path)
        for label, value in state.fill.items():
            page.evaluate(OPEN)
            field = page.locator("main").get_by_label(label).first
            if value is True:
                field.check()
            else:
                field.fill(value.replace("{email}", names.get("email", "")))
        for name in state.press:
            press(page, name)
        page.wait_for_load_state()
        return page

    return reach


def press(page, name):
    """Press the first button, link or summary of a name, wherever it stands."""
    page.evaluate(OPEN)
    page.evaluate(UNCHECKED)
    buttons = page.get_by_role("button", name=name)
    others = page.get_by_role("link", name=name).or_(page.locator("summary", has_text=name))
    (buttons if buttons.count() else others).first.click()
    page.wait_for_load_state()


@pytest.mark.parametrize("name", STATES)
def test_a_state_has_no_fault(reach, axe, name):
    page = reach(STATES[name])

    page.locator("main", has_text=STATES[name].shows).wait_for(state="attached", timeout=9000)
    page.evaluate(OPEN)
    assert faults_of_all_views(axe, page) == []


def too_old(reach, service):
    page = reach(State(NOBODY, "/auth/login", ""))
    page.context.clear_cookies()
    press(page, "Email me a link")
    return page, "This form has expired"


def broken(reach, service):
    page = reach(State("reader", "/app/stack", ""))
    with service.database.write() as session:
        session.execute(text("ALTER TABLE stack_parts RENAME TO gone"))
    page.goto("/app/stack")
    with service.database.write() as session:
        session.execute(text("ALTER TABLE gone RENAME TO stack_parts"))
    return page, "Request ID"


@pytest.mark.parametrize("refuse", [too_old, broken])
def test_a_refusal_has_no_fault(reach, service, axe, refuse):
    page, words = refuse(reach, service)

    assert words in page.locator("main").inner_text()
    assert faults_of_all_views(axe, page) == []


@pytest.mark.parametrize("name", WITHOUT_SCRIPT)
def test_without_script_a_state_is_reached_and_fits_its_window(reach, name):
    page = reach(STATES[name], java_script_enabled=False)

    page.locator("main", has_text=STATES[name].shows).wait_for(state="attached", timeout=9000)
    assert page.evaluate(FITS)
