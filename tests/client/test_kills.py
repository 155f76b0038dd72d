"""Following a service that is killed and comes back: nothing is lost, nothing comes twice."""

from datetime import timedelta

import pytest
from mortal_service import SOURCES, MortalService

from client import Client, RetryPolicy

pytestmark = pytest.mark.slow
PATIENT = RetryPolicy(
    attempts=400, first_wait=timedelta(milliseconds=20), longest_wait=timedelta(seconds=2)
)


class Reader:
    """What a program has read and stored: ids, and the cursor after them."""

    def __init__(self):
        self.ids, self.cursor, self.pages = [], None, 0

    def store(self, news):
        self.ids += [entry["id"] for entry in news.entries]
        self.cursor = news.cursor
        self.pages += 1


@pytest.fixture
def mortal(tmp_path):
    mortal = MortalService(tmp_path)
    yield mortal
    mortal.close()


def follow(mortal, reader, pages_of_program):
    with Client(mortal.url, mortal.key, retry=PATIENT) as client:
        for news in client.follow(SOURCES, reader.cursor, limit=9):
            reader.store(news)
            if reader.pages == 6:
                mortal.killed_and_started()
            if reader.pages == pages_of_program:
                return


def test_nothing_is_lost_or_comes_twice_while_the_service_is_killed(mortal):
    reader = Reader()

    follow(mortal, reader, 4)  # the first program ends here, the second goes on from its cursor
    follow(mortal, reader, None)

    assert len(reader.ids) == len(set(reader.ids))
    assert set(reader.ids) == mortal.ids
