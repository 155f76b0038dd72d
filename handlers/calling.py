"""The innermost layer of the API: one request, one operation, one change of thread.

Connexion finds the function of an operation and routes requests to it. What it would do next, it
does anew for each request: it builds decorators, asks for the function's signature, parses the
query a second time, and changes the thread for each function that may wait. Here all of that is
decided once, when the application is built, and what may wait happens in one thread: who is
calling, how often, with what, and the answer (docs/decisions, one thread a request).
"""

import asyncio
import inspect
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from typing import Any, Final

from connexion.middleware.abstract import RoutedAPI, RoutedMiddleware
from connexion.operations import AbstractOperation
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from handlers.auth import Caller, authenticate, note_caller
from handlers.client import throttle
from handlers.context import context
from handlers.refusals import Unauthorized
from openapi.arguments import arguments_of
from openapi.contract import load_operations
from openapi.validation import ContractValidator, contract_validator

THREADS: Final = 12  # fewer than connections of either database, so that none waits for one
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")


class OperationCall:
    """Calls the function of one operation with what a request says."""

    def __init__(self, operation: AbstractOperation, threads: ThreadPoolExecutor) -> None:
        self._function: Callable[..., Response] = operation.function
        self._id = operation.operation_id.rpartition(".")[2]
        self._validator: ContractValidator = contract_validator()
        self._threads = threads
        self._public = next(
            each.public for each in load_operations() if each.operation_id == self._id
        )
        self._writes = operation.method != "get"
        self._takes_caller = "token_info" in inspect.signature(self._function).parameters

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; raises what the exception layer makes a no of."""
        body = await _body(receive)
        run = copy_context().run
        loop = asyncio.get_running_loop()
        response = await loop.run_in_executor(self._threads, run, self._answer, scope, body)
        await response(scope, receive, send)

    def _answer(self, scope: Scope, body: bytes) -> Response:
        """Ask everything of one view of the database; an operation that writes has its own."""
        services = context()
        caller: Caller | None = None
        try:
            with nullcontext() if self._writes else services.db.one_view():
                caller = authenticate(scope, services)
                throttle(self._id, scope, services)
                if caller is None and not self._public:
                    raise Unauthorized
                return self._function(**self._arguments(scope, body, caller))
        finally:
            note_caller(caller, services)  # after the view: nobody holds two connections

    def _arguments(self, scope: Scope, body: bytes, caller: Caller | None) -> dict[str, Any]:
        found = arguments_of(
            self._validator,
            self._id,
            query=scope["query_string"],
            content_type=_content_type(scope),
            body=body,
        )
        given = {python_name(name): value for name, value in found.items()}
        if self._takes_caller:
            given["token_info"] = {} if caller is None else {"caller": caller}
        return given


def python_name(name: str) -> str:
    """Return how a function calls a parameter of the contract: adapterType is adapter_type."""
    return _CAPITAL.sub(lambda match: f"_{match[0].lower()}", name)


def _content_type(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"content-type":
            found: str = value.decode("latin-1")
            return found
    return None


async def _body(receive: Receive) -> bytes:
    """Return the body, which the guard has read and bounded."""
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)


class CallingApi(RoutedAPI[OperationCall]):  # type: ignore[misc] # Connexion has no types
    """The operations of a contract by their id."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="operation")
        self.add_paths()

    def make_operation(self, operation: AbstractOperation) -> OperationCall:
        """Prepare one operation."""
        return OperationCall(operation, self._threads)


class Operations(RoutedMiddleware[CallingApi]):  # type: ignore[misc] # as above
    """Connexion's way to the layer above: by the operation that its router found."""

    api_cls = CallingApi
