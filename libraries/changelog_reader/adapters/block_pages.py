"""Block pages: challenges, consent walls and sign-in forms that come instead of a page.

They are often served with status 200. One strong sign is enough; of the weak ones,
which normal pages may show too, two are needed. Reading such a page as one without
entries would hide for weeks that a source is blocked.
"""

import re
import tomllib
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from changelog_reader.adapters.base import BlockedDocument

_PATTERNS = tomllib.loads(Path(__file__).with_name("block_pages.toml").read_text("utf-8"))
_TITLES = re.compile(f"^(?:{'|'.join(_PATTERNS['titles'])})", re.IGNORECASE)
_PASSWORD = re.compile(r"<input[^>]{0,500}type\s*=\s*[\"']?password")
_MOST_TEXT = 3000  # characters; a page that says more than this is not an interstitial


def refuse_block_page(markup: str, parser: LexborHTMLParser, title: str) -> None:
    """Raise BlockedDocument for a page that came instead of the real one.

    ``parser`` holds the page without scripts, ``markup`` is the page as it came.
    """
    text = parser.body.text(separator=" ") if parser.body else ""
    if len(" ".join(text.split())) > _MOST_TEXT:
        return
    lowered = markup.lower()
    for sign, name in _PATTERNS["strong"].items():
        if sign in lowered:
            raise BlockedDocument(f"The page is {name}.")
    signs = [sign for sign in _PATTERNS["weak"] if sign in lowered]
    if _TITLES.search(title):
        signs.append(f"the title “{title[:60]}”")
    if _PASSWORD.search(lowered):
        signs.append("a password field")
    if len(signs) >= 2:
        raise BlockedDocument(f"A challenge or sign-in page: {signs[0]}, {signs[1]}.")
