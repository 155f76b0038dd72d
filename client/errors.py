"""The exceptions of the client; each code of the contract has a class of its name."""

from collections.abc import Mapping
from datetime import timedelta

from openapi.vocabulary import ErrorCode


class ChangewireError(Exception):
    """The base of all exceptions of a call. ``hint`` says what to do, if that is known."""

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
    """403: the key is valid but not enough."""


class InsufficientScope(Forbidden):
    """The key was made without the scope that the operation needs."""


class PlanLimitExceeded(Forbidden):
    """More than the plan has: sources than slots, or webhooks."""


class SourceNotSelected(Forbidden):
    """A source that is not selected for the key, or not in the catalog."""


class AddressRefused(Forbidden):
    """An address that no webhook can send to."""


class WebhookDisabled(Forbidden):
    """A webhook that is switched off."""


class NotFound(ApiError):
    """404: the path does not exist; most likely the client's address is not an API's."""


class MethodNotAllowed(ApiError):
    """405: the path has other methods."""


class PayloadTooLarge(ApiError):
    """413: the body is larger than the service takes."""


class UnsupportedMediaType(ApiError):
    """415: the body is in another format than the service takes."""


class RateLimited(ApiError):
    """429: too many requests; ``retry_after`` says when to come back."""


class InternalError(ApiError):
    """500: a fault of the service; quote ``request_id`` when you report it."""


class Unavailable(ApiError):
    """503: the service cannot answer for now."""


ERRORS: Mapping[str, type[ApiError]] = {
    code: globals()[code.title().replace("_", "")] for code in ErrorCode
}
"""The exception of each code. A code of a later contract is an ApiError."""
