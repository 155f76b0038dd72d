"""Texts for people and of vendors: counted, cut, on one line, and what may be linked. Pure."""

import re
from typing import Final
from urllib.parse import urlsplit

LONGEST_LINE: Final = 240
LONGEST_HEADING: Final = 200
"""Characters. Some vendors write a whole text into one line behind a ``## ``."""
_KEPT: Final = "\n\u200c\u200d"  # unseen, but needed: line breaks and joiners
_MARKS: Final = (("## ", "heading"), ("- ", "list"))
# What XML 1.0 (section 2.2) and iCalendar (RFC 5545 section 3.1) cannot carry; lone surrogates.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun; ``many`` is ``one`` with an s by default.

    From a thousand on the digits stand as they are in JSON, without a comma.
    """
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def shortened(text: str, longest: int) -> str:
    """Return a text of at most so many characters; an ellipsis ends one that was cut."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def readable(text: str) -> str:
    """Return a text with a space for each character that cannot be seen.

    Line breaks stay, and so do the joiners that emoji, Persian and Indic scripts need.
    """
    return "".join(char if char.isprintable() or char in _KEPT else " " for char in text)


def joined(text: str) -> str:
    """Return a text on one line, with all of its characters but line breaks and double blanks."""
    return " ".join(text.split())


def one_line(text: str) -> str:
    """Return a text on one line, without characters that cannot be seen or written."""
    return joined(readable(text))


def without_marks(line: str) -> str:
    """Return a line without its marks of headings, lists and bold words."""
    return joined(line.lstrip("#- ").replace("**", ""))


def cut(text: str, longest: int = LONGEST_LINE) -> str:
    """Return a text as one line, truncated after a word."""
    line = joined(text)
    if len(line) <= longest:
        return line
    return f"{line[:longest].rpartition(' ')[0] or line[:longest]} …"


def kind_of(line: str) -> tuple[str, str]:
    """Return the kind of a line of an entry's plain text, and its text without the mark."""
    for mark, kind in _MARKS:
        if line.startswith(mark):
            words = line.removeprefix(mark).lstrip()
            is_text = kind == "heading" and len(words) > LONGEST_HEADING
            return "paragraph" if is_text else kind, words
    return "paragraph", line


def writable(text: str) -> str:
    """Return a text without the characters that no feed can carry."""
    return _UNWRITABLE.sub("", text)


def web_link(url: str | None) -> str | None:
    """Return an address that may be linked: http or https, else None."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    return url if parts.scheme.lower() in ("http", "https") and parts.netloc else None
