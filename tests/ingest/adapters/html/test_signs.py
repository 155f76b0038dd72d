"""What a heading announces."""

import pytest

from ingest.adapters.html.dates import DateHabits
from ingest.adapters.html.signs import Kind, plain_line, read_sign

SIGNS = [
    ("1.2.3", Kind.VERSION, "1.2.3"),
    ("v2.3.1 (2024-05-01)", Kind.VERSION, "2.3.1"),
    ("2.3.1 — May 1, 2024", Kind.VERSION, "2.3.1"),
    ("[2.4.2] - 2024-02-02", Kind.VERSION, "2.4.2"),
    ("2.0.1 / 2015-05-28", Kind.VERSION, "2.0.1"),
    ("Acme 5.2.1.1 (November 27, 2018)", Kind.VERSION, "5.2.1.1"),
    ("Version 3.2.0", Kind.VERSION, "3.2.0"),
    ("Release 45", Kind.VERSION, "45"),
    ("v12", Kind.VERSION, "12"),
    ("1.0a37 (2026-07-14)", Kind.VERSION, "1.0a37"),
    ("2.0.0-RC1", Kind.VERSION, "2.0.0-RC1"),
    ("v2.0: A new editor", Kind.VERSION, "2.0"),
    ("Version 2.3 vom 5. März 2024", Kind.VERSION, "2.3"),
    ("2024年3月5日", Kind.DATE, None),
    ("April 2014", Kind.DATE, None),
    ("Week of March 4, 2024", Kind.DATE, None),
    ("2024-05-01: Faster search", Kind.DATE, None),
    ("Faster search (May 1, 2024)", Kind.DATE, None),
    ("Faster search - 21st Dec, 2024", Kind.DATE, None),
    ("2024", Kind.YEAR, None),
    ("Releases 2024", Kind.YEAR, None),
    ("Unreleased", Kind.NOT_YET, None),
    ("not yet released", Kind.NOT_YET, None),
    ("Bug Fixes", Kind.CATEGORY, None),
    ("Added", Kind.CATEGORY, None),
    ("Faster search", Kind.OTHER, None),
    ("Migrating to 2.0", Kind.OTHER, None),
    ("Changes since 3.x", Kind.OTHER, None),
    ("1.1 Introduction", Kind.OTHER, None),
    ("Requires Python 3.8", Kind.OTHER, None),
    ("From $1.99 a month", Kind.OTHER, None),
    ("Meet us on March 5, 2024 in Vienna", Kind.OTHER, None),
    ("Last updated: March 5, 2024", Kind.OTHER, None),
    ("", Kind.OTHER, None),
]


@pytest.mark.parametrize(("line", "kind", "version"), SIGNS)
def test_a_line_announces(line, kind, version):
    found = read_sign(line, DateHabits("en"))

    assert (found.kind, found.version) == (kind, version)


def test_full_width_digits_are_digits():
    assert plain_line("２０２４年\u3000３月") == "2024年 3月"
