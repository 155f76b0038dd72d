"""A terminal asks for a key, somebody allows it on a page, it fetches the key once."""

import hashlib
import re
from datetime import timedelta

import pytest

from openapi.vocabulary import Plan
from storage.catalog.sources import ids_of
from storage.people.credentials import public_id_of
from storage.people.keys import find_key, find_live_key, select_sources, selected_slugs

SECRET, OTHER, STATE = "s" * 43, "t" * 43, "x" * 20


def challenge_of(secret):
    return hashlib.sha256(secret.encode()).hexdigest()


@pytest.fixture
def terminal(new_browser):
    """Post JSON as a program does: ``terminal("/key", secret=…)``."""
    client = new_browser().client

    def terminal(path="", headers=None, **body):
        base = "https://changewire.example"
        return client.post(f"/auth/terminal{path}", json=body, headers=headers, base_url=base)

    return terminal


@pytest.fixture
def begin(terminal):
    """Ask for a key; gives the code."""

    def begin(secret=SECRET, **more):
        response = terminal(challenge=challenge_of(secret), name="changewire on ada", **more)
        assert response.status_code == 201, response.text
        return response.json["code"]

    return begin


def answer(browser, code, word="allow"):
    page = f"/app/connect?code={code}"
    return browser.post("/app/connect", page=page, code=code, answer=word)


def test_the_page_says_who_asks_for_what_and_the_code(ada, begin):
    code = begin()
    page = ada.get(f"/app/connect?code={code}").text

    assert re.fullmatch(r"[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}", code)
    for text in (code, "changewire on ada", "ada@acme.example", "Read the entries"):
        assert text in page


def test_a_key_is_given_once_with_the_selection_of_the_account(
    ada, begin, terminal, database, catalog, clock
):
    first = ada.new_key()
    with database.write() as session:
        key = find_key(session, public_id_of(first))
        select_sources(session, key, ids_of(session, catalog[:3]).values(), now=clock())
    code = begin()
    before = terminal("/key", secret=SECRET)
    done = answer(ada, code)
    response = terminal("/key", secret=SECRET)
    with database.read() as session:
        made = find_live_key(session, response.json["key"], now=clock())
        selected = selected_slugs(session, made.id)

    assert (before.status_code, before.json) == (202, {"waiting": True})
    assert (done.status_code, done.location) == (303, "/app/connect/done?allowed=1")
    assert made.scopes == ["read:entries", "read:diffs"]
    assert made.expires_at == clock() + timedelta(days=365)
    assert selected == set(catalog[:3])
    assert terminal("/key", secret=SECRET).status_code == 404


def test_a_selection_that_is_too_large_after_a_downgrade_is_left_to_its_owner(
    ada, begin, terminal, database, catalog, clock, set_plan
):
    set_plan(Plan.STARTER)
    first = ada.new_key()
    with database.write() as session:
        key = find_key(session, public_id_of(first))
        select_sources(session, key, ids_of(session, catalog[:4]).values(), now=clock())
    set_plan(Plan.FREE)
    answer(ada, begin())

    assert terminal("/key", secret=SECRET).status_code == 200


def test_a_browser_takes_what_is_needed_to_the_terminals_machine(ada, begin, terminal):
    page = answer(ada, begin(port=50_123, state=STATE))
    start = f"0;url=http://127.0.0.1:50123/?state={STATE}&once="
    once = page.headers["Refresh"].removeprefix(start)

    assert page.headers["Refresh"].startswith(start)
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert terminal("/key", secret=SECRET).status_code == 404
    assert terminal("/key", secret=SECRET, once="wrong").status_code == 404
    assert terminal("/key", secret=SECRET, once=once).status_code == 200


def test_a_refusal_ends_it(ada, begin, terminal):
    code = begin(port=50_123, state=STATE)
    page = answer(ada, code, "refuse")

    assert page.headers["Refresh"].endswith(f"state={STATE}&refused=1")
    assert terminal("/key", secret=SECRET).status_code == 404
    assert answer(ada, code).status_code == 410


def test_another_terminal_does_not_get_it(ada, begin, terminal):
    answer(ada, begin())

    assert terminal("/key", secret=OTHER).status_code == 404


