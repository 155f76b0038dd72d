"""Checks of a row by itself, and of a row beside the others."""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from ingest.catalog.addresses import address_fault, shape_faults
from ingest.catalog.rows import (
    ALIAS_LENGTH,
    ALIAS_LIMIT,
    BASES,
    NAME_LIMIT,
    SLUG,
    SLUG_LIMIT,
    TAG_LIMIT,
    VENDOR,
    VENDOR_LIMIT,
    canonical_tags,
)
from openapi.vocabulary import AdapterType, AddressStatus, Kind, Tier
from storage.catalog.rows import CatalogRow

Cells = Mapping[str, str]
"""A row's cells by column, without the spaces around them."""


def row_faults(cells: Cells) -> Iterator[str]:
    """Yield every fault the row has by itself, as sentences that say what to do."""
    yield from _identity_faults(cells)
    yield from _word_faults("kind", cells["kind"], Kind)
    yield from _word_faults("adapter_type", cells["adapter_type"], AdapterType)
    yield from _tag_faults(split_list(cells["tags"]))
    yield from _alias_faults(split_list(cells["aliases"]))
    for column, allowed in (("tier", Tier), ("status", AddressStatus)):
        if cells[column]:
            yield from _word_faults(column, cells[column], allowed)
    if cells["basis"] and cells["basis"] not in BASES:
        yield f"The basis is unknown; use one of {', '.join(BASES)}."
    yield from _address_faults(cells)


def split_list(cell: str) -> tuple[str, ...]:
    """Return the tags or aliases of a cell in the order they are written."""
    return tuple(word.strip() for word in cell.split(";")) if cell else ()


def _identity_faults(cells: Cells) -> Iterator[str]:
    slug, vendor, name = cells["slug"], cells["vendor"], cells["name"]
    if len(slug) > SLUG_LIMIT or SLUG.fullmatch(slug) is None:
        yield (
            "The slug is not of the form vendor.product; use lower-case letters, digits,"
            f" dots, hyphens and underscores, at most {SLUG_LIMIT} characters."
        )
    elif slug.partition(".")[0] != vendor:
        yield "The slug does not start with the vendor and a dot; make both the same."
    if len(vendor) > VENDOR_LIMIT or VENDOR.fullmatch(vendor) is None:
        yield (
            "The vendor is not an identifier; use lower-case letters, digits and hyphens,"
            f" at most {VENDOR_LIMIT} characters."
        )
    if not name:
        yield "The name is empty; write the name a person would use."
    elif len(name) > NAME_LIMIT:
        yield f"The name is longer than {NAME_LIMIT} characters; shorten it."
    elif not name.isprintable():
        yield "The name holds line breaks or invisible characters; remove them."


def _word_faults(column: str, word: str, allowed: type[StrEnum]) -> Iterator[str]:
    if word not in allowed.__members__.values():
        yield f"The {column} is unknown; use one of {', '.join(allowed)}."


def _tag_faults(tags: tuple[str, ...]) -> Iterator[str]:
    if not tags:
        yield "The row has no tags; give it one to five."
    if len(tags) > TAG_LIMIT:
        yield f"The row has more than {TAG_LIMIT} tags; keep the {TAG_LIMIT} that matter most."
    if len(set(tags)) < len(tags):
        yield "A tag is repeated; keep it once."
    if unknown := [tag for tag in tags if tag not in canonical_tags()]:
        listed = ", ".join(repr(tag[:40]) for tag in unknown[:TAG_LIMIT])
        yield f"These tags are unknown: {listed}; use the canonical tags."


def _alias_faults(aliases: tuple[str, ...]) -> Iterator[str]:
    if len(aliases) > ALIAS_LIMIT:
        yield f"The row has more than {ALIAS_LIMIT} aliases; keep those that people use most."
    if len({alias.casefold() for alias in aliases}) < len(aliases):
        yield "An alias is repeated; keep it once."
    if not all(alias.isprintable() and 0 < len(alias) <= ALIAS_LENGTH for alias in aliases):
        yield f"An alias is empty, invisible or longer than {ALIAS_LENGTH} characters; correct it."


def _address_faults(cells: Cells) -> Iterator[str]:
    if not cells["changelog_url"]:
        yield "changelog_url is empty; write the address of the page people read."
    for column in ("homepage", "changelog_url", "feed_url"):
        if cells[column] and (fault := address_fault(cells[column])):
            yield f"{column} {fault}."
    if cells["adapter_type"] in AdapterType.__members__.values():
        adapter = AdapterType(cells["adapter_type"])
        yield from shape_faults(adapter, cells["changelog_url"], cells["feed_url"])


def repetitions(row: CatalogRow, lines: dict[tuple[str, ...], int], *, line: int) -> Iterator[str]:
    """Yield what a row repeats, as sentences.

    ``lines`` are those on which slugs, addresses and names were first seen; this one is added.
    """
    if (first := lines.setdefault(("slug", row.slug), line)) != line:
        yield f"The slug is already on line {first}; remove or rename one of the rows."
    if (first := lines.setdefault(("address", _source_address(row)), line)) != line:
        yield f"The same address is already read on line {first}; remove one of the rows."
    name = (row.vendor, row.adapter_type, row.name.casefold())
    if (first := lines.setdefault(name, line)) != line:
        yield (
            f"The vendor already has this name and adapter on line {first};"
            " give the sources different names."
        )


def _source_address(row: CatalogRow) -> str:
    """Return what two rows of one source have in common: the address that is fetched.

    GitHub does not distinguish case in the names of owners and repositories.
    """
    _, _, address = (row.feed_url or row.changelog_url).partition("://")
    return address.lower() if row.adapter_type is AdapterType.GITHUB_RELEASES else address
