"""Passkeys: added on /app/security, used on the sign-in page, by a device written here."""

import json
import re
from html import unescape

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    CollectedClientData,
    RegistrationResponse,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from handlers.site.account.webauthn import LONGEST
from storage.models import AccountEvent, Passkey
from storage.people.passkeys import PASSKEYS_PER_ACCOUNT

PAGE, LOGIN = "/app/security", "/auth/login"
SITE, HOST = "https://changewire.example", "changewire.example"
OPTIONS = re.compile(r'data-options="([^"]+)"')
FLAG = AuthenticatorData.FLAG
TOUCHED, SEEN = FLAG.UP, FLAG.UP | FLAG.UV
CREATE, GET = CollectedClientData.TYPE.CREATE, CollectedClientData.TYPE.GET


def asked(browser, page):
    """What the page asks a device for."""
    return json.loads(unescape(OPTIONS.search(browser.get(page).text)[1]))


class Device:
    """Makes one passkey and signs with it."""

    def __init__(self, number=1):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = bytes([number]) * 32
        self.counter = 0

    def _said(self, kind, options, origin):
        return CollectedClientData.create(kind, options["challenge"], origin)

    def make(self, options, *, flags=SEEN, origin=SITE, host=HOST):
        public = ES256.from_cryptography_key(self.key.public_key())
        made = AttestedCredentialData.create(Aaguid.NONE, self.id, public)
        data = AuthenticatorData.create(sha256(host.encode()), flags | FLAG.AT, self.counter, made)
        response = AuthenticatorAttestationResponse(
            client_data=self._said(CREATE, options, origin),
            attestation_object=AttestationObject.create("none", data, {}),
        )
        return json.dumps(dict(RegistrationResponse(raw_id=self.id, response=response)))

    def sign(self, options, *, flags=SEEN, origin=SITE, host=HOST, kind=GET):
        said = self._said(kind, options, origin)
        data = AuthenticatorData.create(sha256(host.encode()), flags, self.counter)
        response = AuthenticatorAssertionResponse(
            client_data=said,
            authenticator_data=data,
            signature=self.key.sign(data + said.hash, ec.ECDSA(hashes.SHA256())),
        )
        return json.dumps(dict(AuthenticationResponse(raw_id=self.id, response=response)))


def add(browser, device, name="Laptop", **more):
    made = device.make(asked(browser, PAGE), **more)
    return browser.post(f"{PAGE}/passkeys", page=PAGE, credential=made, name=name)


def use(browser, device, **more):
    signed = device.sign(asked(browser, LOGIN), **more)
    return browser.post("/auth/passkey", credential=signed, next="/app/account")


def is_in(browser):
    return browser.get("/app/account").status_code == 200


def stored(database):
    with database.read() as session:
        return list(session.scalars(select(Passkey.name).order_by(Passkey.name)))


@pytest.fixture
def device(ada):
    """A device with a passkey of ada."""
    device = Device()
    add(ada, device)
    return device


def test_a_passkey_signs_in_without_a_mail(ada, device, new_browser, mails, database):
    other, sent = new_browser(), len(mails)

    response = use(other, device)

    assert (response.status_code, response.location) == (303, "/app/account")
    assert is_in(other)
    assert "ada@acme.example" in other.get("/app/account").text
    assert len(mails) == sent
    with database.read() as session:
        events = session.execute(select(AccountEvent.kind, AccountEvent.subject)).all()
    said = [(kind.value, subject) for kind, subject in events]
    assert said[1:] == [("passkey_added", "Laptop"), ("signed_in", "with the passkey Laptop")]


def test_the_page_lists_passkeys_and_what_is_removed_signs_nobody_in(
    ada, device, new_browser, database
):
    use(new_browser(), device)
    shown = ada.get(PAGE).text
    assert "Laptop" in shown
    assert "last used" in shown

    path = re.search(rf"{PAGE}/passkeys/\w+/remove", shown)[0]
    ada.post(path, page=PAGE)
    other = new_browser()
    response = use(other, device)

    assert stored(database) == []
    assert response.location.startswith("/auth/login")
    assert "did not work here" in other.get(LOGIN).text
    assert not is_in(other)


@pytest.mark.parametrize(
    "wrong",
    [
        {"origin": "https://changewire.example.evil.example"},
        {"origin": "https://sub.changewire.example"},
        {"origin": "http://changewire.example"},
        {"host": "evil.example"},
        {"flags": TOUCHED},
        {"flags": FLAG.UV},
        {"kind": CREATE},
    ],
    ids=str,
)
def test_what_was_signed_for_something_else_signs_nobody_in(ada, device, new_browser, wrong):
    other = new_browser()

    use(other, device, **wrong)

    assert not is_in(other)


@pytest.mark.parametrize(
    "wrong",
    [{"origin": "https://evil.example"}, {"host": "evil.example"}, {"flags": TOUCHED}],
    ids=str,
)
def test_what_was_made_for_something_else_is_not_added(ada, database, wrong):
    add(ada, Device(), **wrong)

    assert stored(database) == []
    assert "could not be added" in ada.get(PAGE).text


def test_another_key_signs_nobody_in(ada, device, new_browser):
    other, thief = new_browser(), Device()

    use(other, thief)

    assert not is_in(other)


def test_a_challenge_is_good_for_one_answer_in_one_browser_for_two_hours(
    ada, device, new_browser, clock
):
    one, other, late = new_browser(), new_browser(), new_browser()
    options, late_options = asked(one, LOGIN), asked(late, LOGIN)
    signed = device.sign(options)
    cookies = one.client.get_cookie("__Host-forms", HOST).value

    other.post("/auth/passkey", credential=signed)
    assert not is_in(other)
    one.post("/auth/passkey", credential=signed)
    assert is_in(one)

    other.client.set_cookie("__Host-forms", cookies, domain=HOST, secure=True)
    other.post("/auth/passkey", page="/auth/sent", credential=signed)
    assert not is_in(other)
    clock.forward(hours=2, seconds=1)
    late.post("/auth/passkey", page="/auth/sent", credential=device.sign(late_options))
    assert not is_in(late)


