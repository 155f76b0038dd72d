"""Failures of commands that are reported by their message, without a traceback.

The command line loads this module when it has to know them (docs/decisions/0076).
"""

from typing import Final

from ingest.catalog import UnreadableCatalog
from service.settings import WrongSettings
from storage.engine.database import DatabaseUnavailable

REPORTED: Final = (DatabaseUnavailable, UnreadableCatalog, WrongSettings)
