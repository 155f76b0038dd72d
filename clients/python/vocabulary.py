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


class Health(StrEnum):
    """How well a source can be followed (specification 2.1)."""

    HEALTHY = "healthy"
    OK = "ok"
    DEGRADED = "degraded"
    PROBLEMATIC = "problematic"
    UNKNOWN = "unknown"


class SearchOrder(StrEnum):
    """The order of what is found. Relevance: by where its words are, then the newest first."""

    DATE = "date"
    RELEVANCE = "relevance"
