"""The Flask application: its blueprints, and what every response of it carries."""

from email.utils import format_datetime
from typing import Final

from flask import Flask
from jinja2 import StrictUndefined

from handlers.context import Context
from handlers.http.origin import is_https
from handlers.site import words
from handlers.site.account.account_page import account
from handlers.site.account.digest import digest, unsubscribe
from handlers.site.account.filters import filters
from handlers.site.account.follows import follows
from handlers.site.account.keys import keys
from handlers.site.account.sign_in import sign_in
from handlers.site.account.stack import stack
from handlers.site.account.webhooks import webhooks
from handlers.site.error_pages import register_error_pages
from handlers.site.feeds.feed_views import FEEDS, feeds, private_feeds
from handlers.site.feeds.formats import RSS
from handlers.site.guide.guide_views import OWN_FEED, guide
from handlers.site.lines import counts_of
from handlers.site.marked_words import inline
from handlers.site.pages.deadlines import deadlines_page
from handlers.site.pages.diff_view import diffs
from handlers.site.pages.documents import documents
from handlers.site.pages.edits import edits_page
from handlers.site.pages.entry import entry_page
from handlers.site.pages.following import following
from handlers.site.pages.lists import reading
from handlers.site.pages.public import DOCUMENT_TITLES, public
from handlers.site.pages.reference import reference
from handlers.site.pages.sources import sources, vendor_names
from handlers.site.pages.status import status
from handlers.site.prose import as_html, as_inline_html
from handlers.site.protection import add_response_headers, asset, protect
from handlers.site.services import install
from handlers.site.session import (
    MOST_PARTS,
    current_user,
    own_follows,
    own_locked_slots,
    refuse_costly_forms,
    send_cookie,
)
from openapi.text import web_link
from storage.entries.documents import timestamp

BLUEPRINTS: Final = (
    *(public, reading, entry_page, edits_page, deadlines_page, sources, guide, reference, status),
    *(documents, feeds, private_feeds, sign_in, keys, follows, webhooks, digest, unsubscribe),
    *(filters, following, stack, account, diffs),
)
LARGEST_FORM_BYTES: Final = 8 * 1024 * 1024  # a pasted lockfile; others are bounded sooner


def create_site(
    services: Context, *, secret_key: str, secret_key_before: str | None = None
) -> Flask:
    """Return the Flask application; ``secret_key`` signs CSRF tokens.

    What ``secret_key_before`` signed is accepted, so that a key can be changed.
    """
    site = Flask("handlers.site")
    before = [secret_key_before] if secret_key_before else []
    site.config.update(
        SECRET_KEY=secret_key,
        SECRET_KEY_FALLBACKS=before,
        WTF_CSRF_SECRET_KEY=[*before, secret_key],  # itsdangerous signs with the last
        MAX_FORM_MEMORY_SIZE=LARGEST_FORM_BYTES,
        MAX_FORM_PARTS=MOST_PARTS,
    )
    install(site, services)
    set_up_templates(site, services)
    site.before_request(refuse_costly_forms)
    protect(site, https=is_https(services.site_url))
    for blueprint in BLUEPRINTS:
        site.register_blueprint(blueprint)
    site.extensions["csrf"].exempt(unsubscribe)  # mail programs send it (RFC 8058)
    register_error_pages(site)
    site.after_request(add_response_headers)
    site.after_request(send_cookie)
    return site


def set_up_templates(site: Flask, services: Context) -> None:
    """Register filters and globals of the templates; an undefined name is an error."""
    offer = services.offer
    site.jinja_env.undefined = StrictUndefined
    site.jinja_env.trim_blocks = site.jinja_env.lstrip_blocks = True
    site.jinja_env.filters.update(
        ago=lambda moment: words.ago(moment, services.now()),
        away=lambda moment: words.days_away(moment, services.now().date()),
        day=words.day,
        inline=inline,
        inline_markdown=as_inline_html,
        markdown=as_html,
        number=words.number,
        rfc822=lambda moment: format_datetime(moment, usegmt=True),
        price=lambda amount: words.price(amount, offer.currency),
        timestamp=timestamp,
        vendor_name=lambda vendor: vendor_names().get(vendor, vendor),
        web_link=web_link,
        weekday=words.weekday,
    )
    site.jinja_env.globals.update(
        counts_of=counts_of,
        asset=asset,
        current_user=current_user,
        own_follows=own_follows,
        own_locked_slots=own_locked_slots,
        documents=[(name, DOCUMENT_TITLES[name]) for name in offer.documents],
        feeds=(*FEEDS, (OWN_FEED, RSS, "Changewire: our own changelog")),
        health_words=words.health_words,
        public_health=lambda it: words.health_words(services.judge(it, services.now())[0], None),
        offer=offer,
        outbox=services.outbox,
        site_url=services.site_url,
        stack_title=words.stack_title,
        KIND_NAMES=words.KIND_NAMES,
        PLAN_NAMES=words.PLAN_NAMES,
        SCOPE_WORDS=words.SCOPE_WORDS,
    )
