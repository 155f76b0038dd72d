"""Which parts of Connexion every request to the API met: none may go around any of them.

In this process the fixture ``passages`` holds it for every test of a package whose ``conftest.py``
imports it. Servers in processes of their own hold it where they are started in the environment of
``observed_servers``.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from connexion.middleware.request_validation import RequestValidationOperation
from connexion.middleware.response_validation import ResponseValidationOperation
from connexion.middleware.routing import RoutingMiddleware
from connexion.middleware.security import SecurityOperation
from starlette.types import Message, Receive, Scope, Send

from handlers.http.one_thread import OneThread
from handlers.http.validators import operation_of
from openapi.validation import ContractValidator

FILE_VARIABLE = "PASSAGES_OF_REQUESTS"
"""The environment variable with the file to which server processes write their passages."""
_STARTED_BY = Path(__file__).parent / "observed_servers"
"""Its ``sitecustomize.py`` runs at the start of every process that has it in its PYTHONPATH."""


@dataclass
class Passage:
    """Which parts of Connexion one request to the API met."""

    routed: bool = False
    operation: str | None = None
    secured: bool = False
    request_validated: bool = False
    response_validated: bool = False
    checked_as: list[str | None] = field(default_factory=list)
    status: int | None = None

    @property
    def goes_around(self) -> bool:
        """Whether the request or its answer was spared something that it has to meet."""
        if self.status is None:  # the client left before there was an answer
            return False
        allowed = self.operation is not None and self.status not in (401, 429, 503)
        preflight = self.operation is None and self.status == 204
        return (
            not self.routed
            or (self.operation is not None and not self.secured)
            or (allowed and not self.request_validated)
            or (allowed and self.status < 400 and not self.response_validated)
            or (not preflight and self.operation not in self.checked_as)
        )


_passage: ContextVar[Passage] = ContextVar("passage")


def observe(monkeypatch: pytest.MonkeyPatch, note: Callable[[Passage], object]) -> None:
    """Call ``note`` with the passage of every request to the API, before its answer is complete."""
    original = OneThread.__call__

    async def observed(self: OneThread, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await original(self, scope, receive, send)
            return
        passage = Passage()
        token = _passage.set(passage)

        async def send_noted(message: Message) -> None:
            passage.status = message.get("status", passage.status)
            if message["type"] == "http.response.body" and not message.get("more_body"):
                note(passage)
            await send(message)

        try:
            await original(self, scope, receive, send_noted)
        finally:
            _passage.reset(token)

    monkeypatch.setattr(OneThread, "__call__", observed)
    for owner, name, mark in (
        (RoutingMiddleware, "__call__", _routed),
        (SecurityOperation, "__call__", _secured),
        (RequestValidationOperation, "__call__", _request_validated),
        (ResponseValidationOperation, "__call__", _response_validated),
        (ContractValidator, "response", _checked),
    ):
        _mark_calls(monkeypatch, owner, name, mark)


def _mark_calls(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, mark: Any) -> None:
    """Let a method of Connexion, or of the contract's validator, mark that it was called."""
    original = getattr(owner, name)

    def marking(*arguments: Any, **options: Any) -> Any:
        if (passage := _passage.get(None)) is not None:
            mark(passage, arguments)
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, marking)


def _routed(passage: Passage, _: Any) -> None:
    passage.routed = True


def _secured(passage: Passage, arguments: Any) -> None:
    passage.secured, passage.operation = True, operation_of(arguments[1])


def _request_validated(passage: Passage, _: Any) -> None:
    passage.request_validated = True


def _response_validated(passage: Passage, _: Any) -> None:
    passage.response_validated = True


def _checked(passage: Passage, arguments: Any) -> None:
    passage.checked_as.append(arguments[1])


@cache
def _passages_of_this_process() -> list[Passage]:
    """Observe every application of this process from now on; return the list of its passages."""
    passages: list[Passage] = []
    observe(pytest.MonkeyPatch(), passages.append)
    return passages


@pytest.fixture(autouse=True)
def passages() -> Iterator[list[Passage]]:
    """The passage of every request of a test to the API in this process: none may go around."""
    passages = _passages_of_this_process()
    passages.clear()
    yield passages
    assert [passage for passage in passages if passage.goes_around] == []


@contextmanager
def observed_servers(folder: Path) -> Iterator[dict[str, str]]:
    """Give an environment for servers; when the block ends, no request may have gone around."""
    file = folder / "passages.jsonl"
    path = os.pathsep.join([str(_STARTED_BY), *filter(None, [os.environ.get("PYTHONPATH")])])
    yield {"PYTHONPATH": path, FILE_VARIABLE: str(file)}
    passages = [Passage(**json.loads(line)) for line in file.read_text().splitlines()]
    assert passages, "the servers noted no request"
    assert [passage for passage in passages if passage.goes_around] == []


def observe_this_process() -> None:
    """Write the passages of this process to the file that the environment names."""
    file = Path(os.environ[FILE_VARIABLE])

    def write(passage: Passage) -> None:
        with file.open("a") as stream:
            stream.write(json.dumps(asdict(passage)) + "\n")

    observe(pytest.MonkeyPatch(), write)
