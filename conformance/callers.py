"""The callers of a run: the public, and each key with what it may read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from conformance.http_messages import Response
from conformance.site import Site

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


def seeded_random(seed: str) -> Random:
    """Return random numbers that are the same for the same seed."""
    return Random(seed)  # noqa: S311 - nothing secret


class UnusableKey(Exception):
    """A key that the site refuses; a run with it would prove nothing."""


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
        """A source that the key may read; where there is none, a slug that no catalog has."""
        return self.sources[0] if self.sources else ABSENT

    @property
    def headers(self) -> Mapping[str, str]:
        """The header that carries the key."""
        return {} if self.key is None else {"X-Api-Key": self.key}


PUBLIC = Caller("no key")


@dataclass(frozen=True, slots=True)
class LimitedKey:
    """A key, and an operation that it may not use."""

    key: str = field(repr=False)
    path: str
    """/entries or /diffs."""
    status: int
    """402 where the add-on is missing, 403 where the scope is."""

    @classmethod
    def parse(cls, text: str) -> "LimitedKey":
        """Read KEY=/diffs:402 or KEY=/entries:403; errors do not show the key."""
        key, _, refusal = text.partition("=")
        path, _, status = refusal.rpartition(":")
        if not key or path not in ("/entries", "/diffs") or status not in ("402", "403"):
            raise ValueError(
                "write the key and what it is refused: KEY=/diffs:402 or KEY=/entries:403"
            )
        return cls(key, path, int(status))


def find_callers(site: Site, keys: Sequence[str]) -> Iterator[Caller]:
    """Yield the public, then the holder of each key."""
    yield PUBLIC
    for number, key in enumerate(keys, start=1):
        yield _holder(site, key, f"key {number}")


def _holder(site: Site, key: str, name: str) -> Caller:
    def ask(path: str, params: Mapping[str, str | int]) -> Response:
        headers = {"X-Api-Key": key}
        return site.send("GET", site.base_path + path, params, headers=headers)

    selected = ask("/sources", {"selected": 1, "limit": 100})
    if selected.status in _REFUSED:
        message = " ".join(str(selected.field("message") or "no reason was given").split())
        raise UnusableKey(f"{name} was refused with {selected.status}: {message[:200]}")
    selection = [str(item.get("slug")) for item in selected.items]
    unlimited = selected.field("total") == ask("/sources", {"limit": 1}).field("total")
    random, candidates = seeded_random(name), list(selected.items)
    total = _total(selected)
    if total > _PAGE:
        offset = random.randrange(_PAGE, total)
        further = {"selected": 1, "limit": 100, "offset": offset}
        candidates += ask("/sources", further).items
    dated = [str(item.get("slug")) for item in candidates if item.get("lastUpdatedAt")]
    random.shuffle(dated)
    if unlimited:  # every source is open to it: prefer those with recent entries
        recent = [str(item.get("source")) for item in ask("/latest", {"limit": 100}).items]
        dated = [*list(dict.fromkeys(recent))[:_ASKED], *dated]
    selection = list(dict.fromkeys([*dated, *selection]))
    responses = {
        slug: ask("/entries", {"sources": slug, "limit": 1}) for slug in selection[:_MOST_ASKED]
    }
    readable = {slug: response for slug, response in responses.items() if response.status == 200}
    sources = _busiest(readable)[:_MOST_ASKED] if readable else selection[:_ASKED]
    diffs = ask("/diffs", {"source": sources[0] if sources else ABSENT})
    plan = next((str(response.field("plan")) for response in readable.values()), None)
    catalog = [str(item.get("slug")) for item in ask("/sources", {"limit": 100}).items]
    others = [slug for slug in catalog if slug not in selection]
    return Caller(
        name=f"{name} ({_rights(plan, diffs)})",
        key=key,
        plan=plan,
        sources=tuple(sources),
        other_source=others[0] if others and not unlimited else None,
        reads_entries=bool(readable),
        reads_diffs=diffs.status == 200,
    )


def _busiest(responses: Mapping[str, Response]) -> list[str]:
    """Return the sources with most entries first."""
    return sorted(responses, key=lambda slug: (-_total(responses[slug]), slug))


def _total(response: Response) -> int:
    total = response.field("total")
    return total if isinstance(total, int) else 0


def _rights(plan: str | None, diffs: Response) -> str:
    words = plan or "no entries"
    return f"{words}, diffs" if diffs.status == 200 else words
