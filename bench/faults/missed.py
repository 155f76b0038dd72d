"""Faults that the suite does not find, each with the reason."""

_SPENT = (
    "The service takes five requests a minute. The suite spends them on what the specification "
    "says of bodies; then the check of media types gets a 429, which is an honest answer, and is "
    "skipped. Where the limit is higher, another-media-type-is-refused finds it."
)

REASONS = {
    "415 as 400": _SPENT,
    "request of any media type is taken": _SPENT,
    "HEAD has a body": (
        "No HTTP server passes such a body on, and no client reads one: it cannot be seen."
    ),
}
