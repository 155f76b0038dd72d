"""Which versions an end of support is about."""

import pytest

from versions.ended_lines import is_of_line, last_version_that_ends

KUBERNETES = "pkg:github/kubernetes/kubernetes"
NODE = "pkg:generic/node"


@pytest.mark.parametrize(
    ("text", "title", "part", "last"),
    [
        ("Support of Kubernetes 1.30 ends on 2026-12-31.", "", KUBERNETES, "1.30"),
        ("Kubernetes 1.29, 1.30 and 1.31 reach their end.", "", KUBERNETES, "1.31"),
        ("Versions 1.29 and v1.30 reach their end.", "", KUBERNETES, "1.30"),
        ("Support ends on 31 December 2026.", "Kubernetes 1.30 ends", KUBERNETES, "1.30"),
        ("1.30 reaches its end.", "", KUBERNETES, "1.30"),
        ("Version 20 reaches its end.", "", NODE, "20"),
        ("Support of 18.x ends.", "", NODE, "18"),
        ("Support of Python 3.9 ends.", "", KUBERNETES, None),
        ("Python 3.9 and 3.10 are not supported.", "", KUBERNETES, None),
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
