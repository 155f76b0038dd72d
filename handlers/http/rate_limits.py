"""Rate limits of single operations: a request is counted, and refused when it is one too many."""

from collections.abc import Sequence
from datetime import timedelta

from starlette.types import Scope

from handlers.context import Context
from handlers.http.client_ip import client_bucket
from handlers.http.outcome import OUTCOME
from handlers.http.refusals import RateLimited
from storage.people.throttle import Limit, RateLimitState, hit_all

THROTTLED = "request_source"
WINDOW_NAMES = {60: "minute", 3600: "hour", 86400: "day"}
WEBHOOK_CHANGES = (Limit(30, timedelta(minutes=1)), Limit(500, timedelta(days=1)))


def count_request(services: Context, name: str, limits: Sequence[Limit]) -> dict[str, str]:
    """Count a request under a name; return the RateLimit headers. Raises RateLimited.

    It is counted in a transaction of its own, so that a refusal is counted, too.
    """
    with services.db.write() as session:
        states = hit_all(session, name, limits, now=services.now())
    headers = rate_headers(states)
    if not states[-1].admitted:
        raise RateLimited(states[-1].resets_in, headers)
    return headers


def throttle(scope: Scope, services: Context) -> None:
    """Count a request, and add RateLimit headers to its response. Raises RateLimited."""
    name = f"{THROTTLED}/{client_bucket(scope, services.trusted_proxies)}"
    scope[OUTCOME].headers.update(count_request(services, name, services.request_limits))


def count_webhook_change(services: Context, account_id: int) -> dict[str, str]:
    """Count a change of an account's webhooks, on pages and in the API. Raises RateLimited."""
    return count_request(services, f"webhooks/{account_id}", WEBHOOK_CHANGES)


def rate_headers(states: Sequence[RateLimitState]) -> dict[str, str]:
    """Return RateLimit and RateLimit-Policy (draft-ietf-httpapi-ratelimit-headers)."""
    windows = [int(state.limit.window.total_seconds()) for state in states]
    policy, left = [], []
    for window, state in zip(windows, states, strict=True):
        name = WINDOW_NAMES.get(window, f"{window}s")
        policy.append(f'"{name}";q={state.limit.hits};w={window}')
        left.append(f'"{name}";r={state.remaining};t={int(state.resets_in.total_seconds())}')
    return {"RateLimit-Policy": ", ".join(policy), "RateLimit": ", ".join(left)}
