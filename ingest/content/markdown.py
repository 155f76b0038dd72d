"""Markdown of release notes, rendered as clean markup."""

import html
import re
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from ingest.content.sanitizer import MARKUP_LIMIT, clean_html, strip_controls


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


class _MarkdownIt(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's hook
        """Accept every link: cleaning removes the forbidden ones."""
        return True


_MARKDOWN: Final = _MarkdownIt("commonmark", {"html": True, "breaks": True, "maxNesting": 40})
_MARKDOWN.enable(["table", "strikethrough"])
_MARKDOWN.core.ruler.push("bare_addresses", _link_bare_addresses)


def markdown_to_html(markdown: str, *, base: str | None = None) -> str:
    """Return clean markup for Markdown in GitHub's flavour.

    Tables, strikethrough, bare links, and line ends that count; markup inside the Markdown
    is cleaned like any other. Links are treated as clean_html treats them.
    """
    return clean_html(_MARKDOWN.render(strip_controls(markdown[:MARKUP_LIMIT])), base=base)
