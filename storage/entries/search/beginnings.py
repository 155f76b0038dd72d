"""Which words of the index begin as a search says, on SQLite.

FTS5 merges the entries of all words with a beginning before it gives the first one, however few are
wanted; the words themselves it goes through as far as it has to.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import String, column, text
from sqlalchemy.orm import Session

from storage.engine.statements import PreparedQuery, is_sqlite
from storage.entries.search.query import Term

MOST_WORDS: Final = 200
"""With more words FTS5 is left to merge them."""

_AFTER: Final = "!"  # sorts before every sign that a word can go on with
_LAST: Final = "\U0010ffff"  # ... and this one behind all of them
_WORDS: Final = PreparedQuery(
    text(
        "WITH RECURSIVE found (word) AS ("
        " SELECT (SELECT term FROM temp.entry_tokens WHERE term >= :beginning"
        " ORDER BY term LIMIT 1)"
        " UNION ALL"
        " SELECT (SELECT term FROM temp.entry_tokens WHERE term >= found.word || :after"
        " ORDER BY term LIMIT 1) FROM found WHERE found.word < :last LIMIT :most)"
        " SELECT word FROM found WHERE word < :last"
    ).columns(column("word", String))
)


def endings(session: Session, terms: Sequence[Term], signs: str) -> dict[str, list[str]]:
    """Return the words that begin as terms say, by the sign and the beginning; not of too many."""
    texts = {token.text for term in terms for token in term.tokens if token.beginning}
    if not texts or not is_sqlite(session):
        return {}
    words_of = {sign + text_: _words(session, sign + text_) for text_ in texts for sign in signs}
    return {word: words for word, words in words_of.items() if len(words) <= MOST_WORDS}


def _words(session: Session, beginning: str) -> list[str]:
    """Return the words with a beginning, one more than MOST_WORDS at most."""
    values = {"beginning": beginning, "after": _AFTER, "last": beginning + _LAST}
    return _WORDS.values(session, {**values, "most": MOST_WORDS + 1})
