"""Drawings of the status page, and reasons for failing sources in plain words. Pure."""

from collections.abc import Sequence
from typing import Final

from handlers.site.drawings import distribution
from handlers.site.pages.source_drawings import NO_RECORD, Picture, days_picture
from handlers.site.pages.status_figures import (
    FRESHNESS,
    ApiDay,
    DayShare,
    ServiceStatus,
    api_sentence,
    percent,
    reading_sentence,
)
from handlers.site.words import number

GOOD: Final = 0.99
FAIR: Final = 0.95
REASONS: Final = {
    "unauthorized": "Sign-in required",
    "forbidden": "Access denied",
    "gone": "Removed by the vendor",
    "not_found": "Not found",
    "client_error": "Request refused",
    "rate_limited": "Rate limited by the vendor",
    "unavailable": "Temporarily unavailable",
    "server_error": "Server error",
    "timeout": "Timeout",
    "tls": "TLS error",
    "connection": "Connection failed",
    "dns_temporary": "Temporary DNS failure",
    "dns": "Host not found",
    "address_refused": "Address is not public",
    "redirect_loop": "Redirect loop",
    "too_large": "Document too large",
    "bad_encoding": "Invalid content encoding",
    "disallowed": "Disallowed by robots.txt",
    "not_a_feed": "Not a feed any more",
    "blocked": "Blocked by a challenge or sign-in page",
    "no_content": "Empty document",
    "empty": "No entries found",
    "parse_timeout": "Parsing timeout",
    "cut": "Document truncated",
}


def reading_picture(days: Sequence[DayShare]) -> Picture:
    """Draw the share of sources that were read as they should, day by day."""
    states = [(day, _said(share), _kind(share), share) for day, share in days]
    return days_picture(states, f"Reading: {reading_sentence(days)}", ("Day", "Read"))


def api_picture(days: Sequence[ApiDay]) -> Picture:
    """Draw how the API did, day by day."""
    states = [(day.day, _said(day.share), _kind(day.share), day.share) for day in days]
    heads = ("Day", "In order", "Requests", "Failed", "Minutes running")
    cells = [
        ("", "", "")
        if day.share is None
        else (
            number(day.requests),
            number(day.failures),
            f"{number(day.minutes)} of {number(day.expected)}",
        )
        for day in days
    ]
    return days_picture(states, f"API: {api_sentence(days)}", heads, cells)


def _kind(share: float | None) -> str:
    if share is None:
        return "unknown"
    if share >= GOOD:
        return "healthy"
    return "ok" if share >= FAIR else "degraded" if share >= 0.5 else "problematic"


def _said(share: float | None) -> str:
    return NO_RECORD if share is None else percent(share)


def freshness_picture(current: ServiceStatus) -> tuple[Picture, list[tuple[str, str]]]:
    """Return a drawing of when sources were read last, and what its colours mean."""
    ages = [(words, kind, current.freshness[name]) for name, words, kind, _ in FRESHNESS]
    parts = [(f"{number(count)} {words}", kind, count) for words, kind, count in ages]
    total = max(current.total, 1)
    said = ", ".join(title for title, _, count in parts if count)
    sentence = f"Time since last read: {said or 'no sources'}."
    rows = tuple(
        (words.capitalize(), number(count), percent(count / total)) for words, _, count in ages
    )
    picture = Picture(distribution(parts), sentence, ("Last read", "Sources", "Share"), rows)
    return picture, [(kind, title) for title, kind, count in parts if count]
