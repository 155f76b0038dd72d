"""The browser of the catalog in which sources are chosen (docs/decisions/0013).

It is one page at every place: for a key under its own address, and at /app/sources for the key that
was made last, or for nobody's yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from flask import render_template, request
from sqlalchemy.orm import Session

from handlers.site.account.facets import FACETS, ORDERS, in_order, narrow
from handlers.site.forms import parse_offset, parse_word
from handlers.site.pages.status_drawings import REASONS
from handlers.site.services import cached_figures, site_services
from handlers.site.session import signed_in_user
from handlers.site.words import KIND_NAMES, TIER_NAMES, health_words
from openapi.vocabulary import Health
from storage.catalog.catalog_items import items_of, page_items
from storage.catalog.search.catalog_search import search_index
from storage.catalog.source_filter import SourceFilter
from storage.models import ApiKey
from storage.people.keys import account_selection, is_live, list_keys, selected_slugs
from storage.people.plans import PLANS

PAGE: Final = 30
FACET_NAMES: Final = {
    "tier": "Tier",
    "kind": "Kind",
    "health": "Health",
    "tag": "Tag",
    "vendor": "Vendor",
}


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """Which part of the catalog is shown. ``chosen``: the value of each facet that narrows it."""

    q: str | None
    chosen: Mapping[str, str]
    order: str
    offset: int

    def as_query(self) -> dict[str, str]:
        """Return it as the query of an address, without what is as usual."""
        page = {"q": self.q or "", "sort": self.order, "offset": str(self.offset or "")}
        values = {**page, **self.chosen}
        return {name: value for name, value in values.items() if value}


def view_of(values: Any) -> ChoiceView:
    """Read which part is wanted, from a query or a form; what makes no sense is left out."""
    chosen = {name: word for name in FACETS if (word := parse_word(values.get(name)))}
    order = values.get("sort", "")
    return ChoiceView(
        q=parse_word(values.get("q")),
        chosen=chosen,
        order=order if order in ORDERS else "",
        offset=parse_offset(values.get("offset")),
    )


def value_name(facet: str, value: str) -> str:
    """Return the words for a value of a facet."""
    if facet == "health":
        return health_words(Health(value), None).label if value in list(Health) else value
    names: dict[str, Mapping[Any, str]] = {"tier": TIER_NAMES, "kind": KIND_NAMES}
    return names.get(facet, {}).get(value, value)


def source_choice_page(session: Session, key: ApiKey | None) -> str:
    """Return the page on which sources are chosen for a key, or are looked at without one."""
    services, owner = site_services(), signed_in_user()
    now = services.now()
    view = view_of(request.args)
    index = search_index(session)
    sources = index.find(view.q) if view.q is not None else index.listed(lambda _: True)
    healths = {source.id: source for source in cached_figures().sources.get(now=now)}
    left, facets = narrow(sources, healths, view.chosen)
    shown = in_order(left, view.order, healths)[view.offset :][:PAGE]
    items = {item.id: item for item in items_of(session, [source.id for source in shown], now=now)}
    chosen = selected_slugs(session, key.id) if key is not None else set()
    mine = page_items(session, SourceFilter(slugs=frozenset(chosen)), now=now).items
    keys = [
        live_key for live_key in list_keys(session, owner.account_id) if is_live(live_key, now=now)
    ]
    return render_template(
        "choosing.html",
        key=key,
        keys=keys,
        view=view,
        total=len(left),
        rows=[(source, items[source.id]) for source in shown if source.id in items],
        facets=facets,
        facet_names=FACET_NAMES,
        reasons=REASONS,
        value_name=value_name,
        orders=ORDERS,
        mine=mine,
        chosen=chosen,
        used=len(account_selection(session, owner.account_id, now=now)),
        slots=PLANS[owner.plan].slots,
        size=PAGE,
        tiers={tier: name.removesuffix("s") for tier, name in TIER_NAMES.items()},
        health=services.judge,
        at=now,
        here=request.path,
    )


def newest_key(session: Session) -> ApiKey | None:
    """Return the key of the user that was made last and lives, or None."""
    now = site_services().now()
    keys = list_keys(session, signed_in_user().account_id)
    return max((key for key in keys if is_live(key, now=now)), key=_made, default=None)


def _made(key: ApiKey) -> tuple[Any, int]:
    return key.created_at, key.id
