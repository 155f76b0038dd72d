"""The threads of a process that answer requests to the API.

The one that worked last works next: its data are still in the caches of the processor. Threads of
an executor take turns, which costs a tenth of a request.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, TypeAlias, TypeVar

THREADS: Final = 12  # fewer than connections of either database, so that none waits for one
ResultT = TypeVar("ResultT")
Job: TypeAlias = tuple[asyncio.Future[Any], Callable[[], Any]]
Place: TypeAlias = SimpleQueue[Job]

_lock: Final = Lock()  # held to read or change these
_threads: Final[list[Thread]] = []
_free: Final[list[Place]] = []  # where idle threads take a job
_waiting: Final[deque[Job]] = deque()


async def in_thread(call: Callable[[], ResultT]) -> ResultT:
    """Call in a thread, in a copy of the context; return the result, or raise the error."""
    future: asyncio.Future[ResultT] = asyncio.get_running_loop().create_future()
    job = future, partial(copy_context().run, call)
    with _lock:
        if _free:
            _free.pop().put(job)
        else:
            if len(_threads) < THREADS:
                (thread := Thread(target=_work, name="request", daemon=True)).start()
                _threads.append(thread)
            _waiting.append(job)  # only now: where no thread starts, nothing is left to do
    return await future


def _work() -> None:
    place: Place = SimpleQueue()
    _take_job(place)
    while True:
        _answer(place, *place.get())


def _take_job(place: Place) -> None:
    with _lock:
        if _waiting:
            place.put(_waiting.popleft())
        else:
            _free.append(place)


def _answer(place: Place, future: asyncio.Future[Any], call: Callable[[], Any]) -> None:
    try:
        settle = partial(future.set_result, None if future.cancelled() else call())
    except BaseException as error:  # noqa: BLE001 - whoever waits for it raises it
        settle = partial(future.set_exception, error)
    _take_job(place)
    with suppress(RuntimeError):  # the event loop has ended
        future.get_loop().call_soon_threadsafe(_settle, future, settle)


def _settle(future: asyncio.Future[Any], settle: Callable[[], None]) -> None:
    if not future.done():  # else nobody waits any more
        settle()
