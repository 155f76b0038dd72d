"""Breaking changes between the versions of a stack and the latest."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import orjson
from sqlalchemy.orm import Session
from starlette.responses import Response

from handlers.api.access import require_scope
from handlers.api.deadlines import deadline_document
from handlers.api.render import json_response
from handlers.api.saved_stacks import PER_ACCOUNT, save
from handlers.api.upgrade_pages import MOST_REMARKS, as_remark, upgrade_entry
from handlers.context import context
from handlers.covered_parts import PartRemark, UpgradeList, covered_parts
from handlers.http.auth import Caller
from handlers.http.rate_limits import count_request
from handlers.http.refusals import unavailable
from handlers.part_lookups import fulfil, plan_of, without_source
from openapi.shapes import SavedStack, UpgradeRemark
from openapi.vocabulary import Category, Scope, UpgradeReason
from package_versions.component import TooManyFiles, Unreadable
from package_versions.package_urls import MAX_PACKAGE_URL_LENGTH, PackageUrl
from package_versions.upgrades import Remark
from storage.catalog.stack_plans import StackPlan, ranges_of
from storage.entries.part_deadlines import deadlines_of_parts
from storage.entries.upgrades import upgrade_documents

MOST_ITEMS: Final = 500
UNCOUNTED: Final = 500
"""Parts that cost too little for the request to be counted."""
FILE, NAME = "file", "name"
"""Members of the body; the first is also the part that a remark on the file is about."""


def check_stack(body: Mapping[str, Any], caller: Caller) -> Response:
    """Answer POST /stacks; store nothing without a name."""
    require_scope(caller, Scope.READ_ENTRIES)
    if not body.keys().isdisjoint((FILE, NAME)) or len(body.get("components", ())) > UNCOUNTED:
        count_request(context(), f"stacks/{caller.account_id}", PER_ACCOUNT)
    services = context()
    if body.get("lookup") is False:
        services = replace(services, looks_up=False)
    in_file, unread = _of_file(body.get(FILE))
    running: Sequence[str] = [*body.get("components", ()), *in_file]
    is_whole = all(remark.reason is not UpgradeReason.UNREADABLE_FILE for _, remark in unread)
    saved = save(caller, body[NAME], running) if NAME in body and is_whole else None
    ranges = ranges_of(running, body.get("wanted"))
    with services.db.read() as session:
        plan, wishes = plan_of(services, session, ranges, caller.account_id, caller.plan)
        others = _not_selected(session, plan, caller)
        without = [*without_source(plan.sources)]
        invalid = [text for text in dict.fromkeys(running) if PackageUrl.parse(text) is None]
        report = _report(session, plan, invalid, [*unread, *without], others, saved)
    return json_response(report, headers=fulfil(services, wishes))


def _not_selected(session: Session, plan: StackPlan, caller: Caller) -> set[str]:
    """Return the parts of which no source is selected."""
    if caller.reads_everything:
        return set()
    selected, _ = caller.sources(session)
    return {part for part, each in plan.sources.items() if selected.isdisjoint(each.slugs)}


def _of_file(text: str | None) -> tuple[list[str], list[PartRemark]]:
    """Return the package URLs of what a file names, and what of it or why it cannot be read.

    It is read in a child process.
    """
    if text is None:
        return [], []
    try:
        parts = context().read_components(text.encode())
    except TooManyFiles as error:
        raise unavailable() from error
    except Unreadable as error:
        return [], [(FILE, Remark(UpgradeReason.UNREADABLE_FILE, str(error)))]
    purls = dict.fromkeys(part.placed_purl or "" for part in parts.components)
    fitting = [purl for purl in purls if purl and len(purl) <= MAX_PACKAGE_URL_LENGTH]
    reasons = {True: UpgradeReason.NOT_IDENTIFIED, False: UpgradeReason.NOT_READ}
    return fitting, [(FILE, Remark(reasons[it.is_unnamed], it.sentence)) for it in parts.unread]


def _report(
    session: Session,
    plan: StackPlan,
    invalid: Sequence[str],
    unknown: Sequence[PartRemark],
    not_selected: Collection[str],
    saved: SavedStack | None,
) -> bytes:
    """Return the StackReport of the contract."""
    shown = plan.important_first[:MOST_ITEMS]
    documents = upgrade_documents(session, [release.key for release in shown])
    upgrades, now = UpgradeList.of_plan(session, plan), context().now()
    deadlines = deadlines_of_parts(session, plan.running, now=now)
    covered = covered_parts(session, upgrades, deadlines)
    head: dict[str, object] = {
        "selected": covered,
        "proposed": [it for it in covered if it["part"] in not_selected],
        "uncovered": [*plan.uncovered, *invalid],
        "total": len(plan.releases),
        "counts": {category.value: plan.count(category) for category in Category},
        "unknown": _remarks([*unknown, *plan.unknown]),
        "gaps": _remarks(upgrades.gaps),
        **({} if saved is None else {"saved": saved}),
    }
    items = b",".join([upgrade_entry(it.part, *documents[it.key]) for it in shown])
    days = b",".join(deadline_document(it, today=now.date()) for it in deadlines)
    return b'%b,"items":[%b],"deadlines":[%b]}' % (orjson.dumps(head)[:-1], items, days)


def _remarks(remarks: Sequence[PartRemark]) -> list[UpgradeRemark]:
    return [as_remark(part, remark) for part, remark in remarks[:MOST_REMARKS]]
