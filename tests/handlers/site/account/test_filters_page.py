"""The page of saved filters: make, rename, delete."""

import re
from html import unescape

import pytest

from storage.entries.entry_filter import FILTERS
from storage.models import SavedFilter
from storage.people.private_feeds import FEEDS_PER_ACCOUNT

PAGE = "/app/filters"


@pytest.fixture
def stored(rows):
    """Return what is saved: pairs of name and query string."""
    return lambda: [(each.name, each.query) for each in rows(SavedFilter)]


def save(browser, name="Security of Acme", **parameters):
    form = parameters or {"vendor": "acme", "category": "security"}
    return browser.post(PAGE, page=PAGE, name=name, **form)


def id_in(browser):
    return re.search(r'action="/app/filters/(\w+)/delete"', browser.get(PAGE).text)[1]


def test_a_filter_is_saved_in_the_one_form_of_the_api(ada, stored):
    response = save(ada, q=" private  preview ", category=["security", "breaking"], kind="")

    assert response.status_code == 303
    assert len(stored()) == 1
    (name, query) = stored()[0]
    assert name == "Security of Acme"
    assert set(query.split("&")) == {"q=private%20%20preview", "category=security%2Cbreaking"}
    assert f"https://changewire.example/api/v1/changes?{query}" in unescape(ada.get(PAGE).text)


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"name": "", "vendor": "acme"}, "Give the filter a name of 1 to 80 characters."),
        ({"name": "n"}, "Fill in at least one field"),
        ({"name": "n", "category": "nice"}, "category"),
    ],
)
def test_a_form_that_makes_no_sense_is_told_in_one_line_and_kept(ada, stored, form, told):
    response = ada.post(PAGE, page=PAGE, **form)

    assert response.status_code == 400
    fault = re.search(r'<p class="notice fault" role="alert">([^<]*)</p>', response.text)[1]
    assert told in fault
    assert "\n" not in fault
    assert form.get("vendor", "") in response.text
    assert stored() == []


def test_every_parameter_of_a_filter_has_a_field_with_what_the_address_says(ada):
    address = "vendor=acme&category=security,breaking&q=a%22b&prerelease=false&kind=blog"
    shown = ada.get(f"{PAGE}?{address}").text

    assert [name for name in FILTERS if f'name="{name}"' not in shown] == []
    assert '<option value="false" selected>Exclude</option>' in shown
    assert '<option value="blog" selected>' in shown
    checked = [each for each in ("security", "deprecation") if f'value="{each}" checked' in shown]
    assert checked == ["security"]
    assert 'value="a&#34;b"' in shown


def test_a_filter_that_is_followed_is_not_deleted_and_says_by_what(ada, stored):
    save(ada)
    public_id = id_in(ada)
    hook = {"name": "<b>chat</b>", "url": "https://hooks.acme.example/x", "filter": public_id}
    made = ada.post("/app/webhooks", page="/app/webhooks", **hook).text
    digest = {"frequency": "daily", "hour": "6", "filter": public_id}
    ada.post("/app/digest", page="/app/webhooks", **digest)

    shown = ada.get(PAGE).text
    assert "Used by the webhook “&lt;b&gt;chat&lt;/b&gt;” and the digest." in shown
    assert "/delete" not in shown
    refused = ada.post(f"{PAGE}/{public_id}/delete", page=PAGE)
    assert refused.status_code == 400
    assert "is followed by the webhook “&lt;b&gt;chat&lt;/b&gt;” and the digest" in refused.text
    assert len(stored()) == 1

    ada.post("/app/digest", page="/app/webhooks", **digest | {"filter": ""})
    path = re.search(r'href="(/app/webhooks/\w{12})"', made)[1]
    ada.post(f"{path}/delete", page=path)
    ada.post(f"{PAGE}/{public_id}/delete", page=PAGE)
    assert stored() == []


def test_an_address_with_a_filter_leads_through_the_sign_in(browser):
    led = browser.get("/app/filters?vendor=acme").location
    assert led == "/auth/login?next=/app/filters?vendor%3Dacme"


PRIVATE = re.compile(r"https://changewire\.example(/private/[\w-]{43}/[a-z]+\.[a-z]+)<")


def test_a_private_feed_is_shown_once_and_works_for_anybody_until_it_is_revoked(ada, new_browser):
    save(ada)
    public_id = id_in(ada)
    made = ada.post(f"{PAGE}/feeds", page=PAGE, filter=public_id)
    found = PRIVATE.findall(made.text)

    assert made.status_code == 201
    assert made.headers["Cache-Control"] == "private, no-store"
    names = ["entries.atom", "entries.json", "deadlines.ics"]
    assert [path.rpartition("/")[2] for path in found] == names
    assert [new_browser().get(path).status_code for path in found] == [200, 200, 200]
    shown = ada.get(PAGE).text
    assert found[0].split("/")[2] not in shown
    revoke = re.search(r'action="(/app/filters/feeds/\d+/revoke)"', shown)[1]
    assert ada.post(revoke, page=PAGE).status_code == 303
    assert new_browser().get(found[0]).status_code == 404


def test_the_private_feed_beyond_the_last_is_refused(ada):
    for _ in range(FEEDS_PER_ACCOUNT):
        ada.post(f"{PAGE}/feeds", page=PAGE, filter="")

    refused = ada.post(f"{PAGE}/feeds", page=PAGE, filter="")

    assert refused.status_code == 400
    assert "at most 20 private addresses" in refused.text


def test_a_filter_is_renamed(ada, stored):
    save(ada)
    ada.post(f"{PAGE}/{id_in(ada)}/rename", page=PAGE, name=" Of  Acme ")

    assert ada.post(f"{PAGE}/{id_in(ada)}/rename", page=PAGE, name="").status_code == 400
    assert [name for name, _ in stored()] == ["Of Acme"]
