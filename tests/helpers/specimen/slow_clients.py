"""Clients that send a byte a second of a request that never ends, and begin anew.

    python tests/helpers/specimen/slow_clients.py PORT NUMBER

A process of its own, so that its work is not counted as that of the clients that are measured.
"""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def slow_clients(port: int, number: int) -> Iterator[None]:
    """Let so many of them do that until the block ends."""
    with subprocess.Popen([sys.executable, __file__, str(port), str(number)]) as process:
        try:
            yield
        finally:
            process.kill()


async def _all(port: int, number: int) -> None:
    await asyncio.gather(*(_one(port, place / number) for place in range(number)))


async def _one(port: int, wait: float) -> None:
    await asyncio.sleep(wait)
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST /api/v1/sources/request HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            while True:
                writer.write(b"X")
                await writer.drain()
                await asyncio.sleep(1)
        except OSError:
            await asyncio.sleep(0.1)


if __name__ == "__main__":
    asyncio.run(_all(*map(int, sys.argv[1:])))
