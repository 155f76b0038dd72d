"""An entry stays itself whatever vendors do to ids and dates, and takes no other's id."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.base import KnownEntry, ParsedEntry
from ingest.pipeline.content_match import content_hash
from ingest.pipeline.identity import LONGEST_ID, IdentifiedEntry, identify, lookup_keys

NOW = datetime(2026, 6, 30, 14, tzinfo=UTC)
MONDAY = datetime(2026, 6, 22, tzinfo=UTC)
DAY = timedelta(days=1)
HOME = "https://acme.example/changelog"
TEXT = "Charts are drawn while their data arrives, which makes large boards twice as fast."


def item(
    vendor_id: str | None = None,
    url: str | None = HOME,
    *,
    title: str = "One",
    at: datetime | None = MONDAY,
    text: str | None = TEXT,
) -> ParsedEntry:
    return ParsedEntry(vendor_id, title, url, at, "pubDate" if at else "none", text)


def page(number: int) -> str:
    return f"https://acme.example/{number}"


def first(*items: ParsedEntry) -> list[IdentifiedEntry]:
    return identify(items, (), first_seen_at=NOW)


def stored(identified: list[IdentifiedEntry]) -> list[KnownEntry]:
    return [
        KnownEntry(
            one.id, one.entry.url, one.entry.title, one.published_at, content_hash(one.entry)
        )
        for one in identified
    ]


def after(before: list[IdentifiedEntry], *items: ParsedEntry) -> list[IdentifiedEntry]:
    """Identify a document after another, whose entries are stored."""
    return identify(items, stored(before), first_seen_at=NOW + DAY)


def ids(identified: list[IdentifiedEntry]) -> list[str]:
    return [entry.id for entry in identified]


def by_title(identified: list[IdentifiedEntry]) -> dict[str, str]:
    return {entry.entry.title: entry.id for entry in identified}


def test_the_vendors_id_is_the_id_without_control_characters():
    assert ids(first(item("tag:acme\x00.example,2026:1\n"))) == ["tag:acme.example,2026:1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (item(), item(at=NOW)),
        (item(url=None, at=None), item(url=None, at=None, title="Two")),
        (item("x" * 10_000), item("x" * 10_001)),
    ],
    ids=["address and date", "date and title", "a long id"],
)
def test_a_hash_is_the_id_where_the_vendor_gives_none_that_can_be_stored(one, other):
    found = ids(first(one)) + ids(first(other))

    assert [len(id_) for id_ in found] == [64, 64]
    assert len(set(found)) == 2


def test_undated_entries_are_as_old_as_their_first_sight_in_the_order_of_the_vendor():
    items = item("2", at=None), item("1", page(2), at=None, title="Two")
    before = first(*items)

    upper, lower = after(before, *items)

    assert before[0].published_at == upper.published_at == NOW
    assert upper.published_at > lower.published_at


def test_the_id_that_several_items_share_stays_with_the_first_of_them():
    shared = [item("changelog", page(n), title=f"Number {n}") for n in range(5)]
    before = first(*shared[1:3])

    again = after(before, *reversed(shared[1:]))

    assert (before[0].id, len(set(ids(before)))) == ("changelog", 2)
    assert ids(again)[2:] == [before[1].id, before[0].id]
    assert [entry.is_new for entry in again] == [True, True, False, False]


def test_other_items_with_an_id_that_several_share_are_new_entries():
    before = first(item("changelog", page(1), title="Exports"))

    again = after(
        before,
        item("changelog", page(2), title="Webhooks are signed", at=NOW),
        item("changelog", page(3), title="Keys may expire", at=NOW),
    )

    assert [entry.is_new for entry in again] == [True, True]


def test_where_ids_count_entries_a_new_one_is_none_that_was_dropped():
    titles = "Exports to files", "Webhooks are signed", "Keys may expire"
    numbered = (item(str(n), title=title, text=None) for n, title in enumerate(titles))
    before = first(*numbered)

    again = after(
        before,
        item("0", title="Keys may expire", text=None),
        item("1", title="A calendar of deadlines", text=None, at=NOW),
    )

    assert [entry.is_new for entry in again] == [False, True]


def test_items_with_the_same_id_and_url_are_told_apart_by_title():
    assert len(set(ids(first(item("1"), item("1", title="Two"))))) == 2


def test_new_ids_for_most_of_a_document_are_the_vendors_change_not_new_entries():
    before = first(*(item(f"old-{n}", page(n), title=f"Number {n}") for n in range(5)))
    renamed = [item(f"new-{n}", page(n), title=f"Edited {n}", at=NOW) for n in range(5)]

    again = after(before, item("new-9", page(9), title="Number 9"), *renamed)

    assert ids(again) == ["new-9", *ids(before)]


def test_a_new_id_at_a_known_url_is_an_edit_when_the_time_agrees():
    items = [item(f"{n}#aaa", page(n), title=f"Number {n}") for n in range(5)]
    before = first(*items)

    again = after(before, item("0#bbb", page(0), title="Edited 0"), *items[1:])

    assert ids(again) == ids(before)


def test_a_new_item_among_others_at_one_url_is_a_new_entry():
    before = first(*(item(str(n), title=f"v{n}", text=None) for n in range(3)))

    again = after(before, *(item(str(n), title=f"v{n}", text=None) for n in (4, 3, 2, 1)))

    assert ids(again) == ["4", "3", "2", "1"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (item("123", title="Version 1.2.3"), item("124", title="Version 1.2.4")),
        (item("may"), item("june", at=MONDAY + 30 * DAY)),
    ],
    ids=["another version on the same day", "one that comes every month"],
)
def test_a_new_item_at_the_url_of_all_items_is_a_new_entry(one, other):
    (again,) = after(first(one), other)

    assert (again.id, again.is_new) == (other.vendor_id, True)


@pytest.mark.parametrize(
    ("spelled", "is_new"),
    [
        ("http://acme.example/a@b", False),
        ("https://ACME.example/a@b/", False),
        ("https://acme.example/a%40b", False),
        ("https://acme.example/a@b?MSCLKID=1&mtm_campaign=feed", False),
        ("https://acme.example/a@b?page=2", True),
        ("https://acme.example/a@b?timestamp=2", True),
        ("https://acme.example/a@b#2", True),
    ],
)
def test_a_url_is_the_same_in_every_spelling_and_another_with_another_query(spelled, is_new):
    before = first(item(url="https://acme.example/a@b"))

    (again,) = after(before, item(url=spelled, at=NOW, title="Edited", text=None))

    assert again.is_new is is_new


@pytest.mark.parametrize("url", [HOME, None])
@pytest.mark.parametrize("vendor_ids", [(None, None), ("1", "2")])
def test_a_moved_date_forks_nothing(url, vendor_ids):
    old, new = vendor_ids
    before = first(item(old, url), item(None, url, title="Two"))

    again = after(before, item(new, url, at=MONDAY + 3 * DAY), item(None, url, title="Two"))

    assert by_title(again) == by_title(before)
    assert [entry.published_at for entry in again] == [MONDAY, MONDAY]


@given(st.permutations(range(5)), st.sampled_from([HOME, None]))
def test_other_ids_for_all_entries_fork_none(order, url):
    titles = [f"Release {n}" for n in range(5)]
    before = first(*(item(f"old-{title}", url, title=title) for title in titles))

    again = after(before, *(item(f"new-{n}", url, title=titles[n]) for n in order))

    assert by_title(again) == by_title(before)


TITLES = st.lists(st.sampled_from([f"{word} faster" for word in "abcdefghijkl"]), unique=True)


@given(TITLES, TITLES)
def test_where_ids_count_entries_each_entry_keeps_the_id_it_was_stored_under(old, new):
    def counted(titles):
        places = enumerate(titles, 1)
        return [item(f"2026-06-22:feature:{place}", title=title) for place, title in places]

    before = first(*counted(old))
    again = after(before, *counted(new))

    known, now = by_title(before), by_title(again)
    assert {title: now[title] for title in now.keys() & known.keys()} == {
        title: known[title] for title in now.keys() & known.keys()
    }
    assert len(set(now.values())) == len(now)


@given(st.lists(st.none() | st.text(min_size=1, max_size=5), min_size=1, max_size=6))
def test_identical_items_are_one_entry_whatever_their_ids(vendor_ids):
    items = [item(vendor_id) for vendor_id in vendor_ids]
    before = first(*items)

    assert len(before) == 1
    for again in (after(before, *items), after(before, *reversed(items))):
        assert ids(again) == ids(before)


CHANGES = {
    "keep": lambda entry: entry,
    "move date": lambda entry: replace(entry, published_at=entry.published_at + DAY),
    "new id": lambda entry: replace(entry, vendor_id=f"new {entry.vendor_id}"),
    "new address": lambda entry: replace(entry, url=f"{entry.url}/new"),
}


@given(st.lists(st.sampled_from(["drop", *CHANGES]), min_size=1, max_size=8), st.integers(0, 3))
def test_no_change_of_a_vendor_gives_an_entry_the_id_of_another(changes, added):
    items = [
        item(f"id-{n}", f"{HOME}/{n}", title=f"Release {n}", at=MONDAY - n * DAY)
        for n in range(len(changes))
    ]
    before = first(*items)
    kept = [
        CHANGES[change](entry)
        for change, entry in zip(changes, items, strict=True)
        if change in CHANGES
    ]
    new = [item(f"preview-{n}", f"{HOME}/p{n}", title=f"Preview {n}", at=NOW) for n in range(added)]

    again = after(before, *new, *kept)

    known = by_title(before)
    assert [entry.is_new for entry in again] == [True] * added + [False] * len(kept)
    assert all(entry.id == known[entry.entry.title] for entry in again[added:])


ITEMS = st.lists(
    st.builds(
        item,
        st.none() | st.sampled_from(["a", "b", "c", "", " a ", "x" * 600, "\x00", "\ud800"]),
        st.none() | st.sampled_from([page(1), page(2), page(2) + "/", page(3)]),
        title=st.sampled_from(["One", "Two"]),
        at=st.none() | st.sampled_from([MONDAY, NOW]),
        text=st.none(),
    ),
    max_size=8,
)


@given(ITEMS, ITEMS)
def test_ids_are_unique_bounded_and_the_same_again(old, new):
    known = stored(first(*old))

    found = identify(new, known, first_seen_at=NOW + DAY)

    assert len(set(ids(found))) == len(found)
    assert all(0 < len(entry.id) <= LONGEST_ID for entry in found)
    assert found == identify(new, list(reversed(known)), first_seen_at=NOW + DAY)


@given(ITEMS)
def test_the_same_document_again_makes_no_new_entry(items):
    before = first(*items)

    again = after(before, *items)

    assert ids(again) == ids(before)
    assert not any(entry.is_new for entry in again)


@given(ITEMS, ITEMS, st.integers(0, 5))
def test_less_is_looked_up_when_some_entries_are_at_hand(old, new, count):
    known = stored(first(*old))
    at_hand = known[:count]
    wanted_ids, wanted_urls = lookup_keys(new, at_hand)
    titles = {entry.title for entry in new}
    found = [
        entry
        for entry in known
        if entry.id in wanted_ids or entry.url in wanted_urls or entry.title in titles
    ]
    there = list({entry.id: entry for entry in (*found, *at_hand)}.values())

    one, other = (identify(new, these, first_seen_at=NOW + DAY) for these in (there, known))

    assert one == other


def test_nothing_is_looked_up_for_items_at_hand_that_are_as_they_were():
    items = [item("1", page(1)), item(None, page(2), title="Two")]

    assert lookup_keys(items, stored(first(*items))) == (set(), set())
