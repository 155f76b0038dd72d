"""A digest as a mail: plain text and HTML that say the same, bounded, with a link to end it.

What vendors wrote is text and stays text: in HTML every character of it is escaped. Only pages of
this service are linked.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import cache
from typing import Any, Final
from urllib.parse import unquote

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from delivery.events import categories_of
from openapi.text import counted, cut, one_line, shortened, without_marks
from outbound.mail import Mail
from storage.catalog.stack_upgrades import PartUpgrade
from storage.delivery.digests import DigestContent, DigestItem
from storage.entries.addresses import entry_path
from storage.entries.deadlines import ComingDeadline
from storage.models import Digest
from storage.models.webhooks import DigestFrequency

MOST_UPGRADES: Final = 50
LONGEST_TITLE: Final = 200
PERIODS: Final = {DigestFrequency.DAILY: "day", DigestFrequency.WEEKLY: "week"}


def digest_mail(
    digest: Digest,
    content: DigestContent,
    upgrades: Sequence[PartUpgrade] = (),
    ends: Sequence[ComingDeadline] = (),
    *,
    site_url: str,
    at: datetime,
) -> Mail:
    """Return the mail. One click ends the digest, without signing in (RFC 8058)."""
    unsubscribe_url = f"{site_url}/unsubscribe?token={digest.token}"
    items = [mail_item(item, today=at.date()) for item in content.items]
    values = {
        "period": PERIODS[digest.frequency],
        "upgrades": [printable_upgrade(it) for it in upgrades[:MOST_UPGRADES]],
        "further_upgrades": max(0, len(upgrades) - MOST_UPGRADES),
        "ends": [mail_end(it) for it in ends[:MOST_UPGRADES]],
        "important": [item for item in items if item["categories"]],
        "others": [item for item in items if not item["categories"]],
        "total": content.total,
        "left_out": content.total - len(items),
        "site_url": site_url,
        "unsubscribe_url": unsubscribe_url,
    }
    return Mail(
        digest.account.email,
        subject_of(content, len(upgrades), len(ends), at=at),
        _templates().get_template("digest.txt").render(values),
        html=_templates().get_template("digest.html").render(values),
        headers=(
            ("List-Unsubscribe", f"<{unsubscribe_url}>"),
            ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"),
        ),
    )


def subject_of(content: DigestContent, upgrades: int, ends: int, *, at: date) -> str:
    """Return one line that says how much there is."""
    if content.total:
        said = "1 change" if content.total == 1 else f"{content.total:,} changes"
        said += f", {content.important:,} important" if content.important else ""
    elif upgrades:
        said = f"breaking changes of {counted(upgrades, 'package')}"
    else:
        said = counted(ends, "deadline")
    return f"Changewire: {said} – {_written(at)}"


def mail_item(item: DigestItem, *, today: date) -> dict[str, Any]:
    """Return an item on one line each, with the first of its deadlines that has not passed."""
    title = one_line(item.headline) or one_line(item.source_name)
    why = orjson.loads(item.importance or b"{}")
    said = (cut(one_line(without_marks(one["text"]))) for one in why.get("evidence", ()))
    days = sorted(date.fromisoformat(one["to"]) for one in why.get("deadlines", ()))
    ahead = [day for day in days if day >= today]
    return {
        "source_name": one_line(item.source_name),
        "title": shortened(title, LONGEST_TITLE),
        "path": item.path,
        "day": _written(item.published_at),
        "categories": categories_of(item.importance),
        "evidence": next((text for text in said if text.rstrip(".") not in title), None),
        "deadline": _written(ahead[0]) if ahead else None,
        "is_new": item.is_new,
    }


def mail_end(end: ComingDeadline) -> dict[str, Any]:
    """Return a deadline on one line: what ends, when, and what to use instead."""
    entry = orjson.loads(end.public)
    return {
        "title": shortened(one_line(end.subject or entry["title"]), LONGEST_TITLE),
        "kind": end.kind.value.replace("_", " "),
        "day": _written(end.last_day),
        "successor": shortened(one_line(end.successor or ""), LONGEST_TITLE),
        "source_name": one_line(end.source_name),
        "path": entry_path(entry["source"], end.address),
    }


def _written(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def printable_upgrade(upgrade: PartUpgrade) -> PartUpgrade:
    """Return an upgrade with its texts on one line each, and the part by its name."""
    part = unquote(upgrade.part.removeprefix("pkg:"))
    part, running, version = (
        one_line(text)[:LONGEST_TITLE] for text in (part, upgrade.running, upgrade.version)
    )
    return replace(upgrade, part=part, running=running, version=version)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("delivery"),
        autoescape=select_autoescape(["html"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
