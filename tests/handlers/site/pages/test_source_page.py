"""The page of a source: a year, 90 days, deadlines, and its whole history."""

from datetime import timedelta
from types import SimpleNamespace

import orjson
import pytest
from sqlalchemy import select, update

from handlers.site.pages.source_status_words import source_status_words
from handlers.site.words import HealthWords
from openapi.vocabulary import DeadlineKind
from storage.catalog.sources import ids_of
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries
from storage.models import Entry, EntryDeadline, FetchFacts, Gap

PAGE = "/sources/acme.compute"
EVIL = "<script>alert(1)</script>"


@pytest.fixture
def source_id(database):
    with database.read() as session:
        return ids_of(session, ["acme.compute"])["acme.compute"]


@pytest.fixture
def tell(database, now, source_id):
    """Store entries of acme.compute: ``tell(("Title", days, "breaking"))``."""

    def tell(*entries, summary="All about it."):
        records = [record(*entry, summary=summary, now=now) for entry in entries]
        with database.write() as session:
            save_entries(session, source_id, new=records, edited=[], now=now)
            ids = [each.text.external_id for each in records]
            rows = session.execute(
                select(Entry.external_id, Entry.id).where(Entry.source_id == source_id)
            )
            keys = {row.external_id: row.id for row in rows}
        return [keys[each] for each in ids]

    return tell


def record(title, days, *categories, summary, now):
    text = EntryText(
        external_id=f"{title[:80]}-{days}",
        source="acme.compute",
        vendor="acme",
        published_at=now - timedelta(days=days),
        title=title,
        url=f"https://acme.example/{days}",
        summary=summary,
        raw={},
        tags=[],
    )
    evidence = {"field": "title", "text": title, "start": 0, "end": len(title)}
    why = {
        "categories": categories,
        "evidence": [{"category": each, **evidence} for each in categories],
    }
    importance = orjson.dumps(why) if categories else None
    return EntryRecord(text, content_hash="0" * 64, importance=importance, importance_version=1)


def test_a_year_is_counted_by_kind(ada, tell):
    tell(("First", 1), ("Second", 2, "breaking"), ("Third", 40, "security", "deprecation"))

    shown = ada.get(PAGE).text

    assert "3 entries in 12 months" in shown
    assert ("1 breaking" in shown, "1 security" in shown, "1 deprecation" in shown) == (True,) * 3
    assert 'role="img" aria-label="Entries of' in shown
    assert "Week of 9 November 2026: nothing" not in shown


def test_the_numbers_are_in_a_table_too(ada, tell):
    tell(("Second", 2, "breaking"))

    shown = ada.get(PAGE).text

    row = '<th scope="row">16 November 2026</th><td class="num">1</td><td class="num">0</td>'
    assert row in shown


def test_what_lies_before_the_first_entry_and_in_gaps_is_hatched(
    ada, tell, database, now, source_id
):
    tell(("Old", 60), ("New", 1))
    with database.write() as session:
        ends = {"after_at": now - timedelta(days=30), "before_at": now - timedelta(days=29)}
        ids = {"after_id": "a", "before_id": "b", "known": [], "declared_at": now}
        session.add(Gap(source_id=source_id, **ends, **ids))

    shown = ada.get(PAGE).text

    assert "Week of 19 October 2026: no entries; entries may be missing" in shown
    assert "Week of 7 September 2026: no entries; nothing is known from then" in shown
    assert 'fill="url(#activity-hatch)"' in shown


def test_health_of_ninety_days_is_drawn_and_nothing_is_invented(ada, database, now, source_id):
    with database.write() as session:
        session.execute(
            update(FetchFacts)
            .where(FetchFacts.source_id == source_id)
            .values(health_days="hhd", health_days_until=now.date(), next_check_at=None)
        )

    shown = ada.get(PAGE).text

    assert "no record on 87, healthy on 2, degraded on 1" in shown
    assert '<th scope="row">21 November 2026</th><td class="num">21 November 2026</td>' in shown


def source(**facts):
    none = dict.fromkeys(
        ("first_attempt_at", "last_attempt_at", "last_success_at", "next_check_at")
    )
    known = {"failures": 0, "last_failure": None, "open_gap": False, "entries_180d": 9}
    return SimpleNamespace(**{**known, **none, **facts})


UNKNOWN = HealthWords("unknown", "Unknown", "It has not been read yet, or not for a while.")
WELL = HealthWords("ok", "OK", "Read without real trouble.")
FAILING = HealthWords("problematic", "Problematic", "Its address does not exist.")


@pytest.mark.parametrize(
    ("facts", "words", "said"),
    [
        ({}, UNKNOWN, "Never read: nobody has tried yet. It is due now."),
        (
            {"next_check_at": 3},
            UNKNOWN,
            "Never read: nobody has tried yet. The next try is due in 3 hours.",
        ),
        (
            {"first_attempt_at": -48, "last_attempt_at": -1, "failures": 3, "next_check_at": 5},
            FAILING,
            "Never read. Tried 3 times since 19 November 2026, last 1 hour ago. "
            "Its address does not exist. The next try is due in 5 hours.",
        ),
        ({"last_success_at": -9}, FAILING, "Its address does not exist."),
        ({"last_success_at": -9}, WELL, "Read without real trouble."),
        (
            {
                "last_success_at": -9,
                "last_attempt_at": -1,
                "failures": 1,
                "last_failure": "timeout",
            },
            WELL,
            "Its last check failed, 1 hour ago. The vendor’s server does not answer in time. "
            "It is due now.",
        ),
        (
            {"last_success_at": -9, "open_gap": True},
            WELL,
            "Read without trouble, but entries may have been missed between two checks.",
        ),
        (
            {"last_success_at": -9, "entries_180d": 1},
            WELL,
            "Read without trouble; the vendor publishes seldom: 1 entry in 180 days.",
        ),
    ],
)
def test_reading_is_told_in_plain_words(now, facts, words, said):
    hours = {
        name: now + timedelta(hours=value) if name.endswith("_at") else value
        for name, value in facts.items()
    }

    assert source_status_words(source(**hours), words, now=now) == said


