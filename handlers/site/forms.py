"""Validation of forms: what is invalid is Refused, and the message says what to change. Pure."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, TypeVar

from handlers.context import Network
from openapi.vocabulary import Scope, WebhookFormat
from outbound.guard import AddressRefused
from outbound.targets import check_webhook_url
from storage.models import Digest, Webhook
from storage.models.webhooks import DigestFrequency
from storage.people.accounts import Refused, name_for

ChoiceT = TypeVar("ChoiceT", bound=StrEnum)
T = TypeVar("T")
EXPIRIES: Final = {"": None, "90": timedelta(days=90), "365": timedelta(days=365)}
EVERYTHING: Final = "account"  # the choice of sources that is not a key
OFF: Final = "off"
LABELS: Final = {"selection": "sources", "expiry": "expiration"}
HOURS: Final = {str(hour): hour for hour in range(24)}
EVENTS: Final = {"all": False, "important": True}


def parse_key_form(
    form: Mapping[str, str], scopes: Sequence[str]
) -> tuple[str, list[Scope], timedelta | None]:
    """Return the name, the scopes and the lifetime of a new key, None of one without an end."""
    clean, expiry = name_for("key", form.get("name", "")), _chosen(form, "expiry", EXPIRIES, "")
    if not scopes or not set(scopes) <= set(Scope):
        raise Refused("Choose at least one permission.")
    return clean, [scope for scope in Scope if scope in scopes], expiry


def parse_offset(text: str | None) -> int:
    """Read where a page of a list starts; 0 for anything invalid."""
    digits = text is not None and text.isascii() and text.isdigit() and len(text) <= 6
    return int(text) if digits and text is not None else 0


def parse_day(text: str | None) -> date | None:
    """Read a day; None for anything else."""
    try:
        return date.fromisoformat(text or "")
    except ValueError:
        return None


def parse_choice(choices: type[ChoiceT], text: str | None) -> ChoiceT | None:
    """Read one of some choices; None for anything else."""
    return choices(text) if text in list(choices) else None


def parse_word(text: str | None, longest: int = 100) -> str | None:
    """Read search words; None if there are none."""
    return " ".join((text or "").replace("\x00", "").split())[:longest] or None


def parse_webhook_form(
    form: Mapping[str, str],
    *,
    keys: Mapping[str, int],
    filters: Mapping[str, int],
    allow: Sequence[Network],
) -> Webhook:
    """Return the settings of a submitted webhook. Raises Refused.

    ``keys`` and ``filters`` are those that may be chosen.
    """
    name = name_for("webhook", form.get("name", ""))
    try:
        url = check_webhook_url(form.get("url", "").strip(), allow=allow)
    except AddressRefused as error:
        raise Refused(f"Messages cannot be sent to this address. {error}") from error
    formats = {each.value: each for each in WebhookFormat}
    return Webhook(
        name=name,
        url=str(url),
        key_id=_chosen(form, "selection", {EVERYTHING: None, **keys}, EVERYTHING),
        only_important=_chosen(form, "events", EVENTS, "all"),
        filter_id=_chosen(form, "filter", {"": None, **filters}, ""),
        format=_chosen(form, "format", formats, WebhookFormat.PLAIN),
    )


def parse_digest_form(form: Mapping[str, str], contents: Mapping[str, int | str]) -> Digest | None:
    """Return the settings of a submitted digest; None when there is to be none. Raises Refused.

    ``contents`` may be chosen: filters by their keys, stacks by their names.
    """
    if form.get("frequency", OFF) == OFF:
        return None
    frequencies = {each.value: each for each in DigestFrequency}
    only = _chosen(form, "filter", {"": None, **contents}, "")
    return Digest(
        frequency=_chosen(form, "frequency", frequencies, ""),
        hour=_chosen(form, "hour", HOURS, ""),
        only_important=_chosen(form, "events", EVENTS, "all"),
        filter_id=only if isinstance(only, int) else None,
        stack=only if isinstance(only, str) else None,
    )


def _chosen(form: Mapping[str, str], name: str, choices: Mapping[str, T], default: str) -> T:
    """Return the value of a field of a form. Raises Refused."""
    value = form.get(name, default)
    if value not in choices:
        raise Refused(f"Choose the {LABELS.get(name, name)} from the list.")
    return choices[value]
