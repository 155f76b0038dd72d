"""The services that the handlers of one application share."""

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final, TypeAlias

from handlers.majors import Major, shipped_major
from handlers.waiters import Waiters
from openapi.vocabulary import Health
from outbound.mail import Mailer, no_mailer
from package_versions.component import FileParts
from package_versions.read import read_components
from storage.catalog.catalog_items import CatalogItem
from storage.engine.database import Database
from storage.people.throttle import Limit

Judge: TypeAlias = Callable[[CatalogItem, datetime], tuple[Health, str | None]]
"""Gives the health of a source at a time, and the message that goes with it."""
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Offer:
    """The operator's prices and texts. ``currency``: its three letters (ISO 4217).

    ``checkout``: where something is bought, by what it is: the value of a plan, or ``diffs``.
    ``documents``: texts in Markdown by name: terms, privacy, contact.
    """

    currency: str = "USD"
    checkout: Mapping[str, str] = field(default_factory=dict)
    documents: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """The services of an application.

    ``judge`` gives the health of a source; ``now`` is the clock; ``send_mail``
    takes a mail for delivery. ``waiters`` are the requests that wait for something new.
    ``webhook_allow`` are networks that webhooks may reach although they are not public. ``bulk``:
    the folder of the daily file. ``majors``: the versions of the API that the site serves, the one
    that answers first, which is ``major``; ``api_url`` is its public address. ``read_components``
    reads a file of a stranger and raises Unreadable. ``looks_up``: whether names of packages are
    looked up in the package index. ``outbox``: the folder that mails are written to, where only
    this machine reaches the site and no mail is sent.
    """

    db: Database
    now: Callable[[], datetime]
    judge: Judge
    site_url: str
    trusted_proxies: tuple[Network, ...] = ()
    request_limits: tuple[Limit, ...] = field(
        default=(Limit(5, timedelta(minutes=1)), Limit(20, timedelta(days=1)))
    )
    send_mail: Mailer = no_mailer
    waiters: Waiters = field(default_factory=Waiters)
    webhook_allow: tuple[Network, ...] = ()
    bulk: Path = Path()
    majors: tuple[Major, ...] = field(default_factory=lambda: (shipped_major(),))
    offer: Offer = field(default_factory=Offer)
    read_components: Callable[[bytes], FileParts] = read_components
    looks_up: bool = False
    outbox: Path | None = None
    major: Major = field(init=False)
    api_url: str = field(init=False)

    def __post_init__(self) -> None:
        major = self.majors[0]
        object.__setattr__(self, "major", major)
        object.__setattr__(self, "api_url", self.site_url + major.base_path)


current_context: ContextVar[Context] = ContextVar("changewire_context")
context: Final = current_context.get
"""Return the services of the application that answers now."""
