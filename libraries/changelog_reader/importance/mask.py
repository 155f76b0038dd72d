"""The mask over what is quoted rather than said: addresses, code and quotations.

"No longer logs `X is deprecated`" says nothing about a deprecation. Hidden stretches
keep their length, so an offset in the masked text is an offset in the original.
Every pattern is bounded, so the time is linear in the length of the text.
"""

import re

FILLER = "\x00"  # never in an entry: ingestion removes control characters

_ADDRESS = r"""https?://[^\s<>"')\]]{1,2000}"""
_QUOTATIONS = r"""
      `{1,3}[^`\n]{0,300}`{1,3}            # code
    | "[^"\n]{1,200}" | “[^”\n]{1,200}”    # a quotation
    | «[^»\n]{1,200}» | „[^“”\n]{1,200}[“”]
    """
_MARKS = ("`", '"', "“", "«", "„")  # what a quotation opens with
# Most texts have no address: a search for quotations alone skips from mark to mark.
_QUOTED = re.compile(_QUOTATIONS, re.VERBOSE)
_QUOTED_OR_ADDRESS = re.compile(f"{_ADDRESS}|{_QUOTATIONS}", re.VERBOSE)


_SAID = re.compile(  # in code, and said all the same: the number of an advisory, a day
    r"`(?:(?:CVE|GHSA|RHSA|USN|ALAS)[\w:-]{4,40}|20\d\d-\d\d-\d\d(?:T[\d:.]{4,12}Z?)?"
    r"|(?:\d{1,2} )?[A-Z][a-z]{2,8}\.?(?: \d{1,2},?)? 20\d\d|Q[1-4] 20\d\d)`",
    re.IGNORECASE,
)


def fold(text: str) -> str:
    """Return the text in lower case and on one line, character for character.

    Patterns are written in lower case and searched here: that is much faster than
    searching in any case. Only one letter becomes longer in lower case.
    """
    return text.replace("\n", " ").replace("İ", "I").lower()


def mask(text: str) -> str:
    """Return the text with every quoted stretch replaced by as much filler."""
    if "://" in text:
        hidden = _QUOTED_OR_ADDRESS
    elif any(map(text.__contains__, _MARKS)):
        hidden = _QUOTED
    else:
        return text
    return hidden.sub(_hide, text)


def _hide(quoted: re.Match[str]) -> str:
    """Return as much filler as a quotation is long; an advisory or a day is no quotation."""
    return quoted[0] if _SAID.fullmatch(quoted[0]) else FILLER * len(quoted[0])
