"""The callers of a run: the public, and each key with what it may read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

from conformance.http_messages import Response
from conformance.site import Site, Unusable

SLOTS = {"free": 3, "starter": 10}
"""How many sources a plan covers (specification 8); the All plan covers every one."""
_ASKED = 12
"""How many sources with recent entries a run knows of a key that may read all."""
_PAGE = 100
_MOST_ASKED = 18
"""How many sources of a key are requested to find those with most entries; some at random."""
ABSENT = "nobody.nothing"
"""A slug that no catalog has."""
_REFUSED = (401, 403, 429)
LimitedKey: TypeAlias = tuple[str, str, int]
"""A key, a path that it may not use, and the refusal: 402 without the add-on, 403 without scope."""


def seeded_random(seed: str) -> Random:
    """Return random numbers that are the same for the same seed."""
    return Random(seed)  # noqa: S311 - nothing secret


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller of the API. Without a key it is the public."""

    name: str
    key: str | None = field(default=None, repr=False)
    plan: str | None = None
    """None for the public, and for a key that may not read entries."""
    sources: tuple[str, ...] = ()
    """Some of the sources the key may read, those with entries first."""
    other_source: str | None = None
    """A source of the catalog that is not selected for the key."""
    reads_entries: bool = False
    reads_diffs: bool = False

    @property
    def any_source(self) -> str:
        """A source that the key may read, or a slug that no catalog has."""
        return self.sources[0] if self.sources else ABSENT

    @property
    def headers(self) -> Mapping[str, str]:
        """The header that carries the key."""
        return {} if self.key is None else {"X-Api-Key": self.key}


PUBLIC = Caller("no key")


def limited_key(text: str) -> LimitedKey:
    """Parse KEY=/diffs:402 or KEY=/entries:403; errors do not show the key."""
    key, _, refusal = text.partition("=")
    path, _, status = refusal.rpartition(":")
    if not key or path not in ("/entries", "/diffs") or status not in ("402", "403"):
        raise ValueError("write the key and what it is refused: KEY=/diffs:402 or KEY=/entries:403")
    return key, path, int(status)


def find_callers(site: Site, keys: Sequence[str]) -> Iterator[Caller]:
    """Yield the public, then the holder of each key. Raises Unusable for a key that is refused."""
    yield PUBLIC
    for number, key in enumerate(keys, start=1):
        yield _holder(site, key, f"key {number}")


def _holder(site: Site, key: str, name: str) -> Caller:
    def ask(path: str, params: Mapping[str, str | int]) -> Response:
        return site.send("GET", site.base_path + path, params, headers={"X-Api-Key": key})

    selected = ask("/sources", {"selected": 1, "limit": _PAGE})
    if selected.status in _REFUSED:
        message = " ".join(str(selected.field("message") or "no reason was given").split())
        raise Unusable(f"{name} was refused with {selected.status}: {message[:200]}")
    selection = [str(item.get("slug")) for item in selected.items]
    unlimited = selected.total == ask("/sources", {"limit": 1}).total
    dated = [str(item.get("slug")) for item in selected.items if item.get("lastUpdatedAt")]
    seeded_random(name).shuffle(dated)
    if unlimited:  # every source is open to it: prefer those with recent entries
        recent = [str(item.get("source")) for item in ask("/latest", {"limit": _PAGE}).items]
        dated = [*list(dict.fromkeys(recent))[:_ASKED], *dated]
    selection = list(dict.fromkeys([*dated, *selection]))
    asked = {
        slug: ask("/entries", {"sources": slug, "limit": 1}) for slug in selection[:_MOST_ASKED]
    }
    readable = {slug: response for slug, response in asked.items() if response.status == 200}
    busiest = sorted(readable, key=lambda slug: (-readable[slug].total, slug))
    sources = busiest or selection[:_ASKED]
    diffs = ask("/diffs", {"source": sources[0] if sources else ABSENT}).status == 200
    plan = next((str(response.field("plan")) for response in readable.values()), None)
    catalog = [str(item.get("slug")) for item in ask("/sources", {"limit": _PAGE}).items]
    others = [slug for slug in catalog if slug not in selection]
    return Caller(
        name=f"{name} ({plan or 'no entries'}{', diffs' if diffs else ''})",
        key=key,
        plan=plan,
        sources=tuple(sources),
        other_source=others[0] if others and not unlimited else None,
        reads_entries=bool(readable),
        reads_diffs=diffs,
    )
