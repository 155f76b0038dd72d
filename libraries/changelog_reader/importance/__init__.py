"""Why an entry is important: breaking changes, deprecations, security fixes, deadlines.

Pure: no network, no database, no clock. ``docs/importance.md`` has the figures.
"""

from changelog_reader.importance.classify import IMPORTANCE_VERSION, classify
from changelog_reader.importance.results import Deadline, Evidence, Importance, Quote
from changelog_reader.vocabulary import DeadlineKind

__all__ = [
    "IMPORTANCE_VERSION",
    "Deadline",
    "DeadlineKind",
    "Evidence",
    "Importance",
    "Quote",
    "classify",
]
