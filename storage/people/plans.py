"""Limits and prices of the plans (specification 5.8)."""

from dataclasses import dataclass
from decimal import Decimal

from openapi.vocabulary import Plan


@dataclass(frozen=True, slots=True)
class PlanTerms:
    """The limits of a plan.

    ``slots``: how many sources can be selected, None where all may be read without selecting.
    ``stacks``: how many can be saved by name.
    ``monthly_price``: in the operator's currency, None where it is agreed. ``diffs_addon``: whether
    the Diff API can be added.
    """

    slots: int | None
    stacks: int
    monthly_price: Decimal | None
    local_tools: bool = False
    diffs_addon: bool = False


PLANS = {
    Plan.FREE: PlanTerms(slots=3, stacks=1, monthly_price=Decimal(0)),
    Plan.STARTER: PlanTerms(slots=10, stacks=20, monthly_price=None),
    Plan.ALL: PlanTerms(
        slots=None, stacks=20, monthly_price=Decimal("9.99"), local_tools=True, diffs_addon=True
    ),
}
DIFFS_ADDON_MONTHLY_PRICE = Decimal("49.99")
