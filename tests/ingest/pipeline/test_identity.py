"""Which entry an item is: ids, churned ids, shared ids, moved dates, copies."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.base import ParsedEntry
from ingest.pipeline.identity import (
    LONGEST_ID,
    IdentifiedEntry,
    KnownEntry,
    identify,
    lookup_keys,
)

NOW = datetime(2026, 6, 30, 14, tzinfo=UTC)
MONDAY = datetime(2026, 6, 22, tzinfo=UTC)
TUESDAY = datetime(2026, 6, 23, tzinfo=UTC)


def item(
    vendor_id: str | None = None,
    url: str | None = "https://acme.example/1",
    *,
    title: str = "One",
    at: datetime | None = MONDAY,
) -> ParsedEntry:
    return ParsedEntry(
        vendor_id=vendor_id,
        title=title,
        url=url,
        published_at=at,
        date_source="pubDate" if at else "none",
        summary=None,
    )


def page(number: int) -> str:
    return f"https://acme.example/{number}"


def first_identified(*items: ParsedEntry) -> list[IdentifiedEntry]:
    return identify(items, (), first_seen_at=NOW)


def stored(identified: list[IdentifiedEntry]) -> list[KnownEntry]:
    return [
        KnownEntry(entry.id, entry.entry.url, entry.entry.title, entry.published_at)
        for entry in identified
    ]


def ids(identified: list[IdentifiedEntry]) -> list[str]:
    return [entry.id for entry in identified]


def identified_again(known: list[KnownEntry], *items: ParsedEntry) -> list[IdentifiedEntry]:
    return identify(items, known, first_seen_at=NOW + timedelta(days=1))


def test_the_vendors_id_is_the_id():
    found = first_identified(item("tag:acme.example,2026:1"))

    assert ids(found) == ["tag:acme.example,2026:1"]
    assert found[0].is_new


def test_without_an_id_url_and_date_make_one():
    (found,) = first_identified(item())

    assert len(found.id) == 64
    assert found.id != first_identified(item(at=TUESDAY))[0].id
    assert found.id == first_identified(item(title="Another title"))[0].id


def test_without_id_and_url_date_and_title_make_one():
    (found,) = first_identified(item(url=None, at=None, title="One"))

    assert len(found.id) == 64
    assert found.id != first_identified(item(url=None, at=None, title="Two"))[0].id


def test_a_moved_date_does_not_fork_an_entry_without_id():
    known = stored(first_identified(item()))

    (again,) = identified_again(known, item(at=TUESDAY))

    assert (again.id, again.is_new) == (known[0].id, False)


def test_undated_entries_are_as_old_as_their_first_sight_in_the_order_of_the_vendor():
    items = item("2", at=None), item("1", page(2), at=None)
    known = stored(first_identified(*items))

    upper, lower = identified_again(known, *items)

    assert known[0].published_at == upper.published_at == NOW
    assert upper.published_at > lower.published_at


def test_the_first_of_several_items_keeps_the_id_they_share():
    found = first_identified(*(item("changelog", page(n)) for n in range(3)))

    assert found[0].id == "changelog"
    assert len(set(ids(found))) == 3


def test_a_newcomer_does_not_take_the_shared_id_from_who_has_it():
    known = stored(first_identified(item("changelog", page(1)), item("changelog", page(2))))

    again = identified_again(known, *(item("changelog", page(n)) for n in (4, 3, 2, 1)))

    assert ids(again)[2:] == [known[1].id, known[0].id]
    assert [entry.is_new for entry in again] == [True, True, False, False]


def test_items_with_the_same_id_and_url_are_told_apart_by_title():
    found = first_identified(item("1", title="One"), item("1", title="Two"))

    assert len(set(ids(found))) == 2


def test_new_ids_for_most_of_a_document_are_the_vendors_change_not_new_entries():
    known = stored(first_identified(*(item(f"old-{n}", page(n)) for n in range(5))))
    renamed = [item(f"new-{n}", page(n), title="Edited", at=TUESDAY) for n in range(5)]

    again = identified_again(known, item("new-9", page(9)), *renamed)

    assert ids(again) == ["new-9", *(entry.id for entry in known)]


def test_a_new_id_at_a_known_url_is_an_edit_when_the_time_agrees():
    known = stored(first_identified(*(item(f"{n}#aaa", page(n)) for n in range(5))))
    same = [item(f"{n}#aaa", page(n)) for n in range(1, 5)]

    again = identified_again(known, item("0#bbb", page(0), title="Edited"), *same)

    assert ids(again) == [entry.id for entry in known]


def test_a_new_item_at_the_url_of_all_items_is_a_new_entry():
    one_page = "https://acme.example/changelog"
    known = stored(first_identified(*(item(str(n), one_page, title=f"v{n}") for n in range(3))))

    again = identified_again(known, *(item(str(n), one_page, title=f"v{n}") for n in (4, 3, 2, 1)))

    assert ids(again) == ["4", "3", "2", "1"]


def test_a_new_id_at_a_shared_url_is_an_edit_when_title_and_time_agree():
    known = stored(first_identified(item("a1", title="One"), item("b1", title="Two")))

    again = identified_again(known, item("b2", title="Two"), item("a2", title="One"))

    assert ids(again) == ["b1", "a1"]


def test_a_feed_of_one_item_at_one_url_gives_an_entry_each_time():
    known = stored(first_identified(item("1", title="Release", at=MONDAY)))

    (again,) = identified_again(known, item("2", title="Release", at=TUESDAY))

    assert (again.id, again.is_new) == ("2", True)


@pytest.mark.parametrize(
    "spelled",
    [
        "http://acme.example/a@b",
        "https://ACME.example/a@b/",
        "https://acme.example/a%40b",
        "https://acme.example/a@b?utm_source=feed",
        "https://acme.example/a@b?MSCLKID=1&mtm_campaign=feed",
    ],
)
def test_another_spelling_of_the_url_is_the_same_address(spelled):
    known = stored(first_identified(item(url="https://acme.example/a@b")))

    (again,) = identified_again(known, item(url=spelled, at=TUESDAY))

    assert again.id == known[0].id


@pytest.mark.parametrize(
    "other",
    [
        "https://acme.example/a@b?page=2",
        "https://acme.example/a@b?sid=2",
        "https://acme.example/a@b?timestamp=2",
        "https://acme.example/a@b#2",
    ],
)
def test_another_query_or_fragment_is_another_place(other):
    known = stored(first_identified(item(url="https://acme.example/a@b")))

    assert identified_again(known, item(url=other, at=TUESDAY))[0].is_new


def test_a_long_id_is_replaced_by_its_hash():
    (found,) = first_identified(item("x" * 10_000))

    assert len(found.id) == 64


def test_an_id_holds_no_control_characters():
    assert ids(first_identified(item("a\x00b\n"))) == ["ab"]


ITEMS = st.lists(
    st.builds(
        item,
        st.none() | st.sampled_from(["a", "b", "c", "", " a ", "x" * 600, "\x00", "\ud800"]),
        st.none() | st.sampled_from([page(1), page(2), page(2) + "/", page(3)]),
        title=st.sampled_from(["One", "Two"]),
        at=st.none() | st.sampled_from([MONDAY, TUESDAY]),
    ),
    max_size=8,
)


@given(ITEMS, ITEMS)
def test_ids_are_unique_bounded_and_the_same_again(before, after):
    known = stored(first_identified(*before))

    found = identified_again(known, *after)

    assert len(set(ids(found))) == len(found)
    assert all(0 < len(entry.id) <= LONGEST_ID for entry in found)
    assert found == identified_again(known, *after)
    assert found == identified_again(list(reversed(known)), *after)


@given(ITEMS)
def test_the_same_document_again_makes_no_new_entry(items):
    known = stored(first_identified(*items))

    again = identified_again(known, *items)

    assert ids(again) == [entry.id for entry in known]
    assert not any(entry.is_new for entry in again)


@given(ITEMS, ITEMS, st.integers(0, 5))
def test_less_is_looked_up_when_some_entries_are_at_hand(before, after, count):
    known = stored(first_identified(*before))
    at_hand = known[:count]
    wanted_ids, wanted_urls = lookup_keys(after, at_hand)
    titles = {entry.title for entry in after}
    found = [
        entry
        for entry in known
        if entry.id in wanted_ids or entry.url in wanted_urls or entry.title in titles
    ]
    there = list({entry.id: entry for entry in (*found, *at_hand)}.values())

    assert identified_again(there, *after) == identified_again(known, *after)


def test_nothing_is_looked_up_for_items_at_hand_that_are_as_they_were():
    known = stored(first_identified(item("1", page(1)), item(None, page(2))))

    assert lookup_keys([item("1", page(1)), item(None, page(2))], known) == (set(), set())


@given(st.permutations(range(6)))
def test_distinct_items_have_the_same_ids_in_any_order(order):
    items = [item(None, page(n)) if n % 2 else item(str(n), page(n)) for n in range(6)]
    known = stored(first_identified(*items[:4]))
    moved = [replace(entry, published_at=TUESDAY) for entry in items]

    by_url = {entry.entry.url: entry.id for entry in identified_again(known, *moved)}
    shuffled = {
        entry.entry.url: entry.id for entry in identified_again(known, *(moved[n] for n in order))
    }

    assert shuffled == by_url
