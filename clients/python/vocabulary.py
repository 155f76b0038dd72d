"""The enumerations of the contract that the client uses, for its own wheel.

A test holds them equal to `openapi.vocabulary`.
"""

from enum import StrEnum


class AdapterType(StrEnum):
    """How a source is read (specification 2.1)."""

    RSS = "rss"
    ATOM = "atom"
    HTML = "html"
    GITHUB_RELEASES = "github_releases"


class Category(StrEnum):
    """Why an entry is important (specification 4.5)."""

    BREAKING = "breaking"
    DEPRECATION = "deprecation"
    SECURITY = "security"


class Plan(StrEnum):
    """Plans of an account (specification 5.8)."""

    FREE = "free"
    STARTER = "starter"
    ALL = "all"


class SearchOrder(StrEnum):
    """The order of what is found. Relevance: by where its words are, then the newest first."""

    DATE = "date"
    RELEVANCE = "relevance"


class ErrorCode(StrEnum):
    """Every machine-readable error code."""

    INVALID_REQUEST = "invalid_request"
    UNAUTHORIZED = "unauthorized"
    ADDON_REQUIRED = "addon_required"
    INSUFFICIENT_SCOPE = "insufficient_scope"
    PLAN_LIMIT_EXCEEDED = "plan_limit_exceeded"
    SOURCE_NOT_SELECTED = "source_not_selected"
    ADDRESS_REFUSED = "address_refused"
    WEBHOOK_DISABLED = "webhook_disabled"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE = "unsupported_media_type"
    RATE_LIMITED = "rate_limited"
    INTERNAL_ERROR = "internal_error"
    UNAVAILABLE = "unavailable"
