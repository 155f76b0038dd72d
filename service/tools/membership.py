"""Checks that the key is on the All plan, to which the tool interface belongs (specification 5.8).

Only the responses of /entries name a key's plan. For a key without that scope its selection
decides: on the All plan it is the whole catalog.
"""

from threading import Lock

from client import Client, InsufficientScope, PlanLimitExceeded
from openapi.vocabulary import Plan


class SmallerPlan(Exception):
    """The key's account is not on the All plan. ``plan`` is None if the API did not name it."""

    def __init__(self, plan: Plan | None) -> None:
        super().__init__()
        self.plan = plan


class Membership:
    """Whether the key is on the All plan. A yes is remembered; a no is checked at the next call."""

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
        """Check again at the next call."""
        self._is_member = False


class KnownMembership:
    """The same, of a key whose plan is known already."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan

    def require(self) -> None:
        """Raise SmallerPlan unless the key is on the All plan."""
        if self._plan is not Plan.ALL:
            raise SmallerPlan(self._plan)

    def forget(self) -> None:
        """Do nothing: it is known anew at each request."""


def _require_all(client: Client) -> None:
    try:
        plan = client.plan()
    except PlanLimitExceeded as error:  # the All plan has no limit
        raise SmallerPlan(None) from error
    except InsufficientScope:
        plan = None
    if plan is Plan.ALL or (plan is None and _selects_everything(client)):
        return
    raise SmallerPlan(plan)


def _selects_everything(client: Client) -> bool:
    selected = client.sources(selected=True, limit=1).first()["total"]
    return selected == client.sources(limit=1).first()["total"]
