"""People of whom the tests with a browser need the pages: each a new account in some state."""

from datetime import timedelta

from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import ids_of
from storage.delivery.webhooks import add_webhook, disable_by_operator
from storage.models import Webhook
from storage.people.accounts import add_account
from storage.people.follows import follow_sources
from storage.people.keys import add_key, rotate_key
from storage.people.plan_requests import ask_for_plan
from storage.people.private_feeds import add_private_feed
from storage.people.saved_filters import add_filter
from storage.people.sessions import add_session
from storage.people.sign_in import add_link
from storage.people.stacks import SavedPart, save_parts

FREE_SOURCES = ("acme.mail", "acme.network", "acme.storage")
MARKUP = "<script>alert('a name')</script>"
"""What people name their things."""


def new(session, account, now):
    """Somebody who has just come."""
    return {"link": add_link(session, account.email, next_path="/following", now=now)}


def late(session, account, now):
    """Somebody with a key who signed in hours ago."""
    return _key(session, account, now)


def full(session, account, now):
    """Somebody with three sources, all that the Free plan has, which published nothing."""
    return _key(session, account, now, FREE_SOURCES)


def over(session, account, now):
    """Somebody who went back to a smaller plan and has a source too many."""
    account.plan = Plan.STARTER
    session.flush()
    names = _key(session, account, now, (*FREE_SOURCES, "acme.compute"))
    account.plan = Plan.FREE
    return names


def many(session, account, now):
    """Somebody with as many keys, filters, feeds and webhooks as there may be."""
    for number in range(9):
        names = _key(session, account, now, name=f"{MARKUP} {number}")
    key, _ = add_key(session, account, name="replaced", scopes=list(Scope), now=now)
    key.expires_at = now + timedelta(hours=20)
    for number in range(5):
        hook = Webhook(name=f"{MARKUP} {number}", url="https://hooks.acme.example/")
        add_webhook(session, account.id, hook, now=now)
    return names


def reader(session, account, now):
    """Somebody who reads the whole catalog with diffs, keeps a filter and runs something."""
    account.plan, account.diffs_addon = Plan.ALL, True
    query = "vendor=acme&q=instances"
    saved = add_filter(session, account.id, name=MARKUP, query=query, now=now)
    add_private_feed(session, account.id, filter_id=saved.id, now=now)
    parts = [SavedPart("pkg:npm/left-pad", "1.3.0"), SavedPart("pkg:generic/postgresql", "15.1")]
    save_parts(session, account.id, parts)
    hook = Webhook(name="chat", url="https://hooks.acme.example/", filter_id=saved.id)
    made = add_webhook(session, account.id, hook, now=now)
    names = _key(session, account, now)
    return names | {"filter": saved.public_id, "hook": made.public_id}


def stopped(session, account, now):
    """A reader with a webhook that is off and a rotated key, who asked for another plan."""
    names = reader(session, account, now)
    ask_for_plan(session, account.id, plan=Plan.STARTER, diffs_addon=False, note=MARKUP, now=now)
    key, _ = add_key(session, account, name=MARKUP, scopes=list(Scope), now=now)
    rotate_key(session, key, now=now)
    hook = Webhook(name="off", url="https://hooks.acme.example/")
    made = add_webhook(session, account.id, hook, now=now)
    disable_by_operator(session, made, now=now)
    return names | {"off": made.public_id}


def _key(session, account, now, slugs=(), name="nightly"):
    key, _ = add_key(session, account, name=name, scopes=list(Scope), now=now)
    follow_sources(session, key.account_id, list(ids_of(session, slugs).values()), now=now)
    return {"key": key.public_id}


RECIPES = {each.__name__: each for each in (new, late, full, over, many, reader, stopped)}


def come(database, who, email, *, now):
    """Add an account and sign it in; return the session's token, and names for addresses."""
    signed_in_at = now - timedelta(hours=3) if who == "late" else now
    with database.write() as session:
        account = add_account(session, email, now=signed_in_at)
        names = RECIPES[who](session, account, now)
        return add_session(session, account, now=signed_in_at, browser="Firefox on Linux"), names
