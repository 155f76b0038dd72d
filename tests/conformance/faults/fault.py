"""A layer around a service that puts one fault into what it is asked or what it answers."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Message, Receive, Scope, Send

BASE = "/api/v1"


@dataclass
class Asked:
    """A request on its way in, to be changed."""

    method: str
    path: str
    query: str
    headers: dict[str, str]

    @property
    def params(self) -> list[tuple[str, str]]:
        """The query parameters in order."""
        return parse_qsl(self.query, keep_blank_values=True)

    @params.setter
    def params(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.query = urlencode(pairs)


@dataclass
class Reply:
    """A response on its way out, to be changed."""

    asked: Asked
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as a value."""
        return json.loads(self.body)

    @json.setter
    def json(self, value: Any) -> None:
        self.body = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _as_it_is(_: object) -> None:
    """Change nothing."""


@dataclass(frozen=True)
class Fault:
    """One thing that a service does wrong."""

    asked: Callable[[Asked], None] = _as_it_is
    answered: Callable[[Reply], None] = _as_it_is

    def around(self, app: ASGIApp) -> ASGIApp:
        """Return the application inside the layer."""
        return partial(_rewritten, self, app)


async def _rewritten(
    fault: Fault, app: ASGIApp, scope: Scope, receive: Receive, send: Send
) -> None:
    if scope["type"] != "http":
        await app(scope, receive, send)
        return
    asked = Asked(
        scope["method"], scope["path"], scope["query_string"].decode("latin-1"),
        _decoded(scope["headers"]),
    )  # fmt: skip
    before = asked.query
    fault.asked(asked)
    asked.headers.pop("accept-encoding", None)  # faults rewrite bodies as they are
    inner = {**scope, "headers": _encoded(asked.headers)}
    inner["query_string"] = asked.query.encode("latin-1")
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    await app(inner, receive, keep)
    asked.query = before
    body = b"".join(message.get("body", b"") for message in messages[1:])
    reply = Reply(asked, messages[0]["status"], _decoded(messages[0]["headers"]), body)
    fault.answered(reply)
    reply.headers.pop("content-length", None)
    headers = _encoded(reply.headers)
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def _decoded(headers: Sequence[tuple[bytes, bytes]]) -> dict[str, str]:
    return {name.decode().lower(): value.decode("latin-1") for name, value in headers}


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]


def asks(path: str, pattern: str, replacement: str) -> Fault:
    """Read the query of a path otherwise than it was sent."""

    def asked(request: Asked) -> None:
        if request.path == BASE + path:
            request.query = re.sub(pattern, replacement, request.query)

    return Fault(asked=asked)


def ignores(path: str, name: str) -> Fault:
    """Pass over a parameter of a path."""
    return asks(path, rf"(?<![^&]){name}=[^&]*&?", "")


def unread(header_name: str) -> Fault:
    """Pass over a request header."""
    return Fault(asked=lambda request: request.headers.pop(header_name, None))


def page(path: str, change: Callable[[Any], Any], *, query: str = "", status: int = 200) -> Fault:
    """Change the JSON of a path's responses, to requests whose query has the pattern."""

    def answered(reply: Reply) -> None:
        here = reply.asked.path in (path, BASE + path) and reply.status == status
        if here and reply.body and re.search(query, reply.asked.query):
            value = reply.json
            changed = change(value)
            reply.json = value if changed is None else changed

    return Fault(answered=answered)


def items(path: str, change: Callable[[Any], Any]) -> Fault:
    """Change every item of a list."""

    def each(value: Any) -> None:
        for item in value["items"]:
            change(item)

    return page(path, each)


def sample(change: Callable[[Any], Any]) -> Fault:
    """Change the sample of the catalog, and nothing that a key sees."""
    return page("/sources", lambda value: change(value) if "sample" in value else None)


def writes(path: str, pattern: bytes, replacement: Any) -> Fault:
    """Change the text of responses outside of JSON."""

    def answered(reply: Reply) -> None:
        if reply.asked.path.endswith(path):
            reply.body = re.sub(pattern, replacement, reply.body)

    return Fault(answered=answered)


def status(before: int, after: int, path: str = "", *, query: str = "") -> Fault:
    """Answer with another status, on one path or everywhere."""

    def answered(reply: Reply) -> None:
        here = not path or reply.asked.path in (path, BASE + path)
        if here and reply.status == before and re.search(query, reply.asked.query):
            reply.status = after

    return Fault(answered=answered)


def refusal(code: int, change: Callable[[Any], Any]) -> Fault:
    """Change the Error object of a status."""

    def answered(reply: Reply) -> None:
        if reply.status == code and reply.body and reply.asked.path.startswith(BASE):
            value = reply.json
            change(value)
            reply.json = value

    return Fault(answered=answered)


def setting(**values: Any) -> Callable[[Any], None]:
    """Return a change that sets members of an object."""
    return lambda value: value.update(values)


def without(name: str) -> Callable[[Any], None]:
    """Return a change that takes a member away."""
    return lambda value: value.pop(name, None)


def backwards(value: Any) -> None:
    """Turn a list round."""
    value["items"].reverse()


def empty(value: Any) -> None:
    """Take everything out of a list."""
    value.update(items=[], total=0)
