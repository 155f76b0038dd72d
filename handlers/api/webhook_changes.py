"""Changes of webhooks: who may make them, how often, and once however often they are sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.render import json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.rate_limits import count_webhook_change
from openapi.vocabulary import Json, Scope
from storage.people.idempotency import Answer, earlier_answer, keep_answer, request_name
from storage.people.keys import lock_account

KEY: Final = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class WebhookChange:
    """A request that changes something. ``status`` is that of its answer when it is done."""

    operation: str
    body: Mapping[str, Any]
    caller: Caller
    headers: Mapping[str, str]
    status: int

    @property
    def name(self) -> str | None:
        """What names the request; None for one that has no key, which may be meant twice."""
        if KEY not in self.headers:
            return None
        body = orjson.dumps(dict(self.body), option=orjson.OPT_SORT_KEYS)
        return request_name(self.operation, self.headers[KEY], body)


def apply_once(change: WebhookChange, apply: Callable[[Session], dict[str, Json]]) -> Response:
    """Make a change and return its answer; the same answer when it was made before.

    What it does and its answer are one transaction, behind a lock of the account: of two requests
    at the same time one waits for the other. A refusal is kept nowhere.
    """
    caller, services = change.caller, context()
    require_scope(caller, Scope.MANAGE_WEBHOOKS)
    rates = count_webhook_change(services, caller.account_id)
    with services.db.write() as session:
        lock_account(session, caller.account_id)
        answer, name, now = None, change.name, services.now()
        if name is not None:
            answer = earlier_answer(session, caller.account_id, name, now=now)
        if answer is None:
            answer = Answer(change.status, orjson.dumps(apply(session)))
            if name is not None:
                keep_answer(session, caller.account_id, name, answer, now=now)
    return json_response(answer.body, status=answer.status, headers=rates)
