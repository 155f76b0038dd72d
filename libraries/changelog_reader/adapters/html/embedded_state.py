"""Entries in the initial state of a page's script, embedded as JSON.

It is read as data and never run. Any list of objects that have a title and a date is a candidate,
however deep it lies: generators name their keys alike (``title``, ``publishedAt``, ``slug``).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from changelog_reader.adapters.html.candidate import Candidate, EntryDate, PageAnalysis, PageItem
from changelog_reader.adapters.html.dates import DateHabits, only_date
from changelog_reader.adapters.html.page import Script
from changelog_reader.adapters.html.words import PHRASES
from changelog_reader.content.dates import parse_timestamp
from changelog_reader.content.text import one_line

_ASSIGNED = re.compile(r"(?:window\.|self\.|globalThis\.|var |const |let )(\w+)\s*=\s*(?=[{\[])")
_FLIGHT = re.compile(r"self\.__next_f\.push\(\[1,(\"(?:[^\"\\]|\\.)*\")\]\)")
_FLIGHT_ROW = re.compile(r"^[0-9a-f]+:(?:[A-Z]+)?(?=[\[{])", re.MULTILINE)
_MOST_VALUES = 200_000  # values of a page's state that are looked at
_MOST_ASSIGNMENTS = 100  # of one script
_NUXT = "__NUXT_DATA__"


def page_state(analysis: PageAnalysis) -> Iterator[Candidate]:
    """Yield the candidates of every fitting list in the page's embedded state."""
    hrefs = [
        link
        for node in analysis.page.body.css("a[href]")
        if (link := node.attributes.get("href") or "")
    ]
    for script in analysis.page.scripts:
        for value in _values(script):
            for listed in _object_lists(value):
                items = tuple(
                    item
                    for posting in listed
                    if (item := _page_item(posting, analysis.habits, hrefs))
                )
                if len(items) >= 2 and len(items) * 3 >= len(listed) * 2:
                    yield Candidate("page state", items)


def _values(script: Script) -> Iterator[Any]:
    """Yield what a script holds as JSON."""
    kind, id_, text = script[0], script[1], script[2].strip()
    if kind == "application/ld+json" or not text:
        return
    if "json" in kind:
        value = _parse_json(text)
        yield _nuxt_objects(value) if id_ == _NUXT and isinstance(value, list) else value
        return
    if kind not in ("", "text/javascript", "application/javascript", "module"):
        return
    for match in islice(_ASSIGNED.finditer(text), _MOST_ASSIGNMENTS):
        yield _parse_json(text[match.end() :], allow_trailing=True)
    flight = "".join(_parse_json(match[1]) or "" for match in _FLIGHT.finditer(text))
    for row in _FLIGHT_ROW.finditer(flight):
        yield _parse_json(flight[row.end() :], allow_trailing=True)


def _parse_json(text: str, *, allow_trailing: bool = False) -> Any:
    """Return parsed JSON or None. With ``allow_trailing`` other text may follow it."""
    try:
        return (
            json.JSONDecoder(strict=False).raw_decode(text)[0]
            if allow_trailing
            else json.loads(text)
        )
    except (ValueError, RecursionError):
        return None


def _nuxt_objects(flat: Sequence[Any]) -> list[list[dict[str, Any]]]:
    """Return Nuxt's flattened state as lists of like objects.

    A whole number as a value points to where in the list the value stands.
    """
    alike: dict[frozenset[str], list[dict[str, Any]]] = {}
    for row_indexes in flat:
        if isinstance(row_indexes, dict):
            row = {name: _nuxt_value(flat, index) for name, index in row_indexes.items()}
            alike.setdefault(frozenset(row), []).append(row)
    return list(alike.values())


def _nuxt_value(flat: Sequence[Any], index: object) -> Any:
    value = flat[index] if isinstance(index, int) and 0 <= index < len(flat) else None
    return value if isinstance(value, str | int | float | bool) else None


def _object_lists(value: Any) -> Iterator[list[Mapping[str, Any]]]:
    waiting, visited = [value], 0
    while waiting and visited < _MOST_VALUES:
        current = waiting.pop()
        visited += 1
        if isinstance(current, dict):
            waiting.extend(inner for inner in current.values() if isinstance(inner, dict | list))
        elif isinstance(current, list):
            objects = [_unwrap(inner) for inner in current if isinstance(inner, dict)]
            if len(objects) >= 2:
                yield objects
            waiting.extend(inner for inner in current if isinstance(inner, dict | list))


def _unwrap(value: dict[str, Any]) -> Mapping[str, Any]:
    """Return an object with what content systems wrap one level deeper."""
    inner: dict[str, Any] = {}
    for name in PHRASES["wrapper_keys"]:
        if isinstance(value.get(name), dict):
            inner.update(value[name])
    return {**inner, **value}


def _page_item(
    value: Mapping[str, Any], habits: DateHabits, hrefs: Sequence[str]
) -> PageItem | None:
    title = _text(value, PHRASES["title_keys"])
    lowered = {name.lower(): inner for name, inner in value.items() if isinstance(name, str)}
    at = next(
        (moment for name in PHRASES["date_keys"] if (moment := _moment(lowered.get(name), habits))),
        None,
    )
    if not title or at is None:
        return None
    link = _link(_text(value, PHRASES["link_keys"]), hrefs)
    identifier = value.get("id", value.get("_id"))
    return PageItem(
        title=one_line(title),
        dated=EntryDate(at, "page state"),
        link=link,
        markup=_text(value, PHRASES["body_keys"]) or "",
        vendor_id=str(identifier) if link is None and isinstance(identifier, str | int) else None,
        version=_text(value, ("version", "tag_name", "versionName")),
    )


def _text(value: Mapping[str, Any], names: Sequence[str]) -> str | None:
    for name in names:
        text = value.get(name)
        if isinstance(text, dict):
            text = text.get("rendered") or text.get("current") or text.get("html")
        if isinstance(text, str) and text.strip():
            return text.strip()
    return None


def _moment(value: object, habits: DateHabits) -> datetime | None:
    """Return a date given as text, seconds or milliseconds since 1970."""
    if isinstance(value, str):
        written = only_date(value, habits)
        return parse_timestamp(value) or (written.at if written else None)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1000 if value > 10**11 else float(value)
    return datetime.fromtimestamp(seconds, UTC) if 6e8 < seconds < 4e9 else None


def _link(link: str | None, hrefs: Sequence[str]) -> str | None:
    """Return an address, or the link on the page that ends in a slug; never a guess."""
    if link is None or link.startswith(("http://", "https://", "/")):
        return link
    return next((href for href in hrefs if href.rstrip("/").endswith(f"/{link.strip('/')}")), None)
