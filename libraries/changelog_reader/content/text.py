"""Plain text and titles from vendors' markup; ``sanitizer`` cleans the markup itself.

Everything here is a pure function of its arguments and accepts any text at all.
"""

import html
import re
import unicodedata
from typing import Final

from changelog_reader.content.sanitizer import (
    CELLS,
    HEADINGS,
    LINES,
    MARKUP_LIMIT,
    MARKUP_NAMES,
    PHRASES,
    PROGRAMS,
    clean_html,
    cut,
    shape_cleaner,
    strip_controls,
)
from changelog_reader.content.urls import safe_url

__all__ = [
    "MARKUP_LIMIT",
    "TITLE_LIMIT",
    "clean_html",
    "clean_html_to_text",
    "html_to_text",
    "one_line",
    "safe_url",
    "shortened",
    "strip_controls",
    "text_line",
]

TITLE_LIMIT: Final = 500
"""Characters of a title, the ellipsis included."""

# "Map<String, Item>": a type, where the name inside is no element.
_TYPE: Final = re.compile(r"(?<=\w)<(\w+)((?:, ?\w+)*)>")
# "x <y": nothing closes it, so it is a comparison, unless it names an element.
_COMPARISON: Final = re.compile(r"<(\w+)([^<>=]*)(?=<|\Z)")
_TAG: Final = re.compile(r"<(/?)([a-z][\w:.-]*)([^<>]*)>", re.IGNORECASE)
# Attributes that pages have: of what a title only names there are others (<input type="date">).
_OF_A_PAGE: Final = re.compile(
    r"(?:^|[\s/\"'])(?:on\w+|src\w*|href|style|class|id|width|height|alt|title|target|action"
    r"|form\w+|background|color|face|data-[\w-]+)\s*=|\w:\w+\s*=|script:",
    re.IGNORECASE,
)
_ALONE: Final = frozenset({"br", "hr", "wbr"})
_CDATA: Final = re.compile(r"<!\[CDATA\[|\]\]>")
_SIMPLE_TAG: Final = re.compile(r"<(/?)([a-z0-9]+)>")
# As they are written in clean markup: a quotation mark in a value is &quot;.
_SHAPE_TAG: Final = re.compile(r'<(/?)([a-z0-9]+)(?: [a-z]+="[^"]*")*>')
_ALTERNATIVE: Final = re.compile(r'<img(?: [a-z]+="[^"]*")*? alt="([^"]+)"')
_PHRASE_TAG: Final = re.compile(rf'</?(?:{"|".join(sorted(PHRASES))})(?: [a-z]+="[^"]*")*>')


