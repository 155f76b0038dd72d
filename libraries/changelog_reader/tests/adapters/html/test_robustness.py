"""Whatever comes, a page gives entries or is unreadable."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from changelog_reader.adapters.base import KnownEntry, UnreadableDocument
from changelog_reader.adapters.html import parse_page
from changelog_reader.adapters.html.repair import repair

pytestmark = pytest.mark.slow

ADDRESS = "https://acme.example/changelog"
PAGES = [page.read_bytes() for page in sorted((Path(__file__).parent / "data").glob("*.html"))]

TAGS = st.sampled_from(
    [
        *("div", "p", "h2", "h3", "ul", "li", "table", "tr", "td", "article", "time", "a", "b"),
        *("details", "summary", "dl", "dt", "dd", "section", "br"),
    ]
)
TEXTS = st.one_of(
    st.sampled_from(["v1.2.3", "May 1, 2024", "Added", "2024-05-01", "Faster search", "2024", ""]),
    st.text(max_size=20),
)


@st.composite
def soups(draw: st.DrawFn) -> bytes:
    """Markup of known tags in any order, closed or not."""
    pieces = []
    for _ in range(draw(st.integers(0, 40))):
        tag, text = draw(TAGS), draw(TEXTS)
        attribute = draw(st.sampled_from(["", ' id="a"', ' class="x y"', ' href="/b"']))
        pieces.append(f"<{tag}{attribute}>{text}" + draw(st.sampled_from(["", f"</{tag}>"])))
    return "".join(pieces).encode("utf-8", "replace")


def outcome(body: bytes) -> object:
    try:
        document = parse_page(body, address=ADDRESS, content_type=None)
    except UnreadableDocument as error:
        return str(error)
    for entry in document.entries:
        assert entry.title == " ".join(entry.title.split())
        assert entry.title
        assert entry.url is None or entry.url.startswith(("http://", "https://"))
        assert "<script" not in (entry.html or "").lower()
        assert entry.published_at is None or entry.published_at.tzinfo is not None
    return document


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_unreadable(body):
    outcome(b"<p>" + body)


@given(soups())
@settings(deadline=None)
def test_any_soup_of_tags_is_read_alike_twice(body):
    assert outcome(body) == outcome(body)


@given(st.sampled_from(PAGES), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_any_damage_to_a_page_is_survived(page, rng: random.Random):
    body = bytearray(page)
    for _ in range(rng.randint(1, 20)):
        place = rng.randrange(len(body))
        cut = body[place : place + rng.randint(0, 40)]
        body[place : place + rng.randint(0, 20)] = rng.choice([b"", cut * 2, b"<", b"\x00", b'">'])

    outcome(bytes(body))


@given(soups())
@settings(deadline=None, max_examples=50)
def test_no_soup_breaks_a_repair(body):
    seen_at = datetime(2024, 5, 1, tzinfo=UTC)
    titles = ("v1.2.3", "Added", "Faster search")
    stored = [KnownEntry(title, None, title, seen_at) for title in titles]
    try:
        repair(body, address=ADDRESS, content_type=None, stored_entries=stored)
    except UnreadableDocument:
        return


def test_a_page_of_twenty_thousand_versions_gives_the_first_thousand():
    body = b"".join(b"<h2>v1.%d.0 (2024-05-01)</h2><p>abc</p>" % n for n in range(20_000))

    document = parse_page(body, address=ADDRESS, content_type=None)

    assert len(document.entries) == 1000
    assert document.entries[0].title == "v1.0.0 (2024-05-01)"
