"""Check the text of web addresses and refuse what no vendor's address has (docs/decisions/0020)."""

import re
from typing import Final

import httpx2

from outbound.guard import AddressRefused

LONGEST_URL: Final = 2048
SCHEMES: Final = frozenset({"http", "https"})
_PLAIN: Final = re.compile(
    r"https?://(?:\[[0-9a-fA-F:.]+\]|[^\[\]/?#@:%\\\s]+)(?::[0-9]+)?(?:[/?][!-~]*)?"
)


def check_url(text: str) -> httpx2.URL:
    """Return the URL without its fragment.

    Raises AddressRefused. The client connects to the object returned, so that no second parser
    can read the text differently.
    """
    url = _parse(text)
    if url.scheme not in SCHEMES:
        raise AddressRefused("Only http and https addresses are fetched.")
    if url.userinfo:
        raise AddressRefused("An address with credentials in it is not fetched.")
    if not _PLAIN.fullmatch(str(url)) or max(len(text), len(str(url))) > LONGEST_URL:
        raise AddressRefused("This is not a web address.")
    if url.port is not None and not 0 < url.port < 65536:
        raise AddressRefused("The port does not exist.")
    return url


def join_url(base: httpx2.URL, reference: str) -> httpx2.URL:
    """Resolve a reference in a document at ``base``. Raises AddressRefused."""
    try:
        joined = str(base.join(reference))
    except (httpx2.InvalidURL, ValueError) as error:
        raise AddressRefused("This is not a web address.") from error
    return check_url(joined)


def origin_of(url: httpx2.URL) -> tuple[str, bytes, int | None]:
    """Return scheme, host and port of an address (RFC 6454); the scheme's own port is None."""
    return url.scheme, url.raw_host, url.port


def _parse(text: str) -> httpx2.URL:
    try:
        url = httpx2.URL(text)
        return url.copy_with(fragment=None) if "#" in str(url) else url
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise AddressRefused("This is not a web address.") from error
