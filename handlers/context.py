"""What the handlers of one application share, and what belongs to one request."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network

from openapi.vocabulary import Health
from outbound.mail import Mailer, no_mailer
from storage.database import Database
from storage.sources import CatalogItem
from storage.throttle import Limit

Judge = Callable[[CatalogItem, datetime], tuple[Health, str | None]]
Network = IPv4Network | IPv6Network


EXTRA_HEADERS = "changewire.headers"  # the key in an ASGI scope of what inner layers add


@dataclass(frozen=True, slots=True)
class Context:
    """The services of an application.

    ``judge`` gives a source's health and the message that goes with it; ``now`` is the clock;
    ``send_mail`` takes a mail for delivery. ``send_allow`` are networks that webhooks may lead to
    although they are not public.
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
    send_allow: tuple[Network, ...] = ()


current_context: ContextVar[Context] = ContextVar("changewire_context")
current_request_id: ContextVar[str] = ContextVar("changewire_request_id")


def context() -> Context:
    """Return the services of the application that answers now."""
    return current_context.get()


def request_id() -> str:
    """Return the id of the request that is answered now."""
    return current_request_id.get("none")
