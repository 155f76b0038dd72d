"""Web addresses by their text: what no vendor's address has is refused (docs/decisions/0052).

Most addresses are written in their plainest form already: lower-case host, no port or an odd one,
nothing that would have to be escaped. Those are taken as they are. Every other text goes to
httpx2's parser first, and what that makes of it is taken if it is such an address by then.
"""

import re
from dataclasses import dataclass
from typing import Final

from outbound.guard import AddressRefused

LONGEST_URL: Final = 2048
DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NUMBER: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_PLAIN: Final = re.compile(
    rf"(?P<scheme>https?)://"
    rf"(?P<host>(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*|{_NUMBER}(?:\.{_NUMBER}){{3}})"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<target>/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]++|%[0-9A-Fa-f]{2})*)"
)
_PARSED: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-fA-F:.]+\]|[^\[\]/?#@:%\\\s]+)"
    r"(?::(?P<port>[0-9]+))?(?P<target>[/?][!-~]*)?"
)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An http or https address as it is asked. ``str`` gives its text.

    ``host`` has no brackets. ``port`` is None where it is the scheme's own. ``target`` is path and
    query as they were written, only escaped; it may lack the slash that requests begin with.
    """

    scheme: str
    host: str
    port: int | None
    target: str

    def __str__(self) -> str:
        """Return the text of the address."""
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def authority(self) -> str:
        """The host and an odd port, as the Host field says them (RFC 9110 §7.2)."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"

    @property
    def origin(self) -> tuple[str, str, int]:
        """The scheme, the host and the port that is connected to (RFC 6454)."""
        return self.scheme, self.host, self.port or DEFAULT_PORTS[self.scheme]

    @property
    def request_target(self) -> str:
        """The path and query that a request line names (RFC 9112 §3.2.1)."""
        return self.target if self.target.startswith("/") else f"/{self.target}"

    def joined(self, reference: str) -> "WebAddress":
        """Return where a reference in a document from here leads. Raises AddressRefused."""
        import httpx2  # few addresses are relative to others

        try:
            return check_url(str(httpx2.URL(str(self)).join(reference)))
        except (httpx2.InvalidURL, ValueError) as error:
            raise AddressRefused("This is not a web address.") from error


def check_url(text: str) -> WebAddress:
    """Return the address without its fragment if it can be a vendor's.

    Raises AddressRefused. The object returned is the one that is connected to, so that no
    second parser can read the text differently.
    """
    plain = _PLAIN.fullmatch(text) if isinstance(text, str) and len(text) <= LONGEST_URL else None
    address = _normalised(text) if plain is None or "/." in text else _made(plain)
    if address.port == DEFAULT_PORTS[address.scheme]:
        return WebAddress(address.scheme, address.host, None, address.target)
    return address


def _normalised(text: str) -> WebAddress:
    """Read an address that is not written plainly."""
    import httpx2

    try:
        url = httpx2.URL(text)
        if "#" in str(url):
            url = url.copy_with(fragment=None)
    except (httpx2.InvalidURL, ValueError, TypeError) as error:
        raise AddressRefused("This is not a web address.") from error
    if url.scheme not in DEFAULT_PORTS:
        raise AddressRefused("Only http and https addresses are fetched.")
    if url.userinfo:
        raise AddressRefused("An address with credentials in it is not fetched.")
    found = _PARSED.fullmatch(str(url))
    if found is None or len(str(url)) > LONGEST_URL:
        raise AddressRefused("This is not a web address.")
    return _made(found)


def _made(found: re.Match[str]) -> WebAddress:
    scheme, host, port, target = found.group("scheme", "host", "port", "target")
    number = None if port is None else int(port)
    if number is not None and not 0 < number < 65536:
        raise AddressRefused("The port does not exist.")
    return WebAddress(scheme, host.strip("[]"), number, target or "")
