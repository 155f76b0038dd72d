"""Sentences for the facts of a diff. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from handlers.site.words import day, number
from openapi.text import cut
from openapi.vocabulary import ChangeOp, FactType

_MONTHS: Final = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_DATES: Final = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTHS})\.?(?:,? 20\d\d)?"
    rf"|(?:{_MONTHS})\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? 20\d\d)?"
    rf"|(?:{_MONTHS})\.?,? 20\d\d|20\d\d-\d\d-\d\d)\b"
)
_SEARCHED: Final = 20_000  # characters of a text that are searched for dates
_OF_OPERATIONS: Final = {
    ChangeOp.REMOVED: "Removed by the vendor.",
    ChangeOp.ROLLED_OFF: "Fell off the end of the vendor's list, as old entries do. "
    "It was not marked as removed.",
}
_OF_FACTS: Final = {
    FactType.TITLE_CHANGED: "The title was changed.",
    FactType.LINK_WITHDRAWN: "The link was removed.",
    FactType.LABEL_REMOVED: "The label “{detail}” was removed.",
    FactType.LABEL_ADDED: "The label “{detail}” was added.",
    FactType.SEVERITY_WORD_REMOVED: "The word “{detail}” is gone.",
    FactType.SEVERITY_WORD_ADDED: "The word “{detail}” is new.",
    FactType.PRERELEASE_PROMOTED: "The prerelease became a release.",
    FactType.ENTRY_WITHDRAWN: "No longer on the page.",
    FactType.ENTRY_REISSUED: "Republished under another ID.",
}


def sentences(change: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what happened, the most exact first."""
    before, after = change["before"] or {}, change["after"] or {}
    facts = [sentence for fact in change.get("facts", []) for sentence in _fact(fact, change)]
    if change["op"] == ChangeOp.CHANGED:
        facts += _moved_dates(before, after)
    if change["op"] == ChangeOp.MOVED:
        facts.append(_move(before, after))
    if change["op"] in _OF_OPERATIONS and not facts:
        facts.append(_OF_OPERATIONS[change["op"]])
    return tuple(dict.fromkeys(facts))


def _fact(fact: Mapping[str, Any], change: Mapping[str, Any]) -> Iterator[str]:
    before, after = change["before"] or {}, change["after"] or {}
    kind, path, detail = fact["type"], fact["path"] or "", fact["detail"] or ""
    old, new = before.get(path), after.get(path)
    if kind in (FactType.DATE_MOVED_EARLIER, FactType.DATE_MOVED_LATER):
        yield moved_date(old, new, earlier=kind == FactType.DATE_MOVED_EARLIER)
    elif kind == FactType.DATE_WITHDRAWN:
        yield f"The date was removed; it was {_day(old)}." if old else "The date was removed."
    elif kind in (FactType.TEXT_SHORTENED, FactType.TEXT_LENGTHENED):
        grown = kind == FactType.TEXT_LENGTHENED
        yield _grown(str(old or ""), str(new or ""), grown=grown)
    elif kind == FactType.LINK_MOVED:
        yield f"The link now goes to {cut(str(new))}." if new else "The link changed."
    elif kind == FactType.TAG_MOVED:
        yield f"The tag was changed from {cut(str(old))} to {cut(str(new))}."
    elif kind in _OF_FACTS:
        yield _OF_FACTS[kind].format(detail=cut(detail))
    else:
        yield cut(f"{kind.replace('_', ' ').capitalize()}{': ' if detail else ''}{detail}")


def moved_date(old: Any, new: Any, *, earlier: bool) -> str:
    """Return from where to where a date moved, as exactly as the two differ."""
    direction = "earlier" if earlier else "later"
    first, second = _time(old), _time(new)
    if first is None or second is None:
        return f"The date moved {direction}."
    if first.date() == second.date():
        return f"The time moved from {first:%H:%M} to {second:%H:%M} on {day(second)}."
    start = f"{first.day} {first:%B}" if first.year == second.year else day(first)
    return f"The date moved {direction}, from {start} to {day(second)}."


def _moved_dates(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the date in a text that another one replaced, where there is only one."""
    for path, where in (("title", "title"), ("summary", "text"), ("text", "text")):
        old, new = _dates(before.get(path)), _dates(after.get(path))
        gone, come = list((old - new).elements()), list((new - old).elements())
        if len(gone) == len(come) == 1:
            yield f"A date in the {where} was changed from {gone[0]} to {come[0]}."


def _dates(text: Any) -> Counter[str]:
    return Counter(_DATES.findall(text[:_SEARCHED]) if isinstance(text, str) else ())


def _grown(old: str, new: str, *, grown: bool) -> str:
    words = abs(len(new.split()) - len(old.split()))
    by = f" by {number(words)} words" if words else ""
    return f"The text was {'lengthened' if grown else 'shortened'}{by}."


def _move(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    first, second = before.get("index"), after.get("index")
    if isinstance(first, int) and isinstance(second, int):
        return f"Moved from place {first + 1} to place {second + 1}; no other change."
    return "Moved; no other change."


def _time(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None


def _day(value: Any) -> str:
    at = _time(value)
    return cut(str(value)) if at is None else day(at)
