"""Messages about failures and durations for people; none contains an address."""

from datetime import timedelta
from types import MappingProxyType

from ingest.fetching.outcomes import Failure

_MESSAGES: MappingProxyType[Failure, str] = MappingProxyType(
    {
        Failure.UNAUTHORIZED: "the vendor requires a sign-in",
        Failure.FORBIDDEN: "the vendor refuses access",
        Failure.GONE: "the vendor has removed it for good",
        Failure.NOT_FOUND: "its address does not exist",
        Failure.CLIENT_ERROR: "the vendor refuses the request",
        Failure.RATE_LIMITED: "the vendor asks for fewer requests",
        Failure.UNAVAILABLE: "the vendor asks to come back later",
        Failure.SERVER_ERROR: "the vendor's server has an error",
        Failure.TIMEOUT: "the vendor's server does not respond in time",
        Failure.TLS: "no trusted connection to the vendor's server can be made",
        Failure.CONNECTION: "the connection to the vendor's server fails",
        Failure.DNS_TEMPORARY: "the DNS server does not respond",
        Failure.DNS: "the name of the vendor's server does not exist",
        Failure.ADDRESS_REFUSED: "it leads to an address that is not public",
        Failure.REDIRECT_LOOP: "the vendor's redirects have no end",
        Failure.TOO_LARGE: "the document is too large",
        Failure.BAD_ENCODING: "the document cannot be decompressed",
        Failure.DISALLOWED: "the vendor's robots.txt does not allow it",
        Failure.NOT_A_FEED: "the document is not of the expected type",
        Failure.BLOCKED: "a challenge or sign-in page comes instead",
        Failure.NO_CONTENT: "the document has 0 bytes",
        Failure.EMPTY: "no entries are found where there should be some",
        Failure.PARSE_TIMEOUT: "parsing the document takes too long",
        Failure.CUT: "the document holds more than is kept of one, and is cut",
    }
)
_UNITS = (
    ("day", timedelta(days=1)),
    ("hour", timedelta(hours=1)),
    ("minute", timedelta(minutes=1)),
)


def failure_message(failure: Failure, status: int | None) -> str:
    """Return what went wrong as part of a sentence, with the HTTP status of an error."""
    message = _MESSAGES[failure]
    return message if status is None or status < 400 else f"{message}, HTTP {status}"


def duration(value: timedelta) -> str:
    """Return a duration in the largest unit that fits at least twice, or minutes."""
    for name, unit in _UNITS:
        if value >= 2 * unit:
            return f"{value // unit} {name}s"
    return "1 minute" if value >= timedelta(minutes=1) else "less than a minute"
