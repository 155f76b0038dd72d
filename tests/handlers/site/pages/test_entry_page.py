"""The page of one entry: public as far as an entry is public, whole for who may read its source."""

import json
from datetime import date, timedelta

import pytest
from filling import important

from openapi.vocabulary import DeadlineKind, Plan
from storage.entries.deadline_history import DeadlineRecord

LONG = "Version 1 is gone. " + "More about it. " * 60 + "The very end."
MARCH = {"kind": "removal", "from": "2999-03-01", "to": "2999-03-01"}
EVIDENCE = {"field": "summary", "text": "Gone <b>by</b> March", "start": 0, "end": 4}
WHY = important(
    "breaking",
    text="Version 1 is gone.",
    field="summary",
    deadlines=[{**MARCH, "evidence": EVIDENCE}],
)


@pytest.fixture
def tell(show):
    """Store an entry of acme.compute with evidence and a deadline, or its edit: its path."""

    def tell(summary=LONG, **raw):
        show(
            "News",
            summary,
            slug="acme.compute",
            external_id="v1",
            hours=24,
            url="https://acme.example/n",
            important=WHY,
            **raw,
        )
        return "/e/acme.compute/2026-11-20-news"

    return tell


def test_everybody_reads_the_public_text_with_its_evidence_marked(browser, tell):
    shown = browser.get(tell()).text

    assert "<h1>News</h1>" in shown
    assert '<mark class="breaking">Version 1 is gone.</mark>' in shown
    assert "This is an excerpt" in shown
    assert "The very end." not in shown


@pytest.mark.parametrize("plan", [Plan.FREE, Plan.ALL])
def test_who_may_read_the_source_reads_the_whole_text(ada, set_plan, tell, plan):
    path = tell()
    set_plan(plan)

    shown = ada.get(path).text

    assert ("The very end." in shown, "This is an excerpt" in shown) == (
        plan is Plan.ALL,
        plan is Plan.FREE,
    )


def test_a_deadline_that_moved_is_told_as_moved_where_it_was_announced_and_where_it_holds(
    browser, publish
):
    for title, day, text in (
        ("announced", "2027-03-01", "API v1 will be removed on 1 March 2027."),
        ("moved", "2027-06-01", "API v1 will be removed on 1 June 2027, later than announced."),
    ):
        last = date.fromisoformat(day)
        evidence = {"field": "summary", "text": text, "start": 0, "end": len(text)}
        stated = {"kind": "removal", "from": day, "to": day, "evidence": evidence}
        publish(
            "acme.compute",
            important=important(text="", deadlines=[stated]),
            deadlines=(DeadlineRecord(DeadlineKind.REMOVAL, last, last, text),),
            **{title: timedelta(days=9 if title == "announced" else 2)},
        )
    announced, moved = "/e/acme.compute/2026-11-12-announced", "/e/acme.compute/2026-11-19-moved"

    assert f'<a href="{moved}">1 June 2027 now</a>' in browser.get(announced).text
    assert "1 March 2027</del> 1 June 2027</span>" in browser.get(moved).text
    assert "(moved later)" in browser.get(moved).text
    assert "1 March 2027" in browser.get("/deadlines").text
    in_a_list = browser.get("/latest").text
    assert in_a_list.count('<time datetime="2027-06-01">1 June 2027</time>') == 2
    assert in_a_list.count("1 March 2027</del>") == 2


def test_edits_are_counted_for_everybody_and_shown_to_readers(ada, new_browser, tell, set_plan):
    path = tell(summary="It goes in March.")
    tell(summary="It goes in June.")
    set_plan(Plan.ALL)

    assert "<del>March.</del><ins>June.</ins>" in ada.get(path).text
    seen_by_strangers = new_browser().get(path).text
    assert "Edited once" in seen_by_strangers
    assert "March." not in seen_by_strangers


def test_neighbours_in_the_source_are_linked(browser, tell, publish):
    path = tell()
    publish("acme.compute", former=timedelta(days=2), later=timedelta(hours=2))

    before, after = browser.get(path).text.split('class="around"')[1].split('class="after"')

    assert ("former</span></a>" in before, "later</span></a>" in after) == (True, True)


def test_an_entry_is_served_as_the_api_has_it(ada, new_browser, set_plan, tell):
    path = tell()
    set_plan(Plan.ALL)

    assert ada.get(path + "?format=json").json["summary"] == LONG
    public = new_browser().get(path + "?format=json").json
    assert len(public["summary"]) <= 500 < len(LONG)
    assert public["importance"]["categories"] == ["breaking"]
    assert "raw" not in public


@pytest.mark.parametrize(
    "path", ["/e/acme.compute/no", "/e/no.such/v1", "/e/acme.compute/~!", "/e/acme.compute"]
)
def test_an_entry_that_does_not_exist_is_not_found(browser, tell, path):
    tell()

    assert browser.get(path).status_code == 404


def test_a_page_describes_itself_to_programs_without_markup_of_the_vendor(browser, show):
    show("</script><b>News & more", slug="acme.compute", hours=24, external_id="v1")

    page = browser.get("/e/acme.compute/2026-11-20-script-b-news-more").text
    written = page.split('<script type="application/ld+json">')[1].split("</script>")[0]

    facts = {"headline": "</script><b>News & more", "datePublished": "2026-11-20T12:00:00Z"}
    assert json.loads(written).items() >= facts.items()
    assert "dateModified" not in written


@pytest.mark.parametrize("former", ["v1", "~djE"])
def test_the_address_made_of_the_vendors_id_redirects(browser, tell, former):
    path = tell()

    answer = browser.get(f"/e/acme.compute/{former}")

    assert (answer.status_code, answer.headers["Location"]) == (301, path)


def test_entries_with_the_same_words_are_told_apart_and_an_edit_keeps_the_address(browser, show):
    for title, external_id in (("News", "v1"), ("News", "v2"), ("Other words", "v1")):
        show(title, slug="acme.compute", external_id=external_id, hours=24)

    first, second = (
        browser.get(f"/e/acme.compute/2026-11-20-{words}").text for words in ("news", "news-2")
    )

    assert "<h1>Other words</h1>" in first
    assert "<h1>News</h1>" in second
    assert 'href="/e/acme.compute/2026-11-20-news-2"' in browser.get("/latest").text
