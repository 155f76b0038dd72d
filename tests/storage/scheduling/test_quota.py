"""When an API whose quota is used up may be called again."""

from datetime import timedelta

from storage.scheduling.due import close_quota, is_quota_open

HOUR = timedelta(hours=1)


def test_a_short_pause_does_not_open_a_quota_that_is_filled_later(database, now):
    with database.write() as session:
        close_quota(session, "api", until=now + HOUR, now=now)
        close_quota(session, "api", until=now + HOUR / 60, now=now)

        assert not is_quota_open(session, "api", now=now + HOUR / 2)
        assert is_quota_open(session, "api", now=now + HOUR)
