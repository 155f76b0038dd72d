"""Announcements of headings."""

import pytest

from changelog_reader.adapters.html.dates import DateHabits
from changelog_reader.adapters.html.signs import SignKind, plain_line, read_sign

SIGNS = [
    ("1.2.3", SignKind.VERSION, "1.2.3"),
    ("v2.3.1 (2024-05-01)", SignKind.VERSION, "2.3.1"),
    ("[2.4.2] - 2024-02-02", SignKind.VERSION, "2.4.2"),
    ("Acme 5.2.1.1 (November 27, 2018)", SignKind.VERSION, "5.2.1.1"),
    ("Version 3.2.0", SignKind.VERSION, "3.2.0"),
    ("Release 45", SignKind.VERSION, "45"),
    ("v2.0: A new editor", SignKind.VERSION, "2.0"),
    ("Version 2.3 vom 5. März 2024", SignKind.VERSION, "2.3"),
    ("2024年3月5日", SignKind.DATE, None),
    ("April 2014", SignKind.DATE, None),
    ("2024-05-01: Faster search", SignKind.DATE, None),
    ("Faster search (May 1, 2024)", SignKind.DATE, None),
    ("2024", SignKind.YEAR, None),
    ("Releases 2024", SignKind.YEAR, None),
    ("Unreleased", SignKind.NOT_YET, None),
    ("Bug Fixes", SignKind.CATEGORY, None),
    ("Added", SignKind.CATEGORY, None),
    ("Faster search", SignKind.OTHER, None),
    ("Migrating to 2.0", SignKind.OTHER, None),
    ("Changes since 3.x", SignKind.OTHER, None),
    ("Requires Python 3.8", SignKind.OTHER, None),
    ("Meet us on March 5, 2024 in Vienna", SignKind.OTHER, None),
    ("Last updated: March 5, 2024", SignKind.OTHER, None),
    ("", SignKind.OTHER, None),
]


@pytest.mark.parametrize(("line", "kind", "version"), SIGNS)
def test_a_line_announces(line, kind, version):
    sign = read_sign(line, DateHabits("en"))

    assert (sign.kind, sign.version) == (kind, version)


def test_full_width_digits_are_digits():
    assert plain_line("２０２４年\u3000３月") == "2024年 3月"
