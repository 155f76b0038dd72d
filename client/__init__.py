"""A client of the API, typed by the contract (docs/client.md).

>>> from client import Client
>>> with Client("https://changewire.example", "cw_…") as changewire:
...     for entry in changewire.entries(["acme.compute"], limit=10):
...         print(entry["published_at"], entry["title"])
"""

from client.async_client import AsyncClient, AsyncPages
from client.bulk import Bulk, read_bulk
from client.cache import Cache, CachedAnswer, FolderCache, MemoryCache
from client.client import Client
from client.errors import (
    AddonRequired,
    AddressRefused,
    ApiError,
    ChangewireError,
    Forbidden,
    InsufficientScope,
    InternalError,
    InvalidCall,
    InvalidRequest,
    KeyMissing,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    PlanLimitExceeded,
    RateLimited,
    SourceNotSelected,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
    UnknownSource,
    Unreachable,
    UnsupportedMediaType,
    WebhookDisabled,
)
from client.follow import News
from client.pages import Pages
from client.retry import RetryPolicy

__all__ = [
    "AddonRequired",
    "AddressRefused",
    "ApiError",
    "AsyncClient",
    "AsyncPages",
    "Bulk",
    "Cache",
    "CachedAnswer",
    "ChangewireError",
    "Client",
    "FolderCache",
    "Forbidden",
    "InsufficientScope",
    "InternalError",
    "InvalidCall",
    "InvalidRequest",
    "KeyMissing",
    "MemoryCache",
    "MethodNotAllowed",
    "News",
    "NotFound",
    "Pages",
    "PayloadTooLarge",
    "PlanLimitExceeded",
    "RateLimited",
    "RetryPolicy",
    "SourceNotSelected",
    "Unauthorized",
    "Unavailable",
    "UnexpectedAnswer",
    "UnknownSource",
    "Unreachable",
    "UnsupportedMediaType",
    "WebhookDisabled",
    "read_bulk",
]
