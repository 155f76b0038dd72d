"""Questions about days by which somebody has to act."""

from collections.abc import Callable, Iterable

from questions.agent import Agent, Question

Told = tuple[str, str]
"""The day and the source of a deadline."""


def _asked(
    text: str, answer: list[Told], wanted: Callable[[dict, dict], bool], **filters: object
) -> Question:
    """A question about deadlines: by filters, or out of every important entry."""

    def by_filters(agent: Agent) -> list[Told]:
        found = agent.every("get_deadlines", **filters)
        return _told((one, one["entry"]) for one in found if wanted(one, one["entry"]))

    def plain(agent: Agent) -> list[Told]:
        return _told(
            (deadline, entry)
            for entry in agent.every("get_important")
            for deadline in entry["importance"].get("deadlines", ())
            if wanted(deadline, entry)
        )

    return Question(text, sorted(answer), by_filters, plain)


def _told(found: Iterable[tuple[dict, dict]]) -> list[Told]:
    return sorted((deadline["from"], entry["source"]) for deadline, entry in found)


def _between(first: str, last: str) -> Callable[[dict, dict], bool]:
    return lambda deadline, _: first <= deadline["from"] <= last


TODAY = "2026-11-24"
QUESTIONS = [
    _asked(
        "Which of my sources announce an end of life before March?",
        [("2026-12-18", "northlight.kubernetes")],
        lambda deadline, _: (
            deadline["kind"] == "end_of_life" and TODAY <= deadline["from"] < "2027-03-01"
        ),
        from_=TODAY,
        to="2027-02-28",
    ),
    _asked(
        "What stops working before the year ends?",
        [
            ("2026-11-28", "quarrystone.storage"),
            ("2026-12-14", "willowcrm.platform"),
            ("2026-12-18", "northlight.kubernetes"),
        ],
        _between(TODAY, "2026-12-31"),
        from_=TODAY,
        to="2026-12-31",
    ),
    _asked(
        "What goes in February?",
        [("2027-02-18", "glasswork.observability")],
        _between("2027-02-01", "2027-02-28"),
        from_="2027-02-01",
        to="2027-02-28",
    ),
    _asked(
        "By when do I have to act on what Brasspay announced?",
        [("2027-01-19", "brasspay.api")],
        lambda deadline, entry: entry["vendor"] == "brasspay" and deadline["from"] >= TODAY,
        vendor="brasspay",
        from_=TODAY,
    ),
    _asked(
        "Which deadlines has Northlight ahead?",
        [
            ("2026-12-18", "northlight.kubernetes"),
            ("2027-01-26", "northlight.compute"),
            ("2027-05-19", "northlight.kubernetes"),
        ],
        lambda deadline, entry: entry["vendor"] == "northlight" and deadline["from"] >= TODAY,
        vendor="northlight",
        from_=TODAY,
    ),
    _asked(
        "Which deadline of what sends our mails passed this month?",
        [("2026-11-12", "larkmail.api")],
        lambda deadline, entry: (
            "email" in entry["tags"] and "2026-11-01" <= deadline["from"] <= TODAY
        ),
        tag="email",
        from_="2026-11-01",
        to=TODAY,
    ),
    _asked(
        "Since when is SHA-1 refused in DNSSEC?",
        [("2026-11-21", "basalt.dns")],
        lambda _, entry: entry["vendor"] == "basalt",
        vendor="basalt",
        from_="2025-01-01",
    ),
    _asked(
        "When is the completions endpoint gone?",
        [("2027-04-19", "tallow.models")],
        lambda deadline, entry: (
            "completions endpoint" in entry["title"] and deadline["from"] >= TODAY
        ),
        q="completions endpoint",
        from_=TODAY,
    ),
    Question(
        "What is the next deadline of all?",
        ("2026-11-28", "quarrystone.storage"),
        lambda agent: _told(
            (one, one["entry"]) for one in agent.items("get_deadlines", from_=TODAY, limit=1)
        )[0],
        lambda agent: min(
            (deadline["from"], entry["source"])
            for entry in agent.every("get_important")
            for deadline in entry["importance"].get("deadlines", ())
            if deadline["from"] >= TODAY
        ),
    ),
]
