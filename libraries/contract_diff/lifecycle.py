"""Deprecation and removal: checks that the promised notice is given.

The promise is in docs/deprecation.md: a deprecated element has a sunset at least NOTICE after the
day of its announcement, and stays until then.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from contract_diff.change import ContractChange, Severity, Spot
from contract_diff.document import Node

ANNOUNCED = "x-deprecated-at"
SUNSET = "x-sunset"
NOTICE = timedelta(days=180)
"""The least time from the announcement to the sunset."""


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """The deprecation and sunset of an operation, a parameter or a property."""

    deprecated: bool
    announced: date | None
    sunset: date | None
    sunset_is_unreadable: bool

    @classmethod
    def of(cls, node: Node) -> "Lifecycle":
        """Reads `deprecated` and its two dates."""
        sunset = read_date(node.get(SUNSET))
        return cls(
            deprecated=node.get("deprecated") is True,
            announced=read_date(node.get(ANNOUNCED)),
            sunset=sunset,
            sunset_is_unreadable=sunset is None and node.get(SUNSET) is not None,
        )

    def is_over(self, today: date | None) -> bool:
        """Return whether the sunset has passed; False without `today`."""
        if not self.deprecated or self.sunset is None or today is None:
            return False
        return self.sunset <= today


def compare_lifecycles(
    old: Node, new: Node, spot: Spot, *, today: date | None
) -> Iterator[ContractChange]:
    """Compare deprecation and sunset of an element that both contracts have."""
    before, after = Lifecycle.of(old), Lifecycle.of(new)
    if before.deprecated and not after.deprecated:
        yield spot.report("reactivated", Severity.INFO, "is no longer deprecated")
    elif after.deprecated and not before.deprecated:
        until = f" and goes away on {after.sunset}" if after.sunset else ""
        yield spot.report("deprecated", Severity.INFO, f"is deprecated{until}")
        yield from _notice(after, spot, today)
    elif after.deprecated and before != after:
        yield from _moved(before, after, spot, today)


def _notice(end: Lifecycle, spot: Spot, today: date | None) -> Iterator[ContractChange]:
    """Yield a warning if a new sunset does not leave enough time."""
    if end.sunset_is_unreadable:
        phrase = "has a sunset that is not a date (YYYY-MM-DD)"
        yield spot.report("sunset-invalid", Severity.WARNING, phrase)
    elif end.sunset is None:
        phrase = "is deprecated without saying when it goes away"
        yield spot.report("sunset-missing", Severity.WARNING, phrase)
    else:
        days = [day for day in (end.announced, today) if day is not None]
        if days and end.sunset - max(days) < NOTICE:
            phrase = f"goes away on {end.sunset}, less than {NOTICE.days} days after the notice"
            yield spot.report("sunset-too-near", Severity.WARNING, phrase)


def _moved(
    before: Lifecycle, after: Lifecycle, spot: Spot, today: date | None
) -> Iterator[ContractChange]:
    if before.sunset is None:
        if after.sunset is not None:
            yield spot.report("sunset-added", Severity.INFO, f"goes away on {after.sunset}")
            yield from _notice(after, spot, today)
        elif after.sunset_is_unreadable and not before.sunset_is_unreadable:
            yield from _notice(after, spot, today)
    elif after.sunset is None:
        phrase = f"no longer says when it goes away (it was {before.sunset})"
        yield spot.report("sunset-removed", Severity.WARNING, phrase)
    elif after.sunset != before.sunset:
        phrase = f"goes away on {after.sunset} instead of {before.sunset}"
        if after.sunset > before.sunset:
            yield spot.report("sunset-moved-later", Severity.INFO, phrase)
        else:
            yield spot.report("sunset-moved-earlier", Severity.BREAKING, phrase)


def removed(
    old: Node, spot: Spot, *, today: date | None, otherwise: ContractChange | None = None
) -> ContractChange:
    """Return the removal of an element, with a severity that depends on its notice.

    `otherwise` is what a removal without any notice is; left out, it breaks. Without `today` no
    sunset counts as passed.
    """
    end = Lifecycle.of(old)
    if not end.deprecated:
        phrase = "was removed without having been deprecated"
        return otherwise or spot.report("removed-without-deprecation", Severity.BREAKING, phrase)
    if end.sunset is None:
        phrase = "was removed; it was deprecated, but no day was named"
        return otherwise or spot.report("removed-without-sunset", Severity.BREAKING, phrase)
    if not end.is_over(today):
        phrase = f"was removed before its sunset on {end.sunset}"
        return spot.report("removed-before-sunset", Severity.BREAKING, phrase)
    phrase = f"was removed after its sunset on {end.sunset}"
    return spot.report("removed-after-sunset", Severity.WARNING, phrase)


def read_date(value: Any) -> date | None:
    """Return a day as the contract writes it, `YYYY-MM-DD`; None where it is none.

    YAML reads such text as a date of its own accord, JSON as text: both are taken.
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        return None
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return None
    return day if day.isoformat() == value else None  # 20270101 and weeks are read too
