"""From a stranger to an API call and back, in a real browser."""

import json
import urllib.error
import urllib.request

import pytest

from storage.people.accounts import find_account


def call(service, key, path):
    """Call the API with a key; return status and body."""
    request = urllib.request.Request(f"{service.url}/api/v1{path}", headers={"X-Api-Key": key})
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def sign_in(page, service, email):
    page.get_by_role("link", name="Get a free key").click()
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Mail me a link").click()
    page.wait_for_url("**/auth/sent")
    page.goto(service.newest_link())
    page.get_by_role("button", name=f"Sign in as {email}").click()
    page.wait_for_url("**/app/sources")


def make_key(page):
    page.goto("/app/api-keys")
    page.get_by_label("Name").fill("nightly report")
    page.get_by_role("button", name="Make the key").click()
    return page.locator("#key").inner_text()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_stranger_signs_in_makes_a_key_selects_reads_and_revokes(open_page, service, script):
    email = f"ada-{script}@acme.example".lower()
    page = open_page(java_script_enabled=script)
    sign_in(page, service, email)
    key = make_key(page)
    assert call(service, key, "/entries?sources=acme.compute")[0] == 403

    page.get_by_role("link", name="Choose its sources").click()
    search = page.get_by_role("searchbox", name="Name or vendor")
    if script:
        search.press_sequentially("acme comp", delay=20)
    else:
        search.fill("acme comp")
        search.press("Enter")
    add = page.get_by_role("button", name="Add Acme Compute")
    add.wait_for()
    page.get_by_text("sources for “acme comp”").wait_for()
    add.click()
    page.get_by_role("heading", name="Selected (1)").wait_for()
    page.get_by_text("1 of 3 source slots used").wait_for()

    status, response = call(service, key, "/entries?sources=acme.compute&limit=2")
    assert (status, response["plan"], response["total"]) == (200, "free", 6)

    page.get_by_role("link", name="API keys", exact=True).first.click()
    page.get_by_text("Revoke nightly report").click()
    page.get_by_role("button", name="Revoke it now").click()
    page.get_by_text("The key “nightly report” is revoked").wait_for()
    assert call(service, key, "/entries?sources=acme.compute")[0] == 401

    page.locator("summary", has_text="Menu").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_text("You are signed out.").wait_for()
    page.goto("/app/account")
    assert "/auth/login" in page.url
    with service.database.read() as session:
        assert find_account(session, email) is not None


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_somebody_deletes_their_account(open_page, service, script):
    email = f"leaver-{script}@acme.example".lower()
    page = open_page(java_script_enabled=script)
    sign_in(page, service, email)
    key = make_key(page)
    page.goto("/app/account")

    page.get_by_text("Delete", exact=True).click()
    page.get_by_label(f"Type {email} to confirm").fill(email)
    page.get_by_role("button", name="Delete the account now").click()

    page.get_by_text("Your account is deleted").wait_for()
    page.get_by_role("link", name="Sign in").first.wait_for()
    assert call(service, key, "/sources?selected=1")[0] == 401
    with service.database.read() as session:
        assert find_account(session, email) is None


def test_a_mistyped_address_of_an_account_is_said_where_it_is_seen(chromium, service, signed_in):
    with chromium.new_context(base_url=service.url, storage_state=signed_in.state) as context:
        page = context.new_page()
        page.goto("/app/account")

        page.get_by_text("Delete", exact=True).click()
        page.get_by_label("to confirm").fill("somebody.else@acme.example")
        page.get_by_role("button", name="Delete the account now").click()

        fault = page.get_by_text("It was not deleted").bounding_box()
        assert 0 <= fault["y"] <= page.viewport_size["height"] - fault["height"]


