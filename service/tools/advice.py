"""What an agent should do next after an error."""

import re

from client import (
    AddonRequired,
    ApiError,
    ChangewireError,
    InsufficientScope,
    InternalError,
    InvalidCall,
    InvalidRequest,
    KeyMissing,
    PlanLimitExceeded,
    RateLimited,
    SourceNotSelected,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
    UnknownSource,
    Unreachable,
)
from openapi.counts import counted
from service.tools.calls import UnknownEntry, UnknownVendor
from service.tools.membership import SmallerPlan
from service.tools.suggestions import question_in

KEYS, PLANS = "/app/api-keys", "/plans"
_SET_KEY = (
    "Ask the user to make a key at {site}" + KEYS + ", to set CHANGEWIRE_API_KEY to it in the "
    "configuration of this tool server and to restart the server. Do not retry before."
)
NEXT: tuple[tuple[type[Exception], str], ...] = (
    (KeyMissing, _SET_KEY),
    (Unauthorized, _SET_KEY),
    (
        SmallerPlan,
        "Ask the user to get the All plan at {site}" + PLANS + ". Until then the same key works "
        "with the HTTP API and with changewire entries in a terminal.",
    ),
    (
        AddonRequired,
        "Tell the user that diffs need the Diff API add-on ({site}" + PLANS + "). get_entries and "
        "get_important work without it.",
    ),
    (InsufficientScope, "Ask the user for a key with this scope, made at {site}" + KEYS + "."),
    (
        PlanLimitExceeded,
        "Ask for fewer sources, or tell the user to select fewer at {site}" + KEYS + ".",
    ),
    (SourceNotSelected, "Find the right slug with search_sources and use it exactly."),
    (UnknownEntry, "Find the id with get_entries or search_entries and use it exactly."),
    (UnknownVendor, "Find a source of the vendor with search_sources and use its vendor exactly."),
    (UnknownSource, "Find the right slug with search_sources and use it exactly."),
    (RateLimited, "Wait {wait}, then call again once."),
    (InvalidCall, "Name fewer values and call again."),
    (InvalidRequest, "Correct the arguments and call again."),
    (Unavailable, "Wait {wait}, then call again once; after that tell the user."),
    (InternalError, "Tell the user and quote the request id {request_id}."),
    (UnexpectedAnswer, "Ask the user to check CHANGEWIRE_API_URL, now {site}."),
    (Unreachable, "Ask the user whether CHANGEWIRE_API_URL is right and the service runs: {site}."),
)


def next_step(error: Exception, *, site: str) -> str:
    """Return what to do after an error. ``site``: the address of the service's pages."""
    advice = next((text for kind, text in NEXT if isinstance(error, kind)), "Tell the user.")
    retry_after = error.retry_after if isinstance(error, ApiError) else None
    seconds = 10 if retry_after is None else round(retry_after.total_seconds())
    request_id = error.request_id if isinstance(error, ApiError) else None
    return advice.format(site=site, wait=counted(seconds, "second"), request_id=request_id)


def code_of(error: Exception) -> str:
    """Return the API's code of an error; for one of the client its class name in snake case."""
    if isinstance(error, ApiError):
        return error.code
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(error).__name__).lower()


def error_message(error: ChangewireError | SmallerPlan) -> str:
    """Return what went wrong, in one line, and what may be meant.

    Other hints of the API and the client are about requests and Python: ``next`` replaces them.
    """
    if isinstance(error, SmallerPlan):
        plan = "a smaller plan" if error.plan is None else f"the {error.plan.value.title()} plan"
        return f"The tool interface belongs to the All plan; this key's account is on {plan}."
    return error.message + question_in(error.hint)
