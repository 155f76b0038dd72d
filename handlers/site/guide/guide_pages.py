"""The guide's Markdown as pages: anchors at headings, links that stay on this site. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

from handlers.site.guide.guide_search import GuidePlace
from handlers.site.prose import ProseRenderer, next_of
from handlers.site.samples import LANGUAGES, code_block, tabs_of

Tokens: TypeAlias = Sequence[Token]
Resolve: TypeAlias = Callable[[str], str | None]
"""Gives the address that a link of the Markdown leads to here; None where it leads nowhere."""

COPIED: Final = frozenset(LANGUAGES)
"""The languages of blocks that readers run: the others show answers."""
_NAMES: Final = {
    "sh": "Commands",
    "python": "Program",
    "javascript": "Program",
    "go": "Program",
    "json": "JSON",
}


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the guide. ``name`` is the last part of its address, ``summary`` how it begins."""

    name: str
    html: Markup
    summary: str
    sections: tuple[GuidePlace, ...]

    @property
    def title(self) -> str:
        """The page's heading."""
        return self.sections[0].title


def page_of(name: str, text: str, resolve: Resolve) -> Page:
    """Render a page that begins with its heading. What is HTML in the text stays text."""
    tokens = _MARKDOWN.parse(text)
    for token in tokens:
        if token.children:
            token.children = list(_relinked(token.children, resolve))
    sections = tuple(_sections(tokens, f"/guide/{name}"))
    begins = next(place for place, token in enumerate(tokens) if token.type == "paragraph_open")
    made = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    html = Markup(made)  # noqa: S704 - our own files, without their HTML
    return Page(name, html, _plain(tokens[begins + 1]).rstrip(":"), sections)


def anchor_of(title: str) -> str:
    """Return the anchor of a heading, as code hosts make it."""
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", title.lower()))


def _relinked(children: Tokens, resolve: Resolve) -> Iterator[Token]:
    """Yield the pieces of a line with its links resolved; one that leads nowhere is its text."""
    is_dead = False
    for child in children:
        if child.type == "link_open":
            target = resolve(str(child.attrs["href"]))
            is_dead = target is None
            if target is not None:
                child.attrs["href"] = target
        if child.type not in ("link_open", "link_close") or not is_dead:
            yield child


def _sections(tokens: Tokens, path: str) -> Iterator[GuidePlace]:
    """Yield the sections of a page; gives each heading its anchor on the way."""
    starts = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    page = _plain(tokens[starts[0] + 1])
    for start, end in zip(starts, [*starts[1:], len(tokens)], strict=True):
        title, level = _plain(tokens[start + 1]), int(tokens[start].tag[1:])
        anchor = anchor_of(title)
        tokens[start].attrSet("id", anchor)
        words = " ".join(_plain(token) for token in tokens[start + 3 : end])
        url = path if level == 1 else f"{path}#{anchor}"
        yield GuidePlace(page, title, url, " ".join(words.split()), level)


def _plain(token: Token) -> str:
    """Return the words of a token as they are read; answers that are shown are not."""
    if token.children is None:
        return token.content if token.info in COPIED else ""
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children)


class _Renderer(ProseRenderer):
    """Writes headings and blocks of code our way too."""

    def heading_open(self, tokens: Tokens, place: int, options: Any, env: Any) -> str:
        """All headings but the page's own lead to themselves."""
        tag, anchor = tokens[place].tag, escape(str(tokens[place].attrs["id"]))
        if tag == "h1":
            return "<h1>"
        return f'<{tag} id="{anchor}"><a class="anchor" href="#{anchor}">'

    def heading_close(self, tokens: Tokens, place: int, options: Any, env: Any) -> str:
        """The end of a heading."""
        tag = tokens[place].tag
        return "</h1>\n" if tag == "h1" else f"</a></{tag}>\n"

    def fence(self, tokens: Tokens, place: int, options: Any, env: Any) -> str:
        """A block of code; samples in several languages as tabs."""
        if _is_sample(tokens, place - 1) and _is_sample(tokens, place):
            return ""  # the first of them shows them all
        token, number = tokens[place], next_of(env, "code")
        if _is_sample(tokens, place) and _is_sample(tokens, place + 1):
            return str(tabs_of(f"code-{number}", f"Sample {number}", _samples(tokens[place:])))
        name, is_copied = _NAMES.get(token.info, "Text"), token.info in COPIED
        block = code_block(f"code-{number}", f"{name} {number}", token.content, copied=is_copied)
        return str(block)

    def code_block(self, tokens: Tokens, place: int, options: Any, env: Any) -> str:
        """A block that is only indented."""
        return self.fence(tokens, place, options, env)


def _is_sample(tokens: Tokens, place: int) -> bool:
    """Return True if the code block can be a tab next to the same code in another language."""
    return 0 <= place < len(tokens) and tokens[place].info in COPIED


def _samples(tokens: Tokens) -> dict[str, str]:
    """Return the code of the blocks that tokens begin with, by language."""
    blocks = takewhile(lambda token: token.info in COPIED, tokens)
    return {token.info: token.content for token in blocks}


_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
