"""How the contract says that something goes away, and the headers that repeat it.

In the contract: `deprecated: true`, `x-deprecated-at` (the day it was announced) and `x-sunset`
(the day it goes away), both `YYYY-MM-DD` and meant as midnight UTC. In an answer: `Deprecation`
(RFC 9745), `Sunset` (RFC 8594) and links to the policy, docs/deprecation.md.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from typing import Any

from contract_diff.lifecycle import ANNOUNCED, SUNSET, read_date


def deprecation_headers(
    operation: Mapping[str, Any], *, policy_url: str | None = None
) -> dict[str, str]:
    """Return the headers that every answer of an operation has; none unless it is deprecated.

    `policy_url` is the page that explains the policy. RFC 9745 §2.1: Deprecation is a structured
    date, which may lie ahead. RFC 8594 §3: Sunset is an HTTP date. A date that is missing leaves
    its header out: half a notice is better than none.
    """
    if operation.get("deprecated") is not True:
        return {}
    headers: dict[str, str] = {}
    announced, sunset = read_date(operation.get(ANNOUNCED)), read_date(operation.get(SUNSET))
    if announced is not None:
        headers["Deprecation"] = f"@{int(_midnight(announced).timestamp())}"
    if sunset is not None:
        headers["Sunset"] = format_datetime(_midnight(sunset), usegmt=True)
    if policy_url is not None:
        headers["Link"] = ", ".join(
            f'<{policy_url}>; rel="{relation}"; type="text/html"'
            for relation in ("deprecation", "sunset")
        )
    return headers


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
