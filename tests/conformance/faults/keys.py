"""Faults of authentication and of what a key may do."""

from dataclasses import replace
from types import FunctionType
from typing import Any

from faults.catalog import of_catalog
from faults.fault import BASE, Asked, Fault, Reply, has_key, patched
from handlers.api import sources
from handlers.http.refusals import Unauthorized
from openapi.vocabulary import Plan
from storage.people.credentials import public_id_of

_KEYS = "handlers.http.security.keys_sent"
_VERIFY = "handlers.http.security.StrictSecurityFactory.verify_security"


def _open(path: str, key: str) -> Fault:
    """The check of keys skipped on one operation: who has none is taken for the holder of one."""

    def asked(request: Asked) -> None:
        if request.path == BASE + path and not has_key(request):
            request.headers["x-api-key"] = key

    return Fault(f"key check skipped on {path}", asked=asked)


def open_operations(key: str) -> tuple[Fault, ...]:
    """Faults that need a key of the All plan with the add-on."""
    return (_open("/entries", key), _open("/diffs", key), _open("/sources", key))


def _anonymous_when_bad(original: Any) -> Any:
    def verify_security(alternatives: Any) -> Any:
        verify = original(alternatives)
        names = [one.__name__ for one in alternatives if isinstance(one, FunctionType)]

        async def verified(request: Any) -> None:
            try:
                await verify(request)
            except Unauthorized:
                if "verify_none" not in names:
                    raise
                request.context["token_info"] = {}

        return verified

    return staticmethod(verify_security)


def _first_key(original: Any) -> Any:
    def sent(headers: Any) -> Any:
        found = [original([header]) for header in headers if header[0] == b"x-api-key"]
        return found[0] if found else original(headers)

    return sent


def _only(header: str) -> Any:
    def asked(request: Asked) -> None:
        for name in {"x-api-key", "authorization"} - {header}:
            request.headers.pop(name, None)

    return asked


def _any_scheme(original: Any) -> Any:
    """Take the last word of Authorization, whatever the scheme."""

    def sent(headers: Any) -> Any:
        plain = [
            (name, b"Bearer " + value.split()[-1] if name == b"authorization" and value.split()
             else value)
            for name, value in headers
        ]  # fmt: skip
        return original(plain)

    return sent


def _scheme_needed_in_case(original: Any) -> Any:
    def sent(headers: Any) -> Any:
        return original([
            (name, b"-" if name == b"authorization" and not value.startswith(b"bearer ") else value)
            for name, value in headers
        ])  # fmt: skip

    return sent


def _without_digest(_: Any) -> Any:
    return lambda *_: True


def _any_secret(original: Any) -> Any:
    """Look a key up by its public id and its checksum alone."""

    def public_id(text: str) -> str | None:
        return original(text) or (text[3:15] if text.startswith("cw_") and len(text) > 50 else None)

    return public_id


def _found_in_any_case(original: Any) -> Any:
    """Try a key with upper and lower case exchanged as well."""

    def find(session: Any, text: str, *, now: Any) -> Any:
        return original(session, text, now=now) or original(session, text.swapcase(), now=now)

    return find


def _prefix_found(original: Any) -> Any:
    """Ignore what follows a key."""

    def find(session: Any, text: str, *, now: Any) -> Any:
        return original(session, text[:54], now=now)

    return find


def _from_address(request: Asked) -> None:
    for name, value in request.params:
        if name in ("api_key", "key") and public_id_of(value):
            request.headers["x-api-key"] = value
            request.params = [pair for pair in request.params if pair[0] != name]


def _more_slots(more: int) -> Any:
    def make(original: Any) -> Any:
        return {
            plan: terms if terms.slots is None else replace(terms, slots=terms.slots + more)
            for plan, terms in original.items()
        }

    return make


def _allow_all(_: Any) -> Any:
    return lambda *_, **__: None


def _known_only(original: Any) -> Any:
    """Drop sources that are not selected, in silence."""

    def allowed(session: Any, caller: Any, slugs: list[str], *, now: Any) -> Any:
        selected, _ = caller.choices(session, now=now)
        kept = [slug for slug in slugs if slug in selected]
        return original(session, caller, kept if caller.plan is not Plan.ALL else slugs, now=now)

    return allowed


def _first_only(original: Any) -> Any:
    """Look at the first source only."""

    def require(plan: Any, wanted: Any, **rights: Any) -> Any:
        return original(plan, wanted[:1], **rights)

    return require


def _addon_enough(original: Any) -> Any:
    def require(caller: Any) -> None:
        original(replace(caller, plan=Plan.ALL))

    return require


