"""What the client decides by itself: waits, caches, pages, places to go on from."""

import stat
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client import FolderCache, MemoryCache, Pages, RetryPolicy, UnexpectedAnswer
from client.errors import ERRORS, ApiError
from client.pages import news_of, paged
from client.transport import retry_after_of
from openapi.vocabulary import ErrorCode

SECONDS = st.floats(0, 1e6).map(lambda seconds: timedelta(seconds=seconds))


def test_every_code_with_an_exception_is_one_of_the_contract():
    assert set(ERRORS) < set(ErrorCode)
    assert all(issubclass(error, ApiError) for error in ERRORS.values())


@given(st.integers(1, 50), st.none() | SECONDS, st.floats(0, 1))
def test_a_wait_is_never_shorter_than_asked_nor_longer_than_allowed(tried, asked, jitter):
    policy = RetryPolicy(attempts=20)

    wait = policy.wait(tried, asked, jitter=jitter)

    gives_up = tried >= 20 or (asked is not None and asked > policy.longest_wait)
    assert (wait is None) == gives_up
    if wait is not None:
        assert (asked or policy.first_wait) <= wait <= policy.longest_wait


@given(st.integers(-1000, 10**6))
def test_a_pause_until_a_date_is_measured_by_the_services_clock(seconds):
    sent = datetime(2001, 1, 1, tzinfo=UTC)
    until = format_datetime(sent + timedelta(seconds=seconds), usegmt=True)

    found = retry_after_of({"retry-after": until, "date": format_datetime(sent, usegmt=True)})

    assert found == timedelta(seconds=max(seconds, 0))


@settings(deadline=None)  # it writes files
@given(st.lists(st.tuples(st.integers(0, 9), st.binary(max_size=5)), max_size=50))
def test_both_caches_keep_the_newest_and_forget_the_oldest(tmp_path_factory, written):
    folder = tmp_path_factory.mktemp("cache")
    for cache in (MemoryCache(3), FolderCache(folder, 3)):
        expected = {}
        for name, body in written:
            cache.save(str(name), ('"e"', body))
            expected.pop(name, None)
            expected[name] = body
        for name in list(expected)[-1:]:
            assert cache.find(str(name)) == ('"e"', expected[name])
        assert sum(cache.find(str(name)) is not None for name in expected) == min(3, len(expected))


def test_a_kept_answer_is_its_owners_alone_and_outlives_the_program(tmp_path):
    folder = tmp_path / "deep" / "cache"
    FolderCache(folder).save("name", ('"e"', b"one\ntwo\n"))

    (file,) = folder.iterdir()

    assert FolderCache(folder).find("name") == ('"e"', b"one\ntwo\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@settings(deadline=None)  # it writes files
@given(st.integers(0, 200), st.binary(max_size=200))
def test_a_torn_file_counts_as_none(tmp_path_factory, length, other):
    folder = tmp_path_factory.mktemp("cache")
    answer = ('"e"', b"a body")
    FolderCache(folder).save("name", answer)
    (file,) = folder.iterdir()
    whole = file.read_bytes()

    file.write_bytes(whole[:length] + other)

    assert FolderCache(folder).find("name") in (None, answer)
    assert FolderCache(folder).find("name") is None or file.read_bytes() == whole


def test_what_slips_to_the_next_page_is_given_once():
    items = [{"id": number} for number in (3, 2, 1, 0)]
    expected = items.copy()

    def fetch(limit, offset):
        page = items[offset : offset + 2]
        items.insert(0, {"id": len(items)})
        return {"total": len(items), "items": page}

    assert list(Pages(paged(fetch), limit=8, offset=0)) == expected


def change(kind, source):
    return {"change": kind, "entry": {"id": "1", "source": source}}


def test_news_are_of_followed_sources_and_what_is_removed_is_no_entry():
    items = [change("removed", "a.b"), change("edited", "a.b"), change("new", "a.c")]

    news, more = news_of({"items": items, "next": "c0ffee", "more": True}, {"a.b"})

    assert (news.changes, news.cursor, more) == (items[:2], "c0ffee", True)
    assert list(news.entries) == [items[1]["entry"]]


def test_an_answer_without_a_cursor_is_unexpected():
    with pytest.raises(UnexpectedAnswer, match="where to go on"):
        news_of({"items": [], "more": True}, None)
