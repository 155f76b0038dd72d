"""An API whose handlers answer with the examples of the contract."""

import json
from typing import Any

import pytest
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from openapi.arguments import InvalidRequest, UnsupportedBody, arguments_of
from openapi.contract import load_contract, load_operations
from openapi.middleware import ResponseValidation
from openapi.validation import contract_validator

Answer = tuple[int, dict[str, str], bytes]


class ExampleApi:
    """What the handlers answer, by operation, and what they were called with last."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.called_with: dict[str, Any] = {}
        contract = load_contract()
        for operation in load_operations():
            status = min(operation.responses)
            responses = contract["paths"][operation.path][operation.method.lower()]["responses"]
            name = responses[str(status)]["$ref"].rpartition("/")[2]
            content = contract["components"]["responses"][name]["content"]["application/json"]
            value = next(iter(content["examples"].values()))["value"]
            self.answers[operation.operation_id] = (status, {}, json.dumps(value).encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request with what is prepared for its operation."""
        if scope["type"] == "http":
            await (await self._answer(scope, receive))(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Response:
        operation = contract_validator().operation_at(scope["method"], scope["path"])
        if operation is None:
            return PlainTextResponse("Not Found", status_code=404)
        try:
            self.called_with = arguments_of(
                contract_validator(),
                operation.operation_id,
                query=scope["query_string"],
                content_type=Headers(scope=scope).get("content-type"),
                body=await Request(scope, receive).body(),
            )
        except InvalidRequest as refused:
            return _refused(refused)
        if operation.operation_id not in self.answers:
            return JSONResponse(_error("internal_error", "It failed."), status_code=500)
        status, headers, body = self.answers[operation.operation_id]
        return Response(body, status, headers, media_type="application/json")

    def app(self) -> ResponseValidation:
        return ResponseValidation(self, _broken)


def _error(code: str, message: str) -> dict[str, str]:
    return {"error": message, "code": code, "message": message}


def _refused(refused: InvalidRequest) -> JSONResponse:
    status, code = 400, "invalid_request"
    if isinstance(refused, UnsupportedBody):
        status, code = 415, "unsupported_media_type"
    return JSONResponse(_error(code, str(refused)), status_code=status)


def _broken(_: Any, violations: Any) -> JSONResponse:
    message = " ".join(each.sentence for each in violations)
    return JSONResponse(_error("internal_error", message), status_code=500)


@pytest.fixture
def example_api() -> ExampleApi:
    """What the API of ``client`` answers; change it before asking."""
    return ExampleApi()


@pytest.fixture
def client(example_api: ExampleApi) -> TestClient:
    """A client of the API that answers with examples."""
    return TestClient(example_api.app(), raise_server_exceptions=False)
