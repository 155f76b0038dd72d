"""What commands use of packages: their imports of a module can wait, not those of a package."""

from sqlalchemy import select as select
from sqlalchemy import text as text
from sqlalchemy.orm import Session as Session

from storage.models import Account as Account
from storage.models import ApiKey as ApiKey
from storage.models import FetchFacts as FetchFacts
from storage.models import Gap as Gap
from storage.models import PlanRequest as PlanRequest
from storage.models import Source as Source
from storage.models import SourceRequest as SourceRequest
from storage.models import Webhook as Webhook
from storage.models.people import AccountEventKind as AccountEventKind
from storage.models.webhooks import DeliveryState as DeliveryState
