"""Writers take turns in the order in which they came, and wait no longer than they may."""

import threading
import time

import pytest
from sqlalchemy.exc import OperationalError

from storage.engine.sqlite import WriteQueue


def test_whoever_waits_the_longest_is_next():
    queue, order = WriteQueue(patience=10), []

    def write(number):
        with queue.turn():
            order.append(number)

    with queue.turn():
        threads = [threading.Thread(target=write, args=(number,)) for number in range(20)]
        for number, thread in enumerate(threads, start=1):
            thread.start()
            while len(queue._waiting) < number:
                time.sleep(0.001)
    for thread in threads:
        thread.join()

    assert order == list(range(20))


def test_a_writer_that_has_waited_too_long_gives_up_and_the_next_goes_on():
    queue = WriteQueue(patience=0.01)
    with queue.turn(), pytest.raises(OperationalError, match="locked"), queue.turn():
        pass

    with queue.turn():
        assert not queue._waiting


def test_a_transaction_that_fails_hands_its_turn_on(database):
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), database.write():
            raise ZeroDivisionError
