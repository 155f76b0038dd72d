"""Which versions an end of support is about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from package_versions.ended_lines import (
    concerns,
    is_of_line,
    last_version_that_ends,
    telling_versions,
)

KUBERNETES = "pkg:github/kubernetes/kubernetes"
NODE = "pkg:generic/node"


@pytest.mark.parametrize(
    ("text", "title", "part", "last"),
    [
        ("Support of Kubernetes 1.30 ends on 2026-12-31.", "", KUBERNETES, "1.30"),
        ("Kubernetes 1.29, 1.30 and 1.31 reach their end.", "", KUBERNETES, "1.31"),
        ("Support ends on 31 December 2026.", "Kubernetes 1.30 ends", KUBERNETES, "1.30"),
        ("1.30 reaches its end.", "", KUBERNETES, "1.30"),
        ("Version 20 reaches its end.", "", NODE, "20"),
        ("Support of Python 3.9 ends.", "", KUBERNETES, None),
        ("Kubernetes ends on 31.12.2026 at 12.30.", "", KUBERNETES, None),
        ("The old API ends on 30 November 2026.", "", KUBERNETES, None),
        ("", "", KUBERNETES, None),
    ],
)
def test_the_newest_version_of_the_part_that_words_name(text, title, part, last):
    assert last_version_that_ends(text, title, part) == last


def test_the_version_that_an_entry_brings_is_not_what_ends():
    text, title = "The old API ends soon.", "Kubernetes 1.30"

    assert last_version_that_ends(text, title, KUBERNETES, released="1.30") is None


@pytest.mark.parametrize(
    ("version", "last", "expected"),
    [
        ("1.30", "1.30", True),
        ("1.30.9", "1.30", True),
        ("v1.28.1", "1.30", True),
        ("1.33", "1.30", False),
        ("2", "1.30", False),
        ("1:1.31-2", "1.30", False),
        ("main", "1.30", True),
        (None, "1.30", True),
    ],
)
def test_a_line_has_its_own_versions_and_older_ones(version, last, expected):
    assert is_of_line(version, last) is expected


@pytest.mark.parametrize(
    ("last", "version", "coming", "passed"),
    [
        ("1.30", "1.30.2", True, True),
        ("1.30", "1.31", False, False),
        ("1.30", None, True, False),
        ("1.30", "main", True, False),
        (None, "1.30", True, False),
    ],
)
def test_an_end_that_has_passed_concerns_those_who_certainly_run_it(last, version, coming, passed):
    assert concerns(last, version, passed=False) is coming
    assert concerns(last, version, passed=True) is passed


@given(st.lists(st.sampled_from(["1.0", "1.2", "2", "main", None]), max_size=5), st.booleans())
def test_the_telling_versions_tell_of_all(versions, passed):
    for last in ("1.0", "1.1", "1.2", None):
        every = [concerns(last, version, passed=passed) for version in versions]
        told = [concerns(last, it, passed=passed) for it in telling_versions(versions)]
        assert any(told) is any(every)
