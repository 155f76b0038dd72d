"""Changelog files, such as CHANGELOG.md, read as pages.

The type that the server names decides, else the name of the file. Of text that is named plainly
or not at all the text itself decides: most servers send such files as text/plain, and some as
text/html.
"""

import re
from collections.abc import Mapping
from html import escape
from typing import Final, Literal, TypeAlias
from urllib.parse import unquote, urlsplit

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.content.changelog_files import (
    FileFormat,
    changelog_file_format,
    file_to_markdown,
)
from changelog_reader.content.markdown import markdown_document_to_html

TextFormat: TypeAlias = FileFormat | Literal["Markdown", "reStructuredText"]

_BY_TYPE: Final[Mapping[str, TextFormat]] = {
    "text/markdown": "Markdown",
    "text/x-markdown": "Markdown",
    "text/x-rst": "reStructuredText",
    "text/prs.fallenstein.rst": "reStructuredText",
    "text/asciidoc": "AsciiDoc",
    "text/x-asciidoc": "AsciiDoc",
}
_BY_ENDING: Final[Mapping[str, TextFormat]] = {
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".mdx": "Markdown",
    ".mkd": "Markdown",
    ".rst": "reStructuredText",
    ".rest": "reStructuredText",
    ".adoc": "AsciiDoc",
    ".asciidoc": "AsciiDoc",
}
_UNDECIDED: Final = frozenset({"", "text/plain", "text/html", "application/octet-stream"})
_NO_TEXT: Final = ("<!doctype", "<html", "<?xml", "<rss", "<feed", "{")  # begins so
_SEARCHED: Final = 65_536  # characters in which the format is recognised
_MARKED_UP: Final = re.compile(
    r"<(?:!doctype|html|head|body|meta|div|p|h[1-6]|table|ul|ol|li|section|article|script|rss|feed)"
    r"[\s/>]",
    re.IGNORECASE,
)
_MARKDOWN_HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_UNDERLINED: Final = re.compile(
    r"^(?![ \t*-])[^\n]{2,200}\n([=\-~^\"'+]){3,200}[ \t]*$", re.MULTILINE
)
_RST_ONLY: Final = re.compile(
    r"^\.\. [\w:|\[_-]|:[\w:.+-]{1,60}:`|``[^`\n]+``_?|`_\b", re.MULTILINE
)
_BOLD_LINE: Final = re.compile(r"^ {0,3}\*\*[^*\n]{1,120}\*\*[^*\n]{0,40}$", re.MULTILINE)
_LIST_LINE: Final = re.compile(r"^ {0,3}[*+-][ \t]+\S", re.MULTILINE)
_TEMPLATE: Final = (
    "<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
)


def text_format(text: str, *, address: str, media_type: str) -> TextFormat | None:
    """Return the format of a text document; None for a page, and for what is neither."""
    named = _BY_TYPE.get(media_type)
    if named is not None:
        return named
    if media_type not in _UNDECIDED:
        return None
    start = text[:_SEARCHED]
    if media_type == "text/html" and (start.lstrip()[:1] == "<" or _MARKED_UP.search(start)):
        return None
    if start.lstrip("\ufeff \t\r\n")[:200].lower().startswith(_NO_TEXT):
        return None
    name = _file_name(address).lower()
    ending = next((format_ for end, format_ in _BY_ENDING.items() if name.endswith(end)), None)
    return ending or _recognised(start)


def _recognised(start: str) -> TextFormat | None:
    """Return the format whose headings a text has."""
    if _MARKED_UP.search(start) and not _MARKDOWN_HEADING.search(start):
        return None
    format_ = changelog_file_format(start)
    if format_ is not None:
        return format_
    underlined = len(_UNDERLINED.findall(start))
    headings = len(_MARKDOWN_HEADING.findall(start))
    if underlined >= 1 and underlined >= headings and _RST_ONLY.search(start):
        return "reStructuredText"
    marks = headings + underlined + len(_BOLD_LINE.findall(start))
    return "Markdown" if marks >= 2 or (marks and _LIST_LINE.search(start)) else None


def as_page(text: str, format_: TextFormat, *, address: str) -> str:
    """Return a text document as a page, titled by its file's name.

    Raises UnreadableDocument when the document cannot be rendered.
    """
    try:
        if format_ == "reStructuredText":
            body = _restructured_text_to_html(text)
        else:
            markdown = text if format_ == "Markdown" else file_to_markdown(text, format_)
            body = markdown_document_to_html(markdown)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # docutils trips over some broken documents
        raise UnreadableDocument(f"The {format_} cannot be read: {error}"[:300]) from error
    return _TEMPLATE.format(title=escape(_file_name(address)), body=body)


def _restructured_text_to_html(text: str) -> str:
    from changelog_reader.content.restructured_text import (
        restructured_text_to_html,  # 0085: docutils
    )

    return restructured_text_to_html(text)


def _file_name(address: str) -> str:
    try:
        return unquote(urlsplit(address).path.rstrip("/").rpartition("/")[2])
    except ValueError:
        return ""
