"""The tool interface belongs to the All plan (specification 5.8): is the key on it?

The API says a key's plan in its answers to /entries, and nowhere else. Where a key may not ask
there, its selection tells: on the All plan it is the whole catalog.
"""

from threading import Lock

from client import Client, InsufficientScope, PlanLimitExceeded
from openapi.vocabulary import Plan


class SmallerPlan(Exception):
    """The key's account is not on the All plan. ``plan`` is None where the API did not say it."""

    def __init__(self, plan: Plan | None) -> None:
        super().__init__()
        self.plan = plan


class Membership:
    """Asks once, and again for as long as the answer is no: plans can be bought meanwhile."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._is_member = False
        self._lock = Lock()

    def require(self) -> None:
        """Raise SmallerPlan unless the key is on the All plan; ChangewireError if the API fails."""
        with self._lock:
            if not self._is_member:
                _require_all(self._client)
                self._is_member = True

    def forget(self) -> None:
        """Ask again next time."""
        self._is_member = False


def _require_all(client: Client) -> None:
    try:
        plan = client.plan()
    except PlanLimitExceeded as error:  # never said to the All plan
        raise SmallerPlan(None) from error
    except InsufficientScope:
        plan = None
    if plan is Plan.ALL or (plan is None and _selects_everything(client)):
        return
    raise SmallerPlan(plan)


def _selects_everything(client: Client) -> bool:
    selected = client.sources(selected=True, limit=1).first()["total"]
    return selected == client.sources(limit=1).first()["total"]
