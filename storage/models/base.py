"""The base of every table: names of constraints, and which column a Python type becomes."""

from datetime import datetime, timedelta
from typing import Annotated

from sqlalchemy import ForeignKey, LargeBinary, MetaData
from sqlalchemy.orm import DeclarativeBase, mapped_column

from openapi.vocabulary import (
    AdapterType,
    AddressStatus,
    DeadlineKind,
    Health,
    Kind,
    Plan,
    RequestStatus,
    Tier,
)
from storage.engine.types import EnumText, JsonBytes, Seconds, UtcDateTime


class Base(DeclarativeBase):
    """Names every constraint, so that migrations can speak of it."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_N_label)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy reads it from the class
        datetime: UtcDateTime,
        timedelta: Seconds,
        bytes: LargeBinary,
        list[str]: JsonBytes,
        AdapterType: EnumText(AdapterType),
        AddressStatus: EnumText(AddressStatus),
        Kind: EnumText(Kind),
        DeadlineKind: EnumText(DeadlineKind),
        Health: EnumText(Health),
        Plan: EnumText(Plan),
        Tier: EnumText(Tier),
        RequestStatus: EnumText(RequestStatus),
    }


SourceId = Annotated[int, mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))]
EntryId = Annotated[int, mapped_column(ForeignKey("entries.id", ondelete="CASCADE"))]
AccountId = Annotated[int, mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))]
KeyId = Annotated[int, mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"))]
"""What these refer to takes their rows with it when it is deleted."""
