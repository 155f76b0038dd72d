"""Check requests and responses against the contract; every schema is compiled once.

Responses are checked one and all, so violations are collected only for an invalid one.
"""

from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Any, Final

import orjson
from jsonschema_rs import Draft202012Validator

from openapi.contract import Operation, Response, load_contract, operations_of
from openapi.parsing import Unreadable, parse_integer
from openapi.requests import RequestCheck
from openapi.schemas import compiled
from openapi.strictness import strict
from openapi.violations import Violation, violations_of
from openapi.vocabulary import Json

JSON: Final = "application/json"
REMEMBERED: Final = 1_000  # valid bodies, by their digests
_COMPILING: Final = Lock()  # threads that begin together would all compile the same


class StatusCheck:
    """Checks the responses of one status."""

    def __init__(self, response: Response, contract: Mapping[str, Any]) -> None:
        """Compile what ``response`` promises."""
        self._status = response.status
        self._header_types = {
            name.lower(): header["schema"].get("type") for name, header in response.headers.items()
        }
        self._headers = compiled(_headers_schema(response.headers), contract)
        self._bodies = {
            media_type: compiled(schema, contract)
            for media_type, schema in response.content.items()
        }
        self._valid: set[str] = set()

    def violations(
        self, headers: Mapping[str, str], body: bytes, digest: str | None = None
    ) -> tuple[Violation, ...]:
        """Return the errors of a response with this status; see ``ContractValidator.response``."""
        documented: dict[str, str | int] = {}
        for name, kind in self._header_types.items():
            if name in headers:
                text = headers[name]
                documented[name] = _number(text) if kind == "integer" else text
        wrong = broken_rules(self._headers, documented, "the header block")
        content_type = headers.get("content-type", "")
        known_as = f"{digest} {content_type}"
        if digest is None or known_as not in self._valid:
            wrong += self._body_violations(content_type, body)
            if not wrong and digest is not None:
                if len(self._valid) >= REMEMBERED:
                    self._valid.clear()
                self._valid.add(known_as)
        return wrong

    def _body_violations(self, content_type: str, body: bytes) -> tuple[Violation, ...]:
        if not self._bodies:
            return (Violation("", f"A {self._status} has no body."),) if body else ()
        media_type = content_type.partition(";")[0].strip().lower()
        if media_type not in self._bodies:
            expected = " or ".join(self._bodies)
            return (Violation("", f"The media type of a {self._status} must be {expected}."),)
        if media_type != JSON:
            return ()  # checked when it is written
        try:
            value = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            return (Violation("", f"The body is not JSON: {error}."),)
        return broken_rules(self._bodies[media_type], value, "the body")


def broken_rules(schema: Draft202012Validator, value: Any, root_name: str) -> tuple[Violation, ...]:
    """Return the errors of a value, which is called ``root_name``."""
    if schema.is_valid(value):
        return ()
    return violations_of(schema.iter_errors(value), root_name=root_name)


def _headers_schema(headers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name.lower(): header["schema"] for name, header in headers.items()},
        "required": [name.lower() for name, header in headers.items() if header.get("required")],
    }


def _number(text: str) -> str | int:
    """Return a whole number; other text as it is, so that its schema refuses it."""
    try:
        return parse_integer(text)
    except Unreadable:
        return text


class ContractValidator:
    """Checks requests and responses against one contract."""

    def __init__(self, contract: Mapping[str, Any]) -> None:
        """Compile ``contract``. Its references are local and its schemas sound."""
        self._base_path = contract["servers"][0]["url"].rstrip("/")
        self._routes: dict[tuple[str, str], Operation] = {}
        self.requests: dict[str, RequestCheck] = {}
        """The checks of requests by operationId."""
        self._responses: dict[str, dict[int, StatusCheck]] = {}
        for operation in operations_of(contract):
            self._routes[operation.method, operation.path] = operation
            self.requests[operation.operation_id] = RequestCheck(operation, contract)
            self._responses[operation.operation_id] = {
                status: StatusCheck(response, contract)
                for status, response in operation.responses.items()
            }
        errors = Response(400, "Any error.", {}, {JSON: _reference("Error")})
        self._error = StatusCheck(errors, contract)

    def operation_at(self, method: str, path: str) -> Operation | None:
        """Return the operation that answers there, or None. HEAD is answered by GET's."""
        route = ("GET" if method == "HEAD" else method, path.removeprefix(self._base_path))
        return self._routes.get(route)

    def parameters(self, operation_id: str, raw_query: bytes) -> dict[str, Any]:
        """Return the values of a query, typed and with defaults. Raises InvalidRequest."""
        return self.requests[operation_id].parameters(raw_query)

    def body(self, operation_id: str, body: bytes, content_type: str | None) -> Any:
        """Return the value of a body of a type that the operation reads. Raises InvalidRequest."""
        return self.requests[operation_id].body(body, content_type)

    def response(
        self,
        operation_id: str | None,
        status: int,
        headers: Mapping[str, str],
        body: bytes,
        digest: str | None = None,
    ) -> tuple[Violation, ...]:
        """Return the errors of a response; ``headers`` has lower-case names.

        Without an operation (its path or method does not exist) the response has to be the
        Error object. A body of which the caller knows a cryptographic ``digest`` is checked once.
        """
        if operation_id is None:
            return self._error.violations(headers, body)
        checks = self._responses[operation_id]
        if status not in checks:
            return (Violation("", f"{operation_id} does not answer {status}."),)
        return checks[status].violations(headers, body, digest)


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@cache
def contract_validator() -> ContractValidator:
    """Return the validator of the shipped contract in its strict form."""
    return ContractValidator(strict(load_contract()))


def component_violations(name: str, value: Json) -> tuple[Violation, ...]:
    """Return the errors of a value against the component schema ``name``."""
    with _COMPILING:
        return broken_rules(_component(name), value, name)


@cache
def _component(name: str) -> Draft202012Validator:
    return compiled(_reference(name), strict(load_contract()))
