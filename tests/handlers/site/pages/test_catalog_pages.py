"""The catalog for the signed-in: health in words, entries as text, diffs for who has them."""

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from handlers.site.app import create_site
from openapi.vocabulary import Health, Plan
from storage.catalog.sources import ids_of
from storage.entries.diffs import add_diff
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries

PAGE = "/sources/acme.compute"
SNAPSHOT = {
    "snapshotId": "1",
    "fetchedAt": "2026-11-21T11:00:00Z",
    "contentHash": "0" * 64,
    "entryCount": 1,
}
DIFF = {
    "id": "7",
    "before": SNAPSHOT,
    "after": SNAPSHOT,
    "stats": {"added": 1, "changed": 1, "removed": 0, "rolledOff": 2, "unchanged": 5},
    "truncated": False,
    "changes": [
        {
            "op": "changed",
            "entryId": "a",
            "before": {"title": "Removal in March", "index": 0},
            "after": {"title": "Removal in February <b>", "index": 0},
            "fields": [{"path": "title", "before": "Removal in March", "after": "…"}],
            "facts": [{"type": "date_moved_earlier", "path": "published_at", "detail": None}],
        },
        *(
            {
                "op": "added",
                "entryId": str(place),
                "before": None,
                "after": {"title": f"Entry {place}", "index": place},
                "fields": [],
            }
            for place in range(15)
        ),
    ],
}


@pytest.fixture
def tell(database, now):
    """Store an entry of acme.compute: ``tell(title=…, summary=…, url=…)``."""

    def tell(title="News", summary="All about it.", url="https://acme.example/news"):
        text = EntryText(
            external_id=title[:50],
            source="acme.compute",
            vendor="acme",
            published_at=now - timedelta(hours=3),
            title=title,
            url=url,
            summary=summary,
            raw={},
            tags=[],
        )
        written = EntryRecord(text, content_hash="0" * 64, importance=None, importance_version=1)
        with database.write() as session:
            source_id = ids_of(session, ["acme.compute"])["acme.compute"]
            save_entries(session, source_id, new=[written], edited=[], now=now)

    return tell


def test_the_catalog_can_be_browsed_and_searched(ada):
    assert "18 sources" in ada.get("/app/sources").text
    assert "3 sources" in ada.get("/app/sources?q=globex").text
    assert "3 sources of acme" in ada.get("/app/sources?vendor=acme").text
    assert "0 sources" in ada.get("/app/sources?adapter=html").text
    assert "18 sources" in ada.get("/app/sources?kind=changelog&adapter=rss").text


def test_who_finds_no_source_is_told_how_to_ask_for_it(ada):
    shown = ada.get("/app/sources?q=hooli+nucleus").text

    assert '<a href="/docs#request_source">Ask for it</a>' in shown
    assert 'id="request_source"' in ada.get("/docs").text


@pytest.mark.parametrize(
    "query",
    ["adapter=nonsense", "kind=nonsense", "offset=-5", "offset=x", "q=%00", "q=" + "a" * 999],
)
def test_odd_filters_are_no_fault(ada, query):
    assert ada.get(f"/app/sources?{query}").status_code == 200


def test_a_source_shows_its_newest_entries(ada, tell):
    tell("Version 2 is out", "## Added\n\n- Speed\n- Safety\n\nEnjoy.")

    shown = ada.get(PAGE).text

    assert ">Version 2 is out</a>" in shown
    assert 'href="/e/acme.compute/' in shown
    assert "3 hours ago" in shown


def test_a_source_names_the_keys_that_have_it_and_those_that_may(ada):
    first = ada.new_key(name="first").split("_")[1]
    ada.new_key(name="second")
    page = f"/app/api-keys/{first}/sources"
    ada.post(page, page=page, slug="acme.compute", change="add")

    shown = ada.get(PAGE).text

    has, may = shown.index("Selected for"), shown.index("Select it for")
    assert has < shown.index(">first</a>") < may < shown.index(">second</a>")


def test_on_the_all_plan_there_is_nothing_to_select(ada, set_plan):
    ada.new_key(name="first")
    set_plan(Plan.ALL)

    shown = ada.get(PAGE).text

    assert "Every key of yours may read it." in shown
    assert "Select it for" not in shown


def test_what_entries_say_is_text_and_nothing_else(ada, tell):
    tell(
        "<script>alert(1)</script>{{ 7 * 7 }}",
        "## <img src=x onerror=alert(1)>\n- </li><svg onload=alert(1)>\n{% raise %}",
    )

    shown = ada.get(PAGE).text

    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ 7 * 7 }}" in shown
    for harm in ("<script>alert", "<img", "<svg onload", "</li><svg"):
        assert harm not in shown


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//evil.example", "https://[", "", None]
)
def test_an_address_that_is_not_of_the_web_is_no_link(ada, tell, url):
    tell("Odd one", url=url)

    shown = ada.get(PAGE).text

    assert ">Odd one</a>" in shown
    assert f'href="{url}"' not in shown


def test_no_more_of_an_entry_is_shown_than_the_public_feeds_show(ada, tell):
    tell(summary="word " * 400)

    assert ada.get(PAGE).text.count("word") <= 100


@pytest.mark.parametrize(
    ("health", "message", "said"),
    [
        (Health.HEALTHY, None, "entries come as usual"),
        (Health.OK, None, "the vendor publishes seldom: 0 entries in 180 days"),
        (Health.DEGRADED, "The vendor asks for fewer requests.", "asks for fewer requests"),
        (Health.PROBLEMATIC, "Not read for 9 days.", "Not read for 9 days."),
        (Health.UNKNOWN, None, "Never read: nobody has tried yet."),
    ],
)
def test_health_is_said_in_words(services, new_browser, mails, health, message, said):
    judged = replace(services, send_mail=mails.append, judge=lambda item, at: (health, message))
    browser = new_browser()
    browser.client = create_site(judged, secret_key="another secret").test_client()
    browser.sign_in()

    shown = browser.get(PAGE).text

    assert said in shown
    assert f'class="badge {health.value}"' in shown


def test_the_feed_address_is_nowhere(ada, tell):
    tell()

    for path in (PAGE, "/app/sources", "/app/sources?q=secret"):
        assert "feeds.acme" not in ada.get(path).text


@pytest.fixture
def with_diff(database, now):
    with database.write() as session:
        source_id = ids_of(session, ["acme.compute"])["acme.compute"]
        add_diff(session, source_id, document=orjson.dumps(DIFF), now=now)


@pytest.mark.parametrize(
    ("plan", "addon", "seen"),
    [
        (Plan.FREE, False, False),
        (Plan.ALL, False, False),
        (Plan.STARTER, True, False),
        (Plan.ALL, True, True),
    ],
)
def test_diffs_are_for_accounts_that_have_them(ada, set_plan, with_diff, plan, addon, seen):
    set_plan(plan, diffs_addon=addon)

    shown = ada.get(PAGE).text

    assert ("1 edited, 1 added, 2 rolled off" in shown) is seen
    assert ("Diff API add-on" in shown) is not seen


def test_a_diff_is_one_click_away(ada, set_plan, with_diff):
    set_plan(Plan.ALL, diffs_addon=True)

    assert 'href="/sources/acme.compute/diffs/7"' in ada.get(PAGE).text


@pytest.mark.parametrize("slug", ["acme.nothing", "x", "..", "%2e%2e", "' OR 1=1"])
def test_a_source_that_is_not_there_is_not_found(ada, slug):
    assert ada.get(f"/sources/{slug}").status_code == 404
