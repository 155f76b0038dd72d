"""What clients have spent of their allowances, in this process (docs/decisions/0199)."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from storage.people.throttle import Limit, RateLimitState

UNITS: Final = 60_000
"""What a key or an address may spend a minute: 1,000 ordinary requests a second."""
MOST: Final = 50_000
"""Windows that are kept at a time; the oldest go first."""
HOT: Final = 0.05
"""The share of a quota from which on other processes learn of it; few clients reach it."""


@dataclass(slots=True)
class Window:
    """What was spent since the window opened, and how much of it other processes know of."""

    closes_at: datetime
    spent: int = 0
    reported: int = 0


class Allowances:
    """Windows by name. One is open from the first request in it for as long as its limit says."""

    def __init__(self) -> None:
        self._windows: dict[str, Window] = {}
        self._lock = threading.Lock()  # one process may have several event loops

    def spend(
        self, quotas: Mapping[str, Limit], price: int, *, now: datetime
    ) -> list[RateLimitState]:
        """Spend a price under all of these names, or under none when one has not enough left."""
        with self._lock:
            windows = [self._window(name, limit, now) for name, limit in quotas.items()]
            limits = quotas.values()
            admitted = [
                window.spent + price <= limit.hits
                for window, limit in zip(windows, limits, strict=True)
            ]
            for window in windows if all(admitted) else ():
                window.spent += price
            return [
                RateLimitState(
                    limit, max(0, limit.hits - window.spent), window.closes_at - now, fits
                )
                for window, limit, fits in zip(windows, limits, admitted, strict=True)
            ]

    def _window(self, name: str, limit: Limit, now: datetime) -> Window:
        window = self._windows.get(name)
        if window is None or window.closes_at <= now:
            self._windows.pop(name, None)  # an open window stands behind those that are older
            if len(self._windows) >= MOST:
                del self._windows[next(iter(self._windows))]
            window = self._windows[name] = Window(now + limit.window)
        return window

    def unreported(self, limits: Mapping[str, Limit], *, now: datetime) -> dict[str, int]:
        """Return what busy clients spent that other processes do not know of yet."""
        with self._lock:
            return {
                name: window.spent - window.reported
                for name, window in self._windows.items()
                if window.closes_at > now
                and window.spent > window.reported
                and window.spent >= limits[name.partition("/")[0]].hits * HOT
            }

    def learn(self, name: str, spent: int, closes_at: datetime, *, added: int) -> None:
        """Set what all processes spent; ``added`` of it was reported by this one."""
        with self._lock:
            window = self._windows.get(name)
            if window is not None:
                window.spent = spent + window.spent - window.reported - added
                window.reported, window.closes_at = spent, closes_at


def minutes(units: int) -> Limit:
    """Return an allowance of units a minute."""
    return Limit(units, timedelta(minutes=1))


def quota_headers(states: Mapping[str, RateLimitState]) -> dict[str, str]:
    """Return RateLimit and RateLimit-Policy of allowances by name."""
    return {
        "RateLimit-Policy": ", ".join(
            f'"{name}";q={state.limit.hits};w={int(state.limit.window.total_seconds())}'
            for name, state in states.items()
        ),
        "RateLimit": ", ".join(
            f'"{name}";r={state.remaining};t={int(state.resets_in.total_seconds())}'
            for name, state in states.items()
        ),
    }
