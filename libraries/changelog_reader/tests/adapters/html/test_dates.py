"""Dates as people write them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.html.dates import DateHabits, find_date, month_comes_first, only_date

ENGLISH = DateHabits("en")

READ = [
    ("March 5, 2024", "", "2024-03-05"),
    ("5 March 2024", "", "2024-03-05"),
    ("the 5th of March 2024", "", "2024-03-05"),
    ("2024-03-05", "", "2024-03-05"),
    ("2024/3/5", "", "2024-03-05"),
    ("2024-03-05T23:30:00-05:00", "", "2024-03-06"),
    ("5. März 2024", "de", "2024-03-05"),
    ("5 mars 2024", "fr", "2024-03-05"),
    ("5 de marzo de 2024", "es", "2024-03-05"),
    ("5 de março de 2024", "pt", "2024-03-05"),
    ("5 marzo 2024", "it", "2024-03-05"),
    ("5 maart 2024", "nl", "2024-03-05"),
    ("2024年3月5日", "ja", "2024-03-05"),
    ("2024年3月5日(火)", "ja", "2024-03-05"),
    ("2024년 3월 5일", "ko", "2024-03-05"),
    ("2 Ιανουαρίου 2025", "el", "2025-01-02"),
    ("2025. január 2.", "hu", "2025-01-02"),
    ("2 ianuarie 2025", "ro", "2025-01-02"),
    ("2025 m. sausio 2 d.", "lt", "2025-01-02"),
    ("Thứ Năm, 2 tháng 1 năm 2025", "", "2025-01-02"),
    ("14. juni 2025", "no", "2025-06-14"),
    ("Versio 2 julkaistaan 2025", "fi", None),
    ("Week of March 4, 2024", "", "2024-03-04"),
    ("March 4–8, 2024", "", "2024-03-04"),
    ("June 30 - July 4, 2024", "", "2024-06-30"),
    ("March 2024", "", "2024-03-01"),
    ("Q3 2024", "", "2024-07-01"),
    ("05.03.2024", "", "2024-03-05"),
    ("23/10/2024", "", "2024-10-23"),
    ("10/23/24", "", "2024-10-23"),
    ("March 5", "", None),
    ("31 February 2024", "", None),
    ("2.3.1", "", None),
    ("set 5 2024", "en", None),
    ("", "", None),
]


@pytest.mark.parametrize(("text", "language", "expected"), READ)
def test_a_date_is_read(text, language, expected):
    written = find_date(text, DateHabits(language))

    assert (written and written.at.date().isoformat()) == expected


@pytest.mark.parametrize(
    ("text", "is_day"),
    [("March 5, 2024", True), ("March 2024", False), ("2024年3月", False), ("Q1 2024", False)],
)
def test_a_date_says_how_much_of_it_was_written(text, is_day):
    written = find_date(text, ENGLISH)

    assert written is not None
    assert written.is_day is is_day


def test_a_year_above_completes_a_date_without_one():
    written = find_date("May 5", DateHabits("en", year=2023))

    assert written is not None
    assert written.at == datetime(2023, 5, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "Released on Monday, March 4, 2024",
        "Published: 2024-03-04 at 10:29 PM UTC",
        "10:29 PM on Monday, March 4, 2024",
        "Veröffentlicht am 4. März 2024",
        "(2024-03-04)",
    ],
)
def test_a_line_that_says_nothing_but_a_date_is_one(text):
    assert only_date(text, ENGLISH)


@pytest.mark.parametrize(
    "text",
    [
        "Last updated on March 4, 2024",
        "© 2024-03-04 Acme",
        "The meeting on March 4, 2024 in Vienna",
        "Dernière mise à jour : 4 mars 2024",
    ],
)
def test_other_lines_with_a_date_are_none(text):
    assert only_date(text, ENGLISH) is None


@pytest.mark.parametrize(
    ("texts", "locale", "expected"),
    [
        (["11/12/2023", "10/23/2023"], "", True),
        (["11/12/2023", "23/10/2023"], "en-US", False),
        (["03/04/2024", "02/05/2024", "01/06/2024"], "", True),
        (["04/03/2024", "05/02/2024", "06/01/2024"], "", False),
        (["11/12/2023"], "en-US", True),
        (["11/12/2023"], "en-GB", False),
        (["11/12/2023"], "", False),
    ],
    ids=[
        "a day over 12 in second place",
        "a day over 12 in first place",
        "sorted when the month is first",
        "sorted when the day is first",
        "American page",
        "British page",
        "nobody knows",
    ],
)
def test_a_page_settles_which_number_is_the_month(texts, locale, expected):
    assert month_comes_first(texts, locale) is expected


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2099, 12, 31)))
def test_every_day_is_read_back_as_it_was_written(day):
    for text in (
        day.isoformat(),
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
    ):
        written = find_date(text, ENGLISH)
        assert written is not None
        assert written.at.date() == day


@given(st.text(max_size=200), st.sampled_from(["", "en", "de", "ja", "pt"]))
def test_no_text_raises(text, language):
    written = find_date(text, DateHabits(language))

    assert written is None or 0 <= written.start < written.end <= len(text)
