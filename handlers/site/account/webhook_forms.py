"""Validation of the forms of webhooks and digests. Pure."""

from collections.abc import Mapping, Sequence
from typing import Final

from handlers.context import Network
from handlers.site.forms import WrongForm, form_name
from openapi.vocabulary import WebhookFormat
from outbound.guard import AddressRefused
from outbound.targets import check_webhook_url
from storage.models import Digest, Webhook
from storage.models.webhooks import DigestFrequency

EVERYTHING: Final = "account"  # the choice that is no key
ALL: Final = "all"
IMPORTANT: Final = "important"
OFF: Final = "off"
NO_FILTER: Final = ""


def parse_webhook_form(
    form: Mapping[str, str],
    *,
    keys: Mapping[str, int],
    filters: Mapping[str, int],
    allow: Sequence[Network],
) -> Webhook:
    """Return the settings of a submitted webhook. Raises WrongForm.

    ``keys`` and ``filters`` are those that may be chosen.
    """
    name = form_name("webhook", form.get("name", ""))
    try:
        url = check_webhook_url(form.get("url", "").strip(), allow=allow)
    except AddressRefused as error:
        raise WrongForm(f"Nothing can be sent to this address. {error}") from error
    chosen, events = form.get("selection", EVERYTHING), form.get("events", ALL)
    if chosen != EVERYTHING and chosen not in keys:
        raise WrongForm("Choose one of the offered selections.")
    if events not in (ALL, IMPORTANT):
        raise WrongForm("Choose all entries or important ones.")
    format_ = form.get("format", WebhookFormat.PLAIN)
    if format_ not in set(WebhookFormat):
        raise WrongForm("Choose one of the offered formats.")
    filter_id = _chosen_filter(form, filters)
    important = events == IMPORTANT
    return Webhook(
        name=name,
        url=str(url),
        key_id=keys.get(chosen),
        only_important=important,
        filter_id=filter_id,
        format=WebhookFormat(format_),
    )


def parse_digest_form(form: Mapping[str, str], *, filters: Mapping[str, int]) -> Digest | None:
    """Return the settings of a submitted digest; None when there is to be none. Raises WrongForm.

    ``filters`` are those that may be chosen.
    """
    frequency, hour = form.get("frequency", OFF), form.get("hour", "")
    events = form.get("events", ALL)
    if frequency == OFF:
        return None
    if frequency not in set(DigestFrequency) or events not in (ALL, IMPORTANT):
        raise WrongForm("Choose one of the offered digests.")
    if hour not in {str(number) for number in range(24)}:
        raise WrongForm("Choose one of the offered hours.")
    filter_id = _chosen_filter(form, filters)
    return Digest(
        frequency=DigestFrequency(frequency),
        hour=int(hour),
        only_important=events == IMPORTANT,
        filter_id=filter_id,
    )


def _chosen_filter(form: Mapping[str, str], filters: Mapping[str, int]) -> int | None:
    chosen = form.get("filter", NO_FILTER)
    if chosen != NO_FILTER and chosen not in filters:
        raise WrongForm("Choose one of your saved filters, or none.")
    return filters.get(chosen)
