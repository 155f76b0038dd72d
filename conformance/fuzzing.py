"""Generated requests: everything the contract allows and much that it does not (Schemathesis)."""

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from zlib import crc32

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response as ReceivedResponse
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.generation.meta import TestPhase
from schemathesis.hooks import HookContext
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import negative_data_rejection

from conformance.callers import Caller
from conformance.http_messages import Request, Response, number
from conformance.site import TIMEOUT_SECONDS
from conformance.suite import Suite

_HONEST = ["2xx", "3xx", "401", "402", "403", "404", "429"]
"""Statuses that do not mean that valid data was refused. Another check tests that the contract
lists them."""
_ALSO_HONEST = ["400"]
"""Beside those, where only what is demanded is: a schema does not promise that every text that fits
is taken, and the specification lists 400 for invalid parameters, whoever draws the line."""
_REFUSING = ["400", "401", "402", "403", "404", "405", "406", "413", "415", "422", "429", "5xx"]
"""Statuses that refuse invalid data, whatever else is told first. That a 5xx is a fault is checked
elsewhere."""
_SHARE_OF_OWN = 7
"""How many of ten valid requests ask for sources of the caller."""
_FLOATS = re.compile(rb"\d\.0+(?!\d)|\d[eE][+-]?\d")
"""Numbers that may be integers written in another way."""


def schemas() -> dict[str, BaseSchema]:
    """Return the contract of the site under test for each caller, by the caller's name."""
    suite = Suite.current
    if suite is None or not suite.option.max_examples:
        return {}
    return {caller.name: _schema(suite, caller) for caller in suite.callers}


def ask(case: Case[Any]) -> None:
    """Send a generated request; hold the response against the contract and the rules for all."""
    suite = Suite.current
    if suite is None:
        raise RuntimeError("no site is under test")
    suite.site.wait_for_turn()
    received = case.call()
    response = _response(received)
    suite.hear(response)
    open_to_all = suite.option.only_specification and _may_be_taken(response.request)
    excluded: list[Any] = [negative_data_rejection] if open_to_all else []
    case.validate_response(received, excluded_checks=excluded)


def _schema(suite: Suite, caller: Caller) -> BaseSchema:
    schema = schemathesis.openapi.from_dict(dict(suite.contract), config=_config(suite, caller))
    if caller.sources:
        schema.hook("map_case")(_with_sources_of(caller))
    schema.hook("after_call")(_with_plain_integers)
    return schema if suite.option.allow_writes else schema.include(method="GET")


def _config(suite: Suite, caller: Caller) -> SchemathesisConfig:
    only_specification = suite.option.only_specification
    honest = [*_HONEST, *(_ALSO_HONEST if only_specification else ())]
    settings: dict[str, Any] = {
        "seed": 1,
        "base-url": suite.site.url(suite.site.base_path),
        "request-timeout": TIMEOUT_SECONDS,  # as for other requests; an operation may wait for news
        "suppress-health-check": ["too_slow"],  # a slow machine of the tester is no finding
        "generation": {"max-examples": suite.option.max_examples, "database": "none"},
        "checks": {
            "positive_data_acceptance": {"expected-statuses": honest},
            "negative_data_rejection": {"expected-statuses": _REFUSING},
            "unsupported_method": {"enabled": not only_specification},
        },
        "output": {"sanitization": {"enabled": False}},  # keys are replaced in the reports
    }
    if caller.key is not None:
        settings["auth"] = {"openapi": dict(_credentials(suite.contract, caller.key))}
    return SchemathesisConfig.from_dict(settings)


def _credentials(contract: Mapping[str, Any], key: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the security schemes of a contract that carry a key, whatever their names."""
    schemes = contract.get("components", {}).get("securitySchemes", {})
    for name, scheme in schemes.items():
        if scheme.get("type") == "http" and str(scheme.get("scheme")).lower() == "bearer":
            yield name, {"bearer": key}
        elif scheme.get("type") == "apiKey" and scheme.get("in") == "header":
            yield name, {"api_key": key}


def _with_sources_of(caller: Caller) -> Callable[[HookContext, Case[Any]], Case[Any]]:
    """Return a hook that puts sources of the caller into most valid random requests.

    Requests with a random slug are refused, so that no page of entries would be checked.
    """

    def map_case(_: HookContext, case: Case[Any]) -> Case[Any]:
        meta = case.meta
        if meta is None or meta.phase.name is not TestPhase.FUZZING:
            return case
        valid = meta.generation.mode is GenerationMode.POSITIVE
        chosen = crc32(repr(case.query).encode())
        if valid and isinstance(case.query, dict) and chosen % 10 < _SHARE_OF_OWN:
            slug = caller.sources[chosen % len(caller.sources[:3])]
            if "sources" in case.query:
                case.query["sources"] = [slug]
            if "source" in case.query:
                case.query["source"] = slug
        return case

    return map_case


def _with_plain_integers(_: HookContext, __: Case[Any], response: ReceivedResponse) -> None:
    """Write 1.0 as 1: validators of OpenAPI 3.0 do not accept 1.0 as an integer."""
    if _FLOATS.search(response.content):
        with contextlib.suppress(ValueError, RecursionError):
            value = json.loads(response.content, parse_float=number)
            response.content = json.dumps(value).encode()


def _may_be_taken(request: Request) -> bool:
    """Return whether the specification leaves open that a request is refused.

    It does not say what a repeated parameter means, nor that those of the sample are looked at.
    """
    address = urlsplit(request.url)
    names = [name for name, _ in parse_qsl(address.query, keep_blank_values=True)]
    keyed = {"authorization", "x-api-key"} & request.headers.keys()
    of_sample = not keyed and address.path.endswith("/sources")
    return of_sample or len(names) > len(set(names))


def _response(received: ReceivedResponse) -> Response:
    sent = received.request
    carried = {
        name.lower(): str(value)
        for name, value in sent.headers.items()
        if name.lower() in ("authorization", "x-api-key", "content-type")
    }
    body = sent.body.encode() if isinstance(sent.body, str) else sent.body
    sent_body = body if isinstance(body, bytes) else None
    request = Request(str(sent.method), str(sent.url), carried, sent_body)
    headers = {name.lower(): values[0] for name, values in received.headers.items()}
    return Response(request, received.status_code, headers, received.content or b"")
