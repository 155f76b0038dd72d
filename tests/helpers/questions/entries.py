"""Questions about what entries say, and about what is important in them."""

from collections.abc import Callable, Iterable
from itertools import takewhile

from questions.agent import Agent, Question, Script


def _said(words: str, **found: str) -> Script:
    """The first source and title whose entry has these words, by a search."""

    def ask(agent: Agent) -> tuple[str, str]:
        (entry, *_) = agent.items("search_entries", q=words, limit=3, **found)
        return entry["source"], entry["title"]

    return ask


def _looked_for(words: str, source: str | None = None) -> Script:
    """The same, reading on: in a source that is named, or in the latest entries of all."""

    def ask(agent: Agent) -> tuple[str, str]:
        entries = agent.every("get_latest")
        if source is not None:
            entries = agent.every("get_entries", sources=[agent.slug(source)])
        wanted = words.lower().split()
        for entry in entries:
            text = f"{entry['title']}\n{entry.get('summary')}".lower()
            if all(word in text for word in wanted):
                return entry["source"], entry["title"]
        raise AssertionError(f"nothing says {words}")

    return ask


def _saying(text: str, answer: tuple[str, str], words: str, source: str | None = None) -> Question:
    return Question(text, answer, _said(words), _looked_for(words, source))


def _titles(entries: Iterable[dict]) -> list[str]:
    return sorted(entry["title"] for entry in entries)


def _important(
    text: str, answer: list[str], wanted: Callable[[dict], bool], **filters: object
) -> Question:
    """A question about important entries: by filters, or by reading all that are recent enough."""
    since = str(filters.get("since", ""))

    def plain(agent: Agent) -> list[str]:
        entries = agent.every("get_important")
        recent = takewhile(lambda entry: entry["published_at"] > since, entries)
        return _titles(entry for entry in recent if wanted(entry))

    return Question(
        text,
        sorted(answer),
        lambda agent: _titles(agent.every("get_important", **filters)),
        plain,
    )


def _is(category: str) -> Callable[[dict], bool]:
    return lambda entry: category in entry["importance"]["categories"]


SAML = "Vulnerability in SAML responses"
QUESTIONS = [
    _saying(
        "Who fixed CVE-2026-41127?",
        ("northlight.compute", "Security update of the hypervisor"),
        "CVE-2026-41127",
    ),
    _saying(
        "Which release of HeronDB refuses hashes with MD5?",
        ("herondb.server", "HeronDB 15.7.0: Password hashes with MD5 are refused"),
        "hashed MD5",
        "herondb",
    ),
    _saying("Who speaks HTTP/3 now?", ("fernway.cdn", "HTTP/3 for everybody"), "HTTP/3"),
    _saying(
        "Who keeps backups for 35 days?",
        ("herondb.cloud", "Backups are kept for 35 days"),
        "backups 35 days",
    ),
    _saying(
        "Who stops accepting TLS 1.0?",
        ("quarrystone.storage", "TLS 1.0 and 1.1 are switched off"),
        "TLS 1.0",
    ),
    _saying(
        "From where do Brasspay's webhooks come besides?",
        ("brasspay.api", "Webhooks from new addresses"),
        "webhooks 198.51.100.64/27",
        "brasspay api",
    ),
    _saying(
        "Since which release does Keywarden's connector run without root?",
        ("keywarden.connector", "Keywarden Connector 4.3.0: Runs without root"),
        "image user root",
        "keywarden connector",
    ),
    _saying("Who has passkeys?", ("keywarden.identity", "Passkeys"), "passkey password"),
    _saying(
        "Which release of Glasswork's agent listens on loopback only?",
        ("glasswork.agent", "Glasswork Agent 6.4.0: Default port of OTLP"),
        "4317 loopback",
        "glasswork agent",
    ),
    _saying(
        "With which Kubernetes does v1beta3 of flow control go?",
        ("northlight.kubernetes", "Kubernetes 1.32"),
        "flowcontrol.apiserver.k8s.io",
        "northlight kubernetes",
    ),
    _saying(
        "Which SDK has an async client?",
        ("brasspay.python", "Brasspay Python SDK 7.3.0: Async client"),
        "AsyncBrasspay",
    ),
    _saying(
        "Who writes inventories as Parquet?",
        ("quarrystone.storage", "Inventory in Parquet"),
        "inventory parquet",
    ),
    _saying("Who has a merge queue?", ("pinehook.ci", "Merge queue"), "merge queue tested"),
    _important(
        "Which security fixes came in November?",
        ["HeronDB 15.8.1", "Saltbox 1.23.1"],
        _is("security"),
        category=["security"],
        since="2026-11-01T00:00:00Z",
    ),
    _important(
        "What did Brasspay break since August?",
        [
            "Brasspay Python SDK 7.4.0: Charge.list(offset=…) is removed",
            "Version 2026-01",
            "Versions before 2023 are retired",
            "Webhooks from new addresses",
        ],
        lambda entry: entry["vendor"] == "brasspay" and _is("breaking")(entry),
        vendor="brasspay",
        category=["breaking"],
        since="2026-08-01T00:00:00Z",
    ),
    _important(
        "What was deprecated since October?",
        [
            "API v1 stays a while longer",
            "Ingress of our own is retired",
            "Support of Kubernetes 1.30 ends",
            "The completions endpoint is deprecated",
        ],
        _is("deprecation"),
        category=["deprecation"],
        since="2026-10-01T00:00:00Z",
    ),
    _important(
        "Which databases had a security fix?",
        ["HeronDB 15.8.1"],
        lambda entry: "database" in entry["tags"] and _is("security")(entry),
        tag="database",
        category=["security"],
    ),
    _important(
        "Which flaws in security did identity providers tell of?",
        ["Keywarden Connector 4.3.1", SAML],
        lambda entry: "identity" in entry["tags"] and _is("security")(entry),
        tag="identity",
        category=["security"],
    ),
    _important(
        "What breaks in our CI?",
        ["The ubuntu-20 image is removed"],
        lambda entry: "ci" in entry["tags"] and _is("breaking")(entry),
        tag="ci",
        category=["breaking"],
    ),
    Question(
        "How many breaking changes has Northlight told of?",
        3,
        lambda agent: agent.call(
            "get_important", vendor="northlight", category=["breaking"], limit=1
        )["total"],
        lambda agent: sum(
            entry["vendor"] == "northlight" and _is("breaking")(entry)
            for entry in agent.every("get_important")
        ),
    ),
    Question(
        "Which sources name CVE-2026-20871?",
        ["keywarden.connector", "keywarden.identity"],
        lambda agent: sorted(
            {entry["source"] for entry in agent.items("search_entries", q="CVE-2026-20871")}
        ),
        lambda agent: sorted(
            {
                entry["source"]
                for entry in agent.every("get_important")
                if "CVE-2026-20871" in (entry["summary"] or "")
            }
        ),
    ),
]
