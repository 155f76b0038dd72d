"""Check responses of an operation against the contract.

This runs for every response, so violations are collected only for an invalid one.
"""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from jsonschema_rs import Draft202012Validator

from openapi.contract import Response
from openapi.parsing import Unreadable, parse_integer
from openapi.schemas import compiled
from openapi.violations import Violation, violations_of

JSON: Final = "application/json"


class StatusCheck:
    """Checks the responses of one status."""

    def __init__(self, response: Response, contract: Mapping[str, Any]) -> None:
        """Compile what ``response`` promises."""
        self._status = response.status
        self._header_schemas = {
            name.lower(): header["schema"] for name, header in response.headers.items()
        }
        self._headers = compiled(_headers_schema(response.headers), contract)
        self._bodies = {
            media_type: compiled(schema, contract)
            for media_type, schema in response.content.items()
        }

    def violations(self, headers: Mapping[str, str], body: bytes) -> tuple[Violation, ...]:
        """Return what is wrong with a response of this status."""
        documented = {
            name: _typed(headers[name], schema)
            for name, schema in self._header_schemas.items()
            if name in headers
        }
        wrong = broken_rules(self._headers, documented, "the header block")
        return wrong + self._body_violations(headers.get("content-type", ""), body)

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
    """Return what is wrong with a value, which is called ``root_name``."""
    if schema.is_valid(value):
        return ()
    return violations_of(schema.iter_errors(value), root_name=root_name)


def _headers_schema(headers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name.lower(): header["schema"] for name, header in headers.items()},
        "required": [name.lower() for name, header in headers.items() if header.get("required")],
    }


def _typed(text: str, schema: Mapping[str, Any]) -> str | int:
    if schema.get("type") != "integer":
        return text
    try:
        return parse_integer(text)
    except Unreadable:
        return text
