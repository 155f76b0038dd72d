"""Pages on the event loop: those that were read quickly a moment ago, and no others."""

import asyncio
import math
from datetime import timedelta

import pytest
from sqlalchemy import update

from handlers.api.application import create_api
from handlers.http import cheap_pages as quick
from handlers.http.cheap_pages import MOST_REMEMBERED, MOST_SECONDS, STAYS, Effort, QuickPages
from openapi.vocabulary import Plan
from storage.models import ApiKey

PAGE = ("list_latest", b"limit=5")
NOTHING = Effort(0.0, 0)
WHY = (
    b'{"categories":["breaking"],"evidence":[{"category":"breaking","field":"title",'
    b'"text":"a","start":0,"end":1}]}'
)


@pytest.fixture
def noted(now, monkeypatch):
    """Pages after one was read: ``noted(seconds, blocks)``."""

    def noted(seconds, blocks=0, pages=None):
        pages = pages or QuickPages()
        monkeypatch.setattr(quick, "effort", lambda: Effort(seconds, blocks))
        pages.note(PAGE, NOTHING, now=now)
        return pages

    return noted


def test_a_page_is_quick_for_a_minute_after_it_was(noted, now):
    pages = noted(MOST_SECONDS)

    assert pages.has(PAGE, now=now)
    assert pages.has(PAGE, now=now + STAYS - timedelta(seconds=1))
    assert not pages.has(PAGE, now=now + STAYS)
    assert not pages.has(PAGE, now=now - STAYS)  # a clock that was set back


@pytest.mark.parametrize(("seconds", "blocks"), [(MOST_SECONDS * 1.01, 0), (0.0, 1), (math.nan, 0)])
def test_a_page_that_took_long_or_came_from_a_disk_is_not(noted, now, seconds, blocks):
    assert not noted(seconds, blocks, pages=noted(0.0)).has(PAGE, now=now)


def test_another_page_of_the_operation_is_another_one(noted, now):
    assert not noted(0.0).has(("list_latest", b"limit=6"), now=now)


@pytest.mark.usefixtures("always_quick")
def test_what_is_remembered_is_bounded(now):
    pages = QuickPages()
    every = [("list_latest", b"offset=%d" % number) for number in range(MOST_REMEMBERED + 1)]
    for page in every:
        pages.note(page, NOTHING, now=now)

    assert pages.has(every[-1], now=now)
    assert sum(pages.has(page, now=now) for page in every) <= MOST_REMEMBERED


@pytest.fixture
def ask(services, call_asgi):
    """Ask an application from its loop: ``ask(target, headers)`` gives status, headers and body."""
    with asyncio.Runner() as runner:
        app = create_api(services)
        yield lambda target, headers: runner.run(call_asgi(app, target, headers))


@pytest.fixture
def without_threads(monkeypatch):
    """Let no operation be answered in a thread from now on."""
    return lambda: monkeypatch.setattr("handlers.http.operation_runner.Question.answer", None)


@pytest.fixture
def always_quick(monkeypatch):
    """Let every page have taken no time at all."""
    monkeypatch.setattr(quick, "effort", lambda: NOTHING)
    monkeypatch.setattr("handlers.http.operation_runner.effort", lambda: NOTHING)


@pytest.mark.only_on("sqlite")
@pytest.mark.parametrize(
    "target",
    [
        "/api/v1/entries?sources=acme.mail",
        "/api/v1/entries?sources=acme.mail&since=2020-01-01T00:00:00Z",
        "/api/v1/entries?sources=acme.mail&follow=now",
        "/api/v1/latest",
        "/api/v1/latest?future=1",
        "/api/v1/important",
    ],
)
@pytest.mark.usefixtures("always_quick")
def test_a_quick_page_is_the_same_from_the_event_loop(
    ask, publish, new_key, without_threads, target
):
    publish("acme.mail", a=timedelta(hours=1), b=timedelta(hours=2), important=WHY)
    key = new_key()
    in_a_thread = ask(target, key)
    ask(target, key)  # the first use of a key is noted, in a thread
    without_threads()

    assert ask(target, key) == in_a_thread
    assert in_a_thread[0] == 200


@pytest.mark.usefixtures("always_quick")
@pytest.mark.parametrize(
    ("operation", "path", "query"),
    [
        ("list_sources", "sources", b"limit=5"),
        ("list_entries", "entries", b"sources=acme.mail&follow=start"),
        ("get_diffs", "diffs", b"source=acme.mail"),
    ],
)
def test_what_may_take_longer_the_next_time_is_left_to_a_thread(
    ask, services, publish, new_key, operation, path, query
):
    publish("acme.mail", a=timedelta(hours=1))
    status, _, _ = ask(f"/api/v1/{path}?{query.decode()}", new_key(diffs_addon=True))

    assert status == 200
    assert not services.quick.has((operation, query), now=services.now())


@pytest.mark.usefixtures("always_quick")
def test_a_page_that_is_quick_is_still_only_for_who_may_read_it(
    ask, publish, new_key, database, now
):
    publish("acme.mail", a=timedelta(hours=1))
    target = "/api/v1/entries?sources=acme.mail"
    every, none = new_key(), new_key(Plan.FREE)

    assert [ask(target, every)[0] for _ in range(3)] == [200, 200, 200]
    assert ask(target, none)[0] == 403
    assert ask(target, {})[0] == 401
    with database.write() as session:
        session.execute(update(ApiKey).values(revoked_at=now))
    assert ask(target, every)[0] == 401


@pytest.mark.usefixtures("always_quick")
def test_a_page_that_was_not_written_was_not_quick(ask, services, publish, new_key):
    publish("acme.mail", a=timedelta(hours=1))
    target, page = "/api/v1/entries?sources=acme.mail", ("list_entries", b"sources=acme.mail")
    tag = ask(target, new_key())[1][b"etag"].decode()
    services.quick.forget(page)

    first_use = ask(target, {**new_key(), "If-None-Match": tag})  # noted, and so in a thread

    assert first_use[0] == 304
    assert not services.quick.has(page, now=services.now())


@pytest.mark.usefixtures("always_quick")
def test_a_quick_page_has_what_was_written_since(ask, publish):
    publish("acme.mail", a=timedelta(hours=1))
    before = [ask("/api/v1/latest", {})[2] for _ in range(3)]
    publish("acme.mail", b=timedelta(hours=2))

    after = ask("/api/v1/latest", {})[2]

    assert len(set(before)) == 1
    assert b'"title":"b"' in after
