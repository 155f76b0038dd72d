"""A vendor's text as HTML of our own, with the passages that make it important marked. Pure.

The markup was cleaned when it was stored. Here every element and attribute is written anew, so that
nothing is on a page that this module does not know.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from typing import Final, NamedTuple

from changelog_reader.content.sanitizer import HEADINGS, PARAGRAPHS
from openapi.text import kind_of, web_link, without_marks

MOST_SPAN: Final = 50  # columns or rows of a cell
ICON: Final = 40  # pixels; smaller images are symbols in the text
LINK: Final = 'rel="nofollow noopener"'
_PLAIN: Final = {
    **{name: name for name in ("b", "code", "em", "i", "kbd", "q", "s", "samp", "small")},
    **{name: name for name in ("strong", "sub", "sup", "u", "var")},
    **{name: name for name in ("blockquote", "caption", "dd", "dl", "dt", "li", "ol", "p")},
    **{name: name for name in ("tbody", "tfoot", "thead", "tr", "ul")},
    "del": "s",
    "strike": "s",
    "ins": "u",
    "cite": "em",
}
"""Elements without attributes, and what each is called here."""
_VOID: Final = ("<br>", "<hr>")
_LISTS: Final = frozenset({"ol", "ul"})
_UNCOUNTED: Final = re.compile(r"[\s`*#|•-]+")
"""What a plain text and its markup may differ in."""
_ADDRESS: Final = re.compile(r"https?://[^\s<>\"]*[^\s<>\"?!.,:;*_~()\[\]'’”]")
_CODE: Final = re.compile(r"`([^`]+)`")
_ELEMENTS: Final = {"heading": "h3", "list": "li", "paragraph": "p"}


class Passage(NamedTuple):
    """A passage of a text that makes it important, and the category that it shows."""

    text: str
    category: str


def plain_as_html(text: str) -> str:
    """Return a plain text with its headings and lists as harmless HTML."""
    blocks: list[str] = []
    in_list = False
    for line in filter(None, map(str.strip, text.splitlines())):
        is_item = line.startswith("- ")
        if is_item != in_list:
            blocks.append("<ul>" if is_item else "</ul>")
            in_list = is_item
        kind, words = kind_of(line)
        element = _ELEMENTS[kind]
        blocks.append(f"<{element}>{line_as_html(words)}</{element}>")
    return "".join([*blocks, "</ul>"] if in_list else blocks)


def line_as_html(text: str) -> str:
    """Return a line of plain text as HTML; what is between backticks is code."""
    return _CODE.sub(r"<code>\1</code>", html.escape(text, quote=False))


def vendor_html(markup: str, passages: Iterable[Passage] = (), *, most: int | None = None) -> str:
    """Return cleaned markup for a page: links, code, lists and tables; images as links.

    Each passage is marked where it stands first. With ``most``, the text ends after so many
    characters, blanks and marks not counted.
    """
    writer = _Writer()
    writer.feed(markup)
    writer.close()
    pieces = writer.pieces if most is None else list(_beginning(writer.pieces, most))
    spans = _marked_spans(pieces, passages)
    written = (
        _marked(text, spans.get(number, ())) if is_text else text
        for number, (is_text, text) in enumerate(pieces)
    )
    return "".join(written)


def counted_characters(text: str) -> int:
    """Return the length of a plain text as ``vendor_html`` counts it."""
    lines = (_UNCOUNTED.sub("", without_marks(line)) for line in text.splitlines())
    return sum(map(len, lines))


class _Piece(NamedTuple):
    is_text: bool
    text: str


class _Writer(HTMLParser):
    """Collects the output: our own elements, and texts that are not escaped yet."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[_Piece] = []
        self._open: list[tuple[str, str, int]] = []  # element, its end, the place of its begin
        self._names: Counter[str] = Counter()  # of open elements
        self._level = 1
        self._tables = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin an element, or write an empty one."""
        attributes = {name: value or "" for name, value in attrs}
        self._make_item(tag)
        if f"<{tag}>" in _VOID:
            self._write(f"<{tag}>")
        elif tag == "img":
            self._image(attributes)
        elif tag != "wbr":
            self._begin(tag, *self._element(tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        """End an element with all that is open in it; what holds no text goes if it is a link."""
        while any(tag == name for name, _, _ in self._open):
            name, end, place = self._open.pop()
            is_empty = not any(
                piece.is_text and piece.text.strip() for piece in self.pieces[place:]
            )
            if is_empty and (name == "a" or name in HEADINGS):
                del self.pieces[place:]
            else:
                self._write(end)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        """Write a text; addresses in it are links."""
        if data.strip():
            self._make_item("")
        is_literal = any(self._names[name] for name in ("a", "code", "pre"))
        reached = 0
        for found in () if is_literal else _ADDRESS.finditer(data):
            self._text(data[reached : found.start()])
            self._link(found[0], found[0])
            reached = found.end()
        self._text(data[reached:])

    def close(self) -> None:
        """End what is still open."""
        super().close()
        while self._open:
            self.handle_endtag(self._open[-1][0])

    def _write(self, element: str) -> None:
        if element:
            self.pieces.append(_Piece(False, element))

    def _text(self, text: str) -> None:
        if text:
            self.pieces.append(_Piece(True, text))

    def _link(self, address: str, text: str, attributes: str = "") -> None:
        self._write(f'<a{attributes} href="{html.escape(address)}" {LINK}>')
        self._text(text)
        self._write("</a>")

    def _begin(self, tag: str, begin: str, end: str) -> None:
        self._open.append((tag, end, len(self.pieces)))
        self._names[tag] += 1
        self._write(begin)

    def _make_item(self, tag: str) -> None:
        """Put what is in a list outside of its items into one."""
        if tag != "li" and self._open and self._open[-1][0] in _LISTS:
            self._begin("", "<li>", "</li>")
        elif tag == "li" and self._open and not self._open[-1][0]:
            self.handle_endtag("")

    def _image(self, attributes: dict[str, str]) -> None:
        words = " ".join(attributes.get("alt", "").split())
        label = f"Image: {words}" if words else "Image"
        sizes = (attributes.get(name, "") for name in ("width", "height"))
        link = web_link(attributes.get("src"))
        if any(size.isdecimal() and int(size) <= ICON for size in sizes) or link is None:
            self._text(words)
        elif self._names["a"]:
            self._text(label)
        else:
            self._link(link, label, ' class="image"')

    def _element(self, tag: str, attributes: dict[str, str]) -> tuple[str, str]:
        """Return how an element begins and ends here; of an unknown one nothing."""
        parent = self._open[-1][0] if self._open else None
        if tag == "a":
            address = attributes.get("href", "")
            link = address if address.startswith("mailto:") else web_link(address)
            return (f'<a href="{html.escape(link)}" {LINK}>', "</a>") if link else ("", "")
        if tag in HEADINGS:
            self._level = min(int(tag[1]) + 1, self._level + 1, 6)
            return f"<h{self._level}>", f"</h{self._level}>"
        if tag == "table":
            self._tables += 1
            label = f'aria-label="Table {self._tables}"'
            begin = f'<div class="scroll" tabindex="0" role="region" {label}><table>'
            return begin, "</table></div>"
        if tag in ("td", "th"):
            spans = (_span(name, attributes) for name in ("colspan", "rowspan"))
            return f"<{tag}{''.join(spans)}>", f"</{tag}>"
        if tag == "pre":
            return '<pre tabindex="0">', "</pre>"
        if tag == "ol" and attributes.get("start", "").isdecimal():
            return f'<ol start="{int(attributes["start"][:9])}">', "</ol>"
        is_stray = parent not in _LISTS if tag == "li" else tag in ("dt", "dd") and parent != "dl"
        if tag in _PLAIN and not is_stray:
            return f"<{_PLAIN[tag]}>", f"</{_PLAIN[tag]}>"
        return ("<div>", "</div>") if is_stray or tag in PARAGRAPHS else ("", "")


def _span(name: str, attributes: dict[str, str]) -> str:
    value = attributes.get(name, "")[:9]
    return f' {name}="{min(int(value), MOST_SPAN)}"' if value.isdecimal() and int(value) > 1 else ""


def _beginning(pieces: Iterable[_Piece], most: int) -> Iterator[_Piece]:
    """Yield pieces until their texts have so many characters, then only what ends elements."""
    left_out = 0  # elements that are open behind the end
    for piece in pieces:
        if most <= 0:
            is_end = piece.text.startswith("</") and not piece.is_text
            if is_end and not left_out:
                yield piece
            elif not piece.is_text and piece.text not in _VOID:
                left_out += -1 if is_end else 1
            continue
        if not piece.is_text:
            yield piece
            continue
        counted = 0
        for place, char in enumerate(piece.text):
            counted += not _UNCOUNTED.fullmatch(char)
            if counted > most:
                yield _Piece(True, f"{piece.text[:place].rpartition(' ')[0]} …")
                break
        else:
            yield piece
        most -= counted


def _marked_spans(
    pieces: Sequence[_Piece], passages: Iterable[Passage]
) -> dict[int, list[tuple[int, int, str]]]:
    """Return where passages stand, by the place of the text: first, behind last, category."""
    counted: list[tuple[int, int]] = []
    letters: list[str] = []
    for number, piece in enumerate(pieces):
        for place, char in enumerate(piece.text) if piece.is_text else ():
            if not _UNCOUNTED.fullmatch(char):
                counted.append((number, place))
                letters.append(char)
    whole = "".join(letters)
    spans: dict[int, list[tuple[int, int, str]]] = {}
    places = []
    for text, category in passages:
        wanted = _UNCOUNTED.sub("", text)
        start = whole.find(wanted)
        if wanted and start >= 0:
            places.append((start, start + len(wanted), category))
    reached = 0
    for start, end, category in sorted(places):
        ends: dict[int, tuple[int, int]] = {}
        for number, place in counted[max(start, reached) : end]:
            ends[number] = ends.get(number, (place, 0))[0], place + 1
        for number, (first, last) in ends.items():
            spans.setdefault(number, []).append((first, last, category))
        reached = max(reached, end)
    return spans


def _marked(text: str, spans: Sequence[tuple[int, int, str]]) -> str:
    reached = 0
    written: list[str] = []
    for start, end, category in spans:
        inside = html.escape(text[start:end], quote=False)
        written.append(html.escape(text[reached:start], quote=False))
        written.append(f'<mark class="{html.escape(category)}">{inside}</mark>')
        reached = end
    return "".join([*written, html.escape(text[reached:], quote=False)])
