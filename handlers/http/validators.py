"""Connexion's request and response validation with schemas that were compiled once.

Connexion builds a validator of jsonschema at each request from schemas whose references it has
resolved; here the contract's own validator decides (``openapi.validation``).
"""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import MutableMapping
from functools import cache
from typing import Any, Final

from connexion.datastructures import MediaTypeDict
from connexion.lifecycle import ConnexionRequest
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
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from handlers.context import context
from handlers.http.routing import operation_of
from openapi.violations import Violation

JSON: Final = "application/json"


class InvalidResponse(Exception):
    """An answer that breaks the contract."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(" ".join(map(str, violations)))


def operation_id(scope: Scope) -> str:
    """Return the operationId of a request that was routed."""
    operation = operation_of(scope)
    assert operation is not None, "Connexion validates only what it has routed"
    return operation


class QueryValidator(ParameterValidator):
    """Check a query string as it was sent, and give the handler its query object.

    What a parser makes of a query string may be valid by chance.
    """

    def validate(self, scope: Scope) -> None:
        """Check the query and headers of a request. Raises InvalidRequest."""
        operation = operation_id(scope)
        major = context().major
        values = major.validator.parameters(operation, scope["query_string"])
        if operation in major.queries:
            ConnexionRequest(scope).context["query"] = major.queries[operation].of(values)
        sent = {name.decode().lower(): text.decode("latin-1") for name, text in scope["headers"]}
        ConnexionRequest(scope).context["headers"] = major.validator.headers(operation, sent)


class BodyValidator(AbstractRequestBodyValidator):
    """Check a JSON body, and give its value to the handler."""

    async def wrap_receive(self, receive: Receive, *, scope: Scope) -> tuple[Receive, Scope]:
        """Check the body of a request. Raises InvalidRequest."""
        request = Request(scope, receive)
        body = await request.body()
        content_type = request.headers.get("content-type")
        value = context().major.validator.body(operation_id(scope), body, content_type)
        ConnexionRequest(scope).context["body"] = value
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
            is_start = message["type"] == "http.response.start"
            if is_start and not _is_json(message):
                self._check(message, b"")
            elif is_start or held:
                held.append(message)
                if is_start or message.get("more_body", False):
                    return
                start, *pieces = held
                self._check(start, b"".join([piece.get("body", b"") for piece in pieces]))
                for held_message in held[:-1]:
                    await send(held_message)
            await send(message)

        return send_checked

    def _check(self, start: MutableMapping[str, Any], body: bytes) -> None:
        """Raise InvalidResponse for a response that breaks the contract."""
        headers = {name.decode().lower(): text.decode("latin-1") for name, text in start["headers"]}
        validator = context().major.validator
        violations = validator.response(operation_id(self._scope), start["status"], headers, body)
        if violations:
            raise InvalidResponse(violations)


def _is_json(start: MutableMapping[str, Any]) -> bool:
    """Tell whether a response has JSON, or nothing."""
    media_type = Headers(raw=start["headers"]).get("content-type", JSON)
    return media_type.startswith(JSON)


VALIDATOR_MAP: Final = {
    "parameter": QueryValidator,
    "body": MediaTypeDict({JSON: BodyValidator}),
    "response": MediaTypeDict({"*/*": ResponseValidator}),
}


class StrictRequestOperation(RequestValidationOperation):
    """Show Connexion the media type that the contract means.

    It compares media types as they are spelled, so that a body sent as ``Application/JSON`` is not
    validated (middleware/request_validation.py, body_schema).
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check one request."""
        if self._operation.consumes:
            content_type = dict(scope["headers"]).get(b"content-type", JSON.encode())
            media_type, semicolon, parameters = content_type.lower().partition(b";")
            headers = [header for header in scope["headers"] if header[0] != b"content-type"]
            headers.append((b"content-type", media_type.strip() + semicolon + parameters))
            scope = {**scope, "headers": headers}
        await super().__call__(scope, receive, send)


class StrictRequestAPI(RequestValidationAPI):
    """The operations whose requests are checked."""

    def make_operation(self, operation: AbstractOperation) -> StrictRequestOperation:
        """Return what checks the requests of an operation."""
        return StrictRequestOperation(
            self.next_app,
            operation=operation,
            strict_validation=self.strict_validation,
            validator_map=self.validator_map,
        )


class StrictRequestValidation(RequestValidationMiddleware):
    """Connexion's request validation with the operations above."""

    api_cls = StrictRequestAPI


class RememberedOperation:
    """An operation that looks up what it says of its responses once, not at every request."""

    def __init__(self, operation: AbstractOperation) -> None:
        self.produces = operation.produces
        self.response_definition = cache(operation.response_definition)
        self.response_schema = cache(operation.response_schema)


class RememberedResponseAPI(ResponseValidationAPI):
    """The operations whose responses are checked."""

    def make_operation(self, operation: AbstractOperation) -> ResponseValidationOperation:
        """Return what checks the responses of an operation."""
        return super().make_operation(RememberedOperation(operation))


class RememberedResponseValidation(ResponseValidationMiddleware):
    """Connexion's response validation with the operations above."""

    api_cls = RememberedResponseAPI
