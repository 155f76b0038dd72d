"""The API with handlers that answer with the examples of the contract."""

import inspect
import json
from typing import Any

import pytest
from starlette.responses import Response

from handlers.api import operations
from openapi.contract import load_contract, load_operations

Answer = tuple[int, dict[str, str], bytes]


class ExampleHandlers:
    """What handlers answer, by operation, and what one was called with last."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.called_with: dict[str, Any] = {}
        contract = load_contract()
        for operation in load_operations():
            status = min(operation.responses)
            responses = contract["paths"][operation.path][operation.method.lower()]["responses"]
            name = responses[str(status)]["$ref"].rpartition("/")[2]
            content = contract["components"]["responses"][name]["content"]
            examples = content.get("application/json", {}).get("examples", {})
            value = next(iter(examples.values()), {}).get("value")
            self.answers[operation.operation_id] = (status, {}, json.dumps(value).encode())

    def handler(self, operation_id: str) -> Any:
        """Return a handler with the arguments of the real one."""
        signature = inspect.signature(getattr(operations, operation_id))

        def answer(*values: Any, **arguments: Any) -> Response:
            self.called_with = signature.bind(*values, **arguments).arguments
            status, headers, body = self.answers[operation_id]
            media_type = "application/json" if body else None
            return Response(body, status, headers, media_type=media_type)

        answer.__signature__ = signature
        return answer


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> ExampleHandlers:
    """What the API answers; ask for this before the client, and change it before asking."""
    handlers = ExampleHandlers()
    for operation in load_operations():
        name = operation.operation_id
        monkeypatch.setattr(operations, name, handlers.handler(name))
    return handlers
