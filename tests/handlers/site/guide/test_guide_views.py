"""The guide: its pages, what they link to, and that they say what the program does."""

import re
from dataclasses import replace
from html import unescape

import pytest

from handlers.context import Context
from handlers.http.guard import RequestPolicy
from handlers.http.refusals import STATUSES
from handlers.site.app import create_site
from handlers.site.guide.guide_views import FILES, SCHEMA, resolved, text_of
from openapi.contract import load_contract, load_operations
from openapi.strictness import choices
from openapi.vocabulary import ErrorCode, Plan
from storage.delivery.webhooks import WEBHOOKS_PER_ACCOUNT
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT
from storage.people.plans import PLANS

PATHS = ["/guide", "/guide/search?q=next", *(f"/guide/{name}" for name in FILES)]
HREF = re.compile(r'href="(/[^"]*|#[^"]*)"')
SITE = "https://changewire.example"


@pytest.mark.parametrize("path", PATHS)
def test_every_link_within_the_site_leads_to_a_place_that_is_there(browser, path):
    shown = browser.get(path).text.replace(f'href="{SITE}/', 'href="/')

    for href in set(HREF.findall(shown)):
        page, _, anchor = unescape(href).partition("#")
        response = browser.get(page or path, follow_redirects=True)
        assert response.status_code == 200, href
        if anchor:
            assert f'id="{anchor}"' in response.text, href


def test_a_page_that_the_guide_does_not_have_is_not_there(browser):
    assert browser.get("/guide/nothing").status_code == 404
    assert browser.get("/guide/..%2f..%2fpyproject.toml").status_code == 404


def test_examples_name_the_address_of_this_site(services, new_browser):
    site = create_site(replace(services, site_url="https://news.acme.example"), secret_key="x" * 32)
    browser = new_browser()
    browser.client = site.test_client()

    shown = browser.get("/guide/getting-started").text

    assert "API=https://news.acme.example/api/v1" in shown
    assert SITE not in shown


def test_the_schema_of_events_is_served(browser):
    response = browser.get(f"/guide/{SCHEMA}")

    assert response.json["$schema"].startswith("https://json-schema.org/")


@pytest.mark.parametrize(
    ("href", "file", "target"),
    [
        ("../client.md#pages", "guide/errors.md", "/guide/client#pages"),
        ("guide/limits.md", "mcp.md", "/guide/limits"),
        ("../openapi/openapi.yaml", "deprecation.md", "/openapi.yaml"),
        ("#rates", "guide/limits.md", "#rates"),
        ("architecture.md", "mcp.md", None),
    ],
)
def test_a_link_between_files_is_one_between_pages(href, file, target):
    assert resolved(href, file=file) == target


def test_the_page_of_errors_has_every_code_with_its_status_and_what_to_do():
    text = text_of("guide/errors.md")
    parts = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))

    codes = load_contract()["components"]["schemas"]["ErrorCode"]

    assert [*parts] == [*ErrorCode] == choices(codes)
    for code, part in parts.items():
        assert part.strip().startswith(f"**{STATUSES[code].value}.** "), code
        assert "\n**Do:** " in part, code


def schema_of(operation_id, name):
    (operation,) = (
        operation for operation in load_operations() if operation.operation_id == operation_id
    )
    (parameter,) = (parameter for parameter in operation.parameters if parameter.name == name)
    return parameter.schema


def test_the_page_of_limits_says_what_the_program_keeps():
    text, policy = text_of("guide/limits.md"), RequestPolicy(frozenset())
    limit, slugs = schema_of("list_entries", "limit"), schema_of("list_entries", "sources")
    minute, day = Context.__dataclass_fields__["request_limits"].default
    shapes = load_contract()["components"]["schemas"]
    slots = " | ".join(str(PLANS[plan].slots or "the whole catalog") for plan in Plan)

    for line in (
        f"| sources | {slots} |",
        f"{minute.hits} a minute and {day.hits} a day",
        f"| items of a page | {limit['maximum']} |",
        f"| slugs in one request for entries | {slugs['maxItems']} |",
        f"answer | {shapes['DiffPage']['properties']['items']['maxItems']}, the newest |",
        f"| {shapes['PublicEntry']['properties']['summary']['maxLength']} characters;",
        f" {policy.body_bytes // 1024} KiB, within {policy.body_deadline.seconds} seconds;",
        f"| headers of a request | {policy.header_bytes // 1024} KiB |",
        f"| live keys of an account | {LIVE_KEYS_PER_ACCOUNT} |",
        f"| webhooks of an account | {WEBHOOKS_PER_ACCOUNT} |",
    ):
        assert line in text, line


def test_a_search_shows_places_with_what_was_looked_for(browser):
    shown = browser.get("/guide/search?q=rate_limited").text

    assert 'value="rate_limited"' in shown
    assert shown.index('href="/guide/errors#rate_limited"') < shown.index("<mark>")
