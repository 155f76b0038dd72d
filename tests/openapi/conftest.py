"""An API whose handlers answer with the examples of the contract."""

import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from connexion import AsyncApp
from connexion.lifecycle import ConnexionResponse
from connexion.middleware import ConnexionMiddleware
from connexion.middleware.request_validation import RequestValidationMiddleware
from connexion.middleware.response_validation import ResponseValidationMiddleware
from connexion.resolver import Resolver
from starlette.responses import JSONResponse
from starlette.testclient import TestClient

from openapi.contract import load_contract, load_operations
from openapi.middleware import (
    InvalidRequest,
    RequestValidation,
    ResponseValidation,
    UnsupportedBody,
)

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

    def handler(self, operation_id: str) -> Callable[..., Any]:
        async def answer(**arguments: Any) -> ConnexionResponse:
            self.called_with = arguments
            status, headers, body = self.answers[operation_id]
            return ConnexionResponse(
                status_code=status, headers=headers, body=body, content_type="application/json"
            )

        return answer

    def app(self) -> ResponseValidation:
        layers = list(ConnexionMiddleware.default_middlewares)
        layers[layers.index(RequestValidationMiddleware)] = RequestValidation
        layers.remove(ResponseValidationMiddleware)
        contract = load_contract()
        contract["paths"] = {path: _without_keys(item) for path, item in contract["paths"].items()}
        app = AsyncApp(__name__, middlewares=layers, resolver=Resolver(self.handler))
        app.add_api(contract, base_path="/api/v1")
        app.add_error_handler(InvalidRequest, _refused)
        return ResponseValidation(app, _broken)


def _without_keys(item: dict[str, Any]) -> dict[str, Any]:
    return {method: {**card, "security": []} for method, card in item.items()}


def _error(code: str, message: str) -> dict[str, str]:
    return {"error": message, "code": code, "message": message}


def _refused(_: Any, refused: InvalidRequest) -> ConnexionResponse:
    status, code = 400, "invalid_request"
    if isinstance(refused, UnsupportedBody):
        status, code = 415, "unsupported_media_type"
    body = json.dumps(_error(code, str(refused)))
    return ConnexionResponse(status_code=status, body=body, content_type="application/json")


def _broken(_: Any, violations: Any) -> JSONResponse:
    message = " ".join(each.sentence for each in violations)
    return JSONResponse(_error("internal_error", message), status_code=500)


@pytest.fixture
def example_api() -> ExampleApi:
    """What the API of ``client`` answers; change it before asking."""
    return ExampleApi()


@pytest.fixture
def client(example_api: ExampleApi) -> Iterator[TestClient]:
    """A client of the API that answers with examples."""
    logging.getLogger("connexion").setLevel(logging.ERROR)
    with TestClient(example_api.app(), raise_server_exceptions=False) as client:
        yield client
