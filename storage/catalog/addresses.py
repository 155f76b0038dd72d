"""Sources by their public addresses: for lists that people import from elsewhere."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import select
from sqlalchemy.orm import Session

from storage.engine.statements import rows_among
from storage.models import Source

_PUBLIC = select(Source.id, Source.slug, Source.name, Source.homepage, Source.changelog_url)


@dataclass(frozen=True, slots=True)
class PublicSource:
    """The fields of a source that an exported list may have."""

    key: int
    slug: str
    name: str
    homepage: str | None
    changelog_url: str


def public_sources(session: Session, slugs: Collection[str]) -> list[PublicSource]:
    """Return the sources with these slugs, in their order."""
    rows = rows_among(session, _PUBLIC, Source.slug, slugs)
    return sorted((PublicSource(*row) for row in rows), key=lambda source: source.slug)


@dataclass(frozen=True, slots=True)
class Directory:
    """The catalog by slug and by address; several sources may share one address."""

    by_slug: Mapping[str, int]
    by_page: Mapping[str, Collection[str]]
    by_homepage: Mapping[str, Collection[str]]


def directory(session: Session) -> Directory:
    """Return the whole catalog by slug and by address."""
    by_slug: dict[str, int] = {}
    by_page: defaultdict[str, list[str]] = defaultdict(list)
    by_homepage: defaultdict[str, list[str]] = defaultdict(list)
    for row in session.execute(_PUBLIC.where(~Source.on_demand).order_by(Source.slug)):
        source = PublicSource(*row)
        by_slug[source.slug] = source.key
        by_page[without_variations(source.changelog_url)].append(source.slug)
        if source.homepage is not None:
            by_homepage[without_variations(source.homepage)].append(source.slug)
    return Directory(by_slug, by_page, by_homepage)


def without_variations(address: str) -> str:
    """Return an address in the form under which equal addresses compare equal.

    Without scheme, www, fragment and the slash at the end; the host in lower case.
    """
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return address
    host = parts.netloc.lower().removeprefix("www.")
    query = f"?{parts.query}" if parts.query else ""
    return f"{host}{parts.path.rstrip('/')}{query}"
