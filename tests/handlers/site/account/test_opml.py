"""Selections as OPML: what is written, what is read, what it means."""

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.site.feeds.opml import Outline, as_opml, look_up, read_opml
from storage.catalog.addresses import Directory, PublicSource
from storage.people.accounts import Refused

SITE = "https://changewire.example"
CATALOG = Directory(
    by_slug={"acme.mail": 1, "acme.storage": 2, "globex.mail": 3},
    by_page={
        "acme.example/mail": ["acme.mail"],
        "acme.example/storage": ["acme.storage"],
        "globex.example/mail": ["globex.mail"],
    },
    by_homepage={"acme.example": ["acme.mail", "acme.storage"], "globex.example": ["globex.mail"]},
)
BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<opml version="2.0"><body><outline text="&b;"/></body></opml>"""
FILE = b"""<!DOCTYPE opml [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<opml version="2.0"><body><outline text="&x;"/></body></opml>"""


def opml(outlines):
    return f'<opml version="2.0"><head/><body>{outlines}</body></opml>'.encode()


def meant(outlines):
    return look_up(read_opml(opml(outlines)), CATALOG, site_url=SITE)


texts = st.text(st.characters(codec="utf-8"), max_size=40)


@given(st.lists(st.tuples(texts, texts), max_size=5))
def test_what_is_written_is_read_back(now, named):
    sources = [
        PublicSource(number, f"acme.s{number}", name, None, f"https://acme.example/{page}")
        for number, (name, page) in enumerate(named)
    ]
    catalog = Directory({source.slug: source.key for source in sources}, {}, {})

    document = as_opml(sources, title="\x00mine", site_url=SITE, now=now)

    found = look_up(read_opml(document), catalog, site_url=SITE)
    assert found == ([source.slug for source in sources], [])


def test_what_is_written_is_what_readers_expect(now):
    source = PublicSource(1, "acme.mail", "Acme & Mail", None, "https://acme.example/mail")

    document = as_opml([source], title="mine", site_url=SITE, now=now)

    (outline,) = ElementTree.fromstring(document).iter("outline")
    assert dict(outline.attrib) == {
        "type": "rss",
        "text": "Acme & Mail",
        "title": "Acme & Mail",
        "xmlUrl": f"{SITE}/feeds/acme.mail.atom",
        "htmlUrl": "https://acme.example/mail",
    }
    assert document == as_opml([source], title="mine", site_url=SITE, now=now)


@pytest.mark.parametrize(
    "outline",
    [
        '<outline text="x" xmlUrl="http://old.example:8080/feeds/acme.mail.atom"/>',
        '<outline text="acme.mail"/>',
        '<outline text="x" htmlUrl="http://www.ACME.example/mail/#top"/>',
        '<outline text="x" URL="https://acme.example/mail" type="link"/>',
        '<outline text="folder"><outline text="acme.mail"/></outline>',
        '<outline text="acme.mail"/><outline text="acme.mail"/>',
    ],
)
def test_a_line_means_a_source(outline):
    assert meant(outline) == (["acme.mail"], [])


@pytest.mark.parametrize(
    ("outline", "found", "unknown"),
    [
        ('text="x" htmlUrl="https://globex.example"', ["globex.mail"], []),
        ('htmlUrl="https://acme.example"', [], ["may be any of acme.mail, acme.storage"]),
        ('xmlUrl="https://nobody.example/"', [], ["is not in the catalog"]),
    ],
)
def test_a_homepage_means_the_only_source_that_has_it(outline, found, unknown):
    slugs, lines = meant(f"<outline {outline}/>")

    assert (slugs, [line.partition("): ")[2] for line in lines]) == (found, unknown)


@pytest.mark.parametrize("document", [BOMB, FILE, b"<!DOCTYPE opml><opml/>"])
def test_a_document_type_is_refused(document):
    with pytest.raises(Refused, match="Document types"):
        read_opml(document)


@pytest.mark.parametrize("document", [b"", opml("<outline>"), b"\x00" * 100])
def test_what_is_no_opml_is_refused_in_words(document):
    with pytest.raises(Refused, match="This is not OPML"):
        read_opml(document)


def test_the_line_of_an_error_counts_blank_lines_before_the_list():
    with pytest.raises(Refused, match="line 3"):
        read_opml(b"\n\n<opml></x>")


WRITTEN = """<opml version="2.0"><body>
<outline text="Cafés" xmlUrl="https://acme.example/?a=1{ampersand}b=2"/></body></opml>"""


@pytest.mark.parametrize(
    ("start", "encoding", "ampersand"),
    [
        ('\r\n \n<?xml version="1.0"?>', "utf-8", "&amp;"),
        ("", "utf-8-sig", "&"),
        ("", "cp1252", "&#38;"),
        ('<?xml version="1.0" encoding="windows-1252"?>', "cp1252", "&"),
        ('<?xml version="1.0" encoding="klingon"?>', "utf-8", "&"),
        ('\n<?xml version="1.0" encoding="utf-8"?>', "utf-16", "&"),
        ('<?xml version="1.0" encoding="UTF-16"?>', "utf-16-le", "&"),
    ],
)
def test_a_list_is_read_as_other_programs_write_it(start, encoding, ampersand):
    text = start + WRITTEN.format(ampersand=ampersand)

    (outline,) = read_opml(text.encode(encoding))

    at = start.count("\n") + 2
    assert outline == Outline(at, "Cafés", ("https://acme.example/?a=1&b=2",))


def test_a_list_without_end_is_refused():
    with pytest.raises(Refused, match="20000 lines"):
        read_opml(opml("<outline text='x'/>" * 20_001))


def test_depth_costs_nothing():
    deep = 30_000

    assert read_opml(opml("<outline text='x'>" * deep + "</outline>" * deep)) == [
        Outline(1, "x", ())
    ]
