"""Removal of a feed's address, which is never published (specification 2.1)."""

import re
from collections.abc import Iterable
from functools import cached_property
from html import escape
from urllib.parse import urljoin, urlsplit

from changelog_reader.vocabulary import Json

_AFTER_PATH = re.compile(r"[?&<>'\"\\\s]")  # and what markup or JSON escape
_LIKE_ASCII = "\u0130\u0131\u017f\u212a"  # letters that re.IGNORECASE matches with i, s and k
_EMPTY_LINK = re.compile(r' (?:href|src)=""')


class FeedAddresses:
    """The addresses of one feed: where it was fetched, and its own "self" links.

    ``places`` are their hosts, paths and queries.
    """

    def __init__(self, addresses: Iterable[str | None]) -> None:
        places = {place for address in addresses if (place := _place(address))}
        self.places = tuple(sorted(places))
        self._hints = tuple({_folded(_AFTER_PATH.split(place, maxsplit=1)[0]) for place in places})
        is_plain = all(map(str.isascii, places))  # "ß" folds to ASCII
        self._bytes = tuple(hint.encode() for hint in self._hints) if is_plain else ()

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """The pattern of all addresses, compiled on first use: few texts need it."""
        spelled = {form for place in self.places for form in (place, escape(place))}
        longest_first = sorted(spelled, key=len, reverse=True)
        bare = [form for form in longest_first if "/" in form or "?" in form]
        return re.compile(
            f"(?:(?:https?:)?//(?:{_any_of(longest_first)})|(?<![\\w./@-])(?:{_any_of(bare)}))"
            r"/?[?&]*(?![\w/?&=%~+-]|\.\w)",
            re.IGNORECASE,
        )

    def __contains__(self, url: str) -> bool:
        """Return whether a link leads to one of these addresses, or names one."""
        return self.removed_from(url) != url or _place(url) in self.places

    def base_of(self, link: str | None, *, address: str) -> str:
        """Return what relative links are relative to: what the feed links to, else its folder.

        Not its address: a link to ``?page=2`` would say where the feed is.
        """
        return urljoin(address, ".") if link is None or link in self else link

    def removed_from(self, text: str) -> str:
        """Return the text without these addresses; longer addresses below them stay."""
        return self._pattern.sub("", text) if self.may_be_in(text) else text

    def may_be_in(self, text: str) -> bool:
        """Return whether a text may name an address: a fast check before the pattern.

        The text may be JSON.
        """
        if len(self._bytes) == len(self._hints) and not any(map(text.__contains__, _LIKE_ASCII)):
            body = text.encode("utf-8", "surrogatepass").lower()
            return any(map(body.__contains__, self._bytes))
        folded = _folded(text)
        return any(hint in folded for hint in self._hints)

    def removed_from_markup(self, markup: str) -> str:
        """Return clean markup without these addresses and without links to them."""
        cleaned = self.removed_from(markup)
        return cleaned if cleaned == markup else _EMPTY_LINK.sub("", cleaned)

    def removed_from_all(self, value: Json) -> Json:
        """Return JSON without these addresses in any key or text."""
        match value:
            case str():
                return self.removed_from(value)
            case list():
                return [self.removed_from_all(item) for item in value]
            case dict():
                return {
                    self.removed_from(key): self.removed_from_all(inner)
                    for key, inner in value.items()
                }
            case _:
                return value


def _folded(text: str) -> str:
    """Return the text folded as ``re.IGNORECASE`` compares it."""
    if text.isascii():
        return text.lower()
    return text.replace("\u0130", "i").replace("\u0131", "i").casefold()


def _any_of(forms: Iterable[str]) -> str:
    """Return a pattern that finds any of these texts, or nothing where there are none."""
    return "|".join(map(re.escape, forms)) or r"(?!)"


def _place(address: str | None) -> str | None:
    """Return host, path and query, which identify an address without its scheme."""
    try:
        parts = urlsplit((address or "").strip())
    except ValueError:
        return None
    if not parts.netloc:
        return None
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.netloc.lower()}{parts.path.rstrip('/')}{query}"
