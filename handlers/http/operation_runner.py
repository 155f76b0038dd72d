"""The innermost layer of the API: one request, one operation, one change of thread.

Connexion finds the function of an operation and routes requests to it. What it would do next, it
does anew for each request: it builds decorators, asks for the function's signature, parses the
query a second time, and changes the thread for each function that may wait. Here all of that is
decided once, when the application is built, and what may wait happens in one thread: who is
calling, how often, with what, and the answer (docs/decisions/0046).
"""

import asyncio
import inspect
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from functools import cache, lru_cache
from typing import Any, Final

from connexion.middleware.abstract import RoutedAPI, RoutedMiddleware
from connexion.operations import AbstractOperation
from sqlalchemy.exc import DBAPIError
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from handlers.api import operations
from handlers.context import Context, context
from handlers.http.auth import Caller, authenticate, note_caller
from handlers.http.cheap_pages import Effort, effort
from handlers.http.client_ip import throttle
from handlers.http.conditional import Answer, if_none_match_of
from handlers.http.refusals import Refusal, Unauthorized
from openapi.arguments import InvalidRequest, arguments_of
from openapi.contract import Operation, load_operations
from openapi.middleware import Whole
from openapi.validation import ContractValidator, contract_validator
from storage.engine.read_in_place import NotAtAGlance

THREADS: Final = 12  # fewer than connections of either database, so that none waits for one
KEPT_QUERIES: Final = 500  # of an operation, as they were read
LONGEST_KEPT_QUERY: Final = 4_000  # a hundred sources, as long as their names mostly are
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])[A-Z]")


class Question:
    """One operation: what depends on the contract alone is prepared once."""

    def __init__(self, operation: Operation, function: Callable[..., Answer | Response]) -> None:
        self.method = operation.method
        self.path = operation.path
        self._function = function
        self._id = operation.operation_id
        self._validator: ContractValidator = contract_validator()
        self._public = operation.public
        self._takes_caller = "token_info" in inspect.signature(function).parameters
        # What a query means depends on nothing else, and pollers ask for the same all day.
        self._parsed = lru_cache(maxsize=KEPT_QUERIES)(self._arguments)

    def answer(self, scope: Scope, body: bytes) -> Response:
        """Ask everything of one view of the database; an operation that writes has its own."""
        services = context()
        caller: Caller | None = None
        try:
            with services.db.one_view() if self.method == "GET" else nullcontext():
                caller = authenticate(scope, services)
                found = self._asked(scope, body, caller, services)
                if isinstance(found, Response):
                    return found
                began = effort()
                response = found.for_who_has(if_none_match_of(scope))
                if response.body:  # what is not written says nothing about how long it takes
                    self._note(found, scope["query_string"], began, services)
                return response
        finally:
            note_caller(caller, services)  # after the view: nobody holds two connections

    def at_a_glance(self, scope: Scope, if_none_match: Sequence[str]) -> Whole | None:
        """Return the answer to a GET if the event loop may give it, else None.

        It may tell a caller that nothing has changed, and write a page that was quick a moment
        ago. Whatever else there is to say is found and said in a thread.
        """
        services, query = context(), scope["query_string"]
        if not if_none_match and not self._was_quick(query, services):
            return None
        try:
            with services.glance:
                caller = authenticate(scope, services)
                found = self._asked(scope, b"", caller, services)
                if isinstance(found, Response) or (caller is not None and caller.worth_noting):
                    return None
                ready = found.unchanged(if_none_match)
                if ready is None and self._was_quick(query, services):
                    began = effort()
                    ready = found.ready()
                    self._note(found, query, began, services)
                return ready
        except (Refusal, InvalidRequest, NotAtAGlance, DBAPIError):
            return None

    def _was_quick(self, query: bytes, services: Context) -> bool:
        return services.quick.has((self._id, query), now=services.now())

    def _note(self, answer: Answer, query: bytes, began: Effort, services: Context) -> None:
        if answer.even and len(query) <= LONGEST_KEPT_QUERY:
            services.quick.note((self._id, query), began, now=services.now())

    def _asked(
        self, scope: Scope, body: bytes, caller: Caller | None, services: Context
    ) -> Answer | Response:
        throttle(self._id, scope, services)
        if caller is None and not self._public:
            raise Unauthorized
        query = scope["query_string"]
        if self.method == "GET" and len(query) <= LONGEST_KEPT_QUERY:
            given = self._parsed(query)
        else:
            given = self._arguments(query, _content_type(scope), body)
        if self._takes_caller:
            given = {**given, "token_info": {} if caller is None else {"caller": caller}}
        return self._function(**given)

    def _arguments(
        self, query: bytes, content_type: str | None = None, body: bytes = b""
    ) -> dict[str, Any]:
        found = arguments_of(
            self._validator, self._id, query=query, content_type=content_type, body=body
        )
        return {python_name(name): value for name, value in found.items()}


class OperationCall:
    """Asks one operation in a thread."""

    def __init__(self, question: Question, threads: ThreadPoolExecutor) -> None:
        self._question = question
        self._threads = threads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; raises what the exception layer makes a no of."""
        body = await _body(receive)
        run = copy_context().run
        loop = asyncio.get_running_loop()
        response = await loop.run_in_executor(
            self._threads, run, self._question.answer, scope, body
        )
        await response(scope, receive, send)


def questions() -> dict[str, Question]:
    """Return the operations that read, by path."""
    found = (Question(each, getattr(operations, each.operation_id)) for each in load_operations())
    return {each.path: each for each in found if each.method == "GET"}


@cache
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
        own_id = operation.operation_id.rpartition(".")[2]
        ours = next(each for each in load_operations() if each.operation_id == own_id)
        return OperationCall(Question(ours, operation.function), self._threads)


class Operations(RoutedMiddleware[CallingApi]):  # type: ignore[misc] # as above
    """Connexion's way to the layer above: by the operation that its router found."""

    api_cls = CallingApi
