"""The calendar of deadlines (RFC 5545), read back by another library."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar

from handlers.site.feeds.calendar import folded
from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import SHOWN_AFTERWARDS

HOUR = timedelta(hours=1)
MARCH = date(2027, 3, 1)
EVIDENCE = "Version 1, and only it; will stop working on 1 March 2027 \\o/"


def deadline(first=MARCH, last=None, kind=DeadlineKind.REMOVAL, evidence=EVIDENCE):
    return DeadlineRecord(kind, first, last or first, evidence)


@pytest.fixture
def events(site):
    """Read the events of the calendar."""

    def events():
        return Calendar.from_ical(site.get("/deadlines.ics").data).walk("VEVENT")

    return events


def test_each_deadline_is_an_event_from_its_first_to_its_last_day(show, events):
    show(
        "Version 1, the old one; is removed",
        url="https://acme.example/v1",
        deadlines=[deadline(MARCH, date(2027, 5, 31)), deadline()],
    )

    other, event = events()

    assert other["UID"] != event["UID"]
    assert event["SUMMARY"] == "Removal: Version 1, the old one; is removed (Acme Mail)"
    assert (event.decoded("DTSTART"), event.decoded("DTEND")) == (MARCH, date(2027, 6, 1))
    assert event["DESCRIPTION"] == f"“{EVIDENCE}”\n\nAcme Mail\nhttps://acme.example/v1"
    assert event["URL"] == "https://acme.example/v1"
    assert event["CATEGORIES"].to_ical() == b"acme,Removal"
    assert event["TRANSP"] == "TRANSPARENT"


def test_an_event_stays_the_same_when_its_day_is_moved_and_says_when(show, events):
    show("Other", external_id="2", deadlines=[deadline(evidence="Version 2 stops working")])
    show("Before", external_id="1", deadlines=[deadline()], seen=-2 * HOUR)
    before = next(event for event in events() if "Before" in event["SUMMARY"])
    show("After", external_id="1", deadlines=[deadline(date(2028, 3, 1))], seen=-1 * HOUR)
    other, after = events()

    assert after["UID"] == before["UID"] != other["UID"]
    assert after.decoded("DTSTART") == date(2028, 3, 1)
    assert before.decoded("DTSTAMP") == datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
    assert after.decoded("DTSTAMP") == datetime(2026, 11, 21, 11, 0, tzinfo=UTC)
    assert after["SEQUENCE"] > before["SEQUENCE"]


def test_a_day_that_another_entry_moves_is_one_event_that_says_so(show, events):
    for hours in (5, 4, 3):  # edited twice
        goes = [deadline(evidence="Parcel v1 is removed in March")]
        show(f"Goes{hours}", external_id="1", deadlines=goes, seen=-hours * HOUR)
    (before,) = events()
    moved = deadline(date(2027, 9, 6), evidence="The removal of Parcel v1 was moved to September")
    show("Stays a while", external_id="2", deadlines=[moved], seen=-3 * HOUR)

    (event,) = events()

    assert event["UID"] == before["UID"]
    assert event["SEQUENCE"] > before["SEQUENCE"]
    assert event.decoded("DTSTART") == date(2027, 9, 6)
    assert "Moved from 2027-03-01. Set by “Goes3”, 20" in event["DESCRIPTION"]


def test_a_title_names_the_product_once(show, events):
    show("ACME Mail 1.2 goes", deadlines=[deadline()])

    assert events()[0]["SUMMARY"] == "Removal: ACME Mail 1.2 goes"


def test_the_calendar_says_what_it_is_in_short_lines(site, show):
    show("日本語" * 50, deadlines=[deadline()])

    found = Calendar.from_ical(site.get("/deadlines.ics").data)

    assert (found["VERSION"], found["NAME"]) == ("2.0", "Changewire: deadlines")
    lines = site.get("/deadlines.ics").data.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert [each.name for each in found.subcomponents] == ["VEVENT"]
    assert found.errors == []
    assert all(event.errors == [] for event in found.walk("VEVENT"))


def test_a_calendar_without_deadlines_has_the_component_that_every_calendar_needs(site):
    (zone,) = Calendar.from_ical(site.get("/deadlines.ics").data).subcomponents

    assert (zone.name, zone["TZID"], zone.errors) == ("VTIMEZONE", "UTC", [])
    assert datetime(2027, 3, 1, tzinfo=zone.to_tz()).utcoffset() == timedelta()


def test_a_deadline_leaves_the_calendar_a_month_after_its_day(browser, publish, clock, now):
    last = now.date() - SHOWN_AFTERWARDS
    publish("acme.mail", deadlines=(deadline(last),), gone=HOUR)
    assert "BEGIN:VEVENT" in browser.get("/deadlines.ics").text

    clock.forward(days=1)

    assert "BEGIN:VEVENT" not in browser.get("/deadlines.ics").text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=400))
def test_a_folded_line_unfolds_to_itself(line):
    pieces = folded(line).split(b"\r\n ")

    assert b"".join(pieces).decode() == line
    assert all(len(piece) <= 75 for piece in pieces[:1])
    assert all(len(piece) <= 74 for piece in pieces[1:])
    assert all(piece.decode() for piece in pieces[:-1])