def test_deadlines_stand_on_an_axis_with_their_sentence(ada, tell, database, now):
    (key,) = tell(("Removal of the old console", 3, "breaking"))
    with database.write() as session:
        day = now.date() + timedelta(days=23)
        session.add(
            EntryDeadline(
                entry_id=key,
                place=0,
                kind=DeadlineKind.REMOVAL,
                first_day=day,
                last_day=day,
                evidence=f"It will be removed. {EVIL}",
            )
        )

    shown = ada.get(PAGE).text

    assert "<strong>14 December 2026</strong>, removal in 23 days" in shown
    assert "1 to come, the first in 23 days" in shown
    assert EVIL not in shown


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["Alpha", "Beta console", "Gamma"]),
        ("q=console", ["Beta console"]),
        ("q=nothing-like-it", []),
        ("category=breaking", ["Gamma"]),
        ("category=breaking&q=console", []),
        ("category=wrong", ["Alpha", "Beta console", "Gamma"]),
        ("since=2026-11-01", ["Alpha", "Beta console"]),
        ("until=2026-10-31", ["Gamma"]),
        ("since=2026-11-21&until=2026-11-20", []),
        ("since=0001-01-01&until=9999-12-31", ["Alpha", "Beta console", "Gamma"]),
        ("since=2026-11-18&until=2026-11-19&q=console", ["Beta console"]),
        ("since=yesterday&offset=x", ["Alpha", "Beta console", "Gamma"]),
        ("q=%22%20OR%20(&offset=999999", []),
    ],
)
def test_the_history_is_searched_and_narrowed(ada, tell, query, titles):
    tell(("Alpha", 1), ("Beta console", 3), ("Gamma", 50, "breaking"))

    marked = ada.get(f"{PAGE}?{query}").text
    shown = marked.replace('<mark class="hit">', "").replace("</mark>", "")

    assert ('class="hit"' in marked) == ("q=console" in query and bool(titles))
    assert [each for each in ("Alpha", "Beta console", "Gamma") if f"{each}</a>" in shown] == titles


def test_the_whole_history_is_paged(ada, tell):
    tell(*((f"Number {days}", days) for days in range(1, 96)))

    pages = [ada.get(f"{PAGE}?offset={offset}").text for offset in (0, 40, 80)]

    assert [page.count('class="headline"') for page in pages] == [40, 40, 15]
    assert f'rel="next" href="{PAGE}?offset=40"' in pages[0]
    assert "Older</a>" not in pages[2]


def test_a_search_that_finds_more_is_paged_and_keeps_its_words(ada, tell):
    tell(*((f"Number {days}", days) for days in range(1, 50)))

    shown = ada.get(f"{PAGE}?q=number&since=2020-01-01").text

    assert "49 entries found" in shown
    assert "q=number&amp;since=2020-01-01&amp;offset=40" in shown


def test_a_search_that_ends_early_says_so(ada, tell, monkeypatch):
    monkeypatch.setattr("storage.entries.history.LOOKED_AHEAD", 3)
    tell(*((f"Number {days}", days) for days in range(1, 5)))

    assert "3 entries or more found" in ada.get(f"{PAGE}?q=number").text
    assert "or more" not in ada.get(PAGE).text


def test_hostile_words_and_texts_show_nothing_executable(ada, tell):
    tell((EVIL, 1, "breaking"), summary=f"{EVIL} {{{{ 7 * 7 }}}}")

    shown = ada.get(PAGE, query_string={"q": f'"{EVIL}', "category": EVIL, "since": EVIL}).text

    assert EVIL not in shown
    assert "&lt;script&gt;" in shown


@pytest.mark.slow
def test_a_page_stays_small_whatever_a_vendor_writes(ada, tell, database, now):
    categories = ("breaking", "deprecation", "security")
    keys = tell(
        *(("long words " * 40 + str(days), days % 365, *categories) for days in range(120)),
        summary="a sentence that never ends " * 400,
    )
    with database.write() as session:
        for place, key in enumerate(keys):
            day = now.date() + timedelta(days=place)
            session.add(
                EntryDeadline(
                    entry_id=key,
                    place=0,
                    kind=DeadlineKind.MIGRATION,
                    first_day=day,
                    last_day=day,
                    evidence=f"Number {place} " + "goes away " * 200,
                )
            )

    answer = ada.get(PAGE)

    assert len(answer.data) < 150_000


def test_strangers_see_the_public_page(browser):
    shown = browser.get("/sources/acme.compute").text

    assert ("Sign in</a> for the whole history" in shown, "Select it for" in shown) == (True, False)
