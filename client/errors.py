"""The exceptions of the client, with a class for each code that programs handle."""

from collections.abc import Mapping
from datetime import timedelta


class ChangewireError(Exception):
    """The base of all exceptions of a call. ``hint`` says how to fix the problem, if known."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message} {self.hint}"


class KeyMissing(ChangewireError):
    """The call needs an API key and the client was made without one."""


class InvalidCall(ChangewireError, ValueError):
    """The call cannot be sent, for example because its address would be too long."""


class UnknownSource(ChangewireError):
    """The catalog has no source with this slug."""


class Unreachable(ChangewireError):
    """No response: the name, the connection, the certificate or a time-out."""


class UnexpectedAnswer(ChangewireError):
    """The response is not one of this API, for example a proxy's page."""


class ApiError(ChangewireError):
    """The API returned an error (specification 2.5).

    ``request_id`` names the request in the service's log, ``retry_after`` is the wait it asks for.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        hint: str | None = None,
        request_id: str | None = None,
        retry_after: timedelta | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


class InvalidRequest(ApiError):
    """400: the contract refuses a parameter or the body."""


class Unauthorized(ApiError):
    """401: the key is missing, wrong, expired or revoked."""


class AddonRequired(ApiError):
    """402: the account lacks the Diff API add-on, or the All plan it needs."""


class Forbidden(ApiError):
    """403: the key is valid but not enough; ``code`` says for what."""


class InsufficientScope(Forbidden):
    """The key was made without the scope that the operation needs."""


class SourceNotSelected(Forbidden):
    """The key cannot read the source, or it is not in the catalog."""


class RateLimited(ApiError):
    """429: too many requests; ``retry_after`` says when to come back."""


class Unavailable(ApiError):
    """503: the service cannot answer for now."""


ERRORS: Mapping[str, type[ApiError]] = {
    "invalid_request": InvalidRequest,
    "unauthorized": Unauthorized,
    "addon_required": AddonRequired,
    **dict.fromkeys(("plan_limit_exceeded", "address_refused", "webhook_disabled"), Forbidden),
    "insufficient_scope": InsufficientScope,
    "source_not_selected": SourceNotSelected,
    "rate_limited": RateLimited,
    "unavailable": Unavailable,
}
"""The exceptions by code; every other code is an ApiError."""
