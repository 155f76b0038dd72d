"""Does a request that changes something come from a page of this site?

Fetch Metadata first, which no page can forge; else Origin (RFC 6454 section 7). A request with
neither is not from a browser that could be tricked.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})  # RFC 9110 section 9.2.1, without TRACE
OWN = frozenset({"same-origin", "none"})  # "none": the person did it, no page


def is_own_request(
    method: str, *, fetch_site: str | None, origin: str | None, hosts: Collection[str | None]
) -> bool:
    """Return whether a request may change state.

    ``fetch_site`` and ``origin`` are the headers Sec-Fetch-Site and Origin; ``hosts`` the names,
    with ports, that this site has, in lower case.
    """
    if method in SAFE_METHODS:
        return True
    if fetch_site is not None:
        return fetch_site in OWN
    if origin is None:
        return True
    host = host_of(origin)
    return host is not None and host in hosts


def host_of(address: str) -> str | None:
    """Return the host, with its port if it names one, of an http or https address."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return parts.netloc.lower() or None if parts.scheme in ("http", "https") else None


def is_https(site_url: str) -> bool:
    """Return whether the site is published under https."""
    return urlsplit(site_url).scheme == "https"
