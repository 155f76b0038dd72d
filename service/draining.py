"""How a server process ends: whoever is connected gets an answer first."""

import asyncio
import ctypes
import os
import signal
import socket
import struct
import time
from contextlib import suppress
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from handlers.waiters import Waiters
from service.connections import DESCRIPTORS, accepted_connections, borrowed_socket
from service.signals import call_on_stop_signals

DRAIN_SECONDS: Final = 1.0
"""How long a connection that was accepted may take to send a request once the process ends."""
INTERVAL_SECONDS: Final = 0.05
ATTACH_FILTER: Final = 26  # SO_ATTACH_FILTER
DROP_ALL: Final = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0))
"""A packet filter of one instruction: return 0 bytes."""


def draining(app: ASGIApp, waiters: Waiters) -> ASGIApp:
    """Return an application that ends well: at SIGTERM its process takes no more connections.

    Requests on those that it has are answered, and each is closed after its answer. Requests that
    wait for something new wait no longer. The lifespan begins once the server's loop has its
    signals.
    """

    async def pass_on(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            if DESCRIPTORS.is_dir():
                _drain_at_sigterm(asyncio.get_running_loop())
            call_on_stop_signals(waiters.stop)

        async def send_last(message: Message) -> None:
            if waiters.stopping and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
            await send(message)

        await app(scope, receive, send_last)

    return pass_on


def _drain_at_sigterm(loop: asyncio.AbstractEventLoop) -> None:
    """Take the place of the server's handler of SIGTERM; its handler of SIGINT ends it at last."""
    tasks: list[asyncio.Task[None]] = []

    def begin() -> None:
        if not tasks:
            tasks.append(loop.create_task(_drain()))

    loop.add_signal_handler(signal.SIGTERM, begin)


async def _drain() -> None:
    refuse_connections()
    until = time.monotonic() + DRAIN_SECONDS
    while time.monotonic() < until and accepted_connections():
        await asyncio.sleep(INTERVAL_SECONDS)
    signal.raise_signal(signal.SIGINT)


def refuse_connections() -> None:
    """Take no more connections at the sockets that this process listens at.

    To close or shut down such a socket would reset connections that the kernel has accepted and the
    server has not. So the socket stays, and the kernel drops what arrives at it.
    """
    program = struct.pack("HP", 1, ctypes.addressof(DROP_ALL))
    for name in os.listdir(DESCRIPTORS):  # noqa: PTH208 - as in service.connections
        with suppress(OSError), borrowed_socket(int(name)) as own:
            if own.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                own.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, program)
