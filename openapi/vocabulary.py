"""The contract's enumerations as Python names.

A test holds each of them equal to the enumeration that the contract spells out.
"""

from enum import StrEnum

from changelog_reader.vocabulary import (
    AdapterType,
    Category,
    ChangeOp,
    DeadlineKind,
    FactType,
    Json,
)
from package_versions.upgrade_reason import UpgradeReason

__all__ = [
    "AdapterType",
    "AddressStatus",
    "Category",
    "ChangeKind",
    "ChangeOp",
    "DeadlineKind",
    "ErrorCode",
    "FactType",
    "Health",
    "Json",
    "Kind",
    "Plan",
    "RequestStatus",
    "Scope",
    "SearchOrder",
    "Tier",
    "UpgradeReason",
    "WebhookFormat",
]


class Kind(StrEnum):
    """Kinds of sources (specification 2.1)."""

    CHANGELOG = "changelog"
    WHATS_NEW = "whats_new"
    RELEASE_NOTES = "release_notes"
    UPDATES = "updates"
    BLOG = "blog"


class Tier(StrEnum):
    """Tiers of sources, those most often looked for first."""

    PRODUCT = "product"
    COMPONENT = "component"
    BLOG = "blog"


class AddressStatus(StrEnum):
    """States of the address that a source is read from."""

    UNCONFIRMED = "unconfirmed"
    CONFIRMED = "confirmed"
    MOVED = "moved"
    GONE = "gone"


class Health(StrEnum):
    """How well a source can be followed (specification 3)."""

    HEALTHY = "healthy"
    OK = "ok"
    DEGRADED = "degraded"
    PROBLEMATIC = "problematic"
    UNKNOWN = "unknown"


class Plan(StrEnum):
    """Plans of an account (specification 5.8)."""

    FREE = "free"
    STARTER = "starter"
    ALL = "all"


class Scope(StrEnum):
    """Permissions of a key (specification 5.4)."""

    READ_ENTRIES = "read:entries"
    READ_DIFFS = "read:diffs"
    MANAGE_WEBHOOKS = "manage:webhooks"
    MANAGE_STACKS = "manage:stacks"


class WebhookFormat(StrEnum):
    """Who reads the messages of a webhook: a program, or people in a chat."""

    PLAIN = "plain"
    SLACK = "slack"
    TEAMS = "teams"
    DISCORD = "discord"


class SearchOrder(StrEnum):
    """The order of search results. Relevance: by the field that matches, then newest first."""

    DATE = "date"
    RELEVANCE = "relevance"


class RequestStatus(StrEnum):
    """The status of a source request (specification 3)."""

    PENDING = "pending"
    CHECKING = "checking"
    NEEDS_REVIEW = "needs_review"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"


class ChangeKind(StrEnum):
    """Changes of an entry."""

    NEW = "new"
    EDITED = "edited"
    REMOVED = "removed"


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
