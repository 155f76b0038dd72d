"""Why an upgrade plan is incomplete."""

from enum import StrEnum


class UpgradeReason(StrEnum):
    """Gaps in the data on a part between two versions."""

    NO_SOURCE = "no_source"
    BEING_LOOKED_UP = "being_looked_up"
    LIMIT_REACHED = "limit_reached"
    NOT_A_PACKAGE = "not_a_package"
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
