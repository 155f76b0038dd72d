"""What pages show besides what their addresses alone do: faults, notices, nothing, too much."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NOBODY = ""
LOCKFILE = '{"dependencies": {"<script>alert(1)</script>": "1", "acme-mail": "1.3.0"}}'


class State(NamedTuple):
    """A state of a page: who goes where, fills in and presses what, and then reads words.

    ``who``: a recipe of site_people. ``path``: with the recipe's names in braces. ``fill``: texts
    by label, True for what is checked. ``press``: buttons, links and summaries, one by one.
    """

    who: str
    path: str
    shows: str
    fill: Mapping[str, Any] = MappingProxyType({})
    press: tuple[str, ...] = ()


STATES = {
    "an address that is none": State(
        NOBODY,
        "/auth/login",
        "not an e-mail address",
        {"E-mail address": "a@"},
        ("Mail me a link",),
    ),
    "one more click": State("new", "/auth/confirm?token={link}", "One more click"),
    "signed out": State("new", "/plans", "You are signed out.", {}, ("Menu", "Sign out")),
    "confirm again": State("late", "/auth/again", "Confirm that it is you"),
    "security, new": State("new", "/app/security", "Nothing has happened yet"),
    "a source asked for wrongly": State(
        NOBODY, "/sources", "address", {"Address of the changelog": "none"}, ("Request it",)
    ),
    "hostile entry": State("reader", "/e/umbrella.console/markup", "Edited once"),
    "hostile source": State("reader", "/sources/umbrella.console", "onerror"),
    "hostile diff": State("reader", "/sources/umbrella.console/diffs/1", "onerror"),
    "no diff": State("reader", "/sources/acme.mail/diffs", "acme"),
    "diffs for somebody without": State("full", "/sources/acme.compute/diffs", "Diff API"),
    "deadlines of one's own, none": State("full", "/deadlines?mine=1", "Nothing that you selected"),
    "a source, not selected": State("full", "/sources/acme.compute", "Acme Compute"),
    "an entry, not selected": State("full", "/e/acme.compute/2", "Version 2"),
    "plans, signed in": State("full", "/plans", "your plan"),
    "following, no source": State("new", "/following", "Choose sources to see"),
    "following, nothing yet": State("full", "/following", "Nothing yet"),
    "following, too many sources": State("over", "/following", "Remove sources"),
    "following, its keys": State("reader", "/following", "Version 0", {}, ("Keyboard shortcuts",)),
    "following, narrowed": State("reader", "/following", "Version 0", {}, ("Breaking",)),
    "following, a saved filter": State("reader", "/following?q=version&vendor=acme", "Version 1"),
    "keys, none": State("new", "/app/api-keys", "You have no key yet"),
    "keys, long signed in": State("late", "/app/api-keys", "more than an hour ago"),
    "keys, a new one": State(
        "new", "/app/api-keys", "It is shown this once", {"Name": "<b>shown</b>"}, ("Make the key",)
    ),
    "keys, too many": State(
        "many", "/app/api-keys", "at most 10 live keys", {"Name": "one more"}, ("Make the key",)
    ),
    "keys, rotated": State("stopped", "/app/api-keys", "(replaced)"),
    "sources, none": State("new", "/app/sources", "None yet"),
    "sources, all taken": State("full", "/app/sources", "Selected (3)"),
    "sources, one too many": State(
        "full", "/app/sources?q=globex", "slots of your plan", {}, ("Add Globex Mail",)
    ),
    "stack, none": State("new", "/app/stack", "Start with a file"),
    "stack": State("reader", "/app/stack", "left-pad"),
    "stack, proposals": State(
        "full", "/app/stack", "Not covered", {"Or its text": LOCKFILE}, ("See what is covered",)
    ),
    "account, free": State("full", "/app/account", "What more there is"),
    "account, a plan asked for": State("stopped", "/app/account", "has not answered yet"),
    "account, not deleted": State(
        "new", "/app/account", "not deleted", {"to confirm": "x"}, ("Delete the account now",)
    ),
    "account, deleted": State(
        "new", "/app/account", "is deleted", {"to confirm": "{email}"}, ("Delete the account now",)
    ),
    "a plan, asked for twice": State("stopped", "/app/plan", "takes its place"),
    "webhooks, none": State("new", "/app/webhooks", "You have no webhook yet"),
    "webhooks, too many": State("many", "/app/webhooks", "at most 5 webhooks"),
    "webhooks, a secret": State(
        "new",
        "/app/webhooks",
        "Copy it now",
        {"Name": "chat", "Address": "https://hooks.acme.example/"},
        ("Make the webhook",),
    ),
    "a webhook, nothing sent": State("reader", "/app/webhooks/{hook}", "Nothing has been sent yet"),
    "a webhook, switched off": State(
        "reader", "/app/webhooks/{hook}", "Dead letters only", {}, ("Send a test", "Switch it off")
    ),
    "a webhook, off by the operator": State("stopped", "/app/webhooks/{off}", "It stopped"),
    "filters, none": State("new", "/app/filters", "You have no filter yet"),
    "filters, one that is followed": State("reader", "/app/filters", "Followed by"),
    "a private feed": State(
        "reader", "/app/filters", "Copy what you need now", {}, ("Make the private feed",)
    ),
}
WITHOUT_SCRIPT = (
    "a source asked for wrongly",
    "following, narrowed",
    "keys, a new one",
    "sources, one too many",
    "stack, proposals",
    "webhooks, a secret",
)
