"""Changelog files of the formats that projects have, written as Markdown.

GNU NEWS, debian/changelog, CPAN Changes, AsciiDoc and the readme.txt of WordPress plugins.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Final, Literal, TypeAlias

from changelog_reader.content.dates import parse_timestamp

FileFormat: TypeAlias = Literal[
    "AsciiDoc", "CPAN Changes", "Debian changelog", "GNU NEWS", "WordPress readme"
]

_TAB: Final = 8
_NEWS_HEADING: Final = re.compile(r"(\*{1,4}) +(\S.*)")
_NEWS_RELEASE: Final = re.compile(
    r"^\* (?=[^\n]*\d)[^\n]*\b(?:release|version|changes in|new in|news in)\b[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_DEBIAN_RELEASE: Final = re.compile(
    r"^([a-z0-9][a-z0-9+.-]{1,100}) \(([^()\s]{1,100})\) [^;\n]{1,200};[^\n]*\burgency=",
    re.MULTILINE | re.IGNORECASE,
)
_DEBIAN_TRAILER: Final = re.compile(r" -- [^\n]{0,200}?>  ?(\S[^\n]{0,60})$")
_CPAN_RELEASE: Final = re.compile(
    r"^v?\d{1,8}(?:[._]\d{1,8}){1,4}(?:[-_][\w.]{1,20})?(?:[ \t]+[^\n]{1,120})?$", re.MULTILINE
)
_WORDPRESS_TITLE: Final = re.compile(r"\A\s*===[^=\n]{1,200}===\s*$", re.MULTILINE)
_WORDPRESS_HEADING: Final = re.compile(r"(={1,3})\s*([^=\s][^=]{0,200})(?:=+([^=]*))?")
_WORDPRESS_CHANGELOG: Final = re.compile(r"^==\s*changelog\s*==", re.MULTILINE | re.IGNORECASE)
_WORDPRESS_SECTION: Final = re.compile(r"^==(?!=)", re.MULTILINE)
_ASCIIDOC_HEADING: Final = re.compile(r"^={1,6}[ \t]+\S", re.MULTILINE)
_ASCIIDOC_LINE: Final = re.compile(r"(={1,6}|\*{1,5}|-|\.{1,5})[ \t]+(\S.*)")
_ASCIIDOC_SILENT: Final = re.compile(
    r":!?[\w-]+!?:(?:\s.*)?|\[[^\]]*\]+|//(?!/).*|\+|ifn?def::.*|endif::.*"
)
_ASCIIDOC_LINK: Final = re.compile(
    r"(?:link:)?((?:https?://|\{)[^\s\[\]<>]{1,250}|(?<=link:)[^\s\[\]<>]{1,250})"
    r"\[([^\]\n]{0,300})\]"
)
_ASCIIDOC_REFERENCE: Final = re.compile(r"&lt;&lt;([^&\n]{1,200})&gt;&gt;")
_FENCES: Final = ("----", "....", "```")


def changelog_file_format(text: str) -> FileFormat | None:
    """Return the format of a file that has the release lines of one of them."""
    if _WORDPRESS_TITLE.search(text):
        return "WordPress readme"
    if _DEBIAN_RELEASE.match(text.lstrip()):
        return "Debian changelog"
    if _NEWS_RELEASE.search(text):
        return "GNU NEWS"
    if len(_CPAN_RELEASE.findall(text)) > 1 and _is_indented(text):
        return "CPAN Changes"
    return "AsciiDoc" if len(_ASCIIDOC_HEADING.findall(text)) > 1 else None


def _is_indented(text: str) -> bool:
    """Return whether all lines below the first release are releases, or indented, or items."""
    first = _CPAN_RELEASE.search(text)
    lines = text[first.start() if first else 0 :].rstrip().splitlines()[:-1]
    return all(
        not line.strip() or line[0] in " \t" or _CPAN_RELEASE.fullmatch(line) for line in lines
    )


def file_to_markdown(text: str, format_: FileFormat) -> str:
    """Return a changelog file as Markdown: a heading for each release, its text below."""
    return "\n".join(_WRITERS[format_](text.expandtabs(_TAB)))


def _cpan_heading(line: str) -> str | None:
    if not _CPAN_RELEASE.fullmatch(line.rstrip()):
        return None
    version, _, rest = line.strip().partition(" ")
    moment = _moment(rest.strip())
    return f"## {version}\n\n{moment}" if moment else f"## {escape(line)}"


def _heading(match: re.Match[str] | None) -> str | None:
    return f"#{'#' * len(match[1])} {escape(match[2])}" if match else None


def _debian_heading(line: str) -> str | None:
    release = _DEBIAN_RELEASE.match(line)
    if release:
        return f"## {release[1]} {release[2]}"
    trailer = _DEBIAN_TRAILER.fullmatch(line.rstrip())
    return (_moment(trailer[1]) or f"<p>{escape(trailer[1])}</p>") if trailer else None


def _moment(text: str) -> str | None:
    at = parse_timestamp(text)
    return None if at is None else f'<p><time datetime="{at.isoformat()}">{escape(text)}</time></p>'


def _dated_first(lines: Iterator[str]) -> Iterator[str]:
    """Yield releases with their date, which their last line gives, below their heading."""
    body: list[str] = []
    for line in lines:
        if line.startswith("<p>"):
            yield from (*body[:1], "", line, "", *body[1:])
            body = []
        elif line or body:
            body.append(line)
    yield from body


def _sections(text: str, heading: Callable[[str], str | None]) -> Iterator[str]:
    """Yield the headings of a text, and what is between them without its indent."""
    body: list[str] = []
    for line in text.splitlines():
        written = heading(line)
        if written is None:
            body.append(escape(line, quote=False))
            continue
        yield from ("", *textwrap.dedent("\n".join(body)).splitlines(), "", written, "")
        body = []
    yield from textwrap.dedent("\n".join(body)).splitlines()


def _from_wordpress(text: str) -> Iterator[str]:
    """Yield the section of a readme that is its changelog, else all of it."""
    start = _WORDPRESS_CHANGELOG.search(text)
    end = _WORDPRESS_SECTION.search(text, start.end()) if start else None
    for line in text[start.start() if start else 0 : end.start() if end else None].splitlines():
        match = _WORDPRESS_HEADING.fullmatch(line)
        words = " ".join(f"{match[2]} {match[3] or ''}".split()) if match else ""
        yield f"\n{'#' * (4 - len(match[1]))} {words}\n" if match else line


def _from_asciidoc(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines():
        bare = line.strip()
        if fence or bare[:4] in _FENCES:
            ends = not fence or bare == fence
            yield "```" if ends else line
            fence = "" if fence and ends else fence or bare
        elif not _ASCIIDOC_SILENT.fullmatch(bare):
            yield _asciidoc_line(bare)


def _asciidoc_line(bare: str) -> str:
    """Return a line with its heading's or item's mark, its links and references in Markdown."""
    plain = _ASCIIDOC_LINK.sub(_link, escape(bare, quote=False))
    plain = _ASCIIDOC_REFERENCE.sub(lambda match: match[1].partition(",")[2], plain)
    match = _ASCIIDOC_LINE.fullmatch(plain)
    if match is None:
        return f"**{plain[1:]}**" if re.match(r"\.[^\s.]", plain) else plain
    mark, words = match[1], match[2]
    if mark[0] == "=":
        return f"\n{'#' * len(mark)} {words}\n"
    return f"{'    ' * (len(mark) - 1)}{'1.' if mark[0] == '.' else '-'} {words}"


def _link(match: re.Match[str]) -> str:
    address, words = match[1], match[2].removesuffix("^") or match[1]
    return words if address.startswith("{") else f"[{words}]({address})"


_WRITERS: Final[Mapping[FileFormat, Callable[[str], Iterator[str]]]] = {
    "AsciiDoc": _from_asciidoc,
    "CPAN Changes": lambda text: _sections(text, _cpan_heading),
    "Debian changelog": lambda text: _dated_first(_sections(text, _debian_heading)),
    "GNU NEWS": lambda it: _sections(it, lambda line: _heading(_NEWS_HEADING.fullmatch(line))),
    "WordPress readme": _from_wordpress,
}
