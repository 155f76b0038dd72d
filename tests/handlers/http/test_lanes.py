"""A fair queue: nobody waits for the requests of somebody else (docs/decisions/0199)."""

import asyncio

import pytest

from handlers.http.lanes import CROWD, LONGEST_REST, RECENTLY, Crowded, Lanes


class Clock:
    """A clock that tests move."""

    now = 100.0

    def __call__(self):
        return self.now


async def take(lanes, client, weight=1, *, log=None, until=None):
    async with lanes.place(client, weight):
        if log is not None:
            log.append(client)
        if until is not None:
            await until.wait()


def test_of_one_client_as_many_run_as_there_is_room_for_and_others_at_once():
    async def run():
        lanes, log, end = Lanes(width=2), [], asyncio.Event()
        burst = [asyncio.create_task(take(lanes, "busy", log=log, until=end)) for _ in range(5)]
        await asyncio.sleep(0)
        await take(lanes, "other", log=log)
        before = list(log)
        end.set()
        await asyncio.gather(*burst)
        return before, log

    before, log = asyncio.run(run())

    assert before == ["busy", "busy", "other"]
    assert log.count("busy") == 5


def test_while_two_clients_ask_each_has_one_request_answered_and_more_when_it_is_alone():
    async def run():
        clock, log, end = Clock(), [], asyncio.Event()
        lanes = Lanes(width=3, shared=1, clock=clock)
        await take(lanes, "other")
        burst = [asyncio.create_task(take(lanes, "busy", log=log, until=end)) for _ in range(6)]
        await asyncio.sleep(0)
        shared = len(log)
        clock.now += RECENTLY + 0.1
        late = asyncio.create_task(take(lanes, "busy", log=log, until=end))
        await asyncio.sleep(0)
        end.set()
        await asyncio.gather(*burst, late)
        return shared, len(log)

    assert asyncio.run(run()) == (1, 7)


@pytest.mark.parametrize(
    ("waiting", "others", "rests"),
    [(CROWD, ["other"], True), (CROWD - 1, ["other"], False), (CROWD, [], False)],
    ids=["a crowd beside somebody else", "a few beside somebody else", "a crowd alone"],
)
def test_a_crowd_rests_after_each_answer_while_somebody_else_asks(waiting, others, rests):
    async def run():
        clock, log, go = Clock(), [], asyncio.Event()
        lanes = Lanes(width=1, clock=clock)

        async def ask():
            async with lanes.place("busy", 1):
                log.append("busy")
                await go.wait()
                clock.now += LONGEST_REST

        for other in others:
            await take(lanes, other)
        crowd = [asyncio.create_task(ask()) for _ in range(1 + waiting)]
        await asyncio.sleep(0)
        go.set()
        for _ in range(9):  # turns in which the next one begins if it may
            await asyncio.sleep(0)
        answered_alone = len(log) == 1
        await asyncio.gather(*crowd)
        return answered_alone, len(log)

    assert asyncio.run(run()) == (rests, 1 + waiting)


def test_who_was_narrowed_has_its_room_again_once_the_others_are_gone():
    async def run():
        clock, log, ends = Clock(), [], [asyncio.Event() for _ in range(4)]
        lanes = Lanes(width=3, shared=1, clock=clock)
        await take(lanes, "other")
        burst = [asyncio.create_task(take(lanes, "busy", log=log, until=end)) for end in ends]
        await asyncio.sleep(0)
        clock.now += RECENTLY + 0.1
        ends[0].set()
        await burst[0]
        await asyncio.sleep(0.01)
        running = len(log) - 1
        for end in ends:
            end.set()
        await asyncio.gather(*burst)
        return running

    assert asyncio.run(run()) == 3


def test_a_costly_request_waits_until_it_is_alone_and_nobody_overtakes_it():
    queue = [("costly", 2), ("small", 1)]

    async def run():
        lanes, log, end = Lanes(width=2), [], asyncio.Event()
        first = asyncio.create_task(take(lanes, "one", until=end))
        await asyncio.sleep(0)
        rest = [asyncio.create_task(mark(lanes, name, weight, log)) for name, weight in queue]
        await asyncio.sleep(0)
        waiting = list(log)
        end.set()
        await asyncio.gather(first, *rest)
        return waiting, log

    async def mark(lanes, name, weight, log):
        async with lanes.place("one", weight):
            log.append(name)
            await asyncio.sleep(0)

    assert asyncio.run(run()) == ([], ["costly", "small"])


def test_a_queue_has_an_end_and_a_deadline_and_whoever_gives_up_leaves_no_trace():
    async def run():
        lanes, end = Lanes(width=1, longest=1, patience=0.01), asyncio.Event()
        first = asyncio.create_task(take(lanes, "one", until=end))
        await asyncio.sleep(0)
        second = asyncio.create_task(take(lanes, "one"))
        await asyncio.sleep(0)
        with pytest.raises(Crowded):  # the queue is full
            await take(lanes, "one")
        with pytest.raises(Crowded):  # its time is over
            await second
        gone = asyncio.create_task(take(lanes, "one"))
        await asyncio.sleep(0)
        gone.cancel()
        end.set()
        await asyncio.gather(first, gone, return_exceptions=True)
        await take(lanes, "one")
        return lanes._lanes

    assert asyncio.run(run()) == {}
