"""Classification of a document's entries in a child process, within the time of one document."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import structlog

from changelog_reader.importance import IMPORTANCE_VERSION, Importance
from changelog_reader.importance.classify import Text, classify_texts
from changelog_reader.importance.results import Evidence, Quote
from ingest.sandbox.failures import ParserCrash, ParserTimeout
from ingest.sandbox.parser_pool import ParserPool

log = structlog.get_logger(__name__)

Classify: TypeAlias = Callable[[Sequence[Text]], Sequence[Importance]]

MOST_TEXT: Final = 400_000
"""Characters of a document's texts that are classified, an equal share of each."""
BEGINNING: Final = 500
"""Characters of each text that are classified where even those take too long."""


def classify_in_child(parsers: ParserPool, texts: Sequence[Text], *, slug: str) -> list[Importance]:
    """Classify texts; of those that are too much together the beginnings, and then none.

    Raises ParserStopped when ingestion ends meanwhile.
    """
    if not texts:
        return []
    is_long = sum(len(text.summary or "") for text in texts) > MOST_TEXT
    share = max(MOST_TEXT // len(texts), BEGINNING)
    first = _beginnings(texts, share) if is_long else list(texts)
    for attempt, is_suspect in ((first, is_long), (_beginnings(texts, BEGINNING), True)):
        try:
            importances = parsers.run(classify_texts, attempt, is_suspect=is_suspect)
        except (ParserTimeout, ParserCrash) as error:
            log.warning("classification was cut", slug=slug, reason=str(error))
            continue
        if len(importances) == len(texts):
            return [_verbatim(*pair) for pair in zip(texts, importances, strict=True)]
    return [Importance((), (), (), IMPORTANCE_VERSION)] * len(texts)


def _beginnings(texts: Sequence[Text], length: int) -> list[Text]:
    return [text._replace(summary=text.summary and text.summary[:length]) for text in texts]


def _verbatim(text: Text, importance: Importance) -> Importance:
    """Return an importance if its passages stand where it says, so that a child cannot invent."""
    fields = {"title": text.title, "summary": text.summary or ""}
    quotes: list[Evidence | Quote] = [*importance.evidence]
    quotes += [deadline.evidence for deadline in importance.deadlines]
    if all(fields[quote.field][quote.start : quote.end] == quote.text for quote in quotes):
        return importance
    return Importance((), (), (), IMPORTANCE_VERSION)
