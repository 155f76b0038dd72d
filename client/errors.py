"""The exceptions of the client: one class for each code of the contract.

* ChangewireError
  + KeyMissing              the client has no key, and the call needs one
  + InvalidCall             the call cannot be sent; it is a ValueError, too
  + UnknownSource           the catalog has no such source
  + Unreachable             no response: name, connection, certificate or time-out
  + UnexpectedAnswer        a response that is not this API's
  + ApiError                the API returned an error
    - InvalidRequest        400 invalid_request
    - Unauthorized          401 unauthorized
    - AddonRequired         402 addon_required
    - Forbidden             403
      * InsufficientScope       insufficient_scope
      * PlanLimitExceeded       plan_limit_exceeded
      * SourceNotSelected       source_not_selected
      * AddressRefused          address_refused
      * WebhookDisabled         webhook_disabled
    - NotFound              404 not_found
    - MethodNotAllowed      405 method_not_allowed
    - PayloadTooLarge       413 payload_too_large
    - UnsupportedMediaType  415 unsupported_media_type
    - RateLimited           429 rate_limited
    - InternalError         500 internal_error
    - Unavailable           503 unavailable
"""

from datetime import timedelta
from types import MappingProxyType

from openapi.vocabulary import ErrorCode


class ChangewireError(Exception):
    """The base of all exceptions of a call. ``hint`` says what to do, if that is known."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """The message, and what to do about it."""
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

    ``code`` is one of the contract's codes, ``status`` the HTTP status, ``request_id`` names the
    request in the service's log, ``retry_after`` is how long the API asked to wait.
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
    """The contract refuses a parameter or the body."""


class Unauthorized(ApiError):
    """The key is missing, wrong, expired or revoked."""


class AddonRequired(ApiError):
    """The account lacks the Diff API add-on, or the All plan it needs."""


class Forbidden(ApiError):
    """The key is valid but not enough."""


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
    """The path does not exist: the client's address is not an API's, most likely."""


class MethodNotAllowed(ApiError):
    """The path has other methods."""


class PayloadTooLarge(ApiError):
    """The body is larger than the service takes."""


class UnsupportedMediaType(ApiError):
    """The body is in another format than the service takes."""


class RateLimited(ApiError):
    """Too many requests; ``retry_after`` says when to come back."""


class InternalError(ApiError):
    """A fault of the service; quote ``request_id`` when you report it."""


class Unavailable(ApiError):
    """The service cannot answer for now."""


ERRORS: MappingProxyType[str, type[ApiError]] = MappingProxyType(
    {
        ErrorCode.INVALID_REQUEST: InvalidRequest,
        ErrorCode.UNAUTHORIZED: Unauthorized,
        ErrorCode.ADDON_REQUIRED: AddonRequired,
        ErrorCode.INSUFFICIENT_SCOPE: InsufficientScope,
        ErrorCode.PLAN_LIMIT_EXCEEDED: PlanLimitExceeded,
        ErrorCode.SOURCE_NOT_SELECTED: SourceNotSelected,
        ErrorCode.ADDRESS_REFUSED: AddressRefused,
        ErrorCode.WEBHOOK_DISABLED: WebhookDisabled,
        ErrorCode.NOT_FOUND: NotFound,
        ErrorCode.METHOD_NOT_ALLOWED: MethodNotAllowed,
        ErrorCode.PAYLOAD_TOO_LARGE: PayloadTooLarge,
        ErrorCode.UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaType,
        ErrorCode.RATE_LIMITED: RateLimited,
        ErrorCode.INTERNAL_ERROR: InternalError,
        ErrorCode.UNAVAILABLE: Unavailable,
    }
)
"""The exception of each code. A code of a later contract is an ApiError."""
