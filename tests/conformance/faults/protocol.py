"""Faults of HTTP: caching, conditional requests, methods, CORS; and of asking for a source."""

import itertools
from datetime import timedelta
from typing import Any

from faults.fault import BASE, Asked, Fault, Reply, body, header, of_status, patched, setting
from handlers.http.auth import keys_sent
from handlers.http.client_ip import THROTTLED
from storage.people.throttle import Limit

_count = itertools.count()
_READ = of_status(200)
_REQUEST = "/sources/request"


def _keyed(reply: Reply) -> bool:
    return reply.status in (200, 304) and bool(
        {"x-api-key", "authorization"} & reply.asked.headers.keys()
    )


def _unkeyed(reply: Reply) -> bool:
    return reply.status in (200, 304) and not _keyed(reply)


def _counted(reply: Reply) -> None:
    if reply.status == 200 and "etag" in reply.headers:
        reply.headers["etag"] = f'"{next(_count)}"'


def _tag_per_key(reply: Reply) -> None:
    if _keyed(reply) and reply.status == 200 and reply.asked.path.endswith("/sources"):
        reply.headers["etag"] = '"catalog"'


def _weak(reply: Reply) -> None:
    if "etag" in reply.headers:
        reply.headers["etag"] = f"W/{reply.headers['etag']}"


def _bare_tag(reply: Reply) -> None:
    if "etag" in reply.headers:
        reply.headers["etag"] = reply.headers["etag"].strip('"')


def _full_304(reply: Reply) -> None:
    if reply.status == 304:
        reply.body = b"{}"
        reply.headers["content-type"] = "application/json"


def _unconditional(request: Asked) -> None:
    request.headers.pop("if-none-match", None)


def _first_tag_only(request: Asked) -> None:
    if "if-none-match" in request.headers:
        request.headers["if-none-match"] = request.headers["if-none-match"].partition(",")[0]


def _always_304(reply: Reply) -> None:
    if reply.status == 200 and "if-none-match" in reply.asked.headers:
        reply.status, reply.body = 304, b""


def _304_across_callers(reply: Reply) -> None:
    asked = reply.asked
    public = "x-api-key" not in asked.headers and asked.path == BASE + "/sources"
    if reply.status == 200 and public and asked.headers.get("if-none-match"):
        reply.status, reply.body = 304, b""


def _refused(method: str) -> Any:
    def answered(reply: Reply) -> None:
        if reply.asked.method == method and reply.asked.path.startswith(BASE):
            reply.status = 405
            reply.headers["allow"] = "GET"
            message = f"The method {method} is not allowed here."
            reply.json = {"error": message, "code": "method_not_allowed", "message": message}
            reply.body = b"" if method == "HEAD" else reply.body
            reply.headers["content-type"] = "application/json"

    return answered


def _head_with_body(reply: Reply) -> None:
    if reply.asked.method == "HEAD":
        reply.body = b"{}"


def _head_without_tag(reply: Reply) -> None:
    if reply.asked.method == "HEAD":
        reply.headers.pop("etag", None)


def _preflight(reply: Reply) -> None:
    if reply.asked.method == "OPTIONS":
        reply.headers["access-control-allow-headers"] = "Content-Type"


def _own_origin(reply: Reply) -> None:
    origin = reply.asked.headers.get("origin")
    if origin and reply.asked.path.startswith(BASE):
        reply.headers["access-control-allow-origin"] = origin
        reply.headers["access-control-allow-credentials"] = "true"


def _same_id(reply: Reply) -> None:
    reply.headers["x-request-id"] = "0"


def _limits(*limits: Limit) -> Any:
    """Other limits of asking."""

    def make(original: Any) -> Any:
        def count(session: Any, name: str, own: Any, *, now: Any) -> Any:
            is_asking = name.startswith(THROTTLED)
            return original(session, name, limits if is_asking else own, now=now)

        return count

    return make


def _not_once(original: Any) -> Any:
    return lambda url: f"{original(url)}#{next(_count)}"


def _as_written(_: Any) -> Any:
    return lambda url: url


def _other_url(record: Any) -> None:
    record["url"] = record["url"].upper()


def _email_back(record: Any) -> None:
    record["email"] = "ada@conformance.example"


def _number_id(record: Any) -> None:
    record["id"] = 17


def _unchecked(original: Any) -> Any:
    """Take every body that has a URL."""

    def body_of(self: Any, operation_id: str, sent: bytes, content_type: str | None) -> Any:
        found = original(self, operation_id, sent, content_type)
        return type(found)(found.value or {"url": "https://acme.example/"})

    return body_of


def _url_not_needed(original: Any) -> Any:
    def body_of(self: Any, operation_id: str, sent: bytes, content_type: str | None) -> Any:
        if sent == b"{}":
            sent = b'{"url": "https://acme.example/"}'
        return original(self, operation_id, sent, content_type)

    return body_of


