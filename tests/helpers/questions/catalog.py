"""Questions about sources, their newest entries, what changed and what an upgrade brings."""

from collections.abc import Iterator
from itertools import takewhile

from questions.agent import Agent, Question


def _newest(words: str) -> str:
    """The newest title of a source that is named in words: two calls with any tools."""

    def ask(agent: Agent) -> str:
        return agent.items("get_entries", sources=[agent.slug(words)], limit=1)[0]["title"]

    return ask


def _versions(agent: Agent, source: str, after: str) -> Iterator[dict]:
    """The releases of a source that come after a version, read one by one."""
    numbers = tuple(map(int, after.split(".")))
    for entry in agent.every("get_entries", sources=[source]):
        if tuple(map(int, entry["version"].split("."))) <= numbers:
            return
        yield entry


def _breaks(agent: Agent, source: str, after: str) -> list[str]:
    """Titles of important releases after a version, out of the plain list of important entries."""
    versions = {entry["id"] for entry in _versions(agent, source, after)}
    important = agent.every("get_important")
    return [entry["title"] for entry in important if entry["id"] in versions]


def _important(entries: list[dict]) -> list[str]:
    return [entry["title"] for entry in entries if entry.get("importance")]


def _plan(**arguments: object) -> list[str]:
    def ask(agent: Agent) -> list[str]:
        return sorted(_important(list(agent.every("plan_upgrade", **arguments))))

    return ask


HERONDB = ["HeronDB 15.7.0: Password hashes with MD5 are refused", "HeronDB 15.8.1"]
BRASSPAY = [
    "Brasspay Python SDK 7.2.0: Old versions of Python are no longer supported",
    "Brasspay Python SDK 7.4.0: Charge.list(offset=…) is removed",
]
WREN = ["Wren CMS 5.4.0: Old versions of PHP are no longer supported"]
STACK = (("herondb", "15.5.0"), ("brasspay python", "7.1.0"), ("wren cms", "5.3.0"))

QUESTIONS = [
    Question(
        "What is the slug of Tidepool's queue?",
        "tidepool.queue",
        lambda agent: agent.slug("tidepool queue"),
        lambda agent: agent.slug("tidepool queue"),
    ),
    Question(
        "Can the changelog of Osprey Search be read at the moment?",
        "problematic",
        lambda agent: agent.items("search_sources", q="osprey search", limit=1)[0]["health"],
        lambda agent: agent.items("search_sources", q="osprey search", limit=1)[0]["health"],
    ),
    Question(
        "Which changelogs of HeronDB's maker are there?",
        ["herondb.cloud", "herondb.server"],
        lambda agent: [one["slug"] for one in agent.items("search_sources", vendor="herondb")],
        lambda agent: [one["slug"] for one in agent.items("search_sources", vendor="herondb")],
    ),
    Question(
        "What is new in Northlight Compute?",
        "Serial console in the browser",
        _newest("northlight compute"),
        _newest("northlight compute"),
    ),
    Question("What is the newest release of Saltbox?", "Saltbox 1.23.1", *[_newest("saltbox")] * 2),
    Question(
        "What did Saltbox publish since I asked last?",
        ["Saltbox 1.23.1"],
        lambda agent: [
            item["entry"]["title"]
            for item in agent.items("get_changes", after=agent.cursor, q="saltbox", limit=100)
        ],
        lambda agent: [
            entry["title"]
            for entry in takewhile(
                lambda entry: entry["published_at"] > "2026-11-22", agent.every("get_latest")
            )
            if entry["vendor"] == "saltbox"
        ],
    ),
    Question(
        "Did Brasspay move the day of its new webhook addresses after it had told it?",
        True,
        *[
            lambda agent: any(
                change["op"] == "changed" and "webhooks" in (change["after"]["title"] or "").lower()
                for diff in agent.every("get_diffs", source="brasspay.api")
                for change in diff["changes"]
            )
        ]
        * 2,
    ),
    Question(
        "What breaks on the way from HeronDB 15.5.0 to the newest?",
        sorted(HERONDB),
        _plan(purl="pkg:generic/herondb", from_="15.5.0"),
        lambda agent: sorted(_breaks(agent, agent.slug("herondb"), "15.5.0")),
    ),
    Question(
        "What breaks on the way from version 7.1.0 of Brasspay's SDK for Python to the newest?",
        sorted(BRASSPAY),
        _plan(purl="pkg:pypi/brasspay", from_="7.1.0"),
        lambda agent: sorted(_breaks(agent, agent.slug("brasspay python"), "7.1.0")),
    ),
    Question(
        "What breaks in all that I run?",
        sorted([*HERONDB, *BRASSPAY, *WREN]),
        _plan(stack=True),
        lambda agent: sorted(
            title
            for words, version in STACK
            for title in _breaks(agent, agent.slug(words), version)
        ),
    ),
]
