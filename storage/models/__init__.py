"""Every table: sources, what was read from them, and accounts."""

from storage.models.base import Base
from storage.models.catalog import FetchFacts, Source, SourcePackage
from storage.models.entries import (
    Entry,
    EntryChange,
    EntryDeadline,
    EntryRemoval,
    EntryRevision,
    Gap,
)
from storage.models.filters import PrivateFeed, SavedFilter
from storage.models.history import ApiDay, Diff, Snapshot, SnapshotBody
from storage.models.people import (
    Account,
    AccountEvent,
    ApiKey,
    PlanRequest,
    RemovedSelection,
    Selection,
    SignInLink,
    WebSession,
)
from storage.models.requests import RateWindow, RequestStep, SourceRequest
from storage.models.stacks import StackPart
from storage.models.webhooks import Delivery, DeliveryAttempt, Digest, IdempotentAnswer, Webhook

__all__ = [
    "Account",
    "AccountEvent",
    "ApiDay",
    "ApiKey",
    "Base",
    "Delivery",
    "DeliveryAttempt",
    "Diff",
    "Digest",
    "Entry",
    "EntryChange",
    "EntryDeadline",
    "EntryRemoval",
    "EntryRevision",
    "FetchFacts",
    "Gap",
    "IdempotentAnswer",
    "PlanRequest",
    "PrivateFeed",
    "RateWindow",
    "RemovedSelection",
    "RequestStep",
    "SavedFilter",
    "Selection",
    "SignInLink",
    "Snapshot",
    "SnapshotBody",
    "Source",
    "SourcePackage",
    "SourceRequest",
    "StackPart",
    "WebSession",
    "Webhook",
]
