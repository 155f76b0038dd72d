"""How a source's health comes to handlers: as functions of an item and the time."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem

Judge: TypeAlias = Callable[[CatalogItem, datetime], tuple[Health, str | None]]
"""Gives the health and the message that goes with it."""

ValidUntil: TypeAlias = Callable[[CatalogItem, datetime], datetime]
"""Gives the moment up to which time alone does not change what a Judge says, excluded."""


def valid_only_now(_item: CatalogItem, now: datetime) -> datetime:
    """Let no judgement be kept: it is valid at the moment only."""
    return now
