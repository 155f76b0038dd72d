"""Vendors' text made harmless: titles, markup, plain text; links come from ``ingest.links``.

Everything here is a pure function of its arguments and accepts any text at all. The
input is bounded before it is parsed, because HTML parsers are quadratic in the depth of
the tree that a hostile page makes them build.
"""

import html
import re
import unicodedata
from functools import lru_cache
from typing import Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from ingest.links import safe_url

__all__ = [
    "MARKUP_LIMIT",
    "TITLE_LIMIT",
    "clean_html",
    "html_to_text",
    "markdown_to_html",
    "one_line",
    "safe_url",
    "strip_controls",
]

MARKUP_LIMIT: Final = 65_536
"""Characters of markup that are looked at; what follows is cut off."""

TITLE_LIMIT: Final = 500
"""Characters of a title, the ellipsis included."""

# C0, DEL and C1 except tab, line ends and NEL; surrogates and non-characters (XML 1.0 §2.2);
# bidirectional embeddings, overrides and isolates (UAX 9), which make text lie; the BOM.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]"
)

# fmt: off
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_PARAGRAPHS: Final = frozenset({
    "address", "article", "aside", "blockquote", "caption", "details", "div", "dl",
    "figcaption", "figure", "footer", "header", "hgroup", "hr", "main", "nav", "ol", "p",
    "pre", "section", "summary", "table", "ul",
})
_LINES: Final = frozenset({"br", "dd", "dt", "li", "tr"})
_CELLS: Final = frozenset({"td", "th"})
_PHRASES: Final = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "img",
    "ins", "kbd", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "tbody", "tfoot", "thead", "time", "u", "var", "wbr",
})
_DROPPED_WHOLE: Final = frozenset({
    "applet", "button", "datalist", "embed", "iframe", "math", "noembed", "noframes",
    "noscript", "object", "optgroup", "option", "script", "select", "style", "svg",
    "template", "textarea", "title", "xmp",
})
_UNWRAPPED: Final = frozenset({
    "area", "audio", "base", "big", "blink", "body", "canvas", "center", "dialog", "dir",
    "fieldset", "font", "form", "frame", "frameset", "head", "html", "image", "input",
    "label", "legend", "link", "map", "marquee", "menu", "meta", "nobr", "param", "picture",
    "plaintext", "source", "track", "tt", "video",
})
# fmt: on
_SHAPE: Final = _HEADINGS | _PARAGRAPHS | _LINES | _CELLS
_MARKUP_NAMES: Final = _SHAPE | _PHRASES | _DROPPED_WHOLE | _UNWRAPPED
_ATTRIBUTES: Final = {
    "a": {"href", "title"},
    "abbr": {"title"},
    "img": {"alt", "height", "src", "title", "width"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "time": {"datetime"},
}

# "Vec<T>" and "Map<String, Item>": a type, where the name inside is no element.
_TYPE: Final = re.compile(r"(?<=\w)<(\w+)((?:, ?\w+)*)>")
# "x <y": nothing closes it, so it is a comparison, unless it names an element.
_COMPARISON: Final = re.compile(r"<(\w+)([^<>=]*)(?=<|\Z)")
_SIMPLE_TAG: Final = re.compile(r"<(/?)([a-z0-9]+)>")


def strip_controls(text: str) -> str:
    """Return the text without characters that XML forbids or that reorder what is read.

    Tabs, line ends and NEL stay.
    """
    return _FORBIDDEN.sub("", text)


def one_line(markup_or_text: str) -> str:
    """Return a title: plain text on one line, of at most TITLE_LIMIT characters.

    Markup goes, however often it was escaped; a longer title is cut at a word. What looks
    like a type parameter (``List<Item>``) is no markup and stays.
    """
    text = markup_or_text[: MARKUP_LIMIT // 4]
    for _ in range(8):
        text = unicodedata.normalize("NFC", strip_controls(text))
        plain = html.unescape(_without_tags(text))
        if plain == text:
            break
        text = plain
    else:
        text = strip_controls(text).replace("<", " ").replace("&", " ")
    return _shortened(" ".join(text.split()))


def _without_tags(text: str) -> str:
    """Return HTML text (its entities still escaped) without the tags and hidden elements."""
    if "<" not in text:
        return text
    guarded = _COMPARISON.sub(_escaped_unless_markup, _TYPE.sub(_escaped_unless_markup, text))
    return _SIMPLE_TAG.sub(" ", _shape_cleaner().clean(guarded))


def _escaped_unless_markup(found: re.Match[str]) -> str:
    if found.group(1).lower() in _MARKUP_NAMES:
        return found.group()
    return found.group().replace("<", "&lt;").replace(">", "&gt;")


def _shortened(title: str) -> str:
    if len(title) <= TITLE_LIMIT:
        return title
    head = title[: TITLE_LIMIT - 1]
    at_a_word = head.rpartition(" ")[0]
    return (at_a_word if len(at_a_word) > TITLE_LIMIT // 2 else head).rstrip() + "…"


def clean_html(markup: str, *, base: str | None) -> str:
    """Return the markup reduced to harmless elements, attributes and links.

    Links are http, https or mailto, and absolute: relative ones are resolved against
    ``base`` and dropped when there is none. At most MARKUP_LIMIT characters come out.
    Cleaning what is clean changes nothing.
    """
    cleaner = _cleaner(safe_url(base, base=None))
    allowed = MARKUP_LIMIT
    while True:
        cleaned = _settled(cleaner, _cut(strip_controls(markup[:MARKUP_LIMIT]), allowed))
        if len(cleaned) <= MARKUP_LIMIT:
            return cleaned
        allowed = allowed * 3 // 4


@lru_cache(maxsize=64)
def _cleaner(base: str | None) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(_SHAPE | _PHRASES),
        clean_content_tags=set(_DROPPED_WHOLE),
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative=("rewrite_with_base", base) if base else "deny",
        link_rel="noopener noreferrer nofollow",
    )


@lru_cache(maxsize=1)
def _shape_cleaner() -> nh3.Cleaner:
    """Keep only what says where lines and paragraphs end, without any attribute."""
    return nh3.Cleaner(
        tags=set(_SHAPE),
        clean_content_tags=set(_DROPPED_WHOLE),
        attributes={},
        link_rel=None,
    )


def _settled(cleaner: nh3.Cleaner, markup: str) -> str:
    """Clean until nothing changes: broken nesting may leave work for another pass."""
    for _ in range(6):
        cleaned = strip_controls(cleaner.clean(markup))
        if cleaned == markup:
            return cleaned
        markup = cleaned
    return html.escape(html_to_text(markup), quote=False)


def _cut(markup: str, allowed: int) -> str:
    """Return at most ``allowed`` characters, not ending inside a tag or an entity."""
    if len(markup) <= allowed:
        return markup
    head = markup[:allowed]
    opened = head.rfind("<")
    if opened > head.rfind(">"):
        head = head[:opened]
    entity = head.rfind("&", max(0, len(head) - 32))
    return head[:entity] if entity > head.rfind(";") else head


def html_to_text(markup: str) -> str:
    """Return the plain text of markup with its blocks kept.

    Headings are ``## `` lines, list items ``- `` lines, cells of a row are apart by `` | ``,
    code keeps its lines, and paragraphs are apart by an empty line.
    """
    shaped = strip_controls(_shape_cleaner().clean(_cut(markup, MARKUP_LIMIT)))
    writer = _TextWriter()
    pieces = _SIMPLE_TAG.split(shaped)
    writer.words(pieces[0])
    for mark, name, text in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        writer.tag(name, closes=bool(mark))
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
        if name in _CELLS:
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
        if name not in _LINES and not self._item_depth:
            self._end_paragraph()
        if name in _HEADINGS:
            self._prefix = "" if closes else "## "
        elif name == "li":
            self._prefix = "" if closes else "- "

    def _end_paragraph(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _end_line(self) -> None:
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


def _link_bare_addresses(state: StateCore) -> None:
    """Turn the addresses in running text into links, as GitHub does."""
    for block in state.tokens:
        depth = 0
        for child in block.children or ():
            if child.type in {"link_open", "link_close"}:
                depth += child.nesting
            elif child.type == "text" and not depth and "://" in child.content:
                child.type = "html_inline"
                child.content = _BARE_LINK.sub(
                    r'<a href="\g<0>">\g<0></a>', html.escape(child.content)
                )


_BARE_LINK: Final = re.compile(r"\bhttps?://[^\s<>]*[^\s<>?!.,:;*_~()\[\]]")
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": True, "breaks": True, "maxNesting": 40})
_MARKDOWN.enable(["table", "strikethrough"])
_MARKDOWN.core.ruler.push("bare_addresses", _link_bare_addresses)
# A forbidden link is read like any other, so that it is dropped where all markup is cleaned
# instead of staying behind as text.
_MARKDOWN.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005


def markdown_to_html(markdown: str, *, base: str | None = None) -> str:
    """Return clean markup for Markdown in GitHub's flavour.

    Tables, strikethrough, bare links, and line ends that count; markup inside the Markdown
    is cleaned like any other. Links are treated as clean_html treats them.
    """
    return clean_html(_MARKDOWN.render(strip_controls(markdown[:MARKUP_LIMIT])), base=base)
