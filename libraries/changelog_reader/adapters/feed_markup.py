"""XML of a feed, with what feedparser would misread written so that it reads it."""

import re
from typing import Any, Final
from xml.parsers.expat import XMLParserType
from xml.sax.expatreader import ExpatParser

_FOREIGN: Final = re.compile(
    r"<(/?(?:itunes|media|dc|dcterms|googleplay)):(title|summary|description)(?=[\s/>])[^<>]*?(/?)>",
    re.IGNORECASE,
)
_CONTENT_TYPE: Final = re.compile(
    r"""(<(?!media:)(?:\w+:)?content\b[^<>]*?\stype\s*=\s*)(?:"([^"<>]*)"|'([^'<>]*)')([^<>]*>)""",
    re.IGNORECASE,
)
_KNOWN_TYPE: Final = re.compile(r"text|html|xhtml|text/\S.*|[^\s;]+[/+]xml", re.IGNORECASE)
_BASE64: Final = re.compile(r"\s*[A-Za-z0-9+/\r\n]{8,}={0,2}\s*<")
# Surrogates, and six hexadecimal or seven decimal digits: more than Unicode has, but for a few.
_REFERENCE: Final = re.compile(
    r"&#(?:[xX]0*([dD][89a-fA-F][0-9a-fA-F]{2}|[0-9a-fA-F]{6,})|0*(5[5-7][0-9]{3}|[0-9]{7,}));?"
)
_WINDOWS_1252: Final = re.compile("[\x80-\x9f]")


class _Text(str):
    """Text that feedparser repairs character by character only where it may need it."""

    def translate(self, table: Any, /) -> str:
        """Return the text with the characters replaced that the table has."""
        return super().translate(table) if _WINDOWS_1252.search(self) else str(self)


class _Reader(ExpatParser):
    """Hands over the text between two tags at once, not in a piece for each line and reference."""

    _parser: XMLParserType

    def reset(self) -> None:
        """Begin a document."""
        super().reset()
        self._parser.buffer_text = True


create_parser = _Reader  # what makes this a module that feedparser can be told of


def speed_up(api: Any) -> None:
    """Make feedparser use less processor time; ``api`` is its module of that name."""
    api.PREFERRED_XML_PARSERS.insert(0, __name__)
    api.StrictFeedParser.decode_entities = staticmethod(lambda _, text: _Text(text))


def mended(text: str) -> str:
    """Return the XML of a feed without what makes feedparser lose an item's own words.

    Titles and summaries of other vocabularies get names of their own (``media:x-title``), unknown
    types of content become text, and characters that do not exist are replaced.
    """
    named = _FOREIGN.sub(r"<\1:x-\2\3>", text)
    return with_characters(_CONTENT_TYPE.sub(_typed, named))


def with_characters(markup: str) -> str:
    """Return markup with references to surrogates joined, and others beyond Unicode replaced."""
    written = _REFERENCE.sub(_code_point, markup) if "&#" in markup else markup
    if written == markup:
        return markup
    return written.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _code_point(reference: re.Match[str]) -> str:
    digits, base = (reference[1], 16) if reference[1] else (reference[2], 10)
    code = int(digits, base) if len(digits) <= 8 else 0x110000
    return reference[0] if code < 0xD800 else chr(code) if code <= 0x10FFFF else "\ufffd"


def _typed(content: re.Match[str]) -> str:
    """Return the start of a content element; feedparser takes unknown types for base64."""
    name = (content[2] or content[3] or "").strip()
    if _KNOWN_TYPE.fullmatch(name):
        return content[0]
    if _BASE64.match(content.string, content.end()):
        return content[0]
    return f'{content[1]}"text"{content[4]}'
