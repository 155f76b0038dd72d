"""The tools at /mcp, loaded when they are first requested (docs/decisions/0076)."""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

PATH: Final = "/mcp"
METADATA_PATH: Final = f"/.well-known/oauth-protected-resource{PATH}"


class LateTools:
    """An application that its first request makes; its lifespan runs until it is stopped."""

    def __init__(self, make: Callable[[], Starlette]) -> None:
        self._make = make
        self._running: asyncio.Task[None] | None = None
        self._started: asyncio.Future[Starlette] = asyncio.Future()
        self._stopped = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._running is None:
            self._running = asyncio.create_task(self._run())
        await asyncio.wait((self._running, self._started), return_when=asyncio.FIRST_COMPLETED)
        if self._running.done():
            self._running.result()  # why it could not start
        await self._started.result()(scope, receive, send)

    async def _run(self) -> None:
        app = await asyncio.to_thread(self._make)
        async with app.router.lifespan_context(app):
            self._started.set_result(app)
            await self._stopped.wait()

    async def stop(self) -> None:
        """End the lifespan, if a request has begun it."""
        self._stopped.set()
        if self._running is not None:
            await self._running
