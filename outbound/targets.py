"""Check the addresses of webhooks, which customers enter: TLS unless the operator allows more.

The text is checked when it is entered and before each message, whether the host is public on the
network address at every connection (``outbound.guard``).
"""

from collections.abc import Sequence
from ipaddress import ip_address
from typing import Final

import httpx2

from outbound.guard import Address, AddressPolicy, AddressRefused, Network
from outbound.transport import check_url

LONGEST_NAME, LONGEST_LABEL = 253, 63  # characters, RFC 1035 section 2.3.4, without the last dot
TLS_PORTS: Final = frozenset({443, 8443})


def tls_policy(allow: Sequence[Network]) -> AddressPolicy:
    """Return the policy of https: public addresses and the allowed networks."""
    return AddressPolicy(tuple(allow), TLS_PORTS)


def plain_policy(allow: Sequence[Network]) -> AddressPolicy:
    """Return the policy of http: the allowed networks only."""
    return AddressPolicy(tuple(allow), frozenset())


def check_target(text: str, *, allow: Sequence[Network]) -> httpx2.URL:
    """Return the URL of a webhook. Raises AddressRefused.

    A host that is a network address is checked here, a name when it is resolved.
    """
    url = check_url(text)
    if url.scheme != "https" and not allow:
        raise AddressRefused("The address has to begin with https://.")
    host = _literal_address(url.host)
    if host is None:
        _check_name(url.host.removesuffix("."))
    else:
        policy = tls_policy(allow) if url.scheme == "https" else plain_policy(allow)
        policy.check(host, url.port or (443 if url.scheme == "https" else 80))
    return url


def check_webhook_url(text: str, *, allow: Sequence[Network]) -> httpx2.URL:
    """Return the URL of a webhook that its owner enters. Raises AddressRefused.

    Besides ``check_target`` its port has to be one of TLS, wherever its name may lead.
    """
    url = check_target(text, allow=allow)
    if not allow and url.port not in {None, *TLS_PORTS}:
        raise AddressRefused("Its port has to be 443 or 8443.")
    return url


def _check_name(name: str) -> None:
    """Raise AddressRefused for a name that DNS cannot hold."""
    labels = name.split(".")
    if len(name) > LONGEST_NAME or not all(0 < len(label) <= LONGEST_LABEL for label in labels):
        raise AddressRefused("Its host is not a valid name.")


def _literal_address(host: str) -> Address | None:
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None
