"""How a source's health comes to handlers: as a function of an item and the time."""

from collections.abc import Callable
from datetime import datetime
from typing import TypeAlias

from openapi.vocabulary import Health
from storage.catalog.catalog_items import CatalogItem

Judge: TypeAlias = Callable[[CatalogItem, datetime], tuple[Health, str | None]]
"""Gives the health and the message that goes with it."""
