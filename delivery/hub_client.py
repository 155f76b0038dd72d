"""Requests to hubs: forms, sent as webhooks are, over TLS and to public addresses."""

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from delivery.webhook_client import WebhookClient, WebhookClientClosed
from outbound.addresses import check_url, join_url
from outbound.guard import AddressRefused

MOST_REDIRECTS: Final = 3
STOPPED: Final = "This service was stopped meanwhile."
_REPEATED_ELSEWHERE: Final = frozenset({307, 308})
_FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}


def post_form(
    client: WebhookClient, address: str, fields: Mapping[str, str | Sequence[str]]
) -> str | None:
    """Send a form to a hub; return why it was not taken, None if it was.

    A hub may name another address to send it to (WebSub, section 5.1).
    """
    body = urlencode(fields, doseq=True).encode("ascii")
    try:
        for _ in range(MOST_REDIRECTS + 1):
            result = client.post(address, body, _FORM)
            if result.status not in _REPEATED_ELSEWHERE or not result.location:
                return result.fault
            address = _elsewhere(address, result.location)
    except WebhookClientClosed:
        return STOPPED
    except AddressRefused as error:
        return str(error)
    return "There are too many redirects."


def _elsewhere(address: str, location: str) -> str:
    before = check_url(address)
    after = join_url(before, location)
    if before.scheme == "https" and after.scheme == "http":
        raise AddressRefused("A redirect from https to http is not followed.")
    return str(after)
