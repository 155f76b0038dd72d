"""Faults that the suite does not find, each with the reason."""

REASONS = {
    "HEAD has a body": (
        "The server in front passes no such body on, and no client reads one: from outside it is "
        "no fault. Where a server does pass it on, the raw request `method: HEAD` shows it."
    ),
}
