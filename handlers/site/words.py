"""Times, counts, prices and health as text for people. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from math import ceil
from typing import Final

from markupsafe import Markup, escape

from openapi.text import counted
from openapi.vocabulary import DeadlineKind, Health, Kind, Plan, Scope, Tier
from storage.people.stacks import PAGE

DAY: Final = timedelta(days=1)
_SHORT: Final = ((timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))
_LONG: Final = ((365, "year"), (30, "month"), (1, "day"))
PLAN_NAMES: Final = {Plan.FREE: "Free", Plan.STARTER: "Starter", Plan.ALL: "All"}
KIND_NAMES: Final = {
    Kind.CHANGELOG: "Changelog",
    Kind.WHATS_NEW: "What's new",
    Kind.RELEASE_NOTES: "Release notes",
    Kind.UPDATES: "Updates",
    Kind.BLOG: "Blog",
}
TIER_NAMES: Final = {Tier.PRODUCT: "Products", Tier.COMPONENT: "Components", Tier.BLOG: "Blogs"}
DEADLINE_NAMES: Final = {
    DeadlineKind.REMOVAL: "Removal",
    DeadlineKind.END_OF_SUPPORT: "End of support",
    DeadlineKind.END_OF_LIFE: "End of life",
    DeadlineKind.END_OF_SALE: "End of sale",
    DeadlineKind.MIGRATION: "Migration",
}
PRERELEASE_WORDS: Final = {"false": "no prereleases", "true": "prereleases only"}
_CURRENCY_SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£"}
SCOPE_WORDS: Final = {
    Scope.READ_ENTRIES: "Read the entries of the sources you follow",
    Scope.READ_DIFFS: "Read the diffs of the sources you follow (needs the Diff API add-on)",
    Scope.MANAGE_WEBHOOKS: "Manage the account's webhooks (creating one also needs read:entries)",
    Scope.MANAGE_STACKS: "Save and delete stacks by name (saving one also needs read:entries)",
}
_HEALTH_WORDS: Final = {
    Health.HEALTHY: "Read without errors; entries arrive as usual.",
    Health.OK: "Read without errors, but rarely updated, or an entry may have been missed.",
    Health.DEGRADED: "Recent checks had errors; entries may be late.",
    Health.PROBLEMATIC: "Currently failing; entries may be missing.",
    Health.UNKNOWN: "Not read yet, or not for a while.",
}

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
    "tls": "Certificate or TLS error",
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
"""Why sources fail."""


@dataclass(frozen=True, slots=True)
class HealthWords:
    """A source's health: ``state`` for style sheets, ``label`` and ``sentence`` for people."""

    state: str
    label: str
    sentence: str


def stack_title(name: str) -> str:
    """Return what the pages call a stack."""
    return "Your stack" if name == PAGE else name


def health_words(health: Health, message: str | None) -> HealthWords:
    """Return how a source is; ``message`` is more exact where there is one."""
    return HealthWords(
        health.value,
        "OK" if health is Health.OK else health.value.capitalize(),
        message or _HEALTH_WORDS[health],
    )


def ago(moment: datetime, now: datetime) -> str:
    """Return how long ago something was, or that it is ahead; from one day on in calendar days.

    So that an entry is as old as the day that it is under.
    """
    distance = abs(now - moment)
    if distance >= DAY:
        words = in_days(abs((now.date() - moment.date()).days))
    else:
        counts = ((distance // unit, name) for unit, name in _SHORT)
        words = next((counted(count, name) for count, name in counts if count), "")
    if moment <= now:
        return f"{words} ago" if words else "just now"
    return f"in {words}" if words else "in a moment"


def in_days(days: int) -> str:
    """Write a duration of a day or more in its largest whole unit."""
    unit, name = next(step for step in _LONG if days >= step[0])
    return counted(days // unit, name)


def in_time(wait: timedelta) -> str:
    """Return after how long something may be tried: in minutes, or in hours if those are many."""
    minutes = max(1, ceil(wait / timedelta(minutes=1)))
    hours = ceil(minutes / 60)
    return f"in {counted(minutes, 'minute')}" if minutes < 100 else f"in {counted(hours, 'hour')}"


def day(moment: date) -> str:
    """Write a date with the name of its month, so that it is not ambiguous."""
    return f"{moment.day} {moment:%B %Y}"


def weekday(moment: date) -> str:
    """Write a date with the name of its day."""
    return f"{moment:%A} {day(moment)}"


def span(first: date, last: date) -> str:
    """Write the days that a vendor's words can mean: a day, a month, a year, or from to."""
    if first == last:
        return day(first)
    next_day = last + timedelta(days=1)
    if first.day == next_day.day == 1:
        if (first.year, first.month) == (last.year, last.month):
            return f"{first:%B %Y}"
        if first.month == next_day.month == 1 and first.year == last.year:
            return str(first.year)
    return f"{day(first)} to {day(last)}"


def days_away(moment: date, today: date) -> str:
    """Return how many days ahead a day is, or how long ago."""
    days = (moment - today).days
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}
    if days in near:
        return near[days]
    return f"in {number(days)} days" if days > 0 else f"{in_days(-days)} ago"


def number(count: int) -> str:
    """Write a count with separators of thousands."""
    return f"{count:,}"


def price(amount: Decimal, currency: str) -> str:
    """Write an amount of a currency, which is named by its three letters (ISO 4217)."""
    sign = _CURRENCY_SIGNS.get(currency, f"{currency}\N{NO-BREAK SPACE}")
    return f"{sign}0" if amount == 0 else f"{sign}{amount:.2f}"


def beside(source_name: str, headline: str) -> str:
    """Return a headline that is beside its source's name, so that it need not begin with it."""
    return headline.removeprefix(f"{source_name}: ") or headline


def plan_and_addon(plan: Plan, *, diffs_addon: bool) -> str:
    """Name a plan and, with it, the add-on."""
    return f"the {PLAN_NAMES[plan]} plan" + (" with the Diff API" if diffs_addon else "")


def with_spans(text: str, spans: Iterable[tuple[int, int]], around: Markup) -> Markup:
    """Return a text as HTML, with some of its spans inside of markup."""
    written, reached = Markup(), 0
    for start, end in spans:
        written += escape(text[reached:start]) + around.format(text[start:end])
        reached = end
    return written + escape(text[reached:])
