"""reStructuredText documents, such as CHANGES.rst, rendered as markup by docutils.

Nothing outside of the document is read or run: no file is included, no raw markup passed through,
no configuration loaded. Roles and directives that docutils does not know are Sphinx's or the
project's own: of a role its text stays, of a directive what is below it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from docutils import nodes
from docutils.core import publish_parts
from docutils.parsers.rst import Directive, directives, roles
from docutils.parsers.rst.languages import en

LONGEST: Final = 400_000
"""Characters that are rendered, in about a second; the newest releases stand first."""
_MOST_NAMES: Final = 50  # unknown roles and directives of one document
_SETTINGS: Final[Mapping[str, Any]] = {
    "_disable_config": True,
    "doctitle_xform": False,
    "file_insertion_enabled": False,
    "halt_level": 5,
    "initial_header_level": 1,
    "line_length_limit": 10_000,
    "raw_enabled": False,
    "report_level": 5,
    "smart_quotes": False,
    "syntax_highlight": "none",
    "math_output": "latex",
    "embed_stylesheet": False,
    "stylesheet_path": "",
}
_ROLE: Final = re.compile(r":([A-Za-z][\w.+-]{0,40}(?::[\w.+-]{1,40})?):`")
_DIRECTIVE: Final = re.compile(r"^[ \t]*\.\. ([A-Za-z][\w.+:-]{0,40})::", re.MULTILINE)
_ID: Final = re.compile(r' id="[^"<>]*"')  # in text a quotation mark is an entity
_ROLE_TARGET: Final = re.compile(r"\s*<[^<>]*>$")
# For programs, or what stands elsewhere; ``date`` would be today's.
_SILENT: Final = frozenset({"currentmodule", "date", "highlight", "index", "module", "toctree"})
_KNOWN_ROLES: Final = frozenset(en.roles)
_KNOWN_DIRECTIVES: Final = frozenset(en.directives) - _SILENT


class _Passing(Directive):
    """A directive that is not known here: its argument and its content stay."""

    optional_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the content, with the argument as a paragraph before it."""
        if self.name.lower() in _SILENT:
            return []
        holder = nodes.container()
        if self.arguments:
            holder += nodes.paragraph("", self.arguments[0])
        self.state.nested_parse(self.content, self.content_offset, holder)
        return list(holder.children)


def _text_role(
    _name: str, rawtext: str, text: str, *_others: object, **_options: object
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    """Return the words of a role: of ``Title <target>`` the title, of ``~a.b.c`` the last name."""
    shown = _ROLE_TARGET.sub("", text) or text
    if shown.startswith("~"):
        shown = shown.rpartition(".")[2].lstrip("~")
    return [nodes.inline(rawtext, shown.lstrip("!"))], []


def restructured_text_to_html(source: str) -> str:
    """Return a document as markup, which is the vendor's and has to be cleaned like any other.

    It has no ids: nobody serves a page at which docutils' own would be anchors.
    """
    if len(source) > LONGEST:
        source = source[:LONGEST].rpartition("\n")[0]
    for name in _names(_ROLE, source):
        if name not in _KNOWN_ROLES:
            roles.register_local_role(name, _text_role)  # type: ignore[arg-type]  # wrong in the stubs
    for name in _names(_DIRECTIVE, source):
        if name not in _KNOWN_DIRECTIVES:
            directives.register_directive(name, _Passing)
    parts = publish_parts(source, writer="html5", settings_overrides=dict(_SETTINGS))
    return _ID.sub("", str(parts["html_body"]))


def _names(pattern: re.Pattern[str], source: str) -> Iterator[str]:
    names = dict.fromkeys(match[1].lower() for match in pattern.finditer(source))
    yield from list(names)[:_MOST_NAMES]