def test_tabs_of_a_browser_share_their_challenge(browser):
    assert asked(browser, LOGIN) == asked(browser, LOGIN)


def test_a_device_that_counts_backwards_was_copied(ada, device, new_browser):
    for counter, works in ((7, True), (8, True), (8, False), (3, False), (0, False), (9, True)):
        device.counter, other = counter, new_browser()
        use(other, device)
        assert is_in(other) is works


def test_adding_asks_for_a_recent_sign_in_and_removing_for_nothing(ada, device, clock, database):
    made = Device(2).make(asked(ada, PAGE))
    path = re.search(rf"{PAGE}/passkeys/\w+/remove", ada.get(PAGE).text)[0]
    clock.forward(hours=3)

    late = ada.post(f"{PAGE}/passkeys", page=PAGE, credential=made)

    assert late.location == f"/auth/again?next={PAGE}"
    assert "data-options" not in ada.get(PAGE).text
    ada.post(path, page=PAGE)
    assert stored(database) == []


def test_a_passkey_is_a_recent_sign_in(ada, device, clock):
    clock.forward(hours=3)
    assert "Make the key" not in ada.get("/app/api-keys").text

    signed = device.sign(asked(ada, "/auth/again"))
    ada.post("/auth/passkey", page="/auth/again", credential=signed, next="/app/api-keys")

    assert "Make the key" in ada.get("/app/api-keys").text


def test_an_account_has_ten_passkeys_and_no_device_twice(ada, database):
    for number in range(PASSKEYS_PER_ACCOUNT):
        add(ada, Device(number), name=f"{number:02}")
    made = ada.get(PAGE).text
    assert "at most 10" in made
    path = re.search(rf"{PAGE}/passkeys/\w+/remove", made)[0]
    ada.post(path, page=PAGE)

    add(ada, Device(PASSKEYS_PER_ACCOUNT - 1), name="again")

    assert len(stored(database)) == PASSKEYS_PER_ACCOUNT - 1
    assert "again" not in stored(database)


def test_a_device_is_told_which_passkeys_it_has(ada, device):
    known = asked(ada, PAGE)["excludeCredentials"]

    assert [each["id"] for each in known] == [websafe_encode(device.id)]


def test_nobody_removes_the_passkey_of_another_account(ada, device, new_browser, database):
    path = re.search(rf"{PAGE}/passkeys/\w+/remove", ada.get(PAGE).text)[0]
    eve = new_browser()
    eve.sign_in("eve@acme.example")

    eve.post(path, page=PAGE)

    assert stored(database) == ["Laptop"]


def test_passkeys_go_with_their_account(ada, device, new_browser, database):
    ada.post("/app/account/delete", page="/app/account", email="ada@acme.example")
    other = new_browser()

    use(other, device)

    assert stored(database) == []
    assert not is_in(other)


def test_a_form_of_another_site_uses_no_passkey(ada, device, new_browser):
    other = new_browser()
    signed = device.sign(asked(other, LOGIN))

    response = other.post(
        "/auth/passkey", credential=signed, headers={"Origin": "https://evil.example"}
    )

    assert response.status_code == 403
    assert not is_in(other)


def test_a_site_without_a_name_offers_none(pages_with):
    browser = pages_with(site_url="http://127.0.0.1:8000")
    browser.base = "http://127.0.0.1:8000"

    assert "data-passkey" not in browser.get(LOGIN).text
    browser.sign_in()
    shown = browser.get(PAGE).text
    assert "passkeys only for sites with a name" in shown
    assert "data-passkey" not in shown


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.one_of(
        st.text(max_size=40),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: st.dictionaries(
                st.sampled_from(["id", "rawId", "response", "type", "attestationObject"]), inner
            ),
            max_leaves=8,
        ).map(json.dumps),
    )
)
def test_no_nonsense_is_an_error_of_ours(ada, text):
    one = ada.post("/auth/passkey", page="/auth/again", credential=text)
    two = ada.post(f"{PAGE}/passkeys", page=PAGE, credential=text)

    assert (one.status_code, two.status_code) == (303, 303)


@pytest.mark.parametrize("place", ["id", "rawId", "clientDataJSON", "signature", "userHandle"])
def test_no_memory_is_taken_for_a_number_where_a_text_belongs(device, new_browser, place):
    browser = new_browser()
    answer = json.loads(device.sign(asked(browser, LOGIN)))
    (answer if place in answer else answer["response"])[place] = 10**15  # bytes

    response = browser.post("/auth/passkey", credential=json.dumps(answer))

    assert response.status_code == 303
    assert not is_in(browser)


def test_a_response_that_is_too_long_is_not_read(device, new_browser):
    browser = new_browser()
    answer = json.loads(device.sign(asked(browser, LOGIN)))
    answer["padding"] = "x" * LONGEST

    browser.post("/auth/passkey", credential=json.dumps(answer))

    assert not is_in(browser)


@pytest.mark.parametrize("place", ["clientDataJSON", "authenticatorData", "signature"])
@pytest.mark.parametrize("change", ["", "AAAA", "!", 7, None, {}], ids=repr)
def test_a_changed_answer_signs_nobody_in(ada, device, new_browser, place, change):
    other = new_browser()
    answer = json.loads(device.sign(asked(other, LOGIN)))
    answer["response"][place] = change

    response = other.post("/auth/passkey", credential=json.dumps(answer))

    assert response.status_code == 303
    assert not is_in(other)