def _plan_enough(original: Any) -> Any:
    def require(caller: Any) -> None:
        original(replace(caller, diffs_addon=True))

    return require


def _selection_of_all(original: Any) -> Any:
    """Let a key see the whole catalog as selected."""

    def page(session: Any, wanted: Any, **rest: Any) -> Any:
        return original(session, replace(wanted, slugs=None), **rest)

    return page


def _told_apart(reply: Reply) -> None:
    """Tell malformed keys from unknown ones."""
    key = reply.asked.headers.get("x-api-key", "")
    if reply.status == 401 and key and not key.startswith("cw_"):
        reply.json = {**reply.json, "hint": f"{reply.json['hint']} Keys start with cw_."}


def _sample_for_keys(_: Any) -> Any:
    return lambda _query, _caller: sources._sample()


def _without_cookie(request: Asked) -> None:
    request.headers.pop("cookie", None)


def _shared(reply: Reply) -> None:
    if "cookie" in reply.asked.headers and reply.status == 200:
        reply.headers["cache-control"] = "public, max-age=60"


CHECKS = frozenset({
    "a-session-may-ask",
    "no-key-is-refused",
    "dead-keys-are-refused",
    "limited-keys-are-refused",
    "a-forged-key-is-refused",
    "wrong-keys-are-refused-on-public-operations",
    "both-headers-carry-the-key",
    "two-different-keys-are-refused",
    "a-key-in-the-address-is-no-key",
    "more-sources-than-slots-are-refused",
    "an-unselected-source-is-refused-by-name",
    "diffs-need-the-add-on",
    "selected-gives-the-sources-of-the-key",
    "catalog-page-says-what-it-is",
    "wrong-keys-are-refused",
    "every-401-is-the-same",
    "sample-says-that-it-is-one",
})  # fmt: skip
"""The checks that are meant to see them."""

FAULTS = (
    patched("a bad key on a public operation is anonymous", _VERIFY, _anonymous_when_bad),
    patched("the first of two different keys counts", _KEYS, _first_key),
    Fault("sessions are not read", asked=_without_cookie),
    Fault("answers to sessions are for all", answered=_shared),
    Fault("X-Api-Key not read", asked=_only("authorization")),
    Fault("Authorization not read", asked=_only("x-api-key")),
    patched("any scheme of Authorization", _KEYS, _any_scheme),
    patched("Bearer has to be in lower case", _KEYS,
            _scheme_needed_in_case),
    patched("revoked and expired keys are accepted", "storage.people.keys.is_live",
            lambda _: lambda *_, **__: True),
    patched("a revoked key is accepted", "storage.people.keys.is_live",
            lambda _: lambda key, now: key.expires_at is None or key.expires_at > now),
    patched("an expired key is accepted", "storage.people.keys.is_live",
            lambda _: lambda key, **__: key.revoked_at is None),
    patched("the secret of a key is not compared", "storage.people.keys.same_digest",
            _without_digest),
    Fault("secret and checksum of a key are not compared",
          patches=(("storage.people.keys.public_id_of", _any_secret),
                   ("storage.people.keys.same_digest", _without_digest))),
    patched("keys in any case", "handlers.http.auth.find_live_key", _found_in_any_case),
    patched("what follows a key is ignored", "handlers.http.auth.find_live_key", _prefix_found),
    Fault("a key in the address is taken", asked=_from_address),
    patched("scope of /entries ignored", "handlers.api.entries.require_scope", _allow_all),
    patched("scope of /diffs ignored", "handlers.api.diffs.require_scope", _allow_all),
    patched("one slot more", "handlers.api.access.PLANS", _more_slots(1)),
    patched("one slot less", "handlers.api.access.PLANS", _more_slots(-1)),
    patched("unselected sources can be read", "handlers.api.entries.require_sources", _allow_all),
    patched("unselected sources are left out in silence", "handlers.api.entries.allowed_states",
            _known_only),
    patched("only the first source is checked", "handlers.api.entries.require_sources",
            _first_only),
    patched("add-on not needed", "handlers.api.diffs.require_diffs", _allow_all),
    patched("add-on enough without the All plan", "handlers.api.diffs.require_diffs",
            _addon_enough),
    patched("All plan enough without the add-on", "handlers.api.diffs.require_diffs", _plan_enough),
    of_catalog("selected gives the whole catalog", _selection_of_all),
    patched("a key gets the sample", "handlers.api.sources._page", _sample_for_keys),
    Fault("a 401 tells why", answered=_told_apart),
)  # fmt: skip
