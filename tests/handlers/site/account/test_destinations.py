"""next= keeps people on this site."""

import pytest

from handlers.site.account.sign_in import HOME, local_path

HOSTILE = [
    *(None, "", "/", "//evil.example", "/\\evil.example", "/\n/evil.example"),
    *("https://evil.example", "javascript:alert(1)", "/app/#//evil.example", "/app/<script>"),
    *("/app/../..//evil.example", "/app/%252f%252fevil.example", "/app/%255cevil.example"),
    *("/app/\r\nLocation: x", "/app/%250d%250aSet-Cookie:a=b", "/app/%00", "/app/．．/x"),
    *("/auth/sign-out", "/sources.evil.example", "/app/" + "a" * 600),
]


@pytest.mark.parametrize("wanted", HOSTILE)
def test_a_path_that_could_lead_away_leads_to_the_own_list(wanted):
    assert local_path(wanted) == HOME


@pytest.mark.parametrize(
    "wanted",
    [
        "/sources/acme.compute/diffs/diff_1_2?view=words&from=25",
        "/following?category=breaking&vendor=acme",
        "/app/api-keys/0A1b2C3d4E5f/sources?q=%E6%97%A5",
    ],
)
def test_a_page_of_the_app_is_kept(wanted):
    assert local_path(wanted) == wanted
