"""Vendors' markup reduced to an allow-list of elements, attributes and link schemes.

The input is bounded before it is parsed, because HTML parsers are quadratic in the depth of the
tree that a hostile page makes them build.
"""

import re
from functools import lru_cache
from typing import Final, Literal

import nh3

from changelog_reader.content.urls import safe_url

MARKUP_LIMIT: Final = 65_536
"""Characters of markup that are read; what follows is cut off."""

# C0, DEL and C1 except tab, line ends and NEL; surrogates and non-characters (XML 1.0 §2.2);
# bidirectional embeddings, overrides and isolates (UAX 9), which reorder text; the BOM.
_FORBIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff"
    "\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
_FORBIDDEN_BYTES: Final = bytes(code for code in range(0x80) if _FORBIDDEN.match(chr(code)))

# fmt: off
HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
PARAGRAPHS: Final = frozenset({
    "address", "article", "aside", "blockquote", "caption", "details", "div", "dl",
    "figcaption", "figure", "footer", "header", "hgroup", "hr", "main", "nav", "ol", "p",
    "pre", "section", "summary", "table", "ul",
})
LINES: Final = frozenset({"br", "dd", "dt", "li", "tr"})
CELLS: Final = frozenset({"td", "th"})
PHRASES: Final = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "i", "img",
    "ins", "kbd", "mark", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike",
    "strong", "sub", "sup", "tbody", "tfoot", "thead", "time", "u", "var", "wbr",
})
_DROPPED_WITH_CONTENT: Final = frozenset({
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
PROGRAMS: Final = frozenset({"script", "style"})
_SHAPE: Final = HEADINGS | PARAGRAPHS | LINES | CELLS
MARKUP_NAMES: Final = _SHAPE | PHRASES | _DROPPED_WITH_CONTENT | _UNWRAPPED
_ATTRIBUTES: Final = {
    "*": set[str](),
    "a": {"href"},
    "img": {"alt", "height", "src", "width"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan"},
    "time": {"datetime"},
}


def strip_controls(text: str) -> str:
    """Return the text without characters that XML forbids or that reorder what is read.

    Tabs, line ends and NEL stay.
    """
    if text.isprintable():
        return text  # none of these characters is printable
    if text.isascii():  # bytes are searched ten times as fast
        body = text.encode("ascii")
        allowed = body.translate(None, _FORBIDDEN_BYTES)
        return text if len(allowed) == len(body) else allowed.decode("ascii")
    return _FORBIDDEN.sub("", text)


def clean_html(markup: str, *, base: str | None) -> str:
    """Return the markup with only the allowed elements, attributes and links.

    Links are http, https or mailto, and absolute: relative ones are resolved against
    ``base`` and dropped when there is none. At most MARKUP_LIMIT characters come out.
    Cleaning what is clean changes nothing.
    """
    cleaner = _cleaner(base)
    text = strip_controls(markup[:MARKUP_LIMIT])
    allowed = MARKUP_LIMIT
    while True:
        bounded = cut(text, allowed)
        cleaned = cleaner.clean(bounded)
        if cleaned == bounded:
            return cleaned  # it was clean, so another pass would change nothing either
        if len(cleaned) <= MARKUP_LIMIT:
            cleaned = _clean_until_stable(cleaner, cleaned)
        if len(cleaned) <= MARKUP_LIMIT:
            return cleaned
        allowed = allowed * MARKUP_LIMIT // (len(cleaned) + MARKUP_LIMIT // 16)


@lru_cache(maxsize=64)
def _cleaner(base: str | None) -> nh3.Cleaner:
    base = safe_url(base, base=None)
    try:
        return _new_cleaner(("rewrite_with_base", base) if base else "deny")
    except ValueError:  # not a valid base URL (URL Standard §4.4), such as http://1.2.3.4.5
        return _new_cleaner("deny")


def _new_cleaner(
    relative: Literal["deny"] | tuple[Literal["rewrite_with_base"], str],
) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(_SHAPE | PHRASES),
        clean_content_tags=set(_DROPPED_WITH_CONTENT),
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        url_relative=relative,
        link_rel="noopener noreferrer nofollow",
    )


@lru_cache(maxsize=2)
def shape_cleaner(dropped: frozenset[str] = _DROPPED_WITH_CONTENT) -> nh3.Cleaner:
    """Return a cleaner that keeps text but in ``dropped``, and bare elements that end lines."""
    content, shape, bare = set(dropped), set(_SHAPE), {"*": set[str]()}
    return nh3.Cleaner(shape, clean_content_tags=content, attributes=bare, link_rel=None)


def _clean_until_stable(cleaner: nh3.Cleaner, markup: str) -> str:
    """Clean until nothing changes: broken nesting may need several passes."""
    for _ in range(6):
        cleaned = strip_controls(cleaner.clean(markup))
        if cleaned == markup:
            return cleaned
        markup = cleaned
    return nh3.clean(markup, tags=set())


def cut(markup: str, allowed: int) -> str:
    """Return at most ``allowed`` characters, not ending inside a tag or an entity."""
    if len(markup) <= allowed:
        return markup
    head = markup[:allowed]
    opened = head.rfind("<")
    if opened > head.rfind(">"):
        head = head[:opened]
    entity = head.rfind("&", max(0, len(head) - 32))
    return head[:entity] if entity > head.rfind(";") else head
