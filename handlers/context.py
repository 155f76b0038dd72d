"""What the handlers of one application share, and what belongs to one request."""

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from ipaddress import IPv4Network, IPv6Network

from handlers.api.source_cache import SourceCache
from handlers.health import HoldsUntil, Judge, not_at_all
from outbound.mail import Mailer, no_mailer
from storage.engine.database import Database
from storage.people.throttle import Limit

Network = IPv4Network | IPv6Network


EXTRA_HEADERS = "changewire.headers"  # the key in an ASGI scope of what inner layers add


@dataclass(frozen=True, slots=True)
class Context:
    """The services of an application.

    ``judge`` and ``holds_until``: see ``handlers.health``; ``now`` is the clock; ``send_mail``
    takes a mail for delivery. ``send_allow`` are networks that webhooks may lead to although they
    are not public. ``source_cache`` has the written items of the catalog.
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
    holds_until: HoldsUntil = not_at_all
    source_cache: SourceCache = field(init=False)

    def __post_init__(self) -> None:
        """Give the application a cache of its own: what it holds is as this judge sees it."""
        object.__setattr__(self, "source_cache", SourceCache(self.judge, self.holds_until))


current_context: ContextVar[Context] = ContextVar("changewire_context")


def context() -> Context:
    """Return the services of the application that answers now."""
    return current_context.get()
