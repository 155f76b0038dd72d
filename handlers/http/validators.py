"""Connexion's request and response validation with schemas that were compiled once.

Connexion builds a validator of jsonschema at each request from schemas whose references it has
resolved; here the contract's own validator decides (``openapi.validation``).
"""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any, Final

from connexion.middleware.abstract import ROUTING_CONTEXT
from connexion.middleware.request_validation import (
    RequestValidationAPI,
    RequestValidationMiddleware,
    RequestValidationOperation,
)
from connexion.middleware.response_validation import (
    ResponseValidationAPI,
    ResponseValidationMiddleware,
    ResponseValidationOperation,
)
from connexion.operations import AbstractOperation
from connexion.validators import (
    AbstractRequestBodyValidator,
    AbstractResponseBodyValidator,
    ParameterValidator,
)
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from handlers.context import context
from handlers.http.caching import DIGEST
from handlers.http.outcome import OUTCOME
from handlers.http.rate_limits import THROTTLED, throttle
from handlers.http.refusals import unsupported_media_type
from openapi.requests import RequestCheck
from openapi.validation import JSON
from openapi.violations import Violation


class InvalidResponse(Exception):
    """An answer that breaks the contract."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(" ".join(map(str, violations)))


def operation_of(scope: Scope) -> str | None:
    """Return the operationId that the router found for a request; None where it found none."""
    operation_id = scope.get("extensions", {}).get(ROUTING_CONTEXT, {}).get("operation_id")
    return None if operation_id is None else str(operation_id).rpartition(".")[2]


class QueryValidator(ParameterValidator):
    """Check a query string as it was sent, and give the handler its query object.

    What a parser makes of a query string may be valid by chance.
    """

    def validate(self, scope: Scope) -> None:
        """Check the query and headers of a request. Raises InvalidRequest."""
        operation = operation_of(scope)
        assert operation is not None, "Connexion validates only what it has routed"
        major, found = context().major, scope[OUTCOME].values
        check = major.validator.requests[operation]
        read = major.queries[operation].of if operation in major.queries else dict
        found["query"] = _query_of(check, read, scope["query_string"])
        found["headers"] = check.headers(dict(scope["headers"]))


@lru_cache(maxsize=256)  # clients ask for the same again and again
def _query_of(check: RequestCheck, read: Callable[[Mapping[str, Any]], Any], sent: bytes) -> Any:
    """Return what a valid query string asks for. Raises InvalidRequest."""
    return read(check.parameters(sent))


class BodyValidator(AbstractRequestBodyValidator):
    """Check a JSON body, and give its value to the handler."""

    async def wrap_receive(self, receive: Receive, *, scope: Scope) -> tuple[Receive, Scope]:
        """Check the body of a request. Raises InvalidRequest."""
        request = Request(scope, receive)
        body = await request.body()
        content_type = request.headers.get("content-type")
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise unsupported_media_type()
        operation = operation_of(scope)
        assert operation is not None, "Connexion validates only what it has routed"
        value = context().major.validator.body(operation, body, content_type)
        scope[OUTCOME].values["body"] = value
        message = {"type": "http.request", "body": body, "more_body": False}
        return self._insert_messages(receive, messages=[message]), scope


class ResponseValidator(AbstractResponseBodyValidator):
    """Check a response: its status, its headers, and its body where that is JSON."""

    def wrap_send(self, send: Send) -> Send:
        """Return a channel that sends what follows the contract.

        JSON is sent once it is complete; a file, which is checked when it is written, as it comes.
        """
        held: list[Message] = []

        async def send_checked(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                media_type = dict(message["headers"]).get(b"content-type", JSON.encode())
                if media_type.startswith(JSON.encode()):
                    held.append(message)
                    return
                self._check(message, b"")
            elif held:
                held.append(message)
                if message.get("more_body", False):
                    return
                self._check(held[0], b"".join(piece.get("body", b"") for piece in held[1:]))
                for held_message in held[:-1]:
                    await send(held_message)
            await send(message)

        return send_checked

    def _check(self, start: MutableMapping[str, Any], body: bytes) -> None:
        """Raise InvalidResponse for a response that breaks the contract."""
        headers = {name.decode(): value.decode("latin-1") for name, value in start["headers"]}
        validator, operation = context().major.validator, operation_of(self._scope)
        checked = headers, body, self._scope.get(DIGEST)
        if violations := validator.response(operation, start["status"], *checked):
            raise InvalidResponse(violations)


VALIDATOR_MAP: Final = {
    "parameter": QueryValidator,
    "body": {JSON: BodyValidator},
    "response": {JSON: ResponseValidator},
}


class BodyOperation(RequestValidationOperation):
    """Count requests for sources, and show Connexion the media type that the contract means.

    It compares media types as they are spelled, so that a body sent as ``Application/JSON`` is not
    validated (middleware/request_validation.py, body_schema).
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request. Raises RateLimited before its body is looked at."""
        if operation_of(scope) == THROTTLED:
            throttle(scope, context())
        content_type = dict(scope["headers"]).get(b"content-type", JSON.encode())
        media_type, semicolon, parameters = content_type.lower().partition(b";")
        headers = [header for header in scope["headers"] if header[0] != b"content-type"]
        headers.append((b"content-type", media_type.strip() + semicolon + parameters))
        await super().__call__({**scope, "headers": headers}, receive, send)


class SilentOperation:
    """An operation of which Connexion looks nothing up: the validators above check all of it."""

    parameters = consumes = produces = ()
    security = None

    def body_definition(self, *_: Any) -> dict[str, Any]:
        """Return that nothing is said."""
        return {}

    body_schema = response_definition = response_schema = _uri_parser_class = body_definition


def silent(made: Any) -> Any:
    """Let Connexion's check of a SilentOperation not look through the headers."""
    made.extract_content_type = lambda _headers: (JSON, "utf-8")
    made.validate_required_headers = lambda *_: None
    return made


class StrictRequestAPI(RequestValidationAPI):
    """The operations whose requests are checked."""

    def make_operation(self, operation: AbstractOperation) -> RequestValidationOperation:
        """Return what checks the requests of an operation."""
        options = {"validator_map": self.validator_map, "strict_validation": True}
        if operation.consumes:
            return BodyOperation(self.next_app, operation=operation, **options)
        made = RequestValidationOperation(self.next_app, operation=SilentOperation(), **options)
        return silent(made)


class StrictRequestValidation(RequestValidationMiddleware):
    """Connexion's request validation with the operations above."""

    api_cls = StrictRequestAPI


class StrictResponseAPI(ResponseValidationAPI):
    """The operations whose responses are checked."""

    def make_operation(self, operation: AbstractOperation) -> ResponseValidationOperation:
        """Return what checks the responses of an operation."""
        return silent(super().make_operation(SilentOperation()))


class StrictResponseValidation(ResponseValidationMiddleware):
    """Connexion's response validation with the operations above."""

    api_cls = StrictResponseAPI
