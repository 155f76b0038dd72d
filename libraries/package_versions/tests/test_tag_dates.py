"""Versions in titles and tags, and the days that tags give them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from package_versions.tag_dates import release_dates, version_named

WORDS = frozenset({"acme", "mail"})


def day(number: int, hour: int = 9) -> datetime:
    return datetime(2026, 11, number, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.2.3", "1.2.3"),
        ("v1.2.0", "1.2"),
        ("Acme Mail 6.9.5", "6.9.5"),
        ("Release 2.0.0-rc.1", "2.0rc1"),
        ("2.0.0rc1", "2.0rc1"),
        ("mail-8_5_0", "8.5"),
        ("@acme/mail@1.4.2", "1.4.2"),
        ("2024.05.03", "2024.5.3"),
        ("v1.2.3: fixes 1.2.3", "1.2.3"),
        ("1.2.3 (unreleased)", None),
        ("From 1.2 to 1.3", None),
        ("Support for Node 18.1", None),
        ("other-1.2.3", None),
        ("1.2.3+build.7", None),
        ("1.2.3-win32-x64", None),
        ("Version 7", None),
        ("", None),
    ],
)
def test_a_title_names_one_version_behind_nothing_but_names(text, version):
    assert version_named(text, WORDS) == version


@pytest.mark.parametrize(
    ("tags", "days"),
    [
        pytest.param([("v1.2.0", 3)], {"1.2": 3}, id="another spelling"),
        pytest.param([("v1.3.0", 3)], {}, id="another version"),
        pytest.param([("v1.2", 3), ("1.2.0", 5)], {}, id="two days"),
        pytest.param([("mail-1.2", 3), ("v1.2", 5)], {"1.2": 5}, id="the plain one first"),
        pytest.param([("other-1.2", 3)], {}, id="of something else"),
    ],
)
def test_a_version_is_as_old_as_its_tag(tags, days):
    dates = release_dates([(name, day(at)) for name, at in tags], {"1.2"}, WORDS)

    assert {version: at.day for version, at in dates.items()} == days


def test_the_tags_of_a_package_come_before_those_of_the_whole_repository():
    tags = [("@acme/charts@1.2.0", day(3)), ("v1.2.0", day(5)), ("v1.1.0", day(2))]

    assert release_dates(tags, {"1.2", "1.1"}, WORDS, package="charts") == {"1.2": day(3)}


@pytest.mark.parametrize(("count", "dated"), [(6, 7), (7, 1)])
def test_a_day_on_which_many_versions_were_brought_there_dates_none_of_them(count, dated):
    tags = [*((f"1.{number}.1", day(3)) for number in range(count)), ("2.0.1", day(4))]

    dates = release_dates(tags, {name for name, _ in tags}, WORDS)

    assert len(dates) == dated
    assert dates["2.0.1"] == day(4)


@given(st.text())
def test_any_text_is_read_and_one_version_is_read_again_as_itself(text):
    version = version_named(text, WORDS)

    assert version is None or version_named(version, WORDS) == version
