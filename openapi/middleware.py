"""The validator at work on answers: the outermost ASGI layer, which error handlers cannot pass.

Connexion's own layer builds a validator anew for each answer and never sees what error handlers
send.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openapi.validation import ContractValidator, contract_validator
from openapi.violations import Violation

LEAST_NO: Final = 400  # the smallest status that refuses
KEPT_ANSWERS: Final = 1_000  # without a body, as they were checked


class Whole(NamedTuple):
    """An answer as it is sent."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes


AtOnce = Callable[[Scope], Whole | None]
"""Gives the answer to a request if there is one without waiting."""

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
        *,
        at_once: AtOnce | None = None,
    ) -> None:
        """Check what comes from ``app``, by the shipped contract unless told otherwise.

        ``at_once`` is asked before it, and its answers are checked as well.
        """
        self._at_once = at_once
        self._app = app
        self._on_violation = on_violation
        self._validator = validator or contract_validator()
        # Who has the answer gets the same headers all day, and nothing else.
        self._wrong_without_body = lru_cache(maxsize=KEPT_ANSWERS)(self._checked)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request with what ``app`` says, if it may be said."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        whole = None if self._at_once is None else self._at_once(scope)
        if whole is not None:
            await self._send(scope, receive, send, whole)
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
        starts = [each for each in messages if each["type"] == "http.response.start"]
        if not starts:
            nothing = (Violation("", "There is no answer."),)
            await self._on_violation(scope, nothing)(scope, receive, send)
            return
        body = b"".join([each.get("body", b"") for each in messages])
        whole = Whole(starts[0]["status"], starts[0]["headers"], body)
        await self._send(scope, receive, send, whole)

    async def _send(self, scope: Scope, receive: Receive, send: Send, whole: Whole) -> None:
        violations = self._violations(scope, whole)
        if violations:
            await self._on_violation(scope, violations)(scope, receive, send)
            return
        start = {"status": whole.status, "headers": whole.headers}
        await send({"type": "http.response.start", **start})
        await send({"type": "http.response.body", "body": whole.body})

    def _violations(self, scope: Scope, whole: Whole) -> tuple[Violation, ...]:
        operation = self._validator.operation_at(scope["method"], scope["path"])
        if operation is None and whole.status < LEAST_NO:
            return ()  # what is not of the contract, such as an answer to OPTIONS
        if scope["method"] == "HEAD" and not whole.body:
            return ()
        operation_id = None if operation is None else operation.operation_id
        if not whole.body:
            return self._wrong_without_body(operation_id, whole.status, tuple(whole.headers))
        return self._checked(operation_id, whole.status, whole.headers, whole.body)

    def _checked(
        self,
        operation_id: str | None,
        status: int,
        headers: Sequence[tuple[bytes, bytes]],
        body: bytes = b"",
    ) -> tuple[Violation, ...]:
        texts = {_text(name): value.decode("latin-1") for name, value in headers}
        return self._validator.response(operation_id, status, texts, body)


@lru_cache(maxsize=256)
def _text(name: bytes) -> str:
    """Return the name of a header in lower case; there are few of them."""
    return name.decode().lower()
