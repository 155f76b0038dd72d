"""Connexion's security over keys and sessions (specification 5)."""
# mypy: allow-subclassing-any
# (Connexion has no types)

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from connexion.lifecycle import ConnexionRequest
from connexion.middleware.security import SecurityAPI, SecurityMiddleware, SecurityOperation
from connexion.operations import AbstractOperation
from connexion.security import NO_VALUE, AbstractSecurityHandler, SecurityHandlerFactory

from handlers.context import context
from handlers.http.auth import caller_of_key, caller_of_session, keys_sent
from handlers.http.outcome import OUTCOME
from handlers.http.refusals import unauthorized

Verify: TypeAlias = Callable[[ConnexionRequest], Any]


class CredentialHandler(AbstractSecurityHandler):
    """Check a key in one of its two headers, or a session in the cookie."""

    def get_fn(self, scheme: Mapping[str, str], _scopes: Sequence[str]) -> Verify:
        """Return the function that checks a request."""
        if scheme.get("in") == "cookie":
            return _verify_session
        return partial(_verify_key, header=scheme.get("name", "authorization").lower().encode())


SECURITY_MAP: Final = {"bearer": CredentialHandler, "apiKey": CredentialHandler}


def _verify_key(request: ConnexionRequest, header: bytes) -> Any:
    if header not in {name for name, _ in request.scope["headers"]}:
        return NO_VALUE
    keys = keys_sent(request.scope["headers"])
    if len(keys) > 1:
        raise unauthorized()
    caller = caller_of_key(context(), keys.pop())
    request.scope[OUTCOME].caller = caller
    return caller


def _verify_session(request: ConnexionRequest) -> Any:
    if keys_sent(request.scope["headers"]):
        return NO_VALUE
    caller = caller_of_session(context(), request.scope)
    request.scope[OUTCOME].caller = caller
    return NO_VALUE if caller is None else caller


class StrictSecurityFactory(SecurityHandlerFactory):
    """Let the first alternative that applies to a request decide, and every error through.

    Connexion collects what its alternatives raise and tries the next one (security.py,
    verify_security): a wrong key would be nobody's where ``{}`` accepts everybody, and a database
    that does not answer would read as a wrong key.
    """

    @classmethod
    def verify_security(cls, auth_funcs: Sequence[Callable[[ConnexionRequest], Any]]) -> Verify:
        """Return what verifies a request. It raises a Refusal where no alternative applies."""

        async def verify(request: ConnexionRequest) -> None:
            for authenticate in auth_funcs:
                if authenticate(request) is not NO_VALUE:
                    return
            raise unauthorized()

        return verify


class StrictSecurityAPI(SecurityAPI):
    """Connexion's SecurityAPI, which names its factory in its constructor, with ours."""

    def make_operation(self, operation: AbstractOperation) -> SecurityOperation:
        """Return what checks the requests of an operation."""
        handlers: dict[str, Any] = self.security_handler_factory.security_handlers
        return SecurityOperation.from_operation(
            operation,
            next_app=self.next_app,
            security_handler_factory=StrictSecurityFactory(handlers),
        )


class StrictSecurity(SecurityMiddleware):
    """Connexion's security with the factory above."""

    api_cls = StrictSecurityAPI
