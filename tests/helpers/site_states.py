"""What pages show besides what their addresses alone do: faults, notices, nothing, too much."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NOBODY = ""
LOCKFILE = '{"dependencies": {"<script>alert(1)</script>": "1", "acme-mail": "1.3.0"}}'
LOCKED = '{"lockfileVersion": 3, "packages": {"node_modules/acme-mail": {"version": "1.0.0"}}}'


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


SIGNING_IN = {
    "an address that is none": State(
        NOBODY,
        "/auth/login",
        "not an e-mail address",
        {"E-mail address": "a@"},
        ("Mail me a link",),
    ),
    "one more click": State("new", "/auth/confirm?token={link}", "One more click"),
    "signed out": State("new", "/plans", "You are signed out.", {}, ("Menu", "Sign out")),
    "signed out everywhere": State(
        "new", "/app/security", "You are signed out everywhere", {}, ("Sign out everywhere",)
    ),
    "a page of an account, signed out": State(NOBODY, "/app/webhooks", "We mail you a link"),
    "confirm again": State("late", "/auth/again", "Confirm that it is you"),
    "security, new": State("new", "/app/security", "Nothing has happened yet"),
}
READING = {
    "no hit in the guide": State(NOBODY, "/guide/search?q=zzqqxx", "zzqqxx"),
    "a source asked for wrongly": State(
        NOBODY, "/sources", "address", {"Address of the changelog": "none"}, ("Request it",)
    ),
    "a source asked for": State(
        NOBODY,
        "/sources",
        "Thank you",
        {"Address of the changelog": "https://new.example/log", "Note": "<b>ours</b>"},
        ("Request it",),
    ),
    "more filters": State(NOBODY, "/latest?vendor=nobody&tag=none", "Nothing found"),
    "nothing older": State(NOBODY, "/latest?offset=4000", "There is nothing older here"),
    "hostile words": State(NOBODY, "/search?q=<script>alert(1)</script>", "Search"),
    "hostile entry": State("reader", "/e/umbrella.console/markup", "Edited once"),
    "hostile entry, a stranger": State(NOBODY, "/e/umbrella.console/markup", "onerror"),
    "hostile source": State("reader", "/sources/umbrella.console", "onerror"),
    "hostile diff": State("reader", "/sources/umbrella.console/diffs/1", "onerror"),
    "hostile diff, one text": State("reader", "/sources/umbrella.console/diffs/1?view=words", "on"),
    "diffs": State("reader", "/sources/acme.compute/diffs", "Removal in"),
    "a diff": State("reader", "/sources/acme.compute/diffs/1", "Rolled off"),
    "a diff, one text": State("reader", "/sources/acme.compute/diffs/1?view=words", "Rolled off"),
    "no diff": State("reader", "/sources/acme.mail/diffs", "acme"),
    "diffs for somebody without": State("full", "/sources/acme.compute/diffs", "Diff API"),
    "deadlines of one's own, none": State("full", "/deadlines?mine=1", "Nothing that you selected"),
    "a year of a source": State("reader", "/sources/acme.compute", "Entries"),
    "a source, not selected": State("full", "/sources/acme.compute", "Acme Compute"),
    "an entry, not selected": State("full", "/e/acme.compute/2", "Version 2"),
    "no such entry": State(NOBODY, "/e/acme.compute/none", "Page not found"),
    "no such source": State(NOBODY, "/sources/none.none", "Page not found"),
    "plans, signed in": State("full", "/plans", "your plan"),
}
STREAM = {
    "my stream, no source": State("new", "/app/stream", "Choose your sources first"),
    "my stream, nothing yet": State("full", "/app/stream", "Nothing yet"),
    "my stream, too many sources": State("over", "/app/stream", "Remove some sources"),
    "my stream, narrowed": State("reader", "/app/stream", "Version 0", {}, ("Breaking",)),
    "a view": State("reader", "/app/stream?filter={filter}&q=version", "Version 1"),
    "a view, no hit": State("reader", "/app/stream?filter={filter}&q=zzqqxx", "Nothing of your"),
    "my stream, the far end": State("reader", "/app/stream?offset=4000", "nothing older"),
}
ACCOUNT = {
    "keys, none": State("new", "/app/api-keys", "You have no key yet"),
    "keys, long signed in": State("late", "/app/api-keys", "more than an hour ago"),
    "keys, one without a name": State(
        "new", "/app/api-keys", "a name of 1 to", {"Name": " "}, ("Make the key",)
    ),
    "keys, a new one": State(
        "new", "/app/api-keys", "It is shown this once", {"Name": "<b>shown</b>"}, ("Make the key",)
    ),
    "keys, revoked": State("full", "/app/api-keys", "is revoked", {}, ("Revoke it now",)),
    "keys, too many": State(
        "many", "/app/api-keys", "at most 10 live keys", {"Name": "one more"}, ("Make the key",)
    ),
    "keys, too many sources": State("over", "/app/api-keys", "Requests are refused until"),
    "keys, rotated": State("stopped", "/app/api-keys", "(replaced)"),
    "a successor": State(
        "full", "/app/api-keys", "works for 24 more hours", {}, ("Make the successor",)
    ),
    "sources, none": State("new", "/app/sources", "None yet"),
    "sources, no hit": State("full", "/app/sources?q=zzqqxx", "No source matches"),
    "sources, all taken": State("full", "/app/sources", "Selected (3)"),
    "sources, one too many": State(
        "full", "/app/sources?q=globex", "slots of your plan", {}, ("Add Globex Mail",)
    ),
    "sources, OPML is missing": State(
        "full", "/app/api-keys/{key}/sources", "Choose a file first", {}, ("Add its sources",)
    ),
    "sources of several keys": State("many", "/app/sources", "Selected (0)"),
    "stack, none": State("new", "/app/stack", "Start with a file"),
    "stack": State("reader", "/app/stack", "left-pad"),
    "stack, deleted": State("reader", "/app/stack", "is deleted", {}, ("Delete it now",)),
    "stack, unreadable": State(
        "new", "/app/stack", "Try another file", {"Or its text": "?"}, ("See what is covered",)
    ),
    "stack, proposals": State(
        "full", "/app/stack", "Not covered", {"Or its text": LOCKFILE}, ("See what is covered",)
    ),
    "stack, remembered": State(
        "new",
        "/app/stack",
        "remembered",
        {"Or its text": LOCKED},
        ("See what is covered", "Remember the versions"),
    ),
    "a part asked for": State(
        "new",
        "/app/stack",
        "You asked for",
        {"Or its text": LOCKFILE},
        ("See what is covered", "Ask for it"),
    ),
    "account, free": State("full", "/app/account", "What more there is"),
    "account, long signed in": State("late", "/app/account", "Confirm that it is you"),
    "account, a plan asked for": State("stopped", "/app/account", "has not answered yet"),
    "account, not deleted": State(
        "new", "/app/account", "not deleted", {"to confirm": "x"}, ("Delete the account now",)
    ),
    "account, deleted": State(
        "new", "/app/account", "is deleted", {"to confirm": "{email}"}, ("Delete the account now",)
    ),
    "a plan, asked for twice": State("stopped", "/app/plan", "takes its place"),
    "a plan, sent": State("new", "/app/plan?plan=all", "You asked for", {}, ("Send the request",)),
    "a plan, a wrong wish": State(
        "new", "/app/plan?plan=starter", "choose both", {"Diff API": True}, ("Send the request",)
    ),
}
DELIVERY = {
    "webhooks, none": State("new", "/app/webhooks", "You have no webhook yet"),
    "webhooks, too many": State("many", "/app/webhooks", "at most 5 webhooks"),
    "webhooks, a wrong address": State(
        "new",
        "/app/webhooks",
        "Nothing can be sent",
        {"Name": "chat", "Address": "http://localhost/"},
        ("Make the webhook",),
    ),
    "webhooks, a secret": State(
        "new",
        "/app/webhooks",
        "Copy it now",
        {"Name": "chat", "Address": "https://hooks.acme.example/"},
        ("Make the webhook",),
    ),
    "webhooks, a digest": State(
        "reader", "/app/webhooks", "daily digest", {"every day": True}, ("Save the digest",)
    ),
    "webhooks, deleted": State(
        "reader", "/app/webhooks/{hook}", "is deleted", {}, ("Delete it now",)
    ),
    "a webhook, nothing sent": State("reader", "/app/webhooks/{hook}", "Nothing has been sent yet"),
    "a webhook, wrong settings": State(
        "reader",
        "/app/webhooks/{hook}",
        "Nothing can be sent",
        {"Address": "ftp://a.example"},
        ("Save",),
    ),
    "a webhook, a new secret": State(
        "reader", "/app/webhooks/{hook}", "the old secret too", {}, ("Make a new secret",)
    ),
    "a webhook, switched off": State(
        "reader", "/app/webhooks/{hook}", "Dead letters only", {}, ("Send a test", "Switch it off")
    ),
    "a webhook, dead letters": State(
        "reader",
        "/app/webhooks/{hook}",
        "All messages",
        {},
        ("Send a test", "Switch it off", "Dead letters only"),
    ),
    "a webhook, off by the operator": State("stopped", "/app/webhooks/{off}", "It stopped"),
    "filters, none": State("new", "/app/filters", "You have no filter yet"),
    "filters, one without a name": State(
        "new", "/app/filters", "a name of 1 to", {"Name": " "}, ("Save the filter",)
    ),
    "filters, saved": State(
        "new",
        "/app/filters",
        "is saved",
        {"Name": "<script>alert(2)</script>", "Words": "-beta"},
        ("Save the filter",),
    ),
    "filters, one that is followed": State("reader", "/app/filters", "Followed by"),
    "filters, revoked": State("reader", "/app/filters", "is revoked", {}, ("Revoke it now",)),
    "a private feed": State(
        "reader", "/app/filters", "Copy what you need now", {}, ("Make the private feed",)
    ),
    "no such webhook": State("new", "/app/webhooks/none", "Page not found"),
}
STATES = {
    f"{group}: {name}": state
    for group, states in {
        "signing in": SIGNING_IN,
        "reading": READING,
        "stream": STREAM,
        "account": ACCOUNT,
        "delivery": DELIVERY,
    }.items()
    for name, state in states.items()
}
WITHOUT_SCRIPT = (
    "reading: a source asked for wrongly",
    "stream: my stream, narrowed",
    "account: keys, a new one",
    "account: sources, one too many",
    "account: stack, proposals",
    "delivery: webhooks, a secret",
)
