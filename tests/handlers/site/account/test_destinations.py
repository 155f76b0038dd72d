"""next= keeps people on this site."""

import pytest

from handlers.site.account.destinations import HOME, local_path

HOSTILE = [
    "",
    "/",
    "//evil.example",
    "//evil.example/app/",
    "///evil.example",
    "/\\evil.example",
    "/\\/evil.example",
    "/\t/evil.example",
    " //evil.example",
    "/\n/evil.example",
    "/app/\r\nLocation: https://evil.example",
    "/app/%250d%250aSet-Cookie:a=b",
    "https://evil.example",
    "https:/evil.example",
    "javascript:alert(1)",
    "app/api-keys",
    "/app/../..//evil.example",
    "/app/%2e%2e/%2e%2e/%2fevil.example",
    "/app//evil.example",
    "/app/%252f%252fevil.example",
    "/app/%255cevil.example",
    "/app\\..\\evil.example",
    "/app/%00",
    "/app/\u2028x",
    "/app/\uff0f\uff0fevil.example",
    "/app/．．/x",
    "/auth/sign-out",
    "@evil.example",
    "https://changewire.example.evil.example/app/",
    "/app/#//evil.example",
    "/sources.evil.example",
    "/sources//evil.example",
    "/app/<script>",
    '/app/"onload="x',
    "/app/" + "a" * 600,
    None,
]


@pytest.mark.parametrize("wanted", HOSTILE)
def test_a_path_that_could_lead_away_leads_to_the_keys_page(wanted):
    assert local_path(wanted) == HOME


@pytest.mark.parametrize(
    "wanted",
    [
        "/app/api-keys",
        "/app/account",
        "/sources/acme.compute",
        "/sources/acme.compute/diffs/diff_1_2?view=words&from=25",
        "/app/sources?q=acme&kind=blog",
        "/app/sources?q=a%20b&offset=50",
        "/app/plan?plan=all&addon=diffs",
        "/app/api-keys/0A1b2C3d4E5f/sources?q=%E6%97%A5",
    ],
)
def test_a_page_of_the_app_is_kept(wanted):
    assert local_path(wanted) == wanted
