"""Following without loss: pages of changes, each with the cursor after it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from client.errors import UnexpectedAnswer
from openapi.shapes import ChangelogEntry, EntryChange

MOST_NAMED = 100
"""Sources that one request may name; more are chosen from the changes of all."""


@dataclass(frozen=True, slots=True)
class News:
    """Changes and the cursor after them. Store ``cursor`` once they are processed."""

    changes: list[EntryChange]
    cursor: str

    @property
    def entries(self) -> list[ChangelogEntry]:
        """The entries that are new or edited."""
        return [change["entry"] for change in self.changes if change["change"] != "removed"]


def news_of(page: dict[str, Any], sources: Collection[str] | None) -> tuple[News, bool]:
    """Return the changes of these sources on a page, and whether there are more pages.

    Raises UnexpectedAnswer for a page without a cursor.
    """
    cursor, more = page.get("next"), page.get("more")
    if not isinstance(cursor, str) or not isinstance(more, bool):
        raise UnexpectedAnswer(
            "The answer does not say where to go on.", hint="Does this service know /changes?"
        )
    changes = [
        change
        for change in page["items"]
        if sources is None or change["entry"]["source"] in sources
    ]
    return News(changes, cursor), more
