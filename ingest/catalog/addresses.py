"""Which addresses a catalog accepts: http or https, public in form, and valid URIs."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from openapi.vocabulary import AdapterType

ADDRESS_LIMIT = 2048
"""The most characters an address has."""

HOST_LIMIT = 253
"""The most characters a name of a host has (RFC 1035 section 2.3.4, without the last dot)."""

_PATH_CHARACTER = r"(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})"
_URI = re.compile(
    r"https?://(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?"
    rf"(?:/{_PATH_CHARACTER}*)?"
    rf"(?:\?(?:{_PATH_CHARACTER}|\?)*)?"
    rf"(?:#(?:{_PATH_CHARACTER}|\?)*)?",
    re.IGNORECASE,
)
"""The http URIs of RFC 3986 §3 without user information; match in full."""

_RELEASES = re.compile(r"https://github\.com/[A-Za-z0-9-]{1,39}/[A-Za-z0-9._-]{1,100}/releases")
"""The page of a repository's releases; match in full. Its feed is the same and ``.atom``."""


def address_fault(address: str) -> str | None:
    """Return what is wrong with an address, as the end of a sentence, or None.

    The contract calls addresses URIs (RFC 3986), which are ASCII; user information is
    refused because it would be published or logged.
    """
    if len(address) > ADDRESS_LIMIT:
        return f"is longer than {ADDRESS_LIMIT} characters; shorten it"
    if not address.isprintable() or " " in address:
        return "holds spaces or control characters; percent-encode or remove them"
    if not address.lower().startswith(("http://", "https://")):
        return "does not start with http:// or https://; write the full address"
    return _uri_fault(address)


def _uri_fault(address: str) -> str | None:
    """Return what is wrong with an address that starts as one of http or https does."""
    try:
        parts = urlsplit(address)
        has_host = 0 < len(parts.hostname or "") <= HOST_LIMIT and parts.port != 0
    except ValueError:
        return "cannot be parsed; correct its host and port"
    if parts.username is not None or parts.password is not None:
        return "holds a user name or password; remove them"
    if not has_host:
        return "names no host or an impossible port; correct them"
    if _URI.fullmatch(address) is None:
        return "is not a valid URI; percent-encode the characters a URI may not hold"
    return None


def shape_faults(adapter: AdapterType, changelog_url: str, feed_url: str) -> Iterator[str]:
    """Yield how a row's addresses disagree with its adapter, as sentences.

    ``feed_url`` is empty where the cell is.
    """
    match adapter:
        case AdapterType.HTML:
            if feed_url:
                yield "An html row reads its page; leave feed_url empty or choose rss or atom."
        case AdapterType.RSS | AdapterType.ATOM:
            if not feed_url:
                yield f"feed_url is empty; an {adapter} row needs the address of its feed."
            elif _page(changelog_url) == _page(feed_url):
                yield (
                    "The changelog is the feed, whose address is never published;"
                    " give the page people read."
                )
        case AdapterType.GITHUB_RELEASES:
            if _RELEASES.fullmatch(changelog_url) is None or feed_url != f"{changelog_url}.atom":
                yield (
                    "The addresses of a github_releases row are"
                    " https://github.com/OWNER/REPOSITORY/releases as changelog_url"
                    " and the same followed by .atom as feed_url; write them so."
                )


def _page(address: str) -> str:
    """Return an address without what is another way to write the same page."""
    return address.partition("://")[2].rstrip("/")
