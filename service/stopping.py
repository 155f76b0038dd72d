"""Being told to stop by a signal."""

import atexit
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def told_to_stop() -> Iterator[threading.Event]:
    """Give an event that SIGINT and SIGTERM set, in place of what they did.

    A handler in Python runs when the main thread comes round, which it may never do: a signal
    that arrives while it is about to wait for a lock does not wake it, and a handler that sets an
    event the main thread has just locked waits for ever. So a thread of its own reads what
    ``signal.set_wakeup_fd`` writes. Call it in the main thread.
    """
    stop = threading.Event()
    heard, told = socket.socketpair()
    told.setblocking(False)

    def listen() -> None:
        while number := heard.recv(1):
            if number[0] in SIGNALS:
                stop.set()

    thread = threading.Thread(target=listen, name="signals")
    thread.start()
    descriptor = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    handlers = handle_elsewhere()
    try:
        yield stop
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
        signal.set_wakeup_fd(descriptor)
        told.close()
        thread.join()
        heard.close()


def handle_elsewhere() -> dict[signal.Signals, Any]:
    """Let signals that stop do nothing in the main thread; return the handlers they had."""
    return {each: signal.signal(each, lambda *_: None) for each in SIGNALS}


def end_as_it_is() -> None:
    """Let this process end, once it comes to that, without taking the interpreter apart.

    A thread that is not Python's, as the server has them, ends the process with a panic if it asks
    for the interpreter while that is taken apart. What is registered later is still done before.
    """
    atexit.register(os._exit, 0)
