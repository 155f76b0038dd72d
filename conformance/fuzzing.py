"""Generated requests: everything the contract allows and much that it does not (Schemathesis).

Each caller meets examples, boundary values, random data and chains of linked operations; every
response is checked against the contract and against the rules for all responses.
"""

import contextlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from zlib import crc32

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response as ReceivedResponse
from schemathesis.engine import Status, events, from_schema
from schemathesis.engine.recorder import Request as SentRequest
from schemathesis.engine.recorder import ScenarioRecorder
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.generation.meta import TestPhase
from schemathesis.hooks import HookContext
from starlette.types import ASGIApp

from conformance.callers import Caller
from conformance.evidence import READING_POST
from conformance.http_messages import Request, Response, number, redacted
from conformance.listener import Listener
from conformance.report import Fault, Result, add_fault
from conformance.site import TIMEOUT, Pace

GROUP = "contract"
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
_LARGEST_BODY = 50_000_000
"""Bytes of a response that are recorded; a truncated one would look like broken JSON."""
_DUMP = re.compile(r"\n+(?:Validated against|Schema)\b")
"""Where a message of Schemathesis goes on with schemas and values, which are left out."""
_FLOATS = re.compile(rb"\d\.0+(?!\d)|\d[eE][+-]?\d")
"""Numbers that may be integers written in another way."""
_OPERATIONS = {"Stateful tests": "linked operations"}
"""Labels of Schemathesis that are shown under another name."""
_MOST_FAULTS = 5
"""How many faults of one check are reported."""


@dataclass(frozen=True, slots=True)
class FuzzingOptions:
    """How much is generated."""

    max_examples: int = 50
    """Random requests for each operation and caller."""
    only_specification: bool = False
    """Whether what neither the contract nor the specification says is left unchecked: which status
    refuses a method."""
    writes: bool = False
    """Whether operations that store something are tried."""


@dataclass(slots=True)
class _Tally:
    """The results of one operation."""

    tried: int = 0
    seconds: float = 0.0
    checks: set[str] = field(default_factory=set)
    faults: dict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))


def fuzz(
    contract: Mapping[str, Any],
    target: str | ASGIApp,
    base_url: str,
    caller: Caller,
    options: FuzzingOptions,
    listener: Listener,
    pace: Pace,
) -> Iterator[Result]:
    """Yield a result for each operation and check of Schemathesis, for one caller."""
    schema = schemathesis.openapi.from_dict(
        dict(contract), config=_config(contract, base_url, caller, options)
    )
    if not isinstance(target, str):
        schema.app = target
    if caller.sources:
        schema.hook("map_case")(_with_sources_of(caller))
    schema.hook("after_call")(_paced(pace))
    chosen = schema if options.writes else schema.include(method="GET")
    if not options.writes and not options.only_specification:
        chosen = chosen.include(name=READING_POST)
    tallies: dict[str, _Tally] = defaultdict(_Tally)
    pace.wait()
    for event in from_schema(chosen).execute():
        match event:
            case events.ScenarioFinished(recorder=recorder, elapsed_time=seconds):
                tallies[recorder.label].seconds += seconds
                tally = tallies[recorder.label]
                _record(recorder, tally, caller, listener, strictly=not options.only_specification)
            case events.NonFatalError(value=error, label=label):
                _note(tallies[label], "every-request-is-answered", Fault(_words(error, caller)))
            case events.FatalError(exception=error):
                fault = Fault(_words(error, caller))
                _note(tallies["every operation"], "every-request-is-answered", fault)
            case _:
                pass
    for label, tally in sorted(tallies.items()):
        yield from _results(label, tally, caller)


