"""Equivalence of urls: when two spellings are the same address. Pure."""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from ingest.snapshots.normalise import names_visitor

_FEW_PLACES: Final = 20


class Places:
    """A set of addresses to search for. Most other urls are excluded by a cheap test."""

    def __init__(self, urls: Iterable[str | None]) -> None:
        named = [url for url in urls if url is not None]
        self._places = {place_of(url) for url in named}
        self._paths = {_path(url) for url in named} if len(named) <= _FEW_PLACES else {""}

    def of(self, url: str | None) -> str | None:
        """Return the canonical form of a url; None when it is not among these."""
        if url is None:
            return None
        is_plain = "%" not in url and url.isprintable()
        if is_plain and not any(path in url for path in self._paths):
            return None
        place = place_of(url)
        return place if place in self._places else None


def same_place(one: str | None, other: str | None) -> bool:
    """Tell whether two urls lead to the same place."""
    return one == other or place_of(one) == place_of(other)


def place_of(url: str | None) -> str | None:
    """Return the canonical form of a url, the same for all spellings of an address.

    Scheme, case of the host, percent-encoding, a slash at the end and tracking parameters
    tell no two pages apart; a fragment does.
    """
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = parse_qsl(parts.query, True) if parts.query else []
    kept = [pair for pair in query if not names_visitor(pair[0])]
    path = unquote(parts.path).rstrip("/")
    return f"{parts.netloc.lower()}{path}?{urlencode(kept)}#{unquote(parts.fragment)}"


def _path(url: str) -> str:
    """Return what is in every url of the same place as this one that has nothing encoded in it."""
    try:
        return unquote(urlsplit(url).path).rstrip("/")
    except ValueError:
        return ""


def spellings(url: str) -> Iterator[str]:
    """Yield the url as it may have been stored before the vendor changed how it is written."""
    scheme, colon, rest = url.partition(":")
    for spelled in (scheme, "https" if scheme == "http" else "http"):
        yield f"{spelled}{colon}{rest}"
        yield f"{spelled}{colon}{rest.rstrip('/') if rest.endswith('/') else rest + '/'}"
        yield f"{spelled}{colon}{unquote(rest)}"
