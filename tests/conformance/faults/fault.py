"""What a fault is, and how it gets into a service: by a patch, or by a layer around it."""

import json
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest.mock import patch
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
    """An answer on its way out, to be changed."""

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

    name: str
    patches: tuple[tuple[str, Callable[[Any], Any]], ...] = ()
    """Dotted names inside the service, each with a function from what is there to what replaces
    it."""
    asked: Callable[[Asked], None] = field(default=_as_it_is)
    answered: Callable[[Reply], None] = field(default=_as_it_is)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """The patches, as long as the block lasts."""
        with ExitStack() as stack:
            for target, make in self.patches:
                owner, _, name = target.rpartition(".")
                place = pkgutil.resolve_name(owner)
                stack.enter_context(patch.object(place, name, make(getattr(place, name))))
            yield

    def around(self, app: ASGIApp) -> ASGIApp:
        """The application inside the layer that changes what is asked and answered."""
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
    inner = {**scope, "method": asked.method, "path": asked.path, "raw_path": asked.path.encode()}
    asked.headers.pop("accept-encoding", None)  # faults rewrite bodies as they are
    inner["headers"] = _encoded(asked.headers)
    inner["query_string"] = asked.query.encode("latin-1")
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    await app(inner, receive, keep)
    asked.query, asked.method, asked.path = before, scope["method"], scope["path"]
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


def patched(name: str, target: str, make: Callable[[Any], Any]) -> Fault:
    """A fault of one name inside the service."""
    return Fault(name, patches=((target, make),))


def body(
    name: str, change: Callable[[Any], Any], *, path: str, status: int = 200, method: str = ""
) -> Fault:
    """A fault of the JSON of one path's answers with one status; the change may return another."""

    def answered(reply: Reply) -> None:
        of_method = not method or reply.asked.method == method
        if reply.asked.path == BASE + path and reply.status == status and reply.body and of_method:
            value = reply.json
            changed = change(value)
            reply.json = value if changed is None else changed

    return Fault(name, answered=answered)


def items(name: str, change: Callable[[Any], Any], *paths: str) -> Fault:
    """A fault of every item of some listings."""

    def answered(reply: Reply) -> None:
        if reply.asked.path in {BASE + path for path in paths} and reply.status == 200:
            if not reply.body:
                return
            page = reply.json
            page["items"] = [_changed(item, change) for item in page["items"]]
            reply.json = page

    return Fault(name, answered=answered)


def _changed(item: Any, change: Callable[[Any], Any]) -> Any:
    found = change(item)
    return item if found is None else found


def catalog_items(name: str, change: Callable[[Any], Any]) -> Fault:
    """A fault of every source that a key sees; the sample stays as it is."""

    def for_keys(item: Any) -> Any:
        return change(item) if "changelogUrl" in item else None

    return items(name, for_keys, "/sources")


def setting(**values: Any) -> Callable[[Any], None]:
    """A change that sets members of an object."""

    def change(item: Any) -> None:
        item.update(values)

    return change


def without(*names: str) -> Callable[[Any], None]:
    """A change that takes members away."""

    def change(item: Any) -> None:
        for name in names:
            item.pop(name, None)

    return change


def error(name: str, status: int, change: Callable[[Any], Any], *, code: str = "") -> Fault:
    """A fault of the Error object of one status, perhaps of one code only."""

    def answered(reply: Reply) -> None:
        if reply.status != status or not reply.asked.path.startswith(BASE) or not reply.body:
            return
        found = reply.json
        if not code or found["code"] == code:
            changed = change(found)
            reply.json = found if changed is None else changed

    return Fault(name, answered=answered)


def status(name: str, before: int, after: int, *, code: str = "", path: str = "") -> Fault:
    """A fault of the status of a no."""

    def answered(reply: Reply) -> None:
        right = reply.asked.path == BASE + path if path else reply.asked.path.startswith(BASE)
        if reply.status != before or not right:
            return
        if not code or (reply.body and reply.json.get("code") == code):
            reply.status = after

    return Fault(name, answered=answered)


def header(name: str, header_name: str, value: str | None, *, on: Callable[[Reply], bool]) -> Fault:
    """A fault of a header of some answers; None takes it away."""

    def answered(reply: Reply) -> None:
        if reply.asked.path.startswith(BASE) and on(reply):
            reply.headers.pop(header_name, None)
            if value is not None:
                reply.headers[header_name] = value

    return Fault(name, answered=answered)


def of_status(*statuses: int) -> Callable[[Reply], bool]:
    """Answers with one of these statuses."""
    return lambda reply: reply.status in statuses


def params(
    name: str, change: Callable[[dict[str, str]], Any], *paths: str, keyed: bool = False
) -> Fault:
    """A fault of how the parameters of some paths are read; the last of repeated ones counts."""

    def asked(request: Asked) -> None:
        if request.path not in {BASE + path for path in paths} or (keyed and not has_key(request)):
            return
        before = request.params
        after = dict(before)
        change(after)
        if after != dict(before):
            request.params = list(after.items())

    return Fault(name, asked=asked)


def has_key(request: Asked) -> bool:
    """Whether a request carries something for a key."""
    return "x-api-key" in request.headers or "authorization" in request.headers
