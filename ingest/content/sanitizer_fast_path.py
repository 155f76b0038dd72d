"""Markup of the kind that nearly all vendors write, cleaned without a parser.

Paragraphs, headings and lists with phrases in them, properly nested and written in one way: a
parser (HTML Standard §13.2) finds in it what is written, so only attributes are left to clean,
tag by tag. Markup with anything else in it is left to the parser.
``tests/ingest/content/test_sanitizer_fast_path.py`` compares that with the parser.
"""

import re
from functools import lru_cache
from typing import Final

import nh3

# Only single characters are repeated possessively: of groups, Python up to 3.11.4 may take half of
# one. Each text can be taken in one way alone, so going back finds nothing and ends soon.
_ATTRIBUTES: Final = r'(?:[ \n\t]++[a-z-]++="[^"\r]*+")+'
_TEXT: Final = r"[^<>&\r\xa0]++|&(?:amp|lt|gt|nbsp);"
_PHRASES: Final = "code|strong|em|b|i|span"
_HEADINGS: Final = "h[1-6]"
_LISTS: Final = "[uo]l"


class _Grammar:
    """Writes the pattern. What may stand in several places is written into it for each of them.

    Elements with the same insides share a pattern with a group for the name, which the end tag has
    to repeat: one pattern for each would take six times as long to compile.
    """

    def __init__(self) -> None:
        self._groups = 0

    def elements(self, names: str, inside: str) -> str:
        """Return a pattern for elements with one of some names, as _element does for one."""
        self._groups += 1
        group = f"name{self._groups}"
        return f"(?P<{group}>{names})(?:{_ATTRIBUTES})?>{inside}</(?P={group})>"

    def phrases(self, names: str = _PHRASES) -> str:
        """Return a pattern for phrases with text in them."""
        return self.elements(names, _mixed("br>"))

    def line(self) -> tuple[str, ...]:
        """Return patterns for what stands in a line: links, phrases, breaks."""
        link = f"a{_ATTRIBUTES}>{_mixed(self.phrases('code|strong'), 'br>')}</a>"
        return link, self.phrases(), "br>"  # a bare link gains what links gain

    def paragraph(self) -> str:
        """Return a pattern for a paragraph."""
        return _element("p", _mixed(*self.line()))

    def lists(self) -> str:
        """Return a pattern for lists of lines and paragraphs."""
        item = _element("li", _mixed(*self.line(), self.paragraph()))
        return self.elements(_LISTS, rf"[ \n\t]*+(?:<{item}[ \n\t]*+)*")

    def text(self) -> str:
        """Return the pattern of a whole text."""
        headings = self.elements(_HEADINGS, _mixed(*self.line()))
        wrapped = _element("div", _mixed(self.paragraph(), self.lists(), *self.line()))
        return _mixed(self.paragraph(), self.lists(), headings, *self.line(), wrapped)


def _element(name: str, inside: str) -> str:
    """Return a pattern for an element, from the second character of its tag on."""
    return f"{name}(?:{_ATTRIBUTES})?>{inside}</{name}>"


def _mixed(*elements: str) -> str:
    """Return a pattern for text with elements, in any number and order."""
    return rf"(?:{_TEXT}|<(?:{'|'.join(elements)}))*"


_USUAL: Final = re.compile(_Grammar().text())
_ATTRIBUTED: Final = re.compile(rf"<[a-z0-9]+{_ATTRIBUTES}>")
_NAME: Final = re.compile(r"[a-z0-9]+")
# What no cleaner writes otherwise: a name that is none of a number, and a path without dots
# that stand for a folder (URL Standard §3.3, §4.5).
_LINK: Final = re.compile(
    r'<a href="(?:https?://(?!xn--|[a-z0-9.-]*\.xn--)(?:[a-z0-9-]++\.)+[a-z]{2,}+)?'
    r'(?:/[a-zA-Z0-9_-][a-zA-Z0-9_.-]*+)*/?(?:\?[a-zA-Z0-9_=.-]*+)?(?:#[a-zA-Z0-9_.-]*+)?">'
)


def is_usual(markup: str) -> bool:
    """Tell whether a parser would find in markup exactly what is written."""
    return _USUAL.fullmatch(markup) is not None


def clean_usual(markup: str, cleaner: nh3.Cleaner) -> str | None:
    """Return what ``cleaner`` makes of markup, None where a parser has to look at it.

    ``markup`` holds no forbidden characters.
    """
    if _USUAL.fullmatch(markup) is None:
        return None
    if '="' not in markup:
        return markup
    try:
        return _ATTRIBUTED.sub(lambda tag: _cleaned_tag(tag[0], cleaner), markup)
    except _UnusualTag:
        return None


class _UnusualTag(Exception):
    """A tag that cleaning removes, or that needs a second pass."""


def _cleaned_tag(tag: str, cleaner: nh3.Cleaner) -> str:
    """Return a start tag after cleaning."""
    if _LINK.fullmatch(tag) is None:
        return _parsed_tag(tag, cleaner)
    origin, added = _around_paths(cleaner)
    if tag.startswith('<a href="h'):
        return f"{tag[:-1]}{added}"
    if not origin or not tag.startswith('<a href="/'):
        return _parsed_tag(tag, cleaner)
    return f'<a href="{origin}{tag[9:-1]}{added}'


@lru_cache(maxsize=64)
def _around_paths(cleaner: nh3.Cleaner) -> tuple[str, str]:
    """Return what a cleaner writes before a path in a link, and behind the address of one."""
    cleaned = cleaner.clean('<a href="/x">y</a>')
    before, _, behind = cleaned.partition('/x"')
    if not behind:
        return "", cleaner.clean('<a href="https://acme.example">y</a>')[30:-5]
    return before.removeprefix('<a href="'), behind.removesuffix("y</a>")


@lru_cache(maxsize=256)
def _parsed_tag(tag: str, cleaner: nh3.Cleaner) -> str:
    name = _NAME.search(tag)
    assert name is not None
    end = f"x</{name[0]}>"
    cleaned = cleaner.clean(tag + end)
    if cleaner.clean(cleaned) != cleaned or not cleaned.endswith(f">{end}"):
        raise _UnusualTag
    return cleaned.removesuffix(end)
