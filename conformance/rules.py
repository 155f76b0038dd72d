"""The rules for every response of the service."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from jsonschema_rs import ReferencingError

from conformance.http_messages import Response
from openapi.strictness import strict
from openapi.validation import ContractValidator

_CODES = {400: "invalid_request", 401: "unauthorized"}
"""The codes that the specification names."""
_FILES = {"text/csv", "application/zstd"}
"""What additions may answer with."""
_FEED_NAMES = {
    "feed", "feeds", "feedurl", "feedurls", "feedaddress", "feedlink", "feeduri", "rssurl",
    "rsslink", "atomurl", "atomlink", "xmlurl", "selflink",
}  # fmt: skip
_FEED_ADDRESS = re.compile(
    r"https?://("
    r"[^\s?#]+(\.(rss|atom|rdf|xml)|/(feed|feeds|rss|atom)(\.(xml|json|php))?|feed\.json)/?"
    r"([?#]\S*)?"
    r"|(feeds?|rss|atom)\.[^\s/]+/\S+"
    r"|[^\s?#]+\?(\S+&)?(feed|format|alt|type|output)=(rss2?|atom)\b\S*"
    r")",
    re.IGNORECASE,
)
_PERMALINK = "url"
"""The address of an entry itself, which may end in anything."""
_PROSE = {"title", "summary", "text", "html", "message", "hint", "agent"}
"""Fields that hold a vendor's or the service's own sentences, where an address may be named."""
_STATEMENTS = {"healthMessage"}
"""Sentences of the service about a source: they must not hold any address."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule for every answer, and the sentence it checks."""

    name: str
    says: str
    origin: str

    @property
    def is_specified(self) -> bool:
        """True where the specification, a standard or the served contract says so."""
        return not self.origin.startswith("docs/")


NO_FEED_ADDRESS = Rule(
    "no-feed-address",
    "The feed address of a source is never included in any customer API response.",
    "specification 2.1",
)
ERROR_OBJECT = Rule(
    "every-no-is-an-error-object",
    "All errors use the Error object (2.5): error is the same text as message; 400 invalid_request,"
    " 401 unauthorized.",
    "specification 7",
)
JSON_BODY = Rule(
    "every-body-is-json",
    "All request and response bodies are JSON (application/json), except the RSS feed.",
    "specification 1",
)
NO_SERVER_ERROR = Rule(
    "no-server-error",
    "A request, however odd, is answered by what it is and not by a failure of the service.",
    "docs/decisions/0004",
)
AS_PROMISED = Rule(
    "every-answer-is-as-promised",
    "The service answers as its own contract says: status, media type, headers and body.",
    "openapi.yaml",
)
NOTHING_UNNAMED = Rule(
    "nothing-unnamed-is-sent",
    "A response has no field that the served contract does not name, and no value that is not in "
    "a list that may grow.",
    "docs/decisions/0001",
)
RULES = (
    NO_FEED_ADDRESS, ERROR_OBJECT, JSON_BODY, NO_SERVER_ERROR, AS_PROMISED, NOTHING_UNNAMED,
)  # fmt: skip


def broken_rules(
    response: Response, *, of_api: bool, feed_addresses: Iterable[str] = ()
) -> Iterator[tuple[Rule, str]]:
    """Yield every rule an answer breaks, with what is wrong.

    `of_api` is False for the pages beside the API, which may answer in HTML. `feed_addresses` are
    those an operator knows; without them an address is recognised by its form.
    """
    body = response.json
    for leak in _leaks(response, body, feed_addresses):
        yield NO_FEED_ADDRESS, f"shows {leak}"
    if response.status >= 500:
        yield NO_SERVER_ERROR, f"answered {response.status}"
    if not of_api or response.request.method == "HEAD" or not response.body:
        return
    media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    is_file = response.status < 400 and media_type in _FILES
    if not is_file and (media_type != "application/json" or body is None):
        yield JSON_BODY, f"answered {response.status} with {media_type or 'no media type'}"
    if response.status >= 400:
        yield from _broken_error(response.status, body)


def _broken_error(status: int, body: Any) -> Iterator[tuple[Rule, str]]:
    if not isinstance(body, dict):
        yield ERROR_OBJECT, f"answered {status} without an object"
        return
    for name in ("error", "code", "message"):
        if not isinstance(body.get(name), str) or not body[name]:
            yield ERROR_OBJECT, f"answered {status} without {name}"
    if not isinstance(body.get("hint", ""), str):
        yield ERROR_OBJECT, f"answered {status} with a hint that is no text"
    if body.get("error") != body.get("message"):
        yield ERROR_OBJECT, f"answered {status} with an error that is not the message"
    if body.get("code") != _CODES.get(status, body.get("code")):
        yield ERROR_OBJECT, f"answered {status} with the code {body.get('code')}"


