"""Addresses in settings: each check raises ValueError without a part of what may be a password."""

import re
from contextlib import suppress
from email.utils import getaddresses
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Annotated, Final
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr

OFF: Final = "off"
LABEL: Final = re.compile(r"[\w-]{1,63}", re.ASCII)
MAILBOX: Final = re.compile(r"[\w!#$%&'*+/=?^`{|}~.-]{1,64}", re.ASCII)
ENCODE: Final = "percent-encode special characters of a user or password, such as %40 for @"


def ascii_host(host: str) -> str:
    """Return a host as a Host header names it: in IDNA form, IPv6 in brackets.

    Raises ValueError for text that is not a host.
    """
    with suppress(ValueError):
        return f"[{IPv6Address(host.strip('[]'))}]"
    name = host if host.isascii() else host.encode("idna").decode("ascii")
    labels = name.lower().removesuffix(".").split(".")
    if not all(map(LABEL.fullmatch, labels)):
        raise ValueError(f"{host!r} is not a host name such as example.org, without a port")
    return ".".join(labels)


def network_of(text: object) -> IPv4Network | IPv6Network:
    """Return a network, which may be one address."""
    try:
        return ip_network(str(text), strict=False)
    except ValueError:
        raise ValueError(f"{text!r} is not a network such as 10.0.0.0/8") from None


def _split_address(text: str, schemes: tuple[str, str], example: str) -> SplitResult:
    """Split an address and write its host in IDNA form.

    An error contains no part of the address, which may be a password.
    """
    try:
        parts = urlsplit(text)
        host = ascii_host(parts.hostname or "")
        valid = parts.scheme in schemes and parts.port != 0
    except ValueError:
        valid = False
    if not valid:
        raise ValueError(f"must be an address such as {example}; {ENCODE}")
    user, at, _ = parts.netloc.rpartition("@")
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"{user}{at}{host}{port}")


def check_page(text: str) -> str:
    """Return the address of a page with its host in IDNA form."""
    return _split_address(text, ("http", "https"), "https://example.org").geturl()


def check_address(text: str) -> str:
    """Return an address of HTTP without a slash at its end."""
    parts = _split_address(text, ("http", "https"), "https://example.org")
    if parts.query or parts.fragment or "@" in parts.path:
        raise ValueError(f"must be an http or https address without a query; {ENCODE}")
    return parts.geturl().rstrip("/")


def check_index(text: str) -> str:
    """Return the address of a package index, or that there is none."""
    return OFF if text.lower() == OFF else check_address(text)


def check_site(text: str) -> str:
    """Return the address of a site, which is at the root of a host."""
    address = check_address(text)
    if urlsplit(address).path or "@" in address:
        raise ValueError("must have no path and no user: the site is at the root of a host")
    return address


def check_mail_server(address: SecretStr) -> SecretStr:
    """Return the address of a mail server, whose password is percent-encoded."""
    example = "smtp://user:password@host:587"
    parts = _split_address(address.get_secret_value(), ("smtp", "smtps"), example)
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(f"must be an address such as {example}; {ENCODE}")
    return SecretStr(parts.geturl())


def check_sender(text: str) -> str:
    """Return a sender of mails with its domain in IDNA form."""
    addresses = getaddresses([text])
    mailbox, _, domain = addresses[0][1].rpartition("@")
    if len(addresses) != 1 or not MAILBOX.fullmatch(mailbox):
        raise ValueError("must be one mail address such as Changewire <mail@example.org>")
    return text.replace(f"@{domain}", f"@{ascii_host(domain)}")


Address = Annotated[str, AfterValidator(check_address)]
Host = Annotated[str, AfterValidator(ascii_host)]
IndexAddress = Annotated[str, AfterValidator(check_index)]
MailServer = Annotated[SecretStr, AfterValidator(check_mail_server)]
Network = Annotated[IPv4Network | IPv6Network, BeforeValidator(network_of)]
PageAddress = Annotated[str, AfterValidator(check_page)]
Sender = Annotated[str, AfterValidator(check_sender)]
SiteAddress = Annotated[str, AfterValidator(check_site)]
