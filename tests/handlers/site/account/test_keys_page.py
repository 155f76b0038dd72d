"""The keys page: make, see once, rotate, revoke."""

import re
from datetime import timedelta

import pytest

from storage.catalog.sources import ids_of
from storage.people.credentials import public_id_of
from storage.people.follows import key_sources, narrow_key
from storage.people.keys import find_key, find_live_key

PAGE = "/app/api-keys"


@pytest.fixture
def find(database, clock):
    """Read something of the key with a text, dead or alive."""

    def find(text, read):
        with database.read() as session:
            return read(session, find_key(session, public_id_of(text)))

    return find


@pytest.fixture
def lives(database, clock):
    def lives(text):
        with database.read() as session:
            return find_live_key(session, text, now=clock()) is not None

    return lives


def test_a_new_key_works_and_is_shown_once(ada, lives):
    text = ada.new_key()

    assert lives(text)
    assert text not in ada.get(PAGE).text
    assert f"cw_{public_id_of(text)}_…" in ada.get(PAGE).text


@pytest.mark.parametrize(
    ("expiry", "lifetime"), [("", None), ("90", timedelta(days=90)), ("365", timedelta(days=365))]
)
def test_a_key_expires_and_may_do_as_chosen(ada, find, clock, expiry, lifetime):
    scopes = ["read:entries", "read:diffs"] if expiry else ["read:diffs"]
    text = ada.new_key(expiry=expiry, scope=scopes)

    expected = None if lifetime is None else clock() + lifetime
    assert find(text, lambda _, key: (key.expires_at, key.scopes)) == (expected, scopes)


@pytest.mark.parametrize("form", [{"name": ""}, {"scope": ["write:all"]}, {"expiry": "30"}])
def test_a_form_that_makes_no_sense_makes_no_key(ada, form):
    sent = {"name": "nightly", "scope": ["read:entries"], "expiry": "90", **form}

    response = ada.post(PAGE, page=PAGE, **sent)

    assert response.status_code == 400
    assert 'role="alert"' in response.text
    assert "No API keys yet" in response.text
    assert f'value="{sent["name"]}"' in response.text
    assert ('value="90" checked' in response.text) == (sent["expiry"] == "90")


def act(browser, text, action):
    return browser.post(f"{PAGE}/{public_id_of(text)}/{action}", page=PAGE)


def test_a_revoked_key_is_dead_at_once_and_once(ada, lives, find, clock):
    text = ada.new_key(name="old one")

    act(ada, text, "revoke")

    assert not lives(text)
    assert "Key “old one” revoked" in ada.get(PAGE).text
    first = clock()
    clock.forward(hours=1)
    act(ada, text, "revoke")
    assert find(text, lambda _, key: key.revoked_at) == first


def test_rotation_gives_a_successor_and_a_day_of_overlap(ada, database, lives, find, clock):
    text = ada.new_key(scope=["read:entries", "read:diffs"])
    with database.write() as session:
        key = find_key(session, public_id_of(text))
        narrow_key(session, key, ids_of(session, ["acme.mail"]).values(), now=clock())

    response = act(ada, text, "rotate")

    successor = re.search(r'id="key">([^<]+)<', response.text)[1]
    assert response.status_code == 201
    assert "entries?sources=acme.mail" in response.text
    assert find(successor, lambda _, key: key.scopes) == ["read:entries", "read:diffs"]
    assert find(successor, lambda session, key: key_sources(session, key.id)) == {"acme.mail"}
    assert lives(text)
    clock.forward(hours=24)
    assert not lives(text)
    assert lives(successor)
