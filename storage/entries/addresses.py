"""Addresses of entries' pages: /e/SOURCE/DATE-WORDS-OF-THE-TITLE (docs/decisions/0118)."""

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final
from unicodedata import normalize

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.engine.statements import rows_among
from storage.models import Entry

LONGEST_WORDS: Final = 60
LONGEST_TITLE: Final = 1_000  # characters of a title that are looked at
_WORD: Final = re.compile(r"[a-z0-9]+(?:\.[a-z0-9]+)*")


def entry_path(source: str, address: str) -> str:
    """Return the path of an entry's page."""
    return f"/e/{source}/{address}"


def address_of(published_at: datetime, title: str) -> str:
    """Return the date and the words of a title; those of other scripts are left out."""
    plain = normalize("NFKD", title[:LONGEST_TITLE].casefold()).replace("'", "")
    words = _WORD.findall(plain.encode("ascii", "ignore").decode())
    written = "-".join(words)[: LONGEST_WORDS + 1]
    if len(written) > LONGEST_WORDS:
        written = written.rpartition("-")[0] or written[:LONGEST_WORDS]
    return "-".join(filter(None, (published_at.date().isoformat(), written.strip(".-"))))


def free_addresses(
    session: Session, source_id: int, entries: Iterable[tuple[datetime, str]]
) -> list[str]:
    """Return an address for each new entry of a source, none of which another entry has."""
    wanted = [address_of(*entry) for entry in entries]
    of_source = select(Entry.address).where(Entry.source_id == source_id)
    used = {address for (address,) in rows_among(session, of_source, Entry.address, wanted)}
    for begin in {address for address in wanted if address in used}:
        numbered = Entry.address.between(f"{begin}-", f"{begin}-:")
        used.update(session.scalars(of_source.where(numbered)))
    return unlike(wanted, used)


def unlike(wanted: Iterable[str], used: set[str]) -> list[str]:
    """Return addresses that are not used yet; the second of the same words ends with -2."""
    last: dict[str, int] = {}
    chosen = []
    for address in wanted:
        free = address
        while free in used:
            last[address] = last.get(address, 1) + 1
            free = f"{address}-{last[address]}"
        used.add(free)
        chosen.append(free)
    return chosen
