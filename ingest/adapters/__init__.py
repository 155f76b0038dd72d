"""One module an adapter type: bytes in, entries out.

``PARSER_VERSION`` is raised whenever the same bytes may give other entries, so that unchanged
documents are read again and snapshots start anew instead of showing a change of ours as one
of the vendor's.
"""

from typing import Final

PARSER_VERSION: Final = 1
