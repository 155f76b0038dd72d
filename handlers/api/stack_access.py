"""Which sources a request about many parts may read, and how often it may be sent."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.rate_limits import count_request
from storage.people.throttle import Limit

UNCOUNTED: Final = 500
"""Parts that cost too little to be counted."""
PER_ACCOUNT: Final = (Limit(60, timedelta(minutes=1)), Limit(5000, timedelta(days=1)))


def count_stack(caller: Caller, body: Mapping[str, Any]) -> None:
    """Count a stack that an account sends, if it costs much. Raises RateLimited."""
    if "file" in body or len(body.get("components", ())) > UNCOUNTED:
        count_request(context(), f"stacks/{caller.account_id}", PER_ACCOUNT)
