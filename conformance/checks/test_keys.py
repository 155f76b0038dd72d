"""Authentication (specification 5)."""

import re
import string
import zlib

import pytest

from conformance.callers import ABSENT, PUBLIC, LimitedKey
from conformance.http_messages import Response, altered_keys
from conformance.probe import Probe, expect, expect_refusal

_GUARDED = (("/entries", f"sources={ABSENT}"), ("/diffs", f"source={ABSENT}"))
_OPEN = ("/sources", "/important", "/latest")
_BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
_KEY = re.compile(r"(\w+_[0-9A-Za-z]{12}_)[0-9A-Za-z]{32}[0-9A-Za-z]{6}")
_UNKNOWN_KEY = "cw_" + "A" * 12 + "_" + "B" * 38


def _unknown_keys(key: str | None) -> list[dict[str, str]]:
    """Return headers with keys that nobody issued, in the form of keys."""
    *others, _ = altered_keys(key or "a").values()
    wrong = ["x", "cw_abc", _UNKNOWN_KEY, *(other for other in others if key not in (None, other))]
    return [
        header
        for value in wrong
        for header in ({"X-Api-Key": value}, {"Authorization": f"Bearer {value}"})
    ]


def _wrong_keys(key: str | None) -> list[dict[str, str]]:
    """Return headers with invalid keys of any form, made from the valid one if there is one."""
    wrong = ["x", "cw_", "cw_abc", _UNKNOWN_KEY, "A" * 5000, "null", "%00", "'; DROP TABLE keys--"]
    *others, encoded = altered_keys(key or "a").values()
    if key is not None:
        wrong += [other for other in others if other != key]
    headers = [{"X-Api-Key": value} for value in wrong]
    headers += [{"Authorization": f"Bearer {value}"} for value in wrong]
    headers += [
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {encoded}"},
        {"Authorization": f"Token {key or 'a'}"},
        {"Authorization": key or "a"},
        {"Authorization": f"Bearer {key or 'a'} {key or 'a'}"},
    ]
    return headers


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
def test_odd_keys_are_refused_alike(anybody: Probe) -> None:
    """One uniform 401 for whatever is no key: other schemes, other alphabets, any length."""
    for path, params in _GUARDED:
        for headers in _wrong_keys(anybody.caller.key):
            anybody.get_refused(path, params, 401, "unauthorized", headers=headers, caller=PUBLIC)


@pytest.mark.origin("specification 5.7")
def test_dead_keys_are_refused(public: Probe) -> None:
    """A missing, invalid, expired or revoked key yields 401 with code unauthorized."""
    for key in public.needs(public.dead_keys, "no revoked or expired key was given"):
        for path, params in _GUARDED:
            for headers in ({"X-Api-Key": key}, {"Authorization": f"Bearer {key}"}):
                public.get_refused(path, params, 401, "unauthorized", headers=headers)


@pytest.mark.origin("docs/decisions/0004")
def test_dead_keys_are_refused_on_public_operations(public: Probe) -> None:
    """One uniform 401, also where the endpoint is public but a revoked or expired key was sent."""
    for key in public.needs(public.dead_keys, "no revoked or expired key was given"):
        for headers in ({"X-Api-Key": key}, {"Authorization": f"Bearer {key}"}):
            public.get_refused("/sources", "", 401, "unauthorized", headers=headers)


@pytest.mark.origin("specification 5.4")
def test_limited_keys_are_refused(public: Probe) -> None:
    """Scopes named for operations: read:entries for /entries and read:diffs for /diffs; the Diff
    API add-on (5.8)."""
    for limited in public.needs(public.limited_keys, "no key was said to be limited"):
        response = _with_limited_key(public, limited)
        words = f"answered {response.status}, not {limited.status}"
        expect(response.status == limited.status, response, words)


@pytest.mark.origin("docs/decisions/0004")
def test_limited_keys_are_told_what_is_missing(public: Probe) -> None:
    """403 insufficient_scope, 402 addon_required."""
    for limited in public.needs(public.limited_keys, "no key was said to be limited"):
        code = "insufficient_scope" if limited.status == 403 else "addon_required"
        expect_refusal(_with_limited_key(public, limited), limited.status, code)


def _with_limited_key(probe: Probe, limited: LimitedKey) -> Response:
    """Ask for what a key may not have, of a source that the catalog has."""
    slug = next((str(item.get("slug")) for item in probe.get("/sources").items), ABSENT)
    params = {"sources" if limited.path == "/entries" else "source": slug}
    headers = {"X-Api-Key": limited.key}
    return probe.get(limited.path, params, status=None, headers=headers)


@pytest.mark.origin("docs/decisions/0013")
def test_a_forged_key_is_refused(holder: Probe) -> None:
    """12 base62 (public id), 32 base62 (secret), 6 base62 (CRC-32 of what precedes). Stored:
    SHA-256 of the whole key; so a key of the same id with another secret is not valid."""
    parts = _KEY.fullmatch(str(holder.caller.key))
    holder.needs(parts, "the keys are of another form")
    body = f"{parts[1] if parts else ''}{'0' * 32}"
    for forged in (body + _checksum(body), body + "0" * 6):
        holder.get_refused(
            "/sources", "", 401, "unauthorized", headers={"X-Api-Key": forged}, caller=PUBLIC
        )


