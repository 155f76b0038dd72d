"""Faults of the service in what the stranger lacks, by the check that finds each."""

from typing import Any

from faults.fault import (
    Asked,
    Fault,
    asks,
    backwards,
    ignores,
    items,
    page,
    refusal,
    setting,
    status,
    unread,
    without,
    writes,
)


def _unproven(item: Any) -> None:
    item["importance"]["evidence"] = []


def _mixed_up() -> Fault:
    """Take whoever asks while another waits for that other."""
    inside: list[dict[str, str]] = []

    def asked(request: Asked) -> None:
        inside.append(request.headers)
        request.headers = inside[0]

    return Fault(asked=asked, answered=lambda _: inside.pop(0) and None)


FAULTS = {
    "a_401_names_both_headers": refusal(401, setting(hint="Send a key.")),
    "a_session_may_ask": unread("cookie"),
    "callers_are_not_mixed_up": _mixed_up(),
    "deadlines_are_filtered_by_their_days": ignores("/deadlines", "from"),
    "deadlines_come_soonest_first": page("/deadlines", backwards),
    "entries_come_newest_first": page("/entries", backwards),
    "feeds_are_cut_for_the_public": items("/latest", setting(raw={})),
    "feeds_come_newest_first": page("/latest", backwards),
    "future_entries_are_shown_on_demand": ignores("/latest", "future"),
    "future_entries_wait": asks("/latest", "^limit", "future=1&limit"),
    "every-answer-is-as-promised": items("/latest", without("tags")),
    "important_entries_say_why": items("/important", _unproven),
    "nothing-unnamed-is-sent": refusal(400, setting(details=[])),
    "refusal_of_parameters_says_so": refusal(400, setting(hint="Try again.")),
    "rss_items_are_whole_and_newest_first": writes(
        "/rss/updates.xml", b"<title>[^<]*</title>", b""
    ),
    "sources_come_in_the_order_of_slugs": page("/sources", backwards),
    "upgrades_lie_between_the_versions": ignores("/upgrades", "to"),
    "upgrades_put_what_breaks_first": page("/upgrades", backwards),
    "wrong_keys_are_refused_on_public_operations": status(401, 200, "/latest"),
}
