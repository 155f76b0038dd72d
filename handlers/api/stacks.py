"""What breaks between all that somebody runs and what came out."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.responses import Response

from components.component import TooManyFiles, Unreadable
from handlers.api.access import require_scope
from handlers.api.deadlines import deadline_cache
from handlers.api.render import json_response
from handlers.api.stack_access import count_stack, readable_slugs
from handlers.api.upgrade_pages import PartRemark, upgrade_entry
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.refusals import Unavailable
from openapi.vocabulary import Category, Json, Scope, UpgradeReason
from storage.catalog.stack_plans import StackPlan, plan_stack, ranges_of
from storage.engine.statements import batches
from storage.entries.states import feed_state
from storage.entries.upgrades import upgrade_documents
from storage.models import Entry, EntryDeadline
from versions.package_urls import MAX_PACKAGE_URL_LENGTH, PackageUrl
from versions.upgrades import Remark

MOST_ITEMS: Final = 500
MOST_REMARKS: Final = 10_000
MOST_DEADLINES: Final = 200
FILE: Final = "file"
"""The part that a remark on a file is about."""
_BATCH: Final = 512


def check_stack(body: Mapping[str, Any], caller: Caller) -> Response:
    """Answer POST /stacks; nothing of it is kept."""
    require_scope(caller, Scope.READ_ENTRIES)
    count_stack(caller, body)
    services, now = context(), context().now()
    in_file, unread = _of_file(body.get("file"))
    running: Sequence[str] = [*body.get("components", ()), *in_file]
    ranges = ranges_of(running, body.get("wanted"))
    with services.db.read() as session:
        readable = readable_slugs(session, caller)
        plan = plan_stack(session, ranges, readable=readable)
        state = feed_state(session, now=now)
        deadlines = deadline_cache(services.db).deadlines(session, state, now=now)
        meant = _with_deadlines(session, plan.source_ids)
        days = [each.document for each in deadlines if each.entry_key in meant]
        return json_response(
            _report(session, plan, days[:MOST_DEADLINES], _invalid(running), unread)
        )


def _of_file(text: str | None) -> tuple[list[str], list[PartRemark]]:
    """Return the package URLs of what a file names, or why it cannot be read.

    It is read in a child process.
    """
    if text is None:
        return [], []
    try:
        components = context().read_components(text.encode())
    except TooManyFiles as error:
        raise Unavailable from error
    except Unreadable as error:
        return [], [(FILE, Remark(UpgradeReason.UNREADABLE_FILE, str(error)))]
    purls = dict.fromkeys(part.purl or "" for part in components)
    return [purl for purl in purls if purl and len(purl) <= MAX_PACKAGE_URL_LENGTH], []


def _invalid(running: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(running) if PackageUrl.parse(text) is None]


def _with_deadlines(session: Session, source_ids: Collection[int]) -> set[int]:
    """Return the keys of the entries of sources that have deadlines."""
    keys: set[int] = set()
    for batch in batches(sorted(source_ids), _BATCH):
        query = select(Entry.id).join(EntryDeadline, EntryDeadline.entry_id == Entry.id)
        keys.update(session.scalars(query.where(Entry.source_id.in_(batch))))
    return keys


def _report(
    session: Session,
    plan: StackPlan,
    deadlines: Sequence[bytes],
    invalid: Sequence[str],
    unread: Sequence[PartRemark],
) -> bytes:
    """Return the StackReport of the contract."""
    shown = plan.important_first[:MOST_ITEMS]
    documents = upgrade_documents(session, [release.key for release in shown])
    head: dict[str, Json] = {
        "selected": _sources(plan.readable),
        "proposed": _sources(plan.proposed),
        "uncovered": [*plan.uncovered, *invalid],
        "total": len(plan.releases),
        "counts": {category.value: plan.count(category) for category in Category},
        "unknown": _remarks([*unread, *plan.unknown]),
        "gaps": _remarks(plan.gaps),
    }
    items = b",".join([upgrade_entry(it.part, *documents[it.key]) for it in shown])
    days = b",".join(deadlines)
    return b'%b,"items":[%b],"deadlines":[%b]}' % (orjson.dumps(head)[:-1], items, days)


def _sources(parts: Mapping[str, list[str]]) -> list[Json]:
    return [{"part": part, "sources": [*slugs[:20]]} for part, slugs in parts.items()]


def _remarks(remarks: Sequence[PartRemark]) -> list[Json]:
    return [
        {
            "reason": remark.reason.value,
            "part": part,
            "text": remark.text,
            "count": len(remark.keys),
            "entries": [],
        }
        for part, remark in remarks[:MOST_REMARKS]
    ]
