"""From a stranger to an API call and back, in a real browser."""

import json

import httpx2
import pytest

from storage.people.accounts import find_account


def call(service, key, path):
    """Call the API with a key; return status and body."""
    answer = httpx2.get(f"{service.url}/api/v1{path}", headers={"X-Api-Key": key}, timeout=20)
    return answer.status_code, answer.json()


def sign_in(page, service, email):
    page.get_by_role("link", name="Sign up").click()
    page.get_by_label("Email").fill(email)
    page.get_by_role("button", name="Email me a link").click()
    page.wait_for_url("**/auth/sent")
    page.goto(service.newest_link())
    page.get_by_role("button", name=f"Sign in as {email}").click()
    page.wait_for_url("**/app/sources")


def make_key(page):
    page.goto("/app/api-keys")
    page.get_by_role("textbox", name="Name").fill("nightly report")
    page.get_by_role("button", name="Create key").click()
    return page.locator("#key").inner_text()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_stranger_signs_in_makes_a_key_follows_reads_and_revokes(open_page, service, script):
    email = f"ada-{script}@acme.example".lower()
    page = open_page(java_script_enabled=script)
    assert page.get_by_text("Version 0 of the instances API is removed").count() >= 1
    sign_in(page, service, email)
    key = make_key(page)
    assert call(service, key, "/entries?sources=acme.compute")[0] == 403

    page.goto("/app/sources")
    search = page.get_by_role("searchbox", name="Name or vendor")
    if script:
        search.press_sequentially("acme comp", delay=20)
    else:
        search.fill("acme comp")
        search.press("Enter")
    add = page.get_by_role("button", name="Follow Acme Compute")
    add.wait_for()
    page.get_by_text("sources for “acme comp”").wait_for()
    assert "q=acme+comp" in page.url
    assert not script or page.evaluate("document.activeElement.id") == "q"
    add.click()
    page.get_by_role("heading", name="Following (1)").wait_for()
    page.get_by_text("1 of 3 source slots used").wait_for()

    status, response = call(service, key, "/entries?sources=acme.compute&limit=2")
    assert (status, response["plan"], response["total"]) == (200, "free", 6)

    page.goto("/app/api-keys")
    page.get_by_text("Revoke nightly report").click()
    page.get_by_role("button", name="Revoke").click()
    page.get_by_text("Key “nightly report” revoked").wait_for()
    assert call(service, key, "/entries?sources=acme.compute")[0] == 401

    page.locator("summary", has_text="Menu").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("Signed out.").wait_for()
    page.goto("/app/account")
    assert "/auth/login" in page.url
    with service.database.read() as session:
        assert find_account(session, email) is not None


def test_the_fourth_source_is_refused_on_the_page_and_focus_stays_near(open_page, service):
    page = open_page()
    sign_in(page, service, "slots@acme.example")
    make_key(page)
    page.goto("/app/sources")

    for name in ("Acme Compute", "Acme Console", "Acme Mail"):
        page.get_by_role("button", name=f"Follow {name}").click()
        page.get_by_role("button", name=f"Unfollow {name}").first.wait_for()
        assert page.evaluate("document.activeElement.dataset.slug") is not None
    page.get_by_role("button", name="Follow Acme Network").click()

    page.get_by_text("All 3 source slots of your plan are in use").wait_for()
    assert page.get_by_role("heading", name="Following (3)").count() == 1


def test_a_new_key_can_be_copied(open_page, signed_in):
    page = open_page(
        "/app/api-keys",
        storage_state=signed_in.state,
        permissions=["clipboard-read", "clipboard-write"],
    )
    key = make_key(page)

    page.get_by_role("button", name="Copy key").click()
    page.get_by_role("button", name="Copied").wait_for()

    assert page.evaluate("navigator.clipboard.readText()") == key


def test_the_reference_tries_operations_out_with_the_session_of_who_is_signed_in(
    open_page, signed_in
):
    page = open_page("/docs/list_important", storage_state=signed_in.state)
    form = page.get_by_role("form", name="Try GET /important")

    form.get_by_label("limit").fill("1")
    form.get_by_role("button", name="Send").click()
    form.get_by_text("200 OK").wait_for()

    answer = json.loads(form.get_by_role("region", name="The answer").inner_text())
    assert len(answer["items"]) == 1
    command = form.get_by_role("region", name="The same as a command").inner_text()
    assert command.endswith("/api/v1/important?limit=1'")
    page.get_by_role("link", name="GET /diffs").click()
    of_diffs = page.get_by_role("form", name="Try GET /diffs")
    of_diffs.get_by_label("source").fill("acme.compute")
    of_diffs.get_by_role("button", name="Send").click()
    of_diffs.get_by_text("200 OK").wait_for()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_sample_is_shown_in_the_language_that_is_chosen(open_page, script):
    page = open_page("/docs", java_script_enabled=script)
    with_key = page.get_by_role("group", name="A request with a key")

    with_key.get_by_text("Go", exact=True).click()

    assert with_key.get_by_role("region").all_inner_texts()[0].startswith("package main")
    without = page.get_by_role("group", name="A request without a key").get_by_role("region")
    assert without.inner_text().startswith("package main" if script else "curl")


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_the_guide_is_searched(open_page, script):
    page = open_page("/guide", java_script_enabled=script)

    page.get_by_role("searchbox", name="Search the guide").fill("rate_limited")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("main").get_by_role("link", name="rate_limited").click()

    assert page.url.endswith("/guide/errors#rate_limited")
    assert page.get_by_role("heading", name="rate_limited").is_visible()
    assert page.get_by_role("button", name="Copy").count() == script
