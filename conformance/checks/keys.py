"""Authentication (specification 5)."""

import re
import string
import zlib

from conformance.callers import ABSENT, PUBLIC, LimitedKey
from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response, altered_keys

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


@check(
    "specification 5.6",
    "Authentication required: full catalog on /sources, /entries, /diffs.",
    operation="GET /entries, GET /diffs",
    audience=Audience.SITE,
)
def no_key_is_refused(probe: Probe) -> None:
    for path, params in _GUARDED:
        probe.get_refused(path, params, 401, "unauthorized")


@check(
    "docs/decisions/0079",
    "The hint of a 401 tells the caller to use a bearer key or the X-Api-Key header.",
    operation="GET /entries, GET /diffs",
    audience=Audience.SITE,
)
def a_401_names_both_headers(probe: Probe) -> None:
    for path, params in _GUARDED:
        response = probe.get(path, params, status=None)
        hint = str(response.field("hint"))
        both = "X-Api-Key" in hint and "earer" in hint
        probe.expect(both, response, "does not hint at both headers")


@check(
    "specification 5.7",
    "A missing, invalid, expired or revoked key yields 401 with code unauthorized.",
    operation="GET /entries, GET /diffs",
    audience=Audience.ANYBODY,
)
def wrong_keys_are_refused(probe: Probe) -> None:
    for path, params in _GUARDED:
        for headers in _unknown_keys(probe.caller.key):
            probe.get_refused(path, params, 401, "unauthorized", headers=headers, caller=PUBLIC)


@check(
    "docs/decisions/0004",
    "One uniform 401 for whatever is no key: other schemes, other alphabets, any length.",
    operation="GET /entries, GET /diffs",
    audience=Audience.ANYBODY,
)
def odd_keys_are_refused_alike(probe: Probe) -> None:
    for path, params in _GUARDED:
        for headers in _wrong_keys(probe.caller.key):
            probe.get_refused(path, params, 401, "unauthorized", headers=headers, caller=PUBLIC)


@check(
    "specification 5.7",
    "A missing, invalid, expired or revoked key yields 401 with code unauthorized.",
    operation="GET *",
    audience=Audience.SITE,
)
def dead_keys_are_refused(probe: Probe) -> None:
    for key in probe.needs(probe.dead_keys, "no revoked or expired key was given"):
        for path, params in _GUARDED:
            for headers in ({"X-Api-Key": key}, {"Authorization": f"Bearer {key}"}):
                probe.get_refused(path, params, 401, "unauthorized", headers=headers)


@check(
    "docs/decisions/0004",
    "One uniform 401, also where the endpoint is public but a revoked or expired key was sent.",
    operation="GET /sources",
    audience=Audience.SITE,
)
def dead_keys_are_refused_on_public_operations(probe: Probe) -> None:
    for key in probe.needs(probe.dead_keys, "no revoked or expired key was given"):
        for headers in ({"X-Api-Key": key}, {"Authorization": f"Bearer {key}"}):
            probe.get_refused("/sources", "", 401, "unauthorized", headers=headers)


@check(
    "specification 5.4",
    "Scopes named for operations: read:entries for /entries and read:diffs for /diffs; the Diff "
    "API add-on (5.8).",
    operation="GET /entries, GET /diffs",
    audience=Audience.SITE,
)
def limited_keys_are_refused(probe: Probe) -> None:
    for limited in probe.needs(probe.limited_keys, "no key was said to be limited"):
        response = _with_limited_key(probe, limited)
        words = f"answered {response.status}, not {limited.status}"
        probe.expect(response.status == limited.status, response, words)


@check(
    "docs/decisions/0004",
    "403 insufficient_scope, 402 addon_required.",
    operation="GET /entries, GET /diffs",
    audience=Audience.SITE,
)
def limited_keys_are_told_what_is_missing(probe: Probe) -> None:
    for limited in probe.needs(probe.limited_keys, "no key was said to be limited"):
        code = "insufficient_scope" if limited.status == 403 else "addon_required"
        probe.expect_refusal(_with_limited_key(probe, limited), limited.status, code)


def _with_limited_key(probe: Probe, limited: LimitedKey) -> Response:
    """Ask for what a key may not have, of a source that the catalog has."""
    slug = next((str(item.get("slug")) for item in probe.get("/sources").items), ABSENT)
    params = {"sources" if limited.path == "/entries" else "source": slug}
    headers = {"X-Api-Key": limited.key}
    return probe.get(limited.path, params, status=None, headers=headers)


