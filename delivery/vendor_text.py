"""What vendors wrote, for mails and messages: on one line, as a link that is safe. Pure."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

import orjson

LONGEST_URL: Final = 900  # a mail's line has at most 998 characters


def one_line(text: str) -> str:
    """Return a text on one line, without characters that cannot be seen or written."""
    return " ".join(
        "".join(character if character.isprintable() else " " for character in text).split()
    )


def linkable(url: str | None) -> str | None:
    """Return an address that may stand in a mail as a link: http or https, else None."""
    if url is None or len(url) > LONGEST_URL or not url.isascii() or not url.isprintable():
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    is_web = parts.scheme.lower() in ("http", "https") and bool(parts.netloc)
    return url if is_web and not set(url) & set(' <>"') else None


def categories_of(importance: bytes | None) -> tuple[str, ...]:
    """Return why an entry is important, none if it is not."""
    categories: Sequence[str] = [] if importance is None else orjson.loads(importance)["categories"]
    return tuple(categories)
