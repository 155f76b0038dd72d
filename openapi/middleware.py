"""The validator at work: ASGI layers that check every request and every answer.

They stand where Connexion's own validation layers stood. Those build a validator anew for
each request, look a body's schema up under the media type as it was spelled (so that
``Application/JSON`` is not checked at all), and never see the answers of error handlers.
"""

from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openapi.validation import ContractValidator, contract_validator
from openapi.violations import Violation


class InvalidRequest(Exception):
    """A request that the contract refuses, with what is wrong with it."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        """Keep the violations, the first one first."""
        super().__init__(" ".join(each.sentence for each in violations))
        self.violations = violations


class InvalidParameters(InvalidRequest):
    """The contract refuses its query string."""


class InvalidBody(InvalidRequest):
    """The contract refuses its body."""


class UnsupportedBody(InvalidRequest):
    """Its body is of a media type that the operation does not read."""


class RequestValidation:
    """Lets only requests through that follow the contract; raises InvalidRequest for others.

    It belongs inside the layer that authenticates, so that a bad key comes first, and inside
    the one that turns exceptions into answers. The body is held in memory: something outside
    has to bound its size.
    """

    def __init__(self, app: ASGIApp, validator: ContractValidator | None = None) -> None:
        """Check what goes to ``app``, by the shipped contract unless told otherwise."""
        self._app = app
        self._validator = validator or contract_validator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request and pass it on."""
        if scope["type"] == "http":
            operation = self._validator.operation_at(scope["method"], scope["path"])
            if operation is not None:
                scope, receive = await self._checked(operation.operation_id, scope, receive)
        await self._app(scope, receive, send)

    async def _checked(
        self, operation_id: str, scope: Scope, receive: Receive
    ) -> tuple[Scope, Receive]:
        """Return the request as the application may read it.

        A body that the operation does not have is withheld together with its media type, for
        readers further in would try to parse it.
        """
        self._check_parameters(operation_id, scope)
        if not self._validator.takes_body(operation_id):
            return _declared(scope, None), _replay(b"", receive)
        body = await self._checked_body(operation_id, scope, receive)
        return _declared(scope, b"application/json"), _replay(body, receive)

    def _check_parameters(self, operation_id: str, scope: Scope) -> None:
        checked = self._validator.parameters(operation_id, scope["query_string"])
        if checked.violations:
            raise InvalidParameters(checked.violations)

    async def _checked_body(self, operation_id: str, scope: Scope, receive: Receive) -> bytes:
        content_type = Headers(scope=scope).get("content-type")
        if not self._validator.reads(operation_id, content_type):
            raise UnsupportedBody((Violation("", "The body must be JSON."),))
        body = await _read(receive)
        checked = self._validator.body(operation_id, body, content_type)
        if checked.violations:
            raise InvalidBody(checked.violations)
        return body


def _declared(scope: Scope, content_type: bytes | None) -> Scope:
    headers = [(name, value) for name, value in scope["headers"] if name != b"content-type"]
    if content_type is not None:
        headers.append((b"content-type", content_type))
    return {**scope, "headers": headers}


async def _read(receive: Receive) -> bytes:
    pieces = []
    while True:
        message = await receive()
        pieces.append(message.get("body", b""))
        if not message.get("more_body", False):
            return b"".join(pieces)


def _replay(body: bytes, receive: Receive) -> Receive:
    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def replayed() -> Message:
        for message in messages:
            return message
        return await receive()

    return replayed


OnViolation = Callable[[Scope, tuple[Violation, ...]], ASGIApp]
"""Gives the application that answers in place of an answer that breaks the contract."""


class ResponseValidation:
    """Lets only answers out that follow the contract; something else answers for the others.

    It belongs outside everything that answers, error handlers included. An answer is held
    back until it is complete.
    """

    def __init__(
        self,
        app: ASGIApp,
        on_violation: OnViolation,
        validator: ContractValidator | None = None,
    ) -> None:
        """Check what comes from ``app``, by the shipped contract unless told otherwise."""
        self._app = app
        self._on_violation = on_violation
        self._validator = validator or contract_validator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request with what ``app`` says, if it may be said."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        messages: list[Message] = []

        async def hold(message: Message) -> None:
            messages.append(message)

        try:
            await self._app(scope, receive, hold)
        except Exception:
            await self._answer(scope, receive, send, messages)
            raise  # frameworks answer first and raise then, so that the server can log
        await self._answer(scope, receive, send, messages)

    async def _answer(
        self, scope: Scope, receive: Receive, send: Send, messages: list[Message]
    ) -> None:
        violations = self._violations(scope, messages)
        if violations:
            await self._on_violation(scope, violations)(scope, receive, send)
            return
        for message in messages:
            await send(message)

    def _violations(self, scope: Scope, messages: list[Message]) -> tuple[Violation, ...]:
        start: dict[str, Any] = next(
            (dict(each) for each in messages if each["type"] == "http.response.start"), {}
        )
        if not start:
            return (Violation("", "There is no answer."),)
        operation = self._validator.operation_at(scope["method"], scope["path"])
        if operation is None and start["status"] < 400:
            return ()  # what is not of the contract, such as an answer to OPTIONS
        headers = {
            name.decode().lower(): value.decode("latin-1") for name, value in start["headers"]
        }
        body = b"".join(each.get("body", b"") for each in messages)
        if scope["method"] == "HEAD" and not body:
            return ()
        operation_id = None if operation is None else operation.operation_id
        return self._validator.response(operation_id, start["status"], headers, body)