@check(
    "docs/decisions/0013",
    "12 base62 (public id), 32 base62 (secret), 6 base62 (CRC-32 of what precedes). Stored: "
    "SHA-256 of the whole key; so a key of the same id with another secret is not valid.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def a_forged_key_is_refused(probe: Probe) -> None:
    parts = _KEY.fullmatch(str(probe.caller.key))
    probe.needs(parts, "the keys are of another form")
    body = f"{parts[1] if parts else ''}{'0' * 32}"
    for forged in (body + _checksum(body), body + "0" * 6):
        probe.get_refused(
            "/sources", "", 401, "unauthorized", headers={"X-Api-Key": forged}, caller=PUBLIC
        )


def _checksum(text: str) -> str:
    number, digits = zlib.crc32(text.encode()), ""
    for _ in range(6):
        number, digit = divmod(number, len(_BASE62))
        digits = _BASE62[digit] + digits
    return digits


@check(
    "docs/decisions/0004",
    "One uniform 401, also where the endpoint is public but a bad key was sent.",
    operation="GET /sources, GET /important, GET /latest",
    audience=Audience.ANYBODY,
)
def wrong_keys_are_refused_on_public_operations(probe: Probe) -> None:
    for path in _OPEN:
        for headers in _wrong_keys(probe.caller.key)[::3]:
            probe.get_refused(path, "", 401, "unauthorized", headers=headers, caller=PUBLIC)


@check(
    "docs/decisions/0004",
    "401: one uniform body; WWW-Authenticate: Bearer.",
    operation="GET /entries, GET /diffs",
    audience=Audience.ANYBODY,
)
def every_401_is_the_same(probe: Probe) -> None:
    bodies = set()
    for path, params in _GUARDED:
        for headers in [{}, *_wrong_keys(probe.caller.key)[:12]]:
            response = probe.get(path, params, status=401, headers=headers, caller=PUBLIC)
            bodies.add(response.body)
            challenge = response.headers.get("www-authenticate", "")
            probe.expect(
                challenge.startswith("Bearer"), response, "has no WWW-Authenticate: Bearer"
            )
    probe.expect(len(bodies) == 1, response, f"answers 401 in {len(bodies)} ways")


@check(
    "specification 5.1",
    "A key is sent either as Authorization: Bearer <API_KEY> or as X-Api-Key: <API_KEY>. Both "
    "carry the same key. (RFC 9110 §11.1: the scheme in any case.)",
    operation="GET /sources",
    audience=Audience.KEY,
)
def both_headers_carry_the_key(probe: Probe) -> None:
    key = str(probe.caller.key)
    plain = probe.get("/sources", {"limit": 2})
    # the scheme is read in any case (RFC 9110 §11.1)
    for headers in ({"Authorization": f"Bearer {key}"}, {"authorization": f"bearer {key}"}):
        response = probe.get("/sources", {"limit": 2}, headers=headers, caller=PUBLIC)
        probe.expect(
            response.body == plain.body, response, "gave another answer than with X-Api-Key"
        )
    both = probe.get("/sources", {"limit": 2}, headers={"Authorization": f"Bearer {key}"})
    probe.expect(both.body == plain.body, both, "gave another answer than with one header")


@check(
    "specification 5.3",
    "Signed-in users may also authenticate with a session cookie.",
    operation="GET /sources, GET /entries",
    audience=Audience.SITE,
)
def a_session_may_ask(probe: Probe) -> None:
    cookie = probe.needs(probe.session, "no cookie of a session was given")
    response = probe.get("/sources", {"limit": 1}, headers={"Cookie": cookie})
    probe.expect(response.field("sample") is None, response, "gave a session the sample")
    entries = probe.get("/entries", {"sources": ABSENT}, status=None, headers={"Cookie": cookie})
    probe.expect(entries.status != 401, entries, "does not know the session")
    name = cookie.partition("=")[0]
    stranger = {"Cookie": f"{name}={'A' * 43}"}
    probe.get_refused("/entries", {"sources": ABSENT}, 401, "unauthorized", headers=stranger)


@check(
    "docs/decisions/0012",
    "Cache-Control: private, no-cache where a session was sent.",
    operation="GET /sources",
    audience=Audience.SITE,
)
def a_session_is_answered_in_private(probe: Probe) -> None:
    cookie = probe.needs(probe.session, "no cookie of a session was given")
    response = probe.get("/sources", {"limit": 1}, headers={"Cookie": cookie})
    private = "private" in response.headers.get("cache-control", "")
    probe.expect(private, response, "may be kept for others")


@check(
    "docs/decisions/0004",
    "Two different keys in the two headers are a 401.",
    operation="GET /sources",
    audience=Audience.KEY,
)
def two_different_keys_are_refused(probe: Probe) -> None:
    others = [caller.key for caller in probe.callers if caller.key not in (None, probe.caller.key)]
    for other in [_UNKNOWN_KEY, *others]:
        headers = {"Authorization": f"Bearer {other}"}
        probe.get_refused("/sources", "", 401, "unauthorized", headers=headers)


@check(
    "specification 5.1",
    "A key is sent in a header; in an address it would stand in every log.",
    operation="GET /entries",
    audience=Audience.READER,
)
def a_key_in_the_address_is_no_key(probe: Probe) -> None:
    for name in ("api_key", "apiKey", "key", "X-Api-Key", "access_token"):
        params = f"sources={probe.caller.sources[0]}&{name}={probe.caller.key}"
        response = probe.get("/entries", params, status=None, caller=PUBLIC)
        probe.expect(response.status in (400, 401), response, "took a key out of the address")


@check(
    "specification 5.5",
    "Public, no authentication: /sources (sample only), /important, /latest, the RSS feed.",
    operation="GET /sources, GET /important, GET /latest",
    audience=Audience.SITE,
)
def public_operations_need_no_key(probe: Probe) -> None:
    for path in _OPEN:
        probe.get(path)
    probe.visit("/rss/updates.xml")


@check(
    "docs/decisions/0004",
    "Order: 401, then 400.",
    operation="GET /entries, GET /diffs",
    audience=Audience.SITE,
)
def a_missing_key_is_told_before_a_wrong_parameter(probe: Probe) -> None:
    for path, params in (("/entries", "limit=0"), ("/diffs", "sinse=1"), ("/entries", "")):
        probe.get_refused(path, params, 401, "unauthorized")
