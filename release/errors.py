"""Why a release is not made."""


class NotReleasable(Exception):
    """Raised when a release cannot be made or trusted. The message is one line that says why."""
