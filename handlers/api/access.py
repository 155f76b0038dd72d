"""Decide what a caller may do, in the order of docs/decisions/0004. Pure."""

from collections.abc import Callable, Collection, Sequence

from handlers.http.auth import Caller
from handlers.http.refusals import insufficient_scope, plan_limit_exceeded, source_not_selected
from openapi.vocabulary import Plan, Scope
from storage.people.plans import PLANS


def require_scope(caller: Caller, scope: Scope) -> None:
    """Refuse a key that was made without the scope."""
    if scope not in caller.scopes:
        raise insufficient_scope(scope)


def require_slots(plan: Plan, in_account: int, requested: int = 0) -> None:
    """Refuse more sources than the plan has slots.

    ``in_account``: how many sources the account follows, which can be more than its
    slots after a downgrade.
    """
    slots = PLANS[plan].slots
    if slots is not None and (count := max(requested, in_account)) > slots:
        verb = "asks for" if count == requested else "follows"
        subject = "request" if count == requested else "account"
        raise plan_limit_exceeded(
            f"The {plan.value} plan has {slots} source slots; this {subject} {verb} {count}."
        )


def require_sources(
    plan: Plan,
    requested: Sequence[str],
    *,
    existing: Collection[str],
    selected: Collection[str],
    in_account: int,
    near: Callable[[str], Sequence[str]],
) -> None:
    """Refuse more sources than the plan has slots, then sources that the caller may not read.

    ``existing``: those of ``requested`` that are in the catalog. ``selected``: what the caller may
    read; on the All plan all of ``existing``. ``near``: returns slugs similar to a wrong one.
    """
    require_slots(plan, in_account, len(requested))
    if not set(selected).issuperset(requested):
        missing = [slug for slug in requested if slug not in selected]
        unknown = [slug for slug in missing if slug not in existing]
        raise source_not_selected(
            missing, unknown=unknown, near=near(unknown[0]) if unknown else ()
        )
