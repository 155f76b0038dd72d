"""Equivalence of urls: whether two spellings are the same address. Pure."""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

from changelog_reader.snapshots.normalise import names_visitor

_FEW_URLS: Final = 20


class UrlSet:
    """A set of urls, compared in their canonical form; a cheap test excludes most others."""

    def __init__(self, urls: Iterable[str | None]) -> None:
        present = [url for url in urls if url is not None]
        self._canonical = {canonical_url(url) for url in present}
        self._paths = {_path(url) for url in present} if len(present) <= _FEW_URLS else {""}

    def canonical(self, url: str | None) -> str | None:
        """Return the canonical form of a url; None when it is not among these."""
        if url is None:
            return None
        is_plain = "%" not in url and url.isprintable()
        if is_plain and not any(path in url for path in self._paths):
            return None
        canonical = canonical_url(url)
        return canonical if canonical in self._canonical else None


def same_address(first: str | None, second: str | None) -> bool:
    """Tell whether two urls are the same address."""
    return first == second or canonical_url(first) == canonical_url(second)


def canonical_url(url: str | None) -> str | None:
    """Return the canonical form of a url, the same for all spellings of an address.

    Scheme, case of the host, percent-encoding, a trailing slash and tracking parameters are
    ignored; the fragment is kept.
    """
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    query = parse_qsl(parts.query, True) if parts.query else []
    parameters = [pair for pair in query if not names_visitor(pair[0])]
    path = unquote(parts.path).rstrip("/")
    return f"{parts.netloc.lower()}{path}?{urlencode(parameters)}#{unquote(parts.fragment)}"


def _path(url: str) -> str:
    """Return the decoded path, which every unencoded url of the same address contains."""
    try:
        return unquote(urlsplit(url).path).rstrip("/")
    except ValueError:
        return ""


def spellings(url: str) -> Iterator[str]:
    """Yield the url as it may have been stored before the vendor changed how it is written."""
    scheme, colon, address = url.partition(":")
    for spelled in (scheme, "https" if scheme == "http" else "http"):
        yield f"{spelled}{colon}{address}"
        yield f"{spelled}{colon}{address.rstrip('/') if address.endswith('/') else address + '/'}"
        yield f"{spelled}{colon}{unquote(address)}"
