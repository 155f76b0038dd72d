"""Adapters: one module for each type of source, from bytes to entries.

``PARSER_VERSION`` is raised whenever the same bytes may give other entries, so that unchanged
documents are parsed again and snapshots start anew instead of showing a change of the parser as
one of the vendor's.
"""

from typing import Final

PARSER_VERSION: Final = 5
