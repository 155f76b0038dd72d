"""The saved stacks of accounts."""

from sqlalchemy.orm import Mapped, mapped_column

from storage.engine.types import ordered_text
from storage.models.base import AccountId, Base


class StackPart(Base):
    """A package that an account runs, by its package URL without version, and its version.

    ``stack``: the name of its stack, 1 for the one of the page.
    """

    __tablename__ = "stack_parts"

    account_id: Mapped[AccountId] = mapped_column(primary_key=True)
    stack: Mapped[str] = mapped_column(ordered_text(80), primary_key=True)
    purl: Mapped[str] = mapped_column(ordered_text(500), primary_key=True)
    version: Mapped[str] = mapped_column(ordered_text(100), primary_key=True)
