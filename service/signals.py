"""Signals that stop the program, and the end of a server process."""

import atexit
import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Give an event that SIGINT and SIGTERM set, instead of what they did before.

    A signal handler in Python runs when the main thread comes round, which it may never do: a
    signal that arrives while that thread is about to wait for a lock does not wake it, and a
    handler that sets an event which the main thread has just locked waits for ever. So a thread
    of its own reads what ``signal.set_wakeup_fd`` writes. Call this in the main thread.
    """
    stop = threading.Event()
    receiver, sender = socket.socketpair()
    sender.setblocking(False)

    def listen() -> None:
        while number := receiver.recv(1):
            if number[0] in STOP_SIGNALS:
                stop.set()

    thread = threading.Thread(target=listen, name="signals")
    thread.start()
    descriptor = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
    handlers = ignore_stop_signals()
    try:
        yield stop
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(descriptor)
        sender.close()
        thread.join()
        receiver.close()


def ignore_stop_signals() -> dict[signal.Signals, Any]:
    """Let the main thread do nothing at SIGINT and SIGTERM; return the handlers they had."""
    return {number: signal.signal(number, lambda *_: None) for number in STOP_SIGNALS}


def exit_without_teardown() -> None:
    """End this process, after its exit handlers, without taking the interpreter apart.

    The server's threads are not Python's: one that asks for the interpreter while it is taken
    apart ends the process with a panic (docs/decisions/0075). Call this before other exit
    handlers are registered: they run in reverse order.
    """
    atexit.register(os._exit, 0)
