"""The pages that a browser opens in tests: at least one for every page that there is.

Capitals stand for what a test makes: a key, a webhook with a delivery, a digest, a request.
"""

import re

PUBLIC = [
    *("/latest", "/important", "/latest?offset=40", "/e/acme.compute/1"),
    *("/e/umbrella.console/hostile", "/sources/umbrella.console", "/search", "/search?q=instances"),
    *("/search?q=nothing-like-it", "/search?q=api&vendor=acme", "/important?category=security"),
    *("/latest?vendor=acme&since=2026-01-01&kind=blog", "/sources", "/sources?q=mail"),
    *("/sources?q=nothing-like-it", "/sources/acme.compute", "/sources/globex.mail"),
    *("/vendors/acme", "/vendors/globex", "/vendors?tag=cloud", "/vendors?letter=a", "/deadlines"),
    *("/deadlines?ends=migration", "/deadlines?following=1", "/edits"),
    *("/subscribe?feed=important&q=a", "/subscribe?feed=deadlines", "/", "/docs"),
    *("/docs/list_entries", "/docs/check_stack", "/plans", "/status", "/changelog", "/auth/login"),
    *("/auth/sent", "/terms", "/privacy", "/contact", "/no-such-page"),
    *("/search?q=instances&order=relevance", "/important?vendor=acme&category=security"),
    *("/auth/confirm?token=spent", "/unsubscribe?token=unknown", "/guide"),
    *("/guide/getting-started", "/guide/errors", "/guide/following", "/guide/feeds"),
    *("/guide/search", "/guide/search?q=rate_limited", "/guide/search?q=nothing-like-it"),
]
PRIVATE = [
    *("/app/api-keys", "/app/api-keys/KEY/sources", "/app/api-keys/KEY/sources?q=nothing-like-it"),
    *("/app/webhooks", "/app/webhooks/HOOK", "/app/webhooks/HOOK/deliveries/DELIVERY"),
    *("/unsubscribe?token=DIGEST", "/app/filters?vendor=acme&category=security", "/app/account"),
    *("/app/security", "/auth/again", "/app/stack", "/following"),
    *("/following?category=breaking&vendor=acme", "/following?q=nothing-like-it", "/app/sources"),
    *("/app/sources?reason=forbidden", "/e/acme.compute/1?signed-in=1"),
    *("/app/sources?q=nothing-like-it", "/app/sources?tier=product&sort=newest"),
    *("/sources/acme.compute", "/sources/globex.mail", "/sources/acme.compute/diffs"),
    *("/sources/acme.compute/diffs/1", "/sources/acme.compute/diffs/1?view=words"),
    *("/app/plan?plan=all&addon=diffs",),
]
NO_PAGES = {
    "account.start": "leads to another page",
    "following.old_address": "leads to another page",
    "follows.export": "a file",
    "feeds": "for readers",
    "private_feeds": "for readers",
    "guide.feed": "for readers",
    "documents": "for programs",
    "guide.schema_of_events": "for programs",
    "status.document": "for programs",
    "static": "files",
}
"""What answers to GET and is no page, by blueprint or endpoint, with the reason."""

PLACEHOLDERS = {
    "public_id": "0A1b2C3d4E5f",
    "slug": "acme.compute",
    "filename": "site.css",
    "webhook_id": "5f4E3d2C1b0A",
    "delivery_id": "1",
    "name": "getting-started",
    "operation_id": "list_entries",
    "document_name": "terms",
    "version": "v2",
    "form": "json",
    "id_": "1",
    "address": "1",
    "token": "1",
    "diff_id": "1",
    "digest": "0" * 16,
    "vendor": "acme",
}


def paths(site, methods, names=PLACEHOLDERS):
    """The path of every rule with one of the methods, places filled in."""
    return sorted(
        re.sub(r"<(?:[^<>:]+:)?(\w+)>", lambda found: names[found[1]], rule.rule)
        for rule in site.url_map.iter_rules()
        if methods & rule.methods
    )
