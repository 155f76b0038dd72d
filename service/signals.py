"""Signals that stop the program, and the end of a server process."""

import atexit
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

_HANGUP = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)  # nohup
STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, *_HANGUP)


@contextmanager
def stop_on_signals() -> Iterator[threading.Event]:
    """Yield an event that stop signals set, instead of what they did before.

    Python runs signal handlers in the main thread, which may wait for a lock for ever: a signal
    that arrives just before the wait does not interrupt it, and a handler that sets an event
    which the main thread has locked never returns. So another thread reads what
    ``signal.set_wakeup_fd`` writes. Call this in the main thread.
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
    """Replace the handlers of stop signals by one that does nothing; return the former."""
    handlers: dict[signal.Signals, Any] = {signal.SIGHUP: signal.SIG_IGN}  # granian would reload
    handlers |= dict.fromkeys(STOP_SIGNALS, lambda *_: None)
    return {number: signal.signal(number, handler) for number, handler in handlers.items()}


def call_on_stop_signals(callback: Callable[[], object]) -> None:
    """Call this at stop signals too, beside what an event loop does at them.

    asyncio learns of a signal through ``signal.set_wakeup_fd``, whatever Python's own handler is.
    Call this in the main thread, once the loop has its handlers.
    """
    for number in STOP_SIGNALS:
        signal.signal(number, lambda *_: callback())


def exit_without_teardown() -> None:
    """End this process after its exit handlers, without finalizing the interpreter.

    The server's threads are native: one that acquires the GIL during finalization ends the
    process with a panic (docs/decisions/0076). Call this before other exit
    handlers are registered: they run in reverse order.
    """
    atexit.register(os._exit, 0)


def exit_with_parent() -> None:
    """End this process as soon as the one that started it has ended, even if it was killed.

    A killed parent cannot stop its children: they would hold the port and serve data that nobody
    keeps up to date. A process that was not started by ``multiprocessing`` is left alone.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, name="parent", daemon=True).start()
