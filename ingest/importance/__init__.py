"""Why an entry is important: breaking changes, deprecations, security fixes, deadlines.

Pure: no network, no database, no clock. ``docs/importance.md`` has the figures.
"""

from ingest.importance.classify import IMPORTANCE_VERSION, classify
from ingest.importance.results import Deadline, Evidence, Importance, Quote
from openapi.vocabulary import DeadlineKind

__all__ = [
    "IMPORTANCE_VERSION",
    "Deadline",
    "DeadlineKind",
    "Evidence",
    "Importance",
    "Quote",
    "classify",
]
