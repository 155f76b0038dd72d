"""What holds for every call of a handler: its view of the database, its thread, its key."""

import asyncio
import threading
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import event, select, text

from handlers.threads import THREADS, in_thread
from openapi.vocabulary import Plan
from storage.models import ApiKey


def last_used(database):
    with database.read() as session:
        return session.scalars(select(ApiKey.last_used_at)).one()


def test_the_use_of_a_key_is_noted_even_if_the_request_is_refused(client, new_key, database, now):
    key = new_key(Plan.FREE)

    response = client.get("/api/v1/entries?sources=acme.mail", headers=key)

    assert (response.status_code, last_used(database)) == (403, now)


@pytest.mark.only_on("sqlite")
def test_a_database_that_takes_no_note_of_a_key_answers_all_the_same(client, new_key, database):
    key = new_key()
    with database.write() as session:
        session.execute(
            text(
                "CREATE TRIGGER full BEFORE UPDATE ON api_keys "
                "BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END"
            )
        )

    response = client.get("/api/v1/sources", headers=key)

    assert (response.status_code, last_used(database)) == (200, None)


def test_what_a_handler_reads_is_one_view_of_the_database(client, new_key, publish, database):
    publish("acme.mail", a=timedelta(hours=1))
    key = new_key(Plan.FREE, sources=["acme.mail"])
    client.get("/api/v1/entries?sources=acme.mail", headers=key)  # notes the key's use
    begun = []
    event.listen(database.engine, "begin", begun.append)

    response = client.get("/api/v1/entries?sources=acme.mail", headers=key)

    assert response.status_code == 200
    assert len(begun) == 1


def test_an_operation_never_waits_for_a_connection_and_the_thread_of_the_last_one_is_next(
    client, database
):
    connections = [database.engine.connect() for _ in range(THREADS)]
    everybody = threading.Barrier(THREADS)

    def meet():
        return everybody.wait(60), threading.get_ident()

    async def threads():
        met = await asyncio.gather(*(in_thread(meet) for _ in range(2 * THREADS)))
        in_turn = [await in_thread(threading.get_ident) for _ in range(2 * THREADS)]
        return len({ident for _, ident in met}), len(set(in_turn))

    assert client.portal.call(threads) == (THREADS, 1)
    assert len({id(each.connection.driver_connection) for each in connections}) == THREADS
    for each in connections:
        each.close()


def test_a_call_that_nobody_waits_for_any_more_is_not_begun(client):
    begun, hold = [], threading.Event()
    calls = [hold.wait] * THREADS + [partial(begun.append, name) for name in ("given up", "last")]

    async def give_up_one():
        tasks = [asyncio.create_task(in_thread(call)) for call in calls]
        await asyncio.sleep(0)
        tasks[THREADS].cancel()
        hold.set()
        await asyncio.gather(*tasks, return_exceptions=True)

    client.portal.call(give_up_one)

    assert begun == ["last"]