def test_it_is_over_after_ten_minutes(ada, begin, terminal, clock):
    code = begin()
    clock.forward(minutes=10)

    assert ada.get(f"/app/connect?code={code}").status_code == 404
    assert answer(ada, code).status_code == 410
    assert terminal("/key", secret=SECRET).status_code == 404


def test_what_is_allowed_is_fetched_in_time(ada, begin, terminal, clock):
    answer(ada, begin())
    clock.forward(minutes=10)

    assert terminal("/key", secret=SECRET).status_code == 404


def test_codes_are_found_as_people_type_them(ada, begin):
    code = begin()
    typed = code.lower().replace("-", " ")

    assert code in ada.get(f"/app/connect?code={typed}").text
    assert "Type the code" in ada.get("/app/connect").text


def test_guessing_codes_ends_soon(ada):
    statuses = [ada.get("/app/connect?code=BCDFGHJK").status_code for _ in range(31)]

    assert statuses == [404] * 30 + [429]


def test_strangers_are_led_to_sign_in_and_back(browser, begin):
    response = browser.get(f"/app/connect?code={begin()}")

    assert response.status_code in (302, 303)
    assert "/auth/login?next=/app/connect?code" in response.location.replace("%3F", "?").replace(
        "%2F", "/"
    )


def test_no_other_site_can_allow_it(ada, begin, terminal):
    code = begin()
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    refused = ada.post("/app/connect", headers=foreign, code=code, answer="allow")

    assert refused.status_code == 403
    assert terminal("/key", secret=SECRET).status_code == 202


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"challenge": "x" * 64, "name": "a"},
        {"challenge": challenge_of(SECRET), "name": ""},
        {"challenge": challenge_of(SECRET), "name": "a" * 81},
        {"challenge": challenge_of(SECRET), "name": "a", "port": 80, "state": STATE},
        {"challenge": challenge_of(SECRET), "name": "a", "port": True, "state": STATE},
        {"challenge": challenge_of(SECRET), "name": "a", "port": 50_000},
        {"challenge": challenge_of(SECRET), "name": "a", "port": 50_000, "state": "a b"},
    ],
)
def test_what_makes_no_sense_is_refused(terminal, body):
    response = terminal(**body)

    assert (response.status_code, response.json["code"]) == (400, "invalid_request")


def test_what_is_no_json_and_a_challenge_twice_are_refused(terminal, begin, new_browser):
    begin()
    base = "https://changewire.example"
    text = new_browser().client.post("/auth/terminal", data="a", base_url=base)

    assert text.status_code == 400
    assert terminal(challenge=challenge_of(SECRET), name="a").status_code == 400
    assert terminal("/key", secret="short").status_code == 400


def test_too_many_requests_and_keys_are_refused(ada, terminal, begin):
    for _ in range(10):
        ada.new_key()
    answer(ada, begin())
    full = terminal("/key", secret=SECRET)
    for number in range(9):
        begin(f"{number}" * 43)
    many = terminal(challenge=challenge_of(OTHER), name="a")

    assert (full.status_code, full.json["code"]) == (403, "plan_limit_exceeded")
    assert (many.status_code, many.headers["Retry-After"]) == (429, "60")


def test_a_key_ends_itself(ada, terminal, database, clock):
    text = ada.new_key()
    headers = {"Authorization": f"Bearer {text}"}

    assert terminal("/end", headers=headers).json == {"revoked": True}
    assert terminal("/end", headers=headers).status_code == 401
    assert terminal("/end").status_code == 401
    with database.read() as session:
        assert find_live_key(session, text, now=clock()) is None


def test_who_signed_in_long_ago_signs_in_again_first(ada, begin, clock):
    clock.forward(hours=3)
    code = begin()
    asked = ada.get(f"/app/connect?code={code}")
    sent = ada.post("/app/connect", page="/app/connect/done", code=code, answer="allow")

    for response in (asked, sent):
        assert response.status_code == 303
        assert "/auth/again?next=" in response.location
        assert code in response.location


def test_the_account_log_says_that_a_key_was_made_and_ended(ada, begin, terminal):
    answer(ada, begin())
    key = terminal("/key", secret=SECRET).json["key"]
    terminal("/end", headers={"X-Api-Key": key})

    assert ada.get("/app/security").text.count("changewire on ada (cw_") == 2
