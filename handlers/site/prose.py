"""Our Markdown and the operator's as HTML; HTML in it is shown as text. Pure."""

from collections.abc import MutableMapping, Sequence
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markupsafe import Markup


def as_html(text: str) -> Markup:
    """Return Markdown (CommonMark and tables) as HTML."""
    return Markup(_MARKDOWN.render(text))  # noqa: S704 - trusted files, without their HTML


def as_inline_html(text: str) -> Markup:
    """Return one paragraph of Markdown as HTML, without its paragraph."""
    return Markup(_MARKDOWN.renderInline(text))  # noqa: S704 - as above


class ProseRenderer(RendererHTML):
    """Writes tables our way; the library calls it by token type."""

    def table_open(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        """A table, which the keyboard can scroll where the window is narrow."""
        label = f"Table {next_of(env, 'table')}"
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>\n'

    def table_close(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        """The end of a table."""
        return "</table></div>\n"

    def th_open(self, tokens: Sequence[Token], place: int, options: Any, env: Any) -> str:
        """The name of a column."""
        return '<th scope="col">'


def next_of(env: MutableMapping[str, Any], name: str) -> int:
    """Count things of a page that need a name of their own."""
    number: int = env.get(name, 0) + 1
    env[name] = number
    return number


_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}, renderer_cls=ProseRenderer).enable(
    "table"
)
