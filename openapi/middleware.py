"""The validator at work on answers: the outermost ASGI layer, which error handlers cannot pass.

Connexion's own layer builds a validator anew for each answer and never sees what error handlers
send.
"""

from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openapi.validation import ContractValidator, contract_validator
from openapi.violations import Violation

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
