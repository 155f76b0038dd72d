"""Links as vendors write them, made absolute and safe to publish."""

import re
from typing import Final
from urllib.parse import SplitResult, quote, urljoin, urlsplit, urlunsplit

URL_LIMIT: Final = 4_096
"""Characters of a link; a longer one is dropped."""

_URI: Final = re.compile(
    r"https?://[\w.~:\[\]-]+(?:/(?:[\w/!$&'()*+,;=:@.~-]|%[0-9a-f]{2})*)?"
    r"(?:\?(?:[\w/?!$&'()*+,;=:@.~-]|%[0-9a-f]{2})*)?"
    r"(?:#(?:[\w/?!$&'()*+,;=:@.~-]|%[0-9a-f]{2})*)?",
    re.ASCII | re.IGNORECASE,
)
# A host name without a port, and only characters that need no encoding: returned unchanged.
_USUAL: Final = re.compile(
    r"https?://[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/(?:[\w/!$&'()*+,;=:@.~-]|%[0-9a-fA-F]{2})*)?"
    r"(?:\?(?:[\w/?!$&'()*+,;=:@.~-]|%[0-9a-fA-F]{2})*)?"
    r"(?:#(?:[\w/?!$&'()*+,;=:@.~-]|%[0-9a-fA-F]{2})*)?",
    re.ASCII,
)
_LINE_END: Final = re.compile(r"[\t\r\n]")
_HOST: Final = re.compile(r"[a-z0-9_~.-]+|\[[0-9a-f:.]+\]", re.IGNORECASE)
_PORT: Final = re.compile(r"[0-9]{0,5}")
_CONTROL: Final = re.compile("[\x00-\x1f\x7f-\x9f]")
_STRAY_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PLAIN: Final = "/!$&'()*+,;=:@-._~%"


def safe_url(url: str | None, *, base: str | None) -> str | None:
    """Return an absolute http or https link, or None.

    The link stays as written, tracking parameters too; characters that a URI cannot hold
    (RFC 3986 §2) are percent-encoded. Refused: other schemes, credentials, a missing
    host, control characters, anything longer than URL_LIMIT.
    """
    link = _LINE_END.sub("", (url or "").strip())
    if len(link) <= URL_LIMIT and _USUAL.fullmatch(link):
        return link
    if not link or len(link) > URL_LIMIT or _CONTROL.search(link):
        return None
    try:
        if base and not urlsplit(link).scheme:
            link = urljoin(base, link)
        parts = urlsplit(link)
        netloc = _netloc(parts)
    except ValueError:  # an invalid bracket, port or host label
        return None
    if parts.scheme not in {"http", "https"} or netloc is None:
        return None
    if _URI.fullmatch(link):
        return link
    path, query, fragment = (
        quote(_STRAY_PERCENT.sub("%25", part), safe=_PLAIN + more, errors="replace")
        for part, more in ((parts.path, ""), (parts.query, "?"), (parts.fragment, "?"))
    )
    return urlunsplit((parts.scheme, netloc, path, query, fragment))


def _netloc(parts: SplitResult) -> str | None:
    """Return host and port in ASCII; None when there are credentials or there is no host."""
    host, colon, port = parts.netloc.partition(":")
    if parts.netloc.startswith("["):
        host, bracket, port = parts.netloc.partition("]")
        host, colon, port = host + bracket, port[:1], port[1:]
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    if not _HOST.fullmatch(host) or not _PORT.fullmatch(port) or int(port or 0) > 65_535:
        return None
    return host + colon + port
