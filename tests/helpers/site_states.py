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
        NOBODY, "/auth/login", "Enter a valid email address", {"Email": "a@"}, ("Email me a link",)
    ),
    "one more click": State("new", "/auth/confirm?token={link}", "Confirm sign-in"),
    "signed out": State("new", "/plans", "Signed out.", {}, ("Menu", "Sign out")),
    "confirm again": State("late", "/auth/again", "Confirm your identity"),
    "security, new": State("new", "/app/security", "No activity yet"),
    "a source asked for wrongly": State(
        NOBODY, "/sources", "URL", {"Changelog URL": "none"}, ("Request source",)
    ),
    "hostile entry": State("reader", "/e/umbrella.console/markup", "Edited once"),
    "hostile source": State("reader", "/sources/umbrella.console", "onerror"),
    "hostile diff": State("reader", "/sources/umbrella.console/diffs/1", "onerror"),
    "no diff": State("reader", "/sources/acme.mail/diffs", "acme"),
    "diffs for somebody without": State("full", "/sources/acme.compute/diffs", "Diff API"),
    "deadlines of one's own, none": State("full", "/deadlines?following=1", "Nothing you follow"),
    "a source, not followed": State("full", "/sources/acme.compute", "Acme Compute"),
    "an entry, not followed": State("full", "/e/acme.compute/2", "Version 2"),
    "plans, signed in": State("full", "/plans", "your plan"),
    "following, no source": State("new", "/following", "Follow sources to see"),
    "following, nothing yet": State("full", "/following", "No entries yet"),
    "following, too many sources": State("over", "/following", "Unfollow sources"),
    "following, its keys": State("reader", "/following", "Version 0", {}, ("Keyboard shortcuts",)),
    "following, narrowed": State("reader", "/following", "Version 0", {}, ("Breaking",)),
    "following, a saved filter": State("reader", "/following?q=version&vendor=acme", "Version 1"),
    "keys, none": State("new", "/app/api-keys", "No API keys yet"),
    "keys, long signed in": State("late", "/app/api-keys", "confirm your identity"),
    "keys, a new one": State(
        "new", "/app/api-keys", "be able to see it again", {"Name": "<b>shown</b>"}, ("Create key",)
    ),
    "keys, too many": State(
        "many", "/app/api-keys", "at most 10 live keys", {"Name": "one more"}, ("Create key",)
    ),
    "keys, rotated": State("stopped", "/app/api-keys", "(replaced)"),
    "sources, none": State("new", "/app/sources", "No sources yet"),
    "sources, all taken": State("full", "/app/sources", "Following (3)"),
    "sources, one too many": State(
        "full", "/app/sources?q=globex", "slots of your plan", {}, ("Follow Globex Mail",)
    ),
    "stack, none": State("new", "/app/stack", "Upload a lockfile or SBOM"),
    "stack": State("reader", "/app/stack", "left-pad"),
    "stack, proposals": State(
        "full",
        "/app/stack",
        "Your packages",
        {"Or paste its contents": LOCKFILE},
        ("Find sources",),
    ),
    "account, free": State("full", "/app/account", "Upgrades"),
    "account, a plan asked for": State("stopped", "/app/account", "is pending"),
    "account, not deleted": State(
        "new", "/app/account", "was not deleted", {"to confirm": "x"}, ("Delete account",)
    ),
    "account, deleted": State(
        "new", "/app/account", "Account deleted", {"to confirm": "{email}"}, ("Delete account",)
    ),
    "a plan, asked for twice": State("stopped", "/app/plan", "new request replaces it"),
    "webhooks, none": State("new", "/app/webhooks", "No webhooks yet"),
    "webhooks, too many": State("many", "/app/webhooks", "limit of 5 webhooks"),
    "webhooks, a secret": State(
        "new",
        "/app/webhooks",
        "Copy it now",
        {"Name": "chat", "URL": "https://hooks.acme.example/"},
        ("Create webhook",),
    ),
    "a webhook, nothing sent": State("reader", "/app/webhooks/{hook}", "No messages yet"),
    "a webhook, switched off": State(
        "reader", "/app/webhooks/{hook}", "Failed only", {}, ("Send a test", "Disable")
    ),
    "a webhook, off by the operator": State("stopped", "/app/webhooks/{off}", "Disabled"),
    "filters, none": State("new", "/app/filters", "No filters yet"),
    "filters, one that is followed": State("reader", "/app/filters", "Used by"),
    "a private feed": State(
        "reader", "/app/filters", "Copy the addresses now", {}, ("Create private feed",)
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
