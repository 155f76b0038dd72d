"""The hub that a document names, which pushes what is new (WebSub, section 4). Pure."""

from typing import Final, NamedTuple

from ingest.content.urls import safe_url
from ingest.fetching.outcomes import Fetched
from ingest.fetching.pagination import head_of, links_in

LONGEST: Final = 2048
"""Characters of an address of a hub or a topic."""


class Hub(NamedTuple):
    """A hub, and the address under which it knows the document: its topic."""

    address: str
    topic: str


def hub_of(fetched: Fetched) -> Hub | None:
    """Return the hub that a document names, None if it names none or does not name itself.

    The links of the response count more than those in the document.
    """
    by_rel = {
        rel: url
        for rel, link in fetched.links
        if (url := safe_url(link, base=fetched.address)) is not None
    }
    if not {"hub", "self"} <= by_rel.keys():
        for words, url in links_in(head_of(fetched.body), base=fetched.address):
            for word in words:
                by_rel.setdefault(word.decode("ascii", "replace"), url)
    hub, topic = by_rel.get("hub"), by_rel.get("self")
    if hub is None or topic is None or max(len(hub), len(topic)) > LONGEST:
        return None
    return Hub(hub, topic)
