"""What operations that search entries have in common."""

from sqlalchemy.orm import Session

from openapi.vocabulary import SearchOrder
from storage.entries.search.index import first_missing


def order_of(order: SearchOrder | None) -> SearchOrder:
    """Return the order that a request asks for."""
    return SearchOrder.DATE if order is None else order


def index_state(session: Session, q: str | None) -> tuple[int, ...]:
    """Return what a search depends on besides the entries: how far they are indexed."""
    return () if q is None else (first_missing(session),)
