"""Hides what is quoted rather than said: addresses, code and quotations.

"No longer logs `X is deprecated`" says nothing about a deprecation. Hidden stretches
keep their length, so an offset in the masked text is an offset in the original.
Every pattern is bounded, so the time is linear in the length of the text.
"""

import re

FILLER = "\x00"  # never in an entry: ingestion removes control characters

_QUOTED = re.compile(
    r"""https?://[^\s<>"')\]]{1,2000}      # an address
    | `{1,3}[^`\n]{0,300}`{1,3}            # code
    | "[^"\n]{1,200}" | “[^”\n]{1,200}”    # a quotation
    | «[^»\n]{1,200}» | „[^“”\n]{1,200}[“”]
    """,
    re.VERBOSE,
)


def fold(text: str) -> str:
    """Return the text in lower case, character for character.

    Patterns are written in lower case and searched here: that is much faster than
    searching in any case. Only one letter becomes longer in lower case.
    """
    return text.replace("İ", "I").lower()


def mask(text: str) -> str:
    """Return the text with every quoted stretch replaced by as much filler."""
    return _QUOTED.sub(lambda found: FILLER * (found.end() - found.start()), text)
