"""Findings about an address in the catalog, from the response to a request."""

from dataclasses import dataclass
from typing import Final

from ingest.fetching.outcomes import Failed, Failure, Outcome
from openapi.vocabulary import AddressStatus

_GONE: Final = frozenset({Failure.GONE, Failure.NOT_FOUND, Failure.DNS})


@dataclass(frozen=True, slots=True)
class AddressFinding:
    """The result for an address. ``moved_to``: its permanent target, ``reason``: for people.

    The status is None where the answer says nothing for good: a host that cannot be reached today
    may be there tomorrow.
    """

    address: str
    status: AddressStatus | None
    moved_to: str | None = None
    reason: str = ""


def finding_of(outcome: Outcome, address: str) -> AddressFinding:
    """Return what an answer says about an address."""
    if isinstance(outcome, Failed):
        status = AddressStatus.GONE if outcome.failure in _GONE else None
        return AddressFinding(address, status, reason=outcome.message or outcome.failure.value)
    moved_to = outcome.permanent_address
    if moved_to is not None and moved_to != address:
        return AddressFinding(address, AddressStatus.MOVED, moved_to, f"It moved to {moved_to}")
    return AddressFinding(address, AddressStatus.CONFIRMED)