def one_line(markup_or_text: str) -> str:
    """Return a title: plain text on one line, of at most TITLE_LIMIT characters.

    Markup is removed, however often it was escaped; a longer title is cut at a word. What looks
    like a type parameter (``List<Item>``) is no markup and stays.
    """
    text = markup_or_text[: MARKUP_LIMIT // 4]
    if text.isascii() and text.isprintable() and "<" not in text and "&" not in text:
        return shortened(" ".join(text.split()), TITLE_LIMIT)  # as most titles are
    for _ in range(8):
        text = unicodedata.normalize("NFC", strip_controls(text))
        plain = html.unescape(_without_tags(text))
        if plain == text:
            break
        text = plain
    else:
        text = strip_controls(text).replace("<", " ").replace("&", " ")
    return shortened(" ".join(text.split()), TITLE_LIMIT)


def text_line(text: str) -> str:
    """Return a title that its format calls text: on one line, with all of its characters."""
    shown = unicodedata.normalize("NFC", strip_controls(text[: MARKUP_LIMIT // 4]))
    return shortened(" ".join(shown.split()), TITLE_LIMIT)


def _without_tags(text: str) -> str:
    """Return HTML text (its entities still escaped) without the tags and hidden elements."""
    if "<" not in text:
        return text
    bare = _CDATA.sub("", text)
    tags = _markup_in(bare)
    named = _TAG.sub(lambda tag: tag[0] if tag.start() in tags else _escaped(tag), bare)
    guarded = _COMPARISON.sub(_escaped_unless_markup, _TYPE.sub(_escaped_unless_markup, named))
    # A stray <svg> must not remove the rest of a title.
    return _SIMPLE_TAG.sub(" ", shape_cleaner(PROGRAMS).clean(guarded))


def _markup_in(text: str) -> set[int]:
    """Return where the tags begin that are markup: pairs, and those that only a page has.

    An element that is opened and never closed is one that the title is about.
    """
    found: set[int] = set()
    opened: dict[str, list[int]] = {}
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if name in _ALONE or ":" in name or _OF_A_PAGE.search(tag[3]):
            found.add(tag.start())
        if tag[1] and opened.get(name):
            found |= {opened[name].pop(), tag.start()}
        elif not tag[1] and name in MARKUP_NAMES:
            opened.setdefault(name, []).append(tag.start())
    return found


def _escaped(tag: re.Match[str]) -> str:
    return tag.group().replace("<", "&lt;").replace(">", "&gt;")


def _escaped_unless_markup(tag: re.Match[str]) -> str:
    name, is_closed = tag.group(1).lower(), tag.group().endswith(">")
    if name in MARKUP_NAMES and (is_closed or len(name) > 1):
        return tag.group()
    return _escaped(tag)


def shortened(text: str, length: int) -> str:
    """Return a text of at most ``length`` characters, cut at a word, with an ellipsis."""
    if len(text) <= length:
        return text
    head = text[: length - 1]
    at_a_word = head.rpartition(" ")[0]
    return (at_a_word if len(at_a_word) > length // 2 else head).rstrip() + "…"


def html_to_text(markup: str) -> str:
    """Return the plain text of markup with its blocks kept.

    Headings are ``## `` lines, list items ``- `` lines, cells of a row are apart by `` | ``,
    code keeps its lines, and paragraphs are apart by an empty line.
    """
    return _written(shape_cleaner().clean(cut(strip_controls(markup[:MARKUP_LIMIT]), MARKUP_LIMIT)))


def clean_html_to_text(cleaned: str) -> str:
    """Return what html_to_text returns, for markup that clean_html returned.

    Clean markup needs no parser: every tag in it is an element, written in one way only.
    """
    return _written(_PHRASE_TAG.sub("", cleaned))


def text_of_images(cleaned: str) -> str:
    """Return the alternative texts of the images in markup that clean_html returned."""
    return "\n".join(map(text_line, map(html.unescape, _ALTERNATIVE.findall(cleaned))))


def _written(shaped: str) -> str:
    """Return the text of markup whose tags all say where lines and paragraphs end."""
    writer = _TextWriter()
    pieces = _SHAPE_TAG.split(shaped)
    writer.words(pieces[0])
    for mark, name, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        writer.tag(name, closes=bool(mark))
        if text and not (text.isspace() and writer.is_between_lines):
            writer.words(text)
    return writer.text()


class _TextWriter:
    """Writes lines from a stream of tags and texts."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._prefix = ""
        self._code_depth = 0
        self._item_depth = 0

    @property
    def is_between_lines(self) -> bool:
        """Return True if white space has no meaning here."""
        return not (self._line or self._code_depth)

    def words(self, escaped: str) -> None:
        """Add text; inside code every line end counts."""
        text = html.unescape(escaped)
        if not self._code_depth:
            self._line.append(text)
            return
        first, *others = text.expandtabs(4).split("\n")
        self._line.append(first)
        for other in others:
            self._end_line()
            self._line.append(other)

    def tag(self, name: str, *, closes: bool) -> None:
        """End the cell, line or paragraph that this tag ends, and begin the next one."""
        if name in CELLS:
            if not closes and "".join(self._line).strip():
                self._line.append(" | ")
            return
        self._end_line()
        step = -1 if closes else 1
        if name == "pre":
            self._code_depth += step
        elif name == "li":
            self._item_depth += step
        # A paragraph or a list inside a list item does not tear the list apart.
        if name not in LINES and not self._item_depth:
            self._end_paragraph()
        if name in HEADINGS:
            self._prefix = "" if closes else "## "
        elif name == "li":
            self._prefix = "" if closes else "- "

    def _end_paragraph(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _end_line(self) -> None:
        if not self._line:
            if self._code_depth:
                self._end_paragraph()
            return
        written = "".join(self._line)
        self._line.clear()
        line = written.rstrip() if self._code_depth else " ".join(written.split())
        if line:
            self._lines.append(self._prefix + line)
            self._prefix = ""
        elif self._code_depth:
            self._end_paragraph()

    def text(self) -> str:
        """Return everything written so far."""
        self._end_line()
        return unicodedata.normalize("NFC", "\n".join(self._lines).strip("\n"))
