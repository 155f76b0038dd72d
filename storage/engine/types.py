"""The column types that every model is written with."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeAlias

import orjson
from sqlalchemy import BigInteger, DateTime, Dialect, Integer, LargeBinary, Select, String, true
from sqlalchemy.orm import mapped_column
from sqlalchemy.types import TypeDecorator

from openapi.vocabulary import Json

AnySelect: TypeAlias = Select[*tuple[Any, ...]]


def ordered_text(length: int) -> String:
    """Text that sorts by code point on every database, whatever its locale."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime, stored in UTC. A naive one is a ValueError."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn any zone into UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no time zone")
        return value.astimezone(UTC)

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        """Return what reads it in UTC; SQLite stores texts without a zone."""
        if dialect.name == "sqlite":  # SQLAlchemy's own takes ten times as long
            return lambda text: text and datetime.fromisoformat(f"{text}+00:00")
        return lambda moment: moment and moment.astimezone(UTC)


class Seconds(TypeDecorator[timedelta]):
    """A duration in whole seconds."""

    impl = Integer
    cache_ok = True

    def process_bind_param(self, value: timedelta | None, dialect: Dialect) -> int | None:
        """Drop the fraction."""
        return None if value is None else int(value.total_seconds())

    def process_result_value(self, value: int | None, dialect: Dialect) -> timedelta | None:
        """Return the duration."""
        return None if value is None else timedelta(seconds=value)


class JsonBytes(TypeDecorator[Json]):
    """A JSON value as UTF-8 bytes, read only by this program."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: Json, dialect: Dialect) -> bytes:
        """Write the value."""
        return orjson.dumps(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Json:
        """Read the value."""
        json: Json = None if value is None else orjson.loads(value)
        return json


Id = Annotated[
    int, mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
]  # SQLite counts up only a column of exactly INTEGER
Flag = Annotated[bool, mapped_column(default=True, server_default=true())]
Slug = Annotated[str, mapped_column(ordered_text(120), unique=True)]
SourceSlug = Annotated[str, mapped_column(ordered_text(120))]
EntryAddress = Annotated[str, mapped_column(ordered_text(120), server_default="")]
ExternalId = Annotated[str, mapped_column(ordered_text(500))]
Vendor = Annotated[str, mapped_column(ordered_text(80))]
ShortText = Annotated[str, mapped_column(String(200))]
Address = Annotated[str, mapped_column(String(4096))]
Digest = Annotated[str, mapped_column(String(64))]  # SHA-256 in hexadecimal
