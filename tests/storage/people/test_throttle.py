"""Rate-limit windows are exact, whoever counts (docs/decisions/0199)."""

from datetime import timedelta

from sqlalchemy import select

from storage.models import RateWindow
from storage.people.throttle import Limit, hit, hit_all

MINUTE = Limit(5, timedelta(minutes=1))
DAY = Limit(20, timedelta(days=1))


def test_as_many_hits_are_admitted_as_the_limit_says(database, now):
    with database.write() as session:
        standings = [hit(session, "x", MINUTE, now=now) for _ in range(7)]

    assert [standing.admitted for standing in standings] == [True] * 5 + [False] * 2
    assert [standing.remaining for standing in standings] == [4, 3, 2, 1, 0, 0, 0]


def test_the_window_opens_again_when_it_is_over(database, now):
    with database.write() as session:
        for _ in range(9):
            hit(session, "x", MINUTE, now=now)
        late = hit(session, "x", MINUTE, now=now + timedelta(seconds=59))
        after = hit(session, "x", MINUTE, now=now + timedelta(seconds=60))

    assert (late.admitted, late.resets_in) == (False, timedelta(seconds=1))
    assert (after.admitted, after.remaining) == (True, 4)


def test_names_are_counted_apart(database, now):
    with database.write() as session:
        for _ in range(5):
            hit(session, "x", MINUTE, now=now)

        assert hit(session, "y", MINUTE, now=now).admitted


def test_the_longer_window_refuses_what_the_shorter_lets_through(database, now):
    admitted = 0
    with database.write() as session:
        for minute in range(10):
            at = now + timedelta(minutes=minute)
            admitted += sum(
                hit_all(session, "x", (MINUTE, DAY), now=at)[-1].admitted for _ in range(5)
            )

    assert admitted == 20


def test_whoever_is_counted_clears_away_the_windows_of_others(database, now):
    with database.write() as session:
        hit_all(session, "x", (MINUTE, DAY), now=now)
        hit_all(session, "y", (MINUTE, DAY), now=now + timedelta(minutes=1))

        assert set(session.scalars(select(RateWindow.name))) == {"x/86400", "y/60", "y/86400"}
