"""A client of the API, typed by the contract (docs/client.md).

>>> from client import Client
>>> with Client("https://changewire.example", "cw_…") as changewire:
...     for entry in changewire.entries(["acme.compute"], limit=10):
...         print(entry["published_at"], entry["title"])
"""

from client.async_client import AsyncClient as AsyncClient
from client.async_client import AsyncPages as AsyncPages
from client.bulk import Bulk as Bulk
from client.bulk import read_bulk as read_bulk
from client.cache import Cache as Cache
from client.cache import CachedAnswer as CachedAnswer
from client.cache import FolderCache as FolderCache
from client.cache import MemoryCache as MemoryCache
from client.client import Client as Client
from client.errors import AddonRequired as AddonRequired
from client.errors import ApiError as ApiError
from client.errors import ChangewireError as ChangewireError
from client.errors import Forbidden as Forbidden
from client.errors import InsufficientScope as InsufficientScope
from client.errors import InvalidCall as InvalidCall
from client.errors import InvalidRequest as InvalidRequest
from client.errors import KeyMissing as KeyMissing
from client.errors import RateLimited as RateLimited
from client.errors import SourceNotSelected as SourceNotSelected
from client.errors import Unauthorized as Unauthorized
from client.errors import Unavailable as Unavailable
from client.errors import UnexpectedAnswer as UnexpectedAnswer
from client.errors import UnknownSource as UnknownSource
from client.errors import Unreachable as Unreachable
from client.pages import News as News
from client.pages import Pages as Pages
from client.transport import RetryPolicy as RetryPolicy
