"""Drawings of the status page, and reasons for failing sources in plain words. Pure."""

from collections.abc import Sequence
from typing import Final

from handlers.site.drawings import bars, distribution
from handlers.site.pages.source_drawings import Picture
from handlers.site.pages.status_figures import (
    FRESHNESS,
    NEVER,
    OLDER,
    ApiDay,
    DayShare,
    ServiceStatus,
    api_sentence,
    percent,
    reading_sentence,
)
from handlers.site.words import day as day_words
from handlers.site.words import number

GOOD: Final = 0.99
FAIR: Final = 0.95
_KINDS: Final = ("healthy", "ok", "aged", "degraded", "problematic", "unknown")
REASONS: Final = {
    "unauthorized": "The vendor requires a sign-in",
    "forbidden": "The vendor refuses access",
    "gone": "The vendor has removed it for good",
    "not_found": "The address does not exist any more",
    "client_error": "The vendor refuses the request",
    "rate_limited": "The vendor asks for fewer requests",
    "unavailable": "The vendor asks to come back later",
    "server_error": "The vendor’s server has an error",
    "timeout": "The vendor’s server does not answer in time",
    "tls": "No trusted connection to the vendor’s server can be made",
    "connection": "The connection to the vendor’s server fails",
    "dns_temporary": "The name of the vendor’s server cannot be looked up at present",
    "dns": "The name of the vendor’s server does not exist",
    "address_refused": "It leads to an address that is not public",
    "redirect_loop": "The vendor’s redirects have no end",
    "too_large": "The document is too large",
    "bad_encoding": "The document cannot be decompressed",
    "disallowed": "The vendor’s robots.txt does not allow it",
    "not_a_feed": "The document is not what it was",
    "blocked": "A challenge or a sign-in page comes instead",
    "no_content": "The document is empty",
    "empty": "No entries are found where there were some",
    "parse_timeout": "Reading the document takes too long",
    "cut": "The document holds more than is kept of one",
}


def reading_picture(days: Sequence[DayShare]) -> Picture:
    """Draw the share of sources that were read as they should, day by day."""
    states = [(f"{day_words(day)}: {_said(share)}", _kind(share), share) for day, share in days]
    rows = tuple((day_words(day), _said(share)) for day, share in reversed(days))
    drawing = bars(states, day_words(days[0][0]), "today")
    hatched = any(share is None for _, share in days)
    return Picture(drawing, f"Reading: {reading_sentence(days)}", ("Day", "Read"), rows, hatched)


def api_picture(days: Sequence[ApiDay]) -> Picture:
    """Draw how the API did, day by day."""
    states = [
        (f"{day_words(day.day)}: {_said(day.share)}", _kind(day.share), day.share) for day in days
    ]
    rows = tuple(_api_row(day) for day in reversed(days))
    heads = ("Day", "In order", "Requests", "Failed", "Minutes running")
    drawing = bars(states, day_words(days[0].day), "today")
    hatched = any(day.share is None for day in days)
    return Picture(drawing, f"API: {api_sentence(days)}", heads, rows, hatched)


def _api_row(day: ApiDay) -> tuple[str, ...]:
    if day.share is None:
        return day_words(day.day), "no record", "", "", ""
    ran = f"{number(day.minutes)} of {number(day.expected)}"
    return (
        day_words(day.day),
        percent(day.share),
        number(day.requests),
        number(day.failures),
        ran,
    )


def _kind(share: float | None) -> str:
    if share is None:
        return "unknown"
    if share >= GOOD:
        return "healthy"
    return "ok" if share >= FAIR else "degraded" if share >= 0.5 else "problematic"


def _said(share: float | None) -> str:
    return "no record" if share is None else percent(share)


def freshness_picture(current: ServiceStatus) -> tuple[Picture, list[tuple[str, str]]]:
    """Return a drawing of when sources were read last, and what its colours mean."""
    spans = [(name, words) for name, words, _ in FRESHNESS] + [OLDER, NEVER]
    ages = [
        (words, kind, current.freshness[name])
        for (name, words), kind in zip(spans, _KINDS, strict=True)
    ]
    parts = [(f"{number(count)} {words}", kind, count) for words, kind, count in ages]
    total = max(current.total, 1)
    said = ", ".join(title for title, _, count in parts if count)
    sentence = f"When sources were read last: {said or 'there are none'}."
    rows = tuple(
        (words.capitalize(), number(count), percent(count / total)) for words, _, count in ages
    )
    picture = Picture(distribution(parts), sentence, ("Last read", "Sources", "Share"), rows)
    return picture, [(kind, title) for title, kind, count in parts if count]
