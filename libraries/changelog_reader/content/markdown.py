"""Markdown of release notes, rendered as clean markup."""

import html
import re
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from changelog_reader.content.sanitizer import (
    MARKUP_LIMIT,
    MARKUP_NAMES,
    clean_html,
    strip_controls,
)

_PLAIN_TAG: Final = re.compile(r"<([A-Za-z]\w*)>")
_BARE_LINK: Final = re.compile(r"\bhttps?://[^\s<>]*[^\s<>?!.,:;*_~()\[\]]")
_FRONT_MATTER: Final = re.compile(r"\A---[ \t]*\n(?:(?!---)[^\n]*\n){0,200}?---[ \t]*\n")
_COMPONENT: Final = re.compile(
    r"^[ \t]*<(?:/[A-Z][\w.]*[ \t]*|[A-Z][\w.]*(?:[ \t\n][^<>]{0,4000})?)>[ \t]*$", re.MULTILINE
)
_LABEL: Final = re.compile(r"""[\s]label=(?:"([^"\n]{1,200})"|'([^'\n]{1,200})')""")
_MODULE_LINE: Final = re.compile(r"^(?:import|export)\s[^\n]*$", re.MULTILINE)
LONGEST_DOCUMENT: Final = 1_000_000
"""Characters of a document that are rendered, in about a second."""
_HASHES: Final = re.compile(r"^\s*#{1,6}\s+")
_FLAT_HEADING: Final = re.compile(r"(?:^|(?<= ))#{1,6} (?=\S)")
_ROLE: Final = re.compile(r"(?<![\w`:]):[a-z][a-z:+-]{1,40}:`~?([^`<\n]{1,200}?)(?: <[^<>`\n]*>)?`")
_STRONG_MARK: Final = re.compile(
    r"^#{2,6} \S|^```|^\|[ :|-]*---[ :|-]*$|\[[^\[\]\n]{1,200}\]\(https?://[^\s()]{1,500}\)"
    r"|\*\*\w[^*\n]{0,200}\*\*|``[^`\n]{1,200}``",
    re.MULTILINE,
)
_WEAK_MARKS: Final = (
    re.compile(r"^# \S", re.MULTILINE),
    re.compile(r"^[*-] \S[^\n]*\n+[*-] \S", re.MULTILINE),
    re.compile(r"(?<!`)`[^`\n]{1,200}`"),
    _ROLE,
)


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


def _quote_elements(state: StateCore) -> None:
    """Keep the backquotes of an element that a heading names: its text becomes a title."""
    for heading, block in pairwise(state.tokens):
        for child in block.children or () if heading.type == "heading_open" else ():
            if child.type == "code_inline" and child.content.startswith("<"):
                child.content = f"`{child.content}`"


def _keep_what_is_no_element(state: StateCore) -> None:
    """Make text of what looks like a tag, is no element and is never closed: ``List<String>``."""
    for block in state.tokens:
        inline = [child for child in block.children or () if child.type == "html_inline"]
        written = {child.content for child in inline}
        for child in inline:
            name = _PLAIN_TAG.fullmatch(child.content)
            if name and f"</{name[1]}>" not in written and name[1].lower() not in MARKUP_NAMES:
                child.type = "text"


def _renderer(*, breaks: bool) -> MarkdownIt:
    """Return a renderer of GitHub's flavour; with ``breaks`` line ends count."""
    renderer = MarkdownIt("commonmark", {"html": True, "breaks": breaks, "maxNesting": 40})
    vars(renderer)["validateLink"] = lambda _: True  # cleaning removes the forbidden ones
    renderer.enable(["table", "strikethrough"])
    renderer.core.ruler.push("bare_addresses", _link_bare_addresses)
    renderer.core.ruler.push("quoted_elements", _quote_elements)
    renderer.core.ruler.push("no_elements", _keep_what_is_no_element)
    return renderer


_NOTES: Final = _renderer(breaks=True)
_DOCUMENT: Final = _renderer(breaks=False)
_MDX: Final = _renderer(breaks=False)
_MDX.disable("code")  # MDX indents what is in components


def markdown_document_to_html(markdown: str) -> str:
    """Return a whole document such as CHANGELOG.md as markup, which still has to be cleaned.

    Its front matter is left out, and line ends inside a paragraph do not count.
    """
    text = _FRONT_MATTER.sub("", markdown.replace("\r\n", "\n"), count=1)
    if len(text) > LONGEST_DOCUMENT:
        text = text[:LONGEST_DOCUMENT].rpartition("\n")[0]
    if _COMPONENT.search(text):
        return str(_MDX.render(_COMPONENT.sub(_label, _MODULE_LINE.sub("", text))))
    return str(_DOCUMENT.render(text))


def _label(component: re.Match[str]) -> str:
    """Return what stays of a component of MDX on a line of its own: its label, as a paragraph."""
    label = _LABEL.search(component[0])
    return f"\n\n{label[1] or label[2]}\n\n" if label else "\n\n"


def without_marks(title: str) -> str:
    """Return a title without the marks of Markdown that nobody rendered ("**6.11.0** /")."""
    bare = _HASHES.sub("", title.replace("**", " "))
    return title if bare == title else " ".join(bare.split()).strip(" /:;,–—|-")


def markdown_to_html(markdown: str, *, base: str | None = None) -> str:
    """Return clean markup for Markdown in GitHub's flavour.

    Tables, strikethrough, bare links, and line ends that count; markup inside the Markdown
    is cleaned like any other. Links are treated as clean_html treats them.
    """
    return clean_html(render_notes(markdown), base=base)


def render_notes(markdown: str) -> str:
    """Return Markdown whose line ends count as markup, which still has to be cleaned.

    Roles of reStructuredText become code, as its double backquotes are.
    """
    text = _ROLE.sub(r"`\1`", strip_controls(markdown[:MARKUP_LIMIT]))
    if "\n" not in text.strip() and _FLAT_HEADING.search(text):
        # Where all line ends were lost, nothing says where a heading ends.
        text = _FLAT_HEADING.sub("\n\n", text).replace(" * ", "\n* ").replace(" - ", "\n- ")
    return str(_NOTES.render(text))


def is_markdown(text: str) -> bool:
    """Return whether a text without tags is written in Markdown: by one sure sign, or by two."""
    return bool(_STRONG_MARK.search(text)) or (
        sum(mark.search(text) is not None for mark in _WEAK_MARKS) >= 2
    )
