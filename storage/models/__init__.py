"""Every table, in the order of the story: sources, what was read from them, who may read it.

A module of tables is loaded when one of them is first named: describing all of them takes longer
than looking at a hundred sources. ``Base`` brings all, because it speaks for all.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storage.models.base import Base
    from storage.models.catalog import CatalogTotals, FetchFacts, Source
    from storage.models.entries import Entry, EntryChange, EntryDeadline, EntryRevision, Gap
    from storage.models.history import Diff, SeenItems, Snapshot, SnapshotBody
    from storage.models.people import Account, ApiKey, Selection, SignInLink, WebSession
    from storage.models.requests import RateWindow, RequestStep, SourceRequest
    from storage.models.webhooks import Delivery, DeliveryAttempt, Digest, Webhook

_PLACES = {
    "catalog": ("CatalogTotals", "FetchFacts", "Source"),
    "entries": ("Entry", "EntryChange", "EntryDeadline", "EntryRevision", "Gap"),
    "history": ("Diff", "SeenItems", "Snapshot", "SnapshotBody"),
    "people": ("Account", "ApiKey", "Selection", "SignInLink", "WebSession"),
    "requests": ("RateWindow", "RequestStep", "SourceRequest"),
    "webhooks": ("Delivery", "DeliveryAttempt", "Digest", "Webhook"),
    "base": ("Base",),
}

__all__ = [
    "Account",
    "ApiKey",
    "Base",
    "CatalogTotals",
    "Delivery",
    "DeliveryAttempt",
    "Diff",
    "Digest",
    "Entry",
    "EntryChange",
    "EntryDeadline",
    "EntryRevision",
    "FetchFacts",
    "Gap",
    "RateWindow",
    "RequestStep",
    "SeenItems",
    "Selection",
    "SignInLink",
    "Snapshot",
    "SnapshotBody",
    "Source",
    "SourceRequest",
    "WebSession",
    "Webhook",
]


def __getattr__(name: str) -> Any:
    """Load the module that has a table; all of them for ``Base``."""
    place = next((module for module, names in _PLACES.items() if name in names), None)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    for module in _PLACES if name == "Base" else (place,):
        loaded = import_module(f"{__name__}.{module}")
    globals()[name] = found = getattr(loaded, name)
    return found