def test_the_fourth_source_is_refused_on_the_page_and_focus_stays_near(open_page, service):
    page = open_page()
    sign_in(page, service, "slots@acme.example")
    make_key(page)
    page.get_by_role("link", name="Choose its sources").click()

    for name in ("Acme Compute", "Acme Console", "Acme Mail"):
        page.get_by_role("button", name=f"Add {name}").click()
        page.get_by_role("button", name=f"Remove {name}").first.wait_for()
        assert page.evaluate("document.activeElement.dataset.slug") is not None
    page.get_by_role("button", name="Add Acme Network").click()

    page.get_by_text("All 3 source slots of your plan are taken").wait_for()
    assert page.get_by_role("heading", name="Selected (3)").count() == 1


def test_typing_searches_and_going_back_is_not_needed(open_page, signed_in):
    page = open_page(f"/app/api-keys/{signed_in.public_id}/sources", storage_state=signed_in.state)
    search = page.get_by_role("searchbox", name="Name or vendor")

    search.press_sequentially("globex", delay=20)
    page.get_by_text("5 sources for “globex”").wait_for()

    assert page.url.endswith("?q=globex")
    assert page.evaluate("document.activeElement.id") == "q"
    search.fill("")
    page.get_by_text("30 sources").wait_for()


def test_a_new_key_can_be_copied(open_page, signed_in):
    page = open_page(
        "/app/api-keys",
        storage_state=signed_in.state,
        permissions=["clipboard-read", "clipboard-write"],
    )
    key = make_key(page)

    page.get_by_role("button", name="Copy the key").click()
    page.get_by_role("button", name="Copied").wait_for()

    assert page.evaluate("navigator.clipboard.readText()") == key


def test_the_reference_tries_operations_out(open_page):
    page = open_page("/docs")
    form = page.get_by_role("form", name="Try GET /important")

    form.get_by_label("limit").fill("1")
    form.get_by_role("button", name="Send").click()
    form.get_by_text("200 OK").wait_for()

    answer = json.loads(form.get_by_role("region", name="The answer").inner_text())
    assert len(answer["items"]) == 1
    command = form.get_by_role("region", name="The same as a command").inner_text()
    assert command.endswith("/api/v1/important?limit=1'")


def test_the_reference_sends_bodies_and_shows_refusals(open_page):
    page = open_page("/docs")
    form = page.get_by_role("form", name="Try POST /sources/request")

    form.get_by_label("url").fill("https://acme.example/new-changelog")
    form.get_by_role("button", name="Send").click()
    form.get_by_text("201 Created").wait_for()

    assert '"status": "pending"' in form.get_by_role("region", name="The answer").inner_text()


def test_the_reference_uses_the_session_of_who_is_signed_in(open_page, signed_in):
    page = open_page("/docs", storage_state=signed_in.state)
    form = page.get_by_role("form", name="Try GET /diffs")

    form.get_by_label("source").fill("acme.compute")
    form.get_by_role("button", name="Send").click()

    form.get_by_text("200 OK").wait_for()


def test_the_first_page_is_light_and_needs_no_script(open_page):
    loaded = []
    page = open_page("/plans", java_script_enabled=False)
    page.on("response", lambda answer: loaded.append(len(answer.body())))
    page.context.clear_cookies()

    page.goto("/")

    assert page.get_by_role("heading", level=1).inner_text().startswith("Every vendor")
    assert page.get_by_text("Version 0 of the instances API is removed").count() >= 1
    assert sum(loaded) < 100_000


def test_nothing_comes_from_another_host(open_page, service, signed_in):
    page = open_page("/", storage_state=signed_in.state)
    hosts = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))

    for path in ("/", "/docs", "/status", "/sources/acme.compute", "/app/account"):
        page.goto(path)

    assert hosts == {service.url.split("/")[2]}


def test_commands_of_the_guide_can_be_copied(open_page):
    page = open_page("/guide/getting-started", permissions=["clipboard-read", "clipboard-write"])

    page.get_by_role("button", name="Copy Sample 2 in curl").click()
    page.get_by_role("button", name="Copied Sample 2 in curl").wait_for()

    assert page.evaluate("navigator.clipboard.readText()") == 'curl -s "$API/sources"\n'


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
