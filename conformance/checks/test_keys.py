"""Authentication (specification 5)."""

import pytest

from conformance.callers import ABSENT, PUBLIC
from conformance.http_messages import altered_keys
from conformance.probe import Probe, expect

_GUARDED = (("/entries", f"sources={ABSENT}"), ("/diffs", f"source={ABSENT}"))
_OPEN = ("/sources", "/important", "/latest")
_UNKNOWN_KEY = "cw_" + "A" * 12 + "_" + "B" * 38


def _unknown_keys(key: str | None) -> list[dict[str, str]]:
    """Return headers with keys that nobody issued, some of them made from a valid one."""
    altered = [other for other in altered_keys(key or "cw_a") if other != key]
    return [
        header
        for value in ("x", "cw_abc", _UNKNOWN_KEY, *altered)
        for header in ({"X-Api-Key": value}, {"Authorization": f"Bearer {value}"})
    ]


@pytest.mark.origin("specification 5.6")
def test_no_key_is_refused(public: Probe) -> None:
    """Authentication required: full catalog on /sources, /entries, /diffs."""
    for path, params in _GUARDED:
        public.get_refused(path, params, 401, "unauthorized")


@pytest.mark.origin("docs/decisions/0079")
def test_a_401_names_both_headers(public: Probe) -> None:
    """The hint of a 401 tells the caller to use a bearer key or the X-Api-Key header."""
    for path, params in _GUARDED:
        response = public.get(path, params, status=None)
        hint = str(response.field("hint"))
        both = "X-Api-Key" in hint and "earer" in hint
        expect(both, response, "does not hint at both headers")


@pytest.mark.origin("specification 5.7")
def test_wrong_keys_are_refused(anybody: Probe) -> None:
    """A missing, invalid, expired or revoked key yields 401 with code unauthorized."""
    for path, params in _GUARDED:
        for headers in _unknown_keys(anybody.caller.key):
            anybody.get_refused(path, params, 401, "unauthorized", headers=headers, caller=PUBLIC)


@pytest.mark.origin("docs/decisions/0004")
def test_wrong_keys_are_refused_on_public_operations(anybody: Probe) -> None:
    """One uniform 401, also where the endpoint is public but a bad key was sent."""
    dead = [{"X-Api-Key": key} for key in anybody.dead_keys]
    for path in _OPEN:
        for headers in (*_unknown_keys(anybody.caller.key)[::3], *dead):
            anybody.get_refused(path, "", 401, "unauthorized", headers=headers, caller=PUBLIC)


@pytest.mark.origin("specification 5.7")
def test_dead_keys_are_refused(public: Probe) -> None:
    """A missing, invalid, expired or revoked key yields 401 with code unauthorized."""
    for key in public.needs(public.dead_keys, "no revoked or expired key was given (--dead-key)"):
        for headers in ({"X-Api-Key": key}, {"Authorization": f"Bearer {key}"}):
            for path, params in _GUARDED:
                public.get_refused(path, params, 401, "unauthorized", headers=headers)
            response = public.get("/sources", status=None, headers=headers)
            hidden = response.status == 401 or response.field("sample") is True
            expect(hidden, response, "shows the catalog to a key that was revoked or has expired")


@pytest.mark.origin("specification 5.4")
def test_limited_keys_are_refused(public: Probe) -> None:
    """Scopes named for operations: read:entries for /entries and read:diffs for /diffs; the Diff
    API add-on (5.8)."""
    limited_keys = public.needs(public.limited_keys, "no limited key was given (--limited-key)")
    slug = next((str(item.get("slug")) for item in public.get("/sources").items), ABSENT)
    for key, path, status in limited_keys:
        params = {"sources" if path == "/entries" else "source": slug}
        public.get(path, params, status=status, headers={"X-Api-Key": key})


@pytest.mark.origin("specification 5.1")
def test_both_headers_carry_the_key(holder: Probe) -> None:
    """A key is sent either as Authorization: Bearer <API_KEY> or as X-Api-Key: <API_KEY>. Both
    carry the same key. (RFC 9110 §11.1: the scheme in any case.)"""
    key, params = str(holder.caller.key), {"limit": 2}
    plain = holder.get("/sources", params)
    for headers in ({"Authorization": f"Bearer {key}"}, {"authorization": f"bearer {key}"}):
        for caller in (PUBLIC, holder.caller):
            response = holder.get("/sources", params, headers=headers, caller=caller)
            expect(response.body == plain.body, response, "gave another answer than with X-Api-Key")


@pytest.mark.origin("specification 5.3")
def test_a_session_may_ask(public: Probe) -> None:
    """Signed-in users may also authenticate with a session cookie."""
    cookie = public.needs(public.session, "no session cookie was given (--session)")
    response = public.get("/sources", {"limit": 1}, headers={"Cookie": cookie})
    expect(response.field("sample") is None, response, "gave a session the sample")
    entries = public.get("/entries", {"sources": ABSENT}, status=None, headers={"Cookie": cookie})
    expect(entries.status != 401, entries, "does not know the session")
    stranger = {"Cookie": f"{cookie.partition('=')[0]}={'A' * 43}"}
    public.get_refused("/entries", {"sources": ABSENT}, 401, "unauthorized", headers=stranger)


@pytest.mark.origin("specification 5.1")
def test_a_key_in_the_address_is_no_key(reader: Probe) -> None:
    """A key is sent in a header; in an address it would are in every log."""
    for name in ("api_key", "apiKey", "key", "X-Api-Key", "access_token"):
        params = f"sources={reader.source()}&{name}={reader.caller.key}"
        response = reader.get("/entries", params, status=None, caller=PUBLIC)
        expect(response.status in (400, 401), response, "took a key out of the address")


@pytest.mark.origin("specification 5.5")
def test_public_operations_need_no_key(public: Probe) -> None:
    """Public, no authentication: /sources (sample only), /important, /latest, the RSS feed."""
    for path in _OPEN:
        public.get(path)
    public.visit("/rss/updates.xml")
