"""Requests that change something come from our own pages or from no page at all."""

import pytest

from handlers.http.auth import caller_of_session
from handlers.http.origin import is_own_request
from storage.people.accounts import add_account
from storage.people.sessions import add_session

HOSTS = {"changewire.example", "127.0.0.1:8080"}


@pytest.mark.parametrize(
    ("fetch_site", "origin", "own"),
    [
        ("same-origin", None, True),
        ("none", None, True),
        ("same-site", "https://evil.changewire.example", False),
        ("cross-site", "https://changewire.example", False),
        ("SAME-ORIGIN", None, False),
        (None, "https://Changewire.example", True),
        (None, "http://127.0.0.1:8080", True),
        (None, "http://127.0.0.1:8081", False),
        (None, "https://changewire.example.evil.example", False),
        (None, "https://changewire.example@evil.example", False),
        (None, "null", False),
        (None, "https://[", False),
        (None, None, True),
    ],
)
def test_a_form_counts_only_from_our_own_pages(fetch_site, origin, own):
    assert is_own_request("POST", fetch_site=fetch_site, origin=origin, hosts=HOSTS) is own


@pytest.mark.parametrize(
    ("methods", "own"), [("GET HEAD OPTIONS", True), ("POST PUT PATCH DELETE TRACE get ODD", False)]
)
def test_reading_alone_is_allowed_from_anywhere(methods, own):
    for method in methods.split():
        assert own is is_own_request(method, fetch_site="cross-site", origin=None, hosts=HOSTS)


@pytest.fixture
def caller(services, database, now):
    """Ask who a request with a good session cookie is: ``caller(method, **headers)``."""
    with database.write() as session:
        account = add_account(session, "ada@acme.example", now=now)
        cookie = add_session(session, account, now=now)

    def caller(method, *, name="__Host-session", before="", **headers):
        sent = {"host": "changewire.example", "cookie": f"{before}{name}={cookie}", **headers}
        headers = [(name.replace("_", "-").encode(), text.encode()) for name, text in sent.items()]
        return caller_of_session(services, {"type": "http", "method": method, "headers": headers})

    return caller


@pytest.mark.parametrize("headers", [{}, {"sec_fetch_site": "same-origin"}])
def test_the_cookie_opens_the_api_for_our_own_pages(caller, headers):
    assert caller("POST", **headers) is not None


@pytest.mark.parametrize(
    "headers", [{"sec_fetch_site": "cross-site"}, {"origin": "https://evil.example"}]
)
def test_another_site_that_posts_is_nobody_to_the_api(caller, headers):
    assert caller("POST", **headers) is None
    assert caller("GET", **headers) is not None


def test_another_cookie_that_is_not_well_formed_signs_nobody_out(caller):
    assert caller("GET", before='seen={"a": "b"}; ') is not None


def test_over_https_a_cookie_that_other_hosts_can_set_is_nobody(caller):
    assert caller("GET", name="session") is None
