"""Stacks that are saved by name: saved, read and deleted."""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Final, TypeAlias

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.render import json_response
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.rate_limits import count_request
from handlers.http.refusals import not_found, plan_limit_exceeded
from openapi.shapes import SavedStack
from openapi.vocabulary import Scope
from package_versions.component import LONGEST_VERSION
from package_versions.package_urls import MAX_PACKAGE_URL_LENGTH, PackageUrl, without_version
from storage.people.accounts import Refused
from storage.people.stacks import PAGE, SavedPart, list_parts, save_stack
from storage.people.stacks import delete_stack as forget_stack
from storage.people.throttle import Limit

HINT: Final = "Delete one with POST /api/v1/stacks/delete."
PER_ACCOUNT: Final = (Limit(60, timedelta(minutes=1)), Limit(5000, timedelta(days=1)))
Parts: TypeAlias = list[tuple[PackageUrl, str | None]]
"""Packages with the versions that run, None where they are not known."""


def saved_parts(session: Session, caller: Caller, stack: str) -> Parts:
    """Return the parts of a stack with the versions that run. Refuses one that was not saved."""
    saved = list_parts(session, caller.account_id, stack)
    if not saved:
        where = "at /app/stack" if stack == PAGE else "with POST /api/v1/stacks and name"
        raise not_found(f"The account has no saved stack {stack}.", f"Save it {where}.")
    parsed = ((PackageUrl.parse(part.purl), part.version or None) for part in saved)
    return [(part, version) for part, version in parsed if part is not None]


def save(caller: Caller, name: str, running: Iterable[str]) -> SavedStack | None:
    """Save what runs as the stack of a name; None if it names no package."""
    require_scope(caller, Scope.MANAGE_STACKS)
    parts = {
        SavedPart(purl, version if len(version) <= LONGEST_VERSION else "")
        for text in running
        if (part := PackageUrl.parse(text)) is not None
        if len(purl := without_version(text)) <= MAX_PACKAGE_URL_LENGTH
        for version in [part.version or ""]
    }
    if not parts:
        return None
    try:
        with context().db.write() as session:
            save_stack(session, caller.account_id, caller.plan, name, parts)
    except Refused as error:
        raise plan_limit_exceeded(str(error), hint=HINT) from error
    return {"name": name, "parts": len(parts)}


def delete_stack(body: Mapping[str, Any], caller: Caller) -> Response:
    """Answer POST /stacks/delete."""
    require_scope(caller, Scope.MANAGE_STACKS)
    count_request(context(), f"stacks/{caller.account_id}", PER_ACCOUNT)
    name: str = body["name"]
    with context().db.read() as session:
        parts = saved_parts(session, caller, name)
    with context().db.write() as session:
        forget_stack(session, caller.account_id, name)
    return json_response(orjson.dumps({"name": name, "parts": len(parts)}))