def _leaks(response: Response, body: Any, feed_addresses: Iterable[str]) -> Iterator[str]:
    for address in feed_addresses:
        if address in response.text or address.replace("/", "\\/") in response.text:
            yield f"the feed address {address}"
    is_contract = isinstance(body, dict) and "openapi" in body
    left: deque[tuple[str, Any, str | None]] = deque([] if is_contract else [("", body, None)])
    while left:  # bodies can be nested more deeply than functions can
        name, value, own = left.popleft()
        if isinstance(value, dict):
            url = str(value.get("url"))
            left.extend(
                (str(key), child, url if key == "raw" and own is None else own)
                for key, child in value.items()
            )
        elif isinstance(value, list):
            left.extend((name, child, own) for child in value)
        elif isinstance(value, str) and _is_feed_address(name, value.strip(), own):
            yield f"{name}: {value}"


def looks_like_a_feed(address: str) -> bool:
    """Return whether an address has the form of a feed's."""
    return _FEED_ADDRESS.fullmatch(address) is not None


def _is_feed_address(name: str, value: str, own: str | None) -> bool:
    """Return whether a value is a feed's address; in `raw`, `own` is the entry's address."""
    plain = re.sub(r"[^a-z]", "", name.lower())
    if plain in _FEED_NAMES and value.lower().startswith("http"):
        return True
    if name in _STATEMENTS:
        return _FEED_ADDRESS.search(value) is not None
    if own is not None:  # no name of a field excuses an address there
        return value != own and looks_like_a_feed(value)
    return name not in _PROSE and name != _PERMALINK and looks_like_a_feed(value)


class Watch:
    """Holds every response of a run against the rules, and keeps what breaks them."""

    def __init__(
        self,
        *,
        api: str,
        contract: Mapping[str, Any],
        feed_addresses: Iterable[str] = (),
        only_specification: bool = False,
        unnamed_in: Mapping[str, Any] | None = None,
    ) -> None:
        """`contract` is what responses are held against.

        With `unnamed_in`, a contract too, a response may have no field that it does not name.
        """
        self._api = api
        self._feed_addresses = tuple(feed_addresses)
        self._only_specification = only_specification
        self._validators = {
            AS_PROMISED: _validator(contract),
            NOTHING_UNNAMED: _validator(unnamed_in, strict) if unnamed_in is not None else None,
        }
        self._met: set[tuple[str, str]] = set()
        self._untold: list[str] = []

    def hear(self, response: Response) -> None:
        """Check one response; a rule is reported once for each path."""
        path = urlsplit(response.request.url).path
        for rule, sentence in self._broken(response):
            applies = rule.is_specified or not self._only_specification
            if applies and (rule.name, path) not in self._met:
                self._met.add((rule.name, path))
                said = f"{rule.name}: {rule.says} ({rule.origin})"
                self._untold.append(response.report(sentence, said))

    def take_untold(self) -> list[str]:
        """Return what was broken since this was last asked for."""
        untold, self._untold = self._untold, []
        return untold

    def _broken(self, response: Response) -> Iterator[tuple[Rule, str]]:
        of_api = response.request.url.startswith(self._api)
        broken = list(broken_rules(response, of_api=of_api, feed_addresses=self._feed_addresses))
        yield from broken
        for rule, validator in self._validators.items():
            if of_api and not broken and validator is not None:
                broken = [(rule, sentence) for sentence in _violations(validator, response)]
                yield from broken


def _violations(validator: ContractValidator, response: Response) -> list[str]:
    """Return the first violation of a contract by a response of an operation."""
    request = response.request
    operation = validator.operation_at(request.method, urlsplit(request.url).path)
    if operation is None or (request.method == "HEAD" and not response.body):
        return []
    # ids may happen to be numbers, which the validator takes for such
    headers = {name: value for name, value in response.headers.items() if name != "x-request-id"}
    violations = validator.response(operation.operation_id, response.status, headers, response.body)
    return [
        ": ".join(filter(None, (operation.path, violation.where, violation.sentence)))
        for violation in violations[:1]
    ]


def _validator(
    contract: Mapping[str, Any],
    read: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict,
) -> ContractValidator | None:
    """Return a validator of the contract as `read` returns it; None if it cannot be compiled.

    Generated requests are checked against such a contract nevertheless.
    """
    try:
        return ContractValidator(read(contract))
    except (AttributeError, LookupError, TypeError, ValueError, ReferencingError):
        return None
