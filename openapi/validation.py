"""Check requests and responses against the contract.

Every schema is compiled once, when the validator is built.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from openapi.contract import Operation, Response, operations_of
from openapi.requests import CheckResult, RequestCheck
from openapi.responses import ResponseCheck, StatusCheck
from openapi.strictness import strict_contract
from openapi.violations import Violation

__all__ = ["CheckResult", "ContractValidator", "Violation", "contract_validator"]


class ContractValidator:
    """Checks requests and responses against one contract."""

    def __init__(self, contract: Mapping[str, Any]) -> None:
        """Compile ``contract``. Its references are local and its schemas sound."""
        self._contract = contract
        self._base_path = contract["servers"][0]["url"].rstrip("/")
        self._routes: dict[tuple[str, str], Operation] = {}
        self._requests: dict[str, RequestCheck] = {}
        self._responses: dict[str, ResponseCheck] = {}
        for operation in operations_of(contract):
            self._routes[operation.method, operation.path] = operation
            self._requests[operation.operation_id] = RequestCheck(operation, contract)
            self._responses[operation.operation_id] = ResponseCheck(operation, contract)
        self._error = StatusCheck(
            Response(400, "Any error.", {}, {"application/json": _reference("Error")}), contract
        )

    def operation_at(self, method: str, path: str) -> Operation | None:
        """Return the operation that answers there, or None. HEAD is answered by GET's."""
        route = ("GET" if method == "HEAD" else method, path.removeprefix(self._base_path))
        return self._routes.get(route)

    def parameters(self, operation_id: str, raw_query: bytes) -> CheckResult:
        """Return the values of a query string by name, typed and with defaults."""
        return self._requests[operation_id].parameters(raw_query)

    def headers(self, operation_id: str, sent: Mapping[str, str]) -> CheckResult:
        """Return the values of the headers that the operation takes, by name."""
        return self._requests[operation_id].headers(sent)

    def body(self, operation_id: str, body: bytes, content_type: str | None) -> CheckResult:
        """Return the value of a request body of a type that the operation reads."""
        return self._requests[operation_id].body(body, content_type)

    def response(
        self, operation_id: str | None, status: int, headers: Mapping[str, str], body: bytes
    ) -> tuple[Violation, ...]:
        """Return what is wrong with a response; ``headers`` has lower-case names.

        Without an operation (its path or method does not exist) the response has to be the
        Error object.
        """
        if operation_id is None:
            return self._error.violations(headers, body)
        return self._responses[operation_id].violations(status, headers, body)


def _reference(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


@cache
def contract_validator() -> ContractValidator:
    """Return the validator of the contract that is shipped, strict as the service is at home."""
    return ContractValidator(strict_contract())
