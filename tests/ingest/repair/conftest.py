"""Pages of invented vendors, drawn from entries in many styles, and redesigned.

A page is a list of entries and a style. The redesigns change how a style draws: its class
names, its wrappers, its heading level, its order, its language of dates, or the style itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from html import escape

import pytest


@dataclass(frozen=True)
class Item:
    title: str
    day: date
    slug: str
    text: str


@dataclass(frozen=True)
class Look:
    """How a page is drawn."""

    style: str
    linked: str  # "anchor", "page" or "none"
    classes: str = ""
    wrapped: bool = False
    level: int = 2
    oldest_first: bool = False
    locale: str = "en"


MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
}


def written(day: date, locale: str) -> str:
    if locale == "ja":
        return f"{day.year}年{day.month}月{day.day}日"
    month = MONTHS[locale].split()[day.month - 1]
    if locale == "en":
        return f"{month} {day.day}, {day.year}"
    return f"{day.day}. {month} {day.year}" if locale == "de" else f"{day.day} {month} {day.year}"


class Pen:
    """Draws the parts of an entry the way a look asks for."""

    def __init__(self, look: Look) -> None:
        self.look = look

    def named(self, name: str) -> str:
        return f'class="{self.look.classes}{name}"'

    def day(self, item: Item) -> str:
        return written(item.day, self.look.locale)

    def link(self, item: Item) -> str:
        title = escape(item.title)
        if self.look.linked == "page":
            return f'<a href="/changes/{item.slug}">{title}</a>'
        return title

    def identity(self, item: Item) -> str:
        return f' id="{item.slug}"' if self.look.linked == "anchor" else ""

    def heading(self, item: Item, more: str = "", *, anchored: bool = True) -> str:
        tag = f"h{self.look.level}"
        identity = self.identity(item) if anchored else ""
        drawn = f"<{tag}{identity}>{self.link(item)}{more}</{tag}>"
        return f"<div {self.named('head')}>{drawn}</div>" if self.look.wrapped else drawn

    def when(self, item: Item, tag: str = "p") -> str:
        drawn = f"<{tag} {self.named('when')}>{self.day(item)}</{tag}>"
        return f"<div {self.named('meta')}>{drawn}</div>" if self.look.wrapped else drawn


def headings(pen: Pen, item: Item) -> str:
    return f"{pen.heading(item, f' – {pen.day(item)}')}<p>{item.text}</p>"


def headings_over_dates(pen: Pen, item: Item) -> str:
    return f"{pen.heading(item)}{pen.when(item)}<div {pen.named('body')}><p>{item.text}</p></div>"


def sections(pen: Pen, item: Item) -> str:
    inner = f"{pen.heading(item, anchored=False)}{pen.when(item)}<p>{item.text}</p>"
    return f"<section {pen.named('entry')}{pen.identity(item)}>{inner}</section>"


def articles(pen: Pen, item: Item) -> str:
    stamp = f'<time datetime="{item.day.isoformat()}">{pen.day(item)}</time>'
    inner = f"<header>{pen.heading(item)}{stamp}</header><p>{item.text}</p>"
    return f"<article {pen.named('post')}>{inner}</article>"


def cards(pen: Pen, item: Item) -> str:
    inner = f"{pen.when(item, 'span')}{pen.heading(item)}<p>{item.text}</p>"
    return f"<div {pen.named('card')}>{inner}</div>"


def timeline(pen: Pen, item: Item) -> str:
    left = f"<div {pen.named('left')}>{pen.when(item, 'div')}</div>"
    right = f"<div {pen.named('right')}>{pen.heading(item)}<p>{item.text}</p></div>"
    return f"<div {pen.named('row')}>{left}{right}</div>"


def rows(pen: Pen, item: Item) -> str:
    cells = f"<td>{pen.day(item)}</td><td{pen.identity(item)}>{pen.link(item)}</td>"
    return f"<tr>{cells}<td>{item.text}</td></tr>"


def listed(pen: Pen, item: Item) -> str:
    day, title = pen.when(item, "span"), f"<b>{pen.link(item)}</b>"
    return f"<li {pen.named('item')}{pen.identity(item)}>{day} {title}<p>{item.text}</p></li>"


def folded(pen: Pen, item: Item) -> str:
    summary = f"<summary{pen.identity(item)}>{pen.link(item)} ({pen.day(item)})</summary>"
    return f"<details>{summary}<p>{item.text}</p></details>"


def terms(pen: Pen, item: Item) -> str:
    term = f"<dt{pen.identity(item)}>{pen.link(item)} ({pen.day(item)})</dt>"
    return f"{term}<dd>{item.text}</dd>"


STYLES: dict[str, tuple[Callable[[Pen, Item], str], str, str]] = {
    "headings": (headings, "<div>", "</div>"),
    "headings over dates": (headings_over_dates, "<div>", "</div>"),
    "sections": (sections, "<main>", "</main>"),
    "articles": (articles, "<main>", "</main>"),
    "cards": (cards, "<div>", "</div>"),
    "timeline": (timeline, "<div>", "</div>"),
    "table": (rows, "<table><tbody>", "</tbody></table>"),
    "list": (listed, "<ul>", "</ul>"),
    "folded": (folded, "<div>", "</div>"),
    "terms": (terms, "<dl>", "</dl>"),
}

SUBJECTS = (
    "Faster search|Audit log for teams|Passkeys everywhere|Larger uploads|Dark mode|Region in Tokyo"
    "|Scheduled exports|Roles and rights|Shorter invoices|New editor|Keyboard shortcuts|Two themes",
    "Acme CLI 4.2.0|Acme CLI 4.1.1|Acme CLI 4.1.0|Acme CLI 4.0.2|Acme CLI 4.0.1|Acme CLI 4.0.0"
    "|Acme CLI 3.9.0|Acme CLI 3.8.0",
    "2.14.0|2.13.1|2.13.0|2.12.0|2.11.2|2.11.1|2.11.0|2.10.0|2.9.0|2.8.0",
    "Rotation of keys|Webhooks retry longer|Usage per project|Sandbox accounts|Fewer permissions"
    "|Export to CSV|Alerts by text message",
)


def items_of(subject: int) -> list[Item]:
    titles = SUBJECTS[subject].split("|")
    first = date(2024, 5, 21) - timedelta(days=subject)
    return [
        Item(
            title,
            first - timedelta(days=9 * place + place * place % 5),
            "".join(character if character.isalnum() else "-" for character in title.lower()),
            f"{title} is there for everyone now, and nothing needs to be done. ({place})",
        )
        for place, title in enumerate(titles)
    ]


def drawn(items: list[Item], look: Look) -> bytes:
    """Return the page of a look."""
    draw, start, end = STYLES[look.style]
    pen = Pen(look)
    ordered = items[::-1] if look.oldest_first else items
    inner = "".join(draw(pen, item) for item in ordered)
    side = "".join(f'<li><a href="/docs/{n}">Guide {n}</a></li>' for n in range(1, 6))
    shell = f"<div {pen.named('shell')}><div>" if look.wrapped else ""
    unshell = "</div></div>" if look.wrapped else ""
    return (
        f'<!doctype html><html lang="{look.locale}"><head><meta charset="utf-8">'
        f"<title>Changelog | Initech</title></head><body><nav><a href='/'>Home</a></nav>"
        f"<div {pen.named('side')}><ul>{side}</ul></div>{shell}<h1>Changelog</h1>"
        f"{start}{inner}{end}{unshell}<h4>Questions?</h4><p>Write to us.</p>"
        f"<footer><p>© 2024 Initech</p></footer></body></html>"
    ).encode()


OTHER_STYLE = {"table": "list", "list": "table"}

REDESIGNS: dict[str, Callable[[Look], Look]] = {
    "classes renamed": lambda look: replace(look, classes="css-x7-"),
    "wrapped": lambda look: replace(look, wrapped=True),
    "drawn as a table": lambda look: replace(look, style=OTHER_STYLE.get(look.style, "table")),
    "another heading level": lambda look: replace(look, level=3),
    "reordered": lambda look: replace(look, oldest_first=True),
    "dates in another language": lambda look: replace(
        look, locale={"en": "fr"}.get(look.locale, "en")
    ),
}

LOOKS = [
    (subject, Look(style, ("anchor", "page", "none")[(subject + place) % 3]))
    for subject in range(len(SUBJECTS))
    for place, style in enumerate(STYLES)
]


@dataclass(frozen=True)
class Redesign:
    """An old page, its redesign with one entry more, and what the page lists."""

    name: str
    before: bytes
    after: bytes
    items: list[Item]
    new: Item


@pytest.fixture(scope="session")
def redesigns() -> list[Redesign]:
    """Every page in every redesign."""
    all_redesigns = []
    for subject, look in LOOKS:
        items = items_of(subject)
        new = replace(
            items[0], title="Something new 9.9.9", slug="something-new", day=date(2024, 6, 3)
        )
        for name, change in REDESIGNS.items():
            after = drawn([new, *items], change(look))
            label = f"{look.style} {look.linked} {subject} {name}"
            all_redesigns.append(Redesign(label, drawn(items, look), after, items, new))
    return all_redesigns


@pytest.fixture(scope="session")
def plain_pages() -> list[tuple[str, bytes, list[Item]]]:
    """Every page as first drawn, with links of every kind."""
    return [
        (f"{style} {linked} {subject}", drawn(items, Look(style, linked)), items)
        for subject in range(len(SUBJECTS))
        for items in (items_of(subject),)
        for style in STYLES
        for linked in ("anchor", "page", "none")
    ]


@pytest.fixture(scope="session")
def old_titles() -> tuple[bytes, bytes]:
    """A page, and one that only lists the old page's titles beside a text about the company."""
    items = items_of(0)
    linked = "".join(f'<li><a href="/changes/{item.slug}">{item.title}</a></li>' for item in items)
    after = (
        "<html><head><title>Initech</title></head><body><h1>Welcome to Initech</h1>"
        "<p>We make software since 1999.</p><div class='links'><h3>Popular</h3>"
        f"<ul>{linked}</ul></div><h2>Our offices</h2><p>Austin and Dallas.</p></body></html>"
    )
    return drawn(items, Look("cards", "page")), after.encode()
