"""Changes of webhooks: who may make them, how often, and once however often they are sent."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Final, TypeAlias

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.render import json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.rate_limits import count_webhook_change
from openapi.vocabulary import Json, Scope
from storage.people.accounts import lock_account
from storage.people.idempotency import earlier_answer, keep_answer, request_name

KEY: Final = "Idempotency-Key"
Change: TypeAlias = Callable[[Session, dict[str, str], Caller], dict[str, Json]]
"""Changes something of a caller as a body says, and returns the body of the answer."""


def applied_once(status: int, *scopes: Scope) -> Callable[[Change], Callable[..., Response]]:
    """Make the handler of a change: sent again with the same key, it gets the same answer.

    ``scopes`` are those that the API key needs besides ``manage:webhooks``.
    What it does and its answer, with ``status``, are one transaction, behind a lock of the account:
    of two requests at the same time one waits for the other. A refusal is kept nowhere.
    """

    def handler_of(change: Change) -> Callable[..., Response]:
        @wraps(change)
        def handler(body: dict[str, str], caller: Caller, headers: Mapping[str, str]) -> Response:
            for scope in (Scope.MANAGE_WEBHOOKS, *scopes):
                require_scope(caller, scope)
            services, name = context(), _name_of(change.__name__, body, headers)
            rates = count_webhook_change(services, caller.account_id)
            with services.db.write() as session:
                lock_account(session, caller.account_id)
                answer, now = None, services.now()
                if name is not None:
                    answer = earlier_answer(session, caller.account_id, name, now=now)
                if answer is None:
                    answer = (status, orjson.dumps(change(session, body, caller)))
                    if name is not None:
                        keep_answer(session, caller.account_id, name, answer, now=now)
            return json_response(answer[1], status=answer[0], headers=rates)

        return handler

    return handler_of


def _name_of(operation: str, body: dict[str, str], headers: Mapping[str, str]) -> str | None:
    """Return what names a request; None for one that has no key, which may be meant twice."""
    if KEY not in headers:
        return None
    return request_name(operation, headers[KEY], orjson.dumps(body, option=orjson.OPT_SORT_KEYS))