def _checksum(text: str) -> str:
    number, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return digits


@pytest.mark.origin("docs/decisions/0004")
def test_wrong_keys_are_refused_on_public_operations(anybody: Probe) -> None:
    """One uniform 401, also where the endpoint is public but a bad key was sent."""
    for path in _OPEN:
        for headers in _wrong_keys(anybody.caller.key)[::3]:
            anybody.get_refused(path, "", 401, "unauthorized", headers=headers, caller=PUBLIC)


@pytest.mark.origin("docs/decisions/0004")
def test_every_401_is_the_same(anybody: Probe) -> None:
    """401: one uniform body; WWW-Authenticate: Bearer."""
    bodies = set()
    for path, params in _GUARDED:
        for headers in [{}, *_wrong_keys(anybody.caller.key)[:12]]:
            response = anybody.get(path, params, status=401, headers=headers, caller=PUBLIC)
            bodies.add(response.body)
            challenge = response.headers.get("www-authenticate", "")
            expect(challenge.startswith("Bearer"), response, "has no WWW-Authenticate: Bearer")
    expect(len(bodies) == 1, response, f"answers 401 in {len(bodies)} ways")


@pytest.mark.origin("specification 5.1")
def test_both_headers_carry_the_key(holder: Probe) -> None:
    """A key is sent either as Authorization: Bearer <API_KEY> or as X-Api-Key: <API_KEY>. Both
    carry the same key. (RFC 9110 §11.1: the scheme in any case.)"""
    key = str(holder.caller.key)
    plain = holder.get("/sources", {"limit": 2})
    # the scheme is read in any case (RFC 9110 §11.1)
    for headers in ({"Authorization": f"Bearer {key}"}, {"authorization": f"bearer {key}"}):
        response = holder.get("/sources", {"limit": 2}, headers=headers, caller=PUBLIC)
        expect(response.body == plain.body, response, "gave another answer than with X-Api-Key")
    both = holder.get("/sources", {"limit": 2}, headers={"Authorization": f"Bearer {key}"})
    expect(both.body == plain.body, both, "gave another answer than with one header")


@pytest.mark.origin("specification 5.3")
def test_a_session_may_ask(public: Probe) -> None:
    """Signed-in users may also authenticate with a session cookie."""
    cookie = public.needs(public.session, "no cookie of a session was given")
    response = public.get("/sources", {"limit": 1}, headers={"Cookie": cookie})
    expect(response.field("sample") is None, response, "gave a session the sample")
    entries = public.get("/entries", {"sources": ABSENT}, status=None, headers={"Cookie": cookie})
    expect(entries.status != 401, entries, "does not know the session")
    name = cookie.partition("=")[0]
    stranger = {"Cookie": f"{name}={'A' * 43}"}
    public.get_refused("/entries", {"sources": ABSENT}, 401, "unauthorized", headers=stranger)


@pytest.mark.origin("docs/decisions/0012")
def test_a_session_is_answered_in_private(public: Probe) -> None:
    """Cache-Control: private, no-cache where a session was sent."""
    cookie = public.needs(public.session, "no cookie of a session was given")
    response = public.get("/sources", {"limit": 1}, headers={"Cookie": cookie})
    private = "private" in response.headers.get("cache-control", "")
    expect(private, response, "may be kept for others")


@pytest.mark.origin("docs/decisions/0004")
def test_two_different_keys_are_refused(holder: Probe) -> None:
    """Two different keys in the two headers are a 401."""
    others = [
        caller.key for caller in holder.callers if caller.key not in (None, holder.caller.key)
    ]
    for other in [_UNKNOWN_KEY, *others]:
        headers = {"Authorization": f"Bearer {other}"}
        holder.get_refused("/sources", "", 401, "unauthorized", headers=headers)


@pytest.mark.origin("specification 5.1")
def test_a_key_in_the_address_is_no_key(reader: Probe) -> None:
    """A key is sent in a header; in an address it would stand in every log."""
    for name in ("api_key", "apiKey", "key", "X-Api-Key", "access_token"):
        params = f"sources={reader.caller.sources[0]}&{name}={reader.caller.key}"
        response = reader.get("/entries", params, status=None, caller=PUBLIC)
        expect(response.status in (400, 401), response, "took a key out of the address")


@pytest.mark.origin("specification 5.5")
def test_public_operations_need_no_key(public: Probe) -> None:
    """Public, no authentication: /sources (sample only), /important, /latest, the RSS feed."""
    for path in _OPEN:
        public.get(path)
    public.visit("/rss/updates.xml")


@pytest.mark.origin("docs/decisions/0004")
def test_a_missing_key_is_told_before_a_wrong_parameter(public: Probe) -> None:
    """Order: 401, then 400."""
    for path, params in (("/entries", "limit=0"), ("/diffs", "sinse=1"), ("/entries", "")):
        public.get_refused(path, params, 401, "unauthorized")
