"""The invented vendors: what each of their products has announced at a moment."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.resources import files
from itertools import pairwise
from random import Random
from typing import Final

import msgspec

from openapi.vocabulary import Kind, Tier

HISTORY: Final = timedelta(days=730)
_CROWDING: Final = 1.6
"""1 spreads announcements evenly; above it, more of them are recent."""
_PATCH_EVERY: Final = timedelta(days=12)
_LATER_DAY = re.compile(r"\{\+(\d+)\}")


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something that a vendor announced, and the text that replaced its first one later."""

    id: str
    title: str
    text: str
    at: datetime
    edited_text: str | None = None
    edited_at: datetime | None = None

    def text_at(self, moment: datetime) -> str:
        """Return what it says at a moment."""
        if self.edited_at is None or self.edited_text is None or moment < self.edited_at:
            return self.text
        return self.edited_text


@dataclass(frozen=True, slots=True)
class Product:
    """A product of an invented vendor, as the file describes it."""

    slug: str
    name: str
    tags: tuple[str, ...]
    entries: tuple[tuple[str, str], ...]
    kind: Kind = Kind.CHANGELOG
    tier: Tier = Tier.PRODUCT
    version: str | None = None
    purl: str | None = None
    fixes: tuple[str, ...] = ()
    security_fix: str | None = None
    edited: tuple[tuple[str, int, str], ...] = ()
    trouble: str | None = None
    trouble_days: int = 0

    @property
    def vendor(self) -> str:
        """The vendor's identifier."""
        return self.slug.partition(".")[0]

    @property
    def homepage(self) -> str:
        """The address of the vendor's site."""
        return f"https://{self.vendor}.example/"

    @property
    def changelog_url(self) -> str:
        """The address of the page that people read."""
        return f"{self.homepage}{self.slug.partition('.')[2]}/changelog"

    @property
    def feed_url(self) -> str:
        """The address of the feed."""
        return f"{self.changelog_url}.xml"

    def trouble_at(self, moment: datetime, *, now: datetime) -> str | None:
        """Return what the server does instead of answering, ``now`` being the last moment."""
        began = now - timedelta(days=self.trouble_days)
        return self.trouble if self.trouble is not None and moment >= began else None


def read_products() -> list[Product]:
    """Return the products of ``products.toml``."""
    text = (files(__package__) / "products.toml").read_text(encoding="utf-8")
    return msgspec.toml.decode(text, type=dict[str, list[Product]])["product"]


def announcements(product: Product, *, now: datetime) -> list[Announcement]:
    """Return all that a product announced in the two years before ``now``, oldest first."""
    random = Random(product.slug)  # noqa: S311 - the same days at every start
    count = len(product.entries)
    parts = [(place + random.uniform(0.15, 0.85)) / count for place in range(count)]
    days = [now - HISTORY * (1 - part) ** _CROWDING for part in parts]
    large = [
        _announcement(product, place, at)
        for place, at in enumerate(_at_work(day, random) for day in days)
    ]
    if product.version is None:
        return large
    return sorted([*large, *_patches(product, large, random, now)], key=lambda one: one.at)


def _announcement(product: Product, place: int, at: datetime) -> Announcement:
    title, text = product.entries[place]
    edit = next((edit for edit in product.edited if edit[0] == title), None)
    if product.version is not None:
        title = f"{product.name} {_version(product.version, place + 1, 0)}: {title}"
    return Announcement(
        id=f"{product.slug}-{place + 1}",
        title=title,
        text=_with_days(text, at),
        at=at,
        edited_text=None if edit is None else _with_days(edit[2], at),
        edited_at=None if edit is None else at + timedelta(days=edit[1]),
    )


def _patches(
    product: Product, large: list[Announcement], random: Random, now: datetime
) -> Iterator[Announcement]:
    assert product.version is not None
    bounds = [one.at for one in large] + [now]
    for place, (start, end) in enumerate(pairwise(bounds), 1):
        at, patch = start, 0
        while (at := _at_work(at + _PATCH_EVERY * random.uniform(0.5, 1.7), random)) < end:
            patch += 1
            chosen = random.sample(product.fixes, random.randint(2, 3))
            if product.security_fix is not None and (place, patch) == (len(large), 1):
                chosen.insert(0, product.security_fix)
            version = _version(product.version, place, patch)
            yield Announcement(
                id=f"{product.slug}-{version}",
                title=f"{product.name} {version}",
                text="".join(f"- {fix}\n" for fix in chosen),
                at=at,
            )


def _version(first: str, place: int, patch: int) -> str:
    """Return a version: each large announcement is the next minor one."""
    major, minor = map(int, first.split("."))
    return f"{major}.{minor + place}.{patch}"


def _at_work(day: datetime, random: Random) -> datetime:
    """Return a time of day at which people work, on that day or, at a weekend, before it."""
    weekday = day - timedelta(days=max(0, day.weekday() - 4))
    return weekday.replace(
        hour=random.randint(8, 17), minute=random.randint(0, 59), second=0, microsecond=0
    )


def _with_days(text: str, at: datetime) -> str:
    """Write the days that the text counts from its own."""

    def day(match: re.Match[str]) -> str:
        later = at + timedelta(days=int(match[1]))
        return f"{later:%B} {later.day}, {later.year}"

    return _LATER_DAY.sub(day, text)
