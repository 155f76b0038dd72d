"""The contract's enumerations as Python names.

A test holds each of them equal to the enumeration that the contract spells out.
"""

from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


class AdapterType(StrEnum):
    """How a source is read (specification 2.1)."""

    RSS = "rss"
    ATOM = "atom"
    HTML = "html"
    GITHUB_RELEASES = "github_releases"


class Kind(StrEnum):
    """What a source publishes (specification 2.1)."""

    CHANGELOG = "changelog"
    WHATS_NEW = "whats_new"
    RELEASE_NOTES = "release_notes"
    UPDATES = "updates"
    BLOG = "blog"


class Tier(StrEnum):
    """What a source stands for, the likeliest to be looked for first."""

    PRODUCT = "product"
    COMPONENT = "component"
    BLOG = "blog"


class AddressStatus(StrEnum):
    """What is known of the address that a source is read from."""

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
    """What an account has bought (specification 5.8)."""

    FREE = "free"
    STARTER = "starter"
    ALL = "all"


class Scope(StrEnum):
    """What a key may do (specification 5.4)."""

    READ_ENTRIES = "read:entries"
    READ_DIFFS = "read:diffs"
    MANAGE_WEBHOOKS = "manage:webhooks"


class WebhookFormat(StrEnum):
    """Who reads the messages of a webhook: a program, or people in a chat."""

    PLAIN = "plain"
    SLACK = "slack"
    TEAMS = "teams"
    DISCORD = "discord"


class SearchOrder(StrEnum):
    """The order of what is found. Relevance: by where its words are, then the newest first."""

    DATE = "date"
    RELEVANCE = "relevance"


class Category(StrEnum):
    """Why an entry is important (specification 4.5)."""

    BREAKING = "breaking"
    DEPRECATION = "deprecation"
    SECURITY = "security"


class RequestStatus(StrEnum):
    """Where a source request stands (specification 3)."""

    PENDING = "pending"
    CHECKING = "checking"
    NEEDS_REVIEW = "needs_review"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DUPLICATE = "duplicate"


class ChangeKind(StrEnum):
    """What happened to an entry."""

    NEW = "new"
    EDITED = "edited"
    REMOVED = "removed"


class ChangeOp(StrEnum):
    """What happened to an entry or a block between two snapshots."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    ROLLED_OFF = "rolled_off"
    MOVED = "moved"


class FactType(StrEnum):
    """What a vendor did to an entry without publishing a new one."""

    TITLE_CHANGED = "title_changed"
    DATE_MOVED_EARLIER = "date_moved_earlier"
    DATE_MOVED_LATER = "date_moved_later"
    DATE_WITHDRAWN = "date_withdrawn"
    TEXT_SHORTENED = "text_shortened"
    TEXT_LENGTHENED = "text_lengthened"
    LINK_MOVED = "link_moved"
    LINK_WITHDRAWN = "link_withdrawn"
    LABEL_REMOVED = "label_removed"
    LABEL_ADDED = "label_added"
    SEVERITY_WORD_REMOVED = "severity_word_removed"
    SEVERITY_WORD_ADDED = "severity_word_added"
    TAG_MOVED = "tag_moved"
    PRERELEASE_PROMOTED = "prerelease_promoted"
    ENTRY_WITHDRAWN = "entry_withdrawn"
    ENTRY_REISSUED = "entry_reissued"


class DeadlineKind(StrEnum):
    """What happens when a deadline has come."""

    REMOVAL = "removal"
    END_OF_LIFE = "end_of_life"
    MIGRATION = "migration"


class UpgradeReason(StrEnum):
    """What is not known of a part between two versions."""

    NO_SOURCE = "no_source"
    NOT_A_PACKAGE = "not_a_package"
    NOT_SELECTED = "not_selected"
    FROM_NOT_COMPARABLE = "from_not_comparable"
    TO_NOT_COMPARABLE = "to_not_comparable"
    VERSION_NOT_COMPARABLE = "version_not_comparable"
    NO_VERSION = "no_version"
    OTHER_PACKAGE = "other_package"
    NO_RELEASES = "no_releases"
    BEFORE_HISTORY = "before_history"
    AFTER_HISTORY = "after_history"
    NOT_LISTED = "not_listed"
    MISSING_ENTRIES = "missing_entries"
    WITHOUT_NOTES = "without_notes"
    NOT_COMPARED = "not_compared"
    UNREADABLE_FILE = "unreadable_file"
    NOT_READ = "not_read"
    NOT_IDENTIFIED = "not_identified"


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
