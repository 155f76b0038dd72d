"""Paths, methods and headers of any HTTP interface (specification 1, 4 and 7)."""

import re
from collections.abc import Iterator

from conformance.checks.probe import Audience, Probe, check

_PATHS = ("/sources", "/entries", "/diffs", "/important", "/latest")
_ELSEWHERE = (
    "", "/", "/nothing", "/sources/", "//sources", "/sources/acme", "/Sources", "/sources.json",
    "/sources%2F", "/sources;a=b", "/sources/request/",
    "/entries/1", "/feed", "/openapi.json", "/sources%00", "/sources%0a", "/admin", "/.env",
)  # fmt: skip


@check(
    "docs/decisions/0004",
    "JSON under /api/v1 for everything, unknown paths included: 404 not_found.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def unknown_paths_are_404(probe: Probe) -> None:
    for path in _ELSEWHERE:
        probe.get_refused(path, "", 404, "not_found")


@check(
    "specification 4",
    "Only GET and one POST exist.",
    operation="*",
    audience=Audience.ANYBODY,
)
def other_methods_are_405(probe: Probe) -> None:
    for path, _, method in _other_methods():
        response = probe.ask(method, path)
        words = f"answered {response.status} to {method}"
        probe.expect(response.status >= 400, response, words)


def _other_methods() -> Iterator[tuple[str, str, str]]:
    """Yield each path with the method that it has and one that it has not."""
    for path in (*_PATHS, "/sources/request"):
        right, wrong = ("POST", "GET") if path == "/sources/request" else ("GET", "POST")
        for method in ("PUT", "PATCH", "DELETE", "TRACE", "QUERY", wrong):
            yield path, right, method


@check(
    "docs/decisions/0004",
    "405 method_not_allowed; Allow names the methods there are (RFC 9110 §15.5.6).",
    operation="*",
    audience=Audience.ANYBODY,
)
def a_405_names_the_methods_there_are(probe: Probe) -> None:
    for path, needed, method in _other_methods():
        response = probe.ask(method, path)
        probe.expect_refusal(response, 405, "method_not_allowed")
        allowed = {part.strip() for part in response.headers.get("allow", "").split(",")}
        probe.expect(needed in allowed, response, f"allows {sorted(allowed)} and not {needed}")
        probe.expect(method not in allowed, response, f"allows {method}, which it refuses")


@check(
    "docs/decisions/0012",
    "CORS: any origin for the API, without cookies.",
    operation="OPTIONS *",
    audience=Audience.PUBLIC,
)
def other_origins_may_read_without_cookies(probe: Probe) -> None:
    origin = {"Origin": "https://app.example"}
    for path in ("/sources", "/latest"):
        response = probe.get(path, headers=origin)
        allowed = response.headers.get("access-control-allow-origin")
        probe.expect(allowed == "*", response, f"allows the origin {allowed}")
        cookies = response.headers.get("access-control-allow-credentials", "false")
        probe.expect(cookies == "false", response, "allows cookies from other origins")
    preflight = {
        **origin,
        "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "authorization, x-api-key",
    }
    response = probe.ask("OPTIONS", "/entries", headers=preflight)
    probe.expect(
        response.status in (200, 204), response, f"answered {response.status} to a preflight"
    )
    granted = response.headers.get("access-control-allow-headers", "").lower()
    both = "*" in granted or ("authorization" in granted and "x-api-key" in granted)
    probe.expect(both, response, f"allows the headers {granted or 'none'}")


@check(
    "docs/decisions/0004",
    "Every answer names its request.",
    operation="GET *",
    audience=Audience.ANYBODY,
)
def request_ids_are_unique(probe: Probe) -> None:
    earlier_ids: set[str] = set()
    for path in ("/sources", "/sources", "/latest", "/nothing", "/entries"):
        response = probe.get(path, status=None)
        request_id = response.headers.get("x-request-id", "")
        probe.expect(bool(request_id), response, "has no X-Request-Id")
        probe.expect(
            request_id not in earlier_ids, response, "has the X-Request-Id of another request"
        )
        earlier_ids.add(request_id)


@check(
    "docs/decisions/0004",
    "No page of the site can be framed or sniffed into something else.",
    operation="GET *",
    audience=Audience.PUBLIC,
)
def answers_are_not_sniffed(probe: Probe) -> None:
    for path in ("/sources", "/nothing"):
        response = probe.get(path, status=None)
        header = response.headers.get("x-content-type-options", "none")
        probe.expect(header == "nosniff", response, f"has X-Content-Type-Options {header}")


@check(
    "specification, introduction",
    "{site_url} serves the sign-in page (/auth/login), the key management page (/app/api-keys), "
    "/openapi.json and /rss/updates.xml.",
    operation="GET {site_url}",
    audience=Audience.SITE,
)
def the_site_has_its_pages(probe: Probe) -> None:
    page = probe.visit("/auth/login", status=None)
    html = page.status == 200 and "text/html" in page.headers.get("content-type", "")
    elsewhere = page.status in (301, 302, 303, 307, 308)  # people may sign in at another site
    probe.expect(html or elsewhere, page, "is no page")
    keys = probe.visit("/app/api-keys", status=None)
    led = keys.status in (301, 302, 303, 307, 308)
    probe.expect(led or keys.status in (200, 401, 403), keys, f"answered {keys.status}")
    probe.expect(keys.status != 200 or "cw_" not in keys.text, keys, "shows keys to anybody")
    probe.visit("/rss/updates.xml")


@check(
    "docs/decisions/0013",
    "Plans: Free (3 sources), Starter (10 sources), All. The price of All is 9.99 per month and of "
    "the Diff API add-on is 49.99 per month.",
    operation="GET {site_url}/plans",
    audience=Audience.SITE,
)
def plans_have_their_prices(probe: Probe) -> None:
    page = probe.visit("/plans", status=None)
    probe.needs(page.status != 404, "the site has no page of plans at /plans")
    probe.expect(page.status == 200, page, f"answered {page.status}")
    shown = set(re.findall(r"\d+(?:\.\d+)?", page.text))
    missing = [number for number in ("3", "10", "9.99", "49.99") if number not in shown]
    probe.expect(not missing, page, f"does not show {', '.join(missing)}")
