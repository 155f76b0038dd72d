"""Deadlines as a calendar to subscribe to (iCalendar, RFC 5545).

Written here and not by a library: the format is three rules, and a library takes a quarter of a
millisecond an event for an address that everybody may ask for.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import NAMESPACE_URL, uuid5

import structlog

from handlers.site.feeds.formats import loads
from handlers.site.words import DEADLINE_NAMES
from openapi.text import writable
from storage.entries.deadlines import ComingDeadline

log = structlog.get_logger(__name__)

LONGEST_LINE_BYTES: Final = 75  # without the line end, RFC 5545 section 3.1
DAY: Final = timedelta(days=1)
SECOND: Final = timedelta(seconds=1)
EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)
"""Sequences count seconds from here: the entry that states a day is always a later one."""
NAME: Final = "Changewire: deadlines"
HEAD: Final = (
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Changewire//Deadlines//EN",
    "CALSCALE:GREGORIAN",
)
REFRESHED: Final = ("REFRESH-INTERVAL;VALUE=DURATION:PT6H", "X-PUBLISHED-TTL:PT6H")
# RFC 5545 section 3.6 wants at least one component. A time zone is one that nobody is shown.
NO_EVENTS: Final = (
    "BEGIN:VTIMEZONE",
    "TZID:UTC",
    "BEGIN:STANDARD",
    "DTSTART:19700101T000000",
    "TZOFFSETFROM:+0000",
    "TZOFFSETTO:+0000",
    "END:STANDARD",
    "END:VTIMEZONE",
)
_SPECIAL: Final = re.compile(r"[\\;,]")


def calendar_of(deadlines: Sequence[ComingDeadline], name: str = NAME) -> bytes:
    """Write a calendar with an all-day event for each deadline, the same bytes for the same."""
    # RFC 7986, and how older programs know it
    named = (f"NAME:{_text(name)}", f"X-WR-CALNAME:{_text(name)}")
    events: list[str] = []
    for deadline in deadlines:
        try:
            events += _event(deadline)
        except (ValueError, LookupError, TypeError) as error:
            log.warning("deadline left out, it cannot be read", error=str(error))
    lines = [*HEAD, *named, *REFRESHED, *(events or NO_EVENTS), "END:VCALENDAR"]
    return b"".join(b"%b\r\n" % folded(line) for line in lines)


def _event(deadline: ComingDeadline) -> list[str]:
    """Return the lines of one event. Its end is the day after (RFC 5545 section 3.6.1)."""
    entry = loads(deadline.public)
    url = writable(entry["url"] or deadline.changelog_url)
    named = deadline.subject or entry.get("headline", entry["title"])
    product = deadline.source_name
    is_named = product.casefold() in named.casefold()
    summary = f"{DEADLINE_NAMES[deadline.kind]}: {named}{'' if is_named else f' ({product})'}"
    instead = f"Use instead: {deadline.successor}\n" if deadline.successor else ""
    history = instead + _history(deadline)
    description = f"“{deadline.evidence}”\n{history}\n{deadline.source_name}\n{url}"
    return [
        "BEGIN:VEVENT",
        f"UID:{_uid(entry['source'], deadline)}",
        f"DTSTAMP:{deadline.changed_at:%Y%m%dT%H%M%SZ}",
        f"SEQUENCE:{(deadline.changed_at - EPOCH) // SECOND + len(deadline.replaced)}",
        f"DTSTART;VALUE=DATE:{deadline.first_day:%Y%m%d}",
        f"DTEND;VALUE=DATE:{deadline.last_day + DAY:%Y%m%d}",
        f"SUMMARY:{_text(summary)}",
        f"DESCRIPTION:{_text(description)}",
        f"CATEGORIES:{_text(entry['vendor'])},{_text(DEADLINE_NAMES[deadline.kind])}",
        f"URL:{url}",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def _history(deadline: ComingDeadline) -> str:
    """Return what a moved deadline was before, and which entry set it; empty for others."""
    if not deadline.replaced:
        return ""
    before = ", ".join(" to ".join(map(str, sorted({*days}))) for days in deadline.replaced)
    set_on = f"{deadline.set_by_published_at:%Y-%m-%d}"
    return f"Moved from {before}. Set by “{deadline.set_by_title}”, {set_on}.\n"


def _uid(source: str, deadline: ComingDeadline) -> str:
    """Return the same id for the same deadline, even when its day is moved by another entry."""
    set_as = f"{deadline.set_as_kind}:{deadline.set_as_place}"
    name = f"changewire:{source}:{deadline.set_by_id}:{set_as}"
    return str(uuid5(NAMESPACE_URL, name.encode("utf-8", "replace").decode()))


def _text(text: str) -> str:
    """Escape a text value (RFC 5545 section 3.3.11)."""
    return "\\n".join(_SPECIAL.sub(r"\\\g<0>", line) for line in writable(text).splitlines())


def folded(line: str) -> bytes:
    """Return a content line in pieces that are short enough, never cut inside a character."""
    remaining, pieces, room = line.encode(), [], LONGEST_LINE_BYTES
    while len(remaining) > room:
        cut = room
        while remaining[cut] & 0xC0 == 0x80:  # inside a UTF-8 sequence
            cut -= 1
        pieces.append(remaining[:cut])
        remaining = remaining[cut:]
        room = LONGEST_LINE_BYTES - 1  # without the space that begins a continuation
    return b"\r\n ".join([*pieces, remaining])
