"""The base of every table: names of constraints, and which column a Python type becomes."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from sqlalchemy import Enum, ForeignKey, LargeBinary, MetaData
from sqlalchemy.orm import DeclarativeBase, mapped_column

from storage.engine.types import JsonBytes, Seconds, UtcDateTime

SourceId = Annotated[int, mapped_column(ForeignKey("sources.id", ondelete="CASCADE"))]
EntryId = Annotated[int, mapped_column(ForeignKey("entries.id", ondelete="CASCADE"))]
AccountId = Annotated[int, mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"))]
KeyId = Annotated[int, mapped_column(ForeignKey("api_keys.id", ondelete="CASCADE"))]
"""References whose rows are deleted with the row that they refer to."""


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
        StrEnum: Enum(
            StrEnum,
            native_enum=False,
            length=20,
            validate_strings=True,
            values_callable=lambda words: list(map(str, words)),
        ),
    }
