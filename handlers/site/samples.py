"""A request as code in four languages, and the tabs that show one of them without script. Pure."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup, escape

LANGUAGES: Final = {"sh": "curl", "python": "Python", "javascript": "JavaScript", "go": "Go"}
"""The languages of samples as blocks of Markdown name them, and as readers do."""

_TOKENS: Final = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`]*`)|(?P<comment>(?:^|(?<=\s))(?:\#|//).*$)"""
    r"|(?P<keyword>\b(?:as|const|defer|for|from|func|if|import|in|let|new|nil|package|with)\b)",
    re.MULTILINE,
)


def samples_of(
    url: str, key: str | None = None, body: Mapping[str, Any] | None = None, *, file: str = ""
) -> dict[str, str]:
    """Return the code that gets ``url``, or posts a body to it, with a key or without one.

    The response is JSON, which is printed, or else written to ``file``.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    return {language: getattr(_CODE, language)(url, headers, body, file) for language in LANGUAGES}


def tabs_of(name: str, label: str, samples: Mapping[str, str]) -> Markup:
    """Return samples as tabs; ``name`` is their own on the page, ``label`` says what they do."""
    tabs: Markup = _HTML.tabs(name, label, samples, LANGUAGES)
    return tabs


def code_block(id_: str, label: str, code: str, *, copied: bool) -> Markup:
    """Return a block of code, which the keyboard can scroll and a script can copy."""
    block: Markup = _HTML.code_block(id_, label, highlighted(code) if copied else code, copied)
    return block


def highlighted(code: str) -> Markup:
    """Return code as HTML with its strings, comments and keywords in colour."""
    written, reached = Markup(), 0
    for found in _TOKENS.finditer(code):
        token = Markup('<span class="{}">{}</span>').format(found.lastgroup, found[0])
        written += escape(code[reached : found.start()]) + token
        reached = found.end()
    return written + escape(code[reached:])


_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=select_autoescape(["html"]),
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters.update(
    highlighted=highlighted, json=lambda value: json.dumps(value, ensure_ascii=False)
)
_CODE: Final[Any] = _TEMPLATES.get_template("samples.txt").module
_HTML: Final[Any] = _TEMPLATES.get_template("tabs.html").module
