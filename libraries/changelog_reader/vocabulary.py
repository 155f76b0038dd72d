"""The words that entries, snapshots and importance are described with."""

from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
ENDS = "table of ends"  # the strategy of entries that are rows of such a table, and no releases


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


class ChangeOp(StrEnum):
    """Changes of an entry or a block between two snapshots."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    ROLLED_OFF = "rolled_off"
    MOVED = "moved"


class FactType(StrEnum):
    """Facts about an entry that the vendor changed without publishing a new one."""

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
    """Kinds of deadlines."""

    REMOVAL = "removal"
    END_OF_SUPPORT = "end_of_support"
    END_OF_LIFE = "end_of_life"
    END_OF_SALE = "end_of_sale"
    MIGRATION = "migration"