def _any_media(_: Any) -> Any:
    return lambda *_: ("application/json", "utf-8")


def _key_needed(request: Asked) -> None:
    if request.path == BASE + _REQUEST and not keys_sent(
        [(name.encode(), b"") for name in request.headers]
    ):
        request.headers["x-api-key"] = "cw_none"


_BODY = "openapi.validation.ContractValidator.body"
_MEDIA_TYPE = "handlers.http.validators.StrictRequestOperation.extract_content_type"
_HIT = "handlers.http.rate_limits.hit_all"
_MINUTE, _DAY = timedelta(minutes=1), timedelta(days=1)

CHECKS = frozenset({
    "an-unchanged-answer-is-304",
    "the-etag-follows-the-body",
    "cache-control-keeps-keys-private",
    "vary-names-what-decides",
    "an-etag-is-worth-nothing-to-others",
    "head-is-get-without-a-body",
    "other-origins-may-read-without-cookies",
    "request-ids-are-unique",
    "answers-are-not-sniffed",
    "a-request-is-taken",
    "a-request-is-taken-once",
    "a-wrong-body-is-refused",
    "too-many-requests-are-refused",
    "five-requests-a-minute-are-taken",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    header("ETag missing", "etag", None, on=_READ),
    header("ETag constant", "etag", '"constant"', on=_READ),
    Fault("ETag other at each call", answered=_counted),
    Fault("ETag the same for every page of the catalog", answered=_tag_per_key),
    Fault("ETag weak", answered=_weak),
    Fault("ETag without quotes", answered=_bare_tag),
    Fault("304 with a body", answered=_full_304),
    Fault("If-None-Match ignored", asked=_unconditional),
    Fault("only the first tag of If-None-Match is read", asked=_first_tag_only),
    Fault("304 whatever If-None-Match says", answered=_always_304),
    Fault("304 to the public for a key's page", answered=_304_across_callers),
    header("Vary missing", "vary", None, on=_READ),
    header("Vary without X-Api-Key", "vary", "Authorization, Cookie", on=_READ),
    header("Cache-Control public with a key", "cache-control", "public, max-age=60", on=_keyed),
    header("Cache-Control missing", "cache-control", None, on=_READ),
    header("Cache-Control private without a key", "cache-control", "private, no-cache",
           on=_unkeyed),
    header("CORS missing", "access-control-allow-origin", None, on=lambda _: True),
    header("CORS with cookies", "access-control-allow-credentials", "true", on=lambda _: True),
    header("CORS for one origin", "access-control-allow-origin", "https://changewire.example",
           on=lambda _: True),
    Fault("CORS for the origin that asks, with cookies", answered=_own_origin),
    Fault("preflight without the key headers", answered=_preflight),
    header("nosniff missing", "x-content-type-options", None, on=lambda _: True),
    Fault("request id always the same", answered=_same_id),
    header("request id missing", "x-request-id", None, on=lambda _: True),
    Fault("HEAD answers 405", answered=_refused("HEAD")),
    Fault("OPTIONS answers 405", answered=_refused("OPTIONS")),
    Fault("HEAD has a body", answered=_head_with_body),
    Fault("HEAD has no ETag", answered=_head_without_tag),
    patched("rate limit off", _HIT, _limits(Limit(10_000, _MINUTE))),
    patched("rate limit 100 a minute", _HIT, _limits(Limit(100, _MINUTE), Limit(2000, _DAY))),
    patched("rate limit 10 a minute", _HIT, _limits(Limit(10, _MINUTE), Limit(20, _DAY))),
    patched("rate limit 1 a minute", _HIT, _limits(Limit(1, _MINUTE), Limit(20, _DAY))),
    header("RateLimit missing", "ratelimit", None, on=of_status(201, 400, 429)),
    patched("equal requests are stored twice", "storage.catalog.requests.normalised", _not_once),
    patched("addresses are not normalised", "storage.catalog.requests.normalised", _as_written),
    body("request status new", setting(status="new"), path=_REQUEST, status=201),
    body("request status accepted", setting(status="accepted"), path=_REQUEST, status=201),
    body("request with another url", _other_url, path=_REQUEST, status=201),
    body("request id as number", _number_id, path=_REQUEST, status=201),
    body("request gives the email back", _email_back, path=_REQUEST, status=201),
    body("request message says nothing", setting(message="Thanks."), path=_REQUEST, status=201),
    patched("request bodies are not checked", _BODY, _unchecked),
    patched("request without url is taken", _BODY, _url_not_needed),
    patched("request of any media type is taken", _MEDIA_TYPE,
            _any_media),
    Fault("request needs a key", asked=_key_needed),
)  # fmt: skip