def _config(
    contract: Mapping[str, Any], base_url: str, caller: Caller, options: FuzzingOptions
) -> SchemathesisConfig:
    honest = [*_HONEST, *(_ALSO_HONEST if options.only_specification else ())]
    settings: dict[str, Any] = {
        "seed": 1,
        "base-url": base_url,
        "request-timeout": TIMEOUT,  # as for other requests; an operation may wait for news
        "suppress-health-check": ["too_slow"],  # a slow machine of the tester is no finding
        "generation": {"max-examples": options.max_examples, "database": "none"},
        "checks": {
            "positive_data_acceptance": {"expected-statuses": honest},
            "negative_data_rejection": {"expected-statuses": _REFUSING},
            "unsupported_method": {"enabled": not options.only_specification},
        },
        "phases": {"stateful": {"generation": {"max-examples": max(1, options.max_examples // 5)}}},
        "output": {
            "sanitization": {"enabled": False},  # keys are replaced here, see redacted()
            "truncation": {"max-recorded-payload-size": _LARGEST_BODY},
        },
    }
    if caller.key is not None:
        settings["auth"] = {"openapi": dict(_credentials(contract, caller.key))}
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


def _paced(pace: Pace) -> Callable[[HookContext, Case[Any], ReceivedResponse], None]:
    """Return a hook that waits after each response until the next request may go.

    Schemathesis' own limit by the minute would send a minute's requests at once. The hook also
    writes 1.0 as 1 in a JSON body: validators of OpenAPI 3.0 do not accept 1.0 as an integer.
    """

    def after_call(_: HookContext, __: Case[Any], response: ReceivedResponse) -> None:
        pace.wait()
        if _FLOATS.search(response.content):
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(response.content, parse_float=number)
                response.content = json.dumps(value).encode()

    return after_call


def _record(
    recorder: ScenarioRecorder,
    tally: _Tally,
    caller: Caller,
    listener: Listener,
    *,
    strictly: bool,
) -> None:
    responses = {
        case_id: _response(interaction.request, interaction.response)
        for case_id, interaction in recorder.interactions.items()
        if interaction.response is not None
    }
    for case_id, checks in recorder.checks.items():
        for check in checks:
            tally.checks.add(check.name)
            sent = responses.get(case_id)
            judged = strictly or check.name != "negative_data_rejection" or sent is None
            if not judged and sent is not None and _may_be_taken(sent.request, caller):
                continue
            if check.status is Status.FAILURE and check.failure_info is not None:
                failure = check.failure_info.failure
                words = _DUMP.split(failure.message)[0].strip()
                sentence = f"{failure.title}: {words}" if words else failure.title
                summary = responses[case_id].summary() if case_id in responses else ""
                shown = (sentence, check.failure_info.code_sample, summary)
                _note(tally, check.name, _fault(*shown, caller=caller))
        tally.tried += case_id in recorder.interactions
    for response in responses.values():
        listener.hear(response)


def _may_be_taken(request: Request, caller: Caller) -> bool:
    """Return whether the specification leaves open that a request is refused.

    It does not say what a repeated parameter means, nor that those of the sample are looked at.
    """
    address = urlsplit(request.url)
    names = [name for name, _ in parse_qsl(address.query, keep_blank_values=True)]
    of_sample = caller.key is None and address.path.endswith("/sources")
    return of_sample or len(names) > len(set(names))


def _response(request: SentRequest, received: ReceivedResponse) -> Response:
    headers = {name.lower(): values[0] for name, values in received.headers.items()}
    carried = {
        name: values[0]
        for name, values in request.headers.items()
        if name.lower() in ("authorization", "x-api-key", "content-type")
    }
    sent = Request(request.method, request.uri, carried, request.body or None)
    return Response(sent, received.status_code, headers, received.content or b"")


def _fault(*shown: str, caller: Caller) -> Fault:
    """Return a fault of a sentence, a command line and a response, without the caller's key."""
    keys = [caller.key] if caller.key else []
    return Fault(*(redacted(text, keys) for text in shown))


def _words(error: Exception, caller: Caller) -> str:
    keys = [caller.key] if caller.key else []
    return redacted(f"{type(error).__name__}: {error}", keys)


def _note(tally: _Tally, check: str, fault: Fault) -> None:
    tally.checks.add(check)
    add_fault(tally.faults[check], fault, most=_MOST_FAULTS)


def _results(label: str, tally: _Tally, caller: Caller) -> Iterator[Result]:
    for check in sorted(tally.checks):
        yield Result(
            check=check.replace("_", "-"),
            group=GROUP,
            operation=_OPERATIONS.get(label, label),
            caller=caller.name,
            tried=tally.tried,
            faults=tuple(tally.faults.get(check, ())),
            says="The service answers as the contract says.",
            origin="openapi.yaml",
            seconds=tally.seconds / len(tally.checks),
        )
