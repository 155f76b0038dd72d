"""Web addresses by their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbound.guard import AddressRefused
from outbound.transport import check_url, join_url

LABEL = st.from_regex(r"[a-zA-Z0-9-]{1,8}", fullmatch=True)
HOST = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
TEXT = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30)
PATH = st.one_of(st.just(""), TEXT.map("/{}".format), st.sampled_from(["/../a", "/a/./b", "/%2f"]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://acme.example/feed", "https://acme.example/feed"),
        ("HTTPS://ACME.Example/Feed?a=b#c", "https://acme.example/Feed?a=b"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://acme.example:80/", "http://acme.example/"),
        ("https://acme.example/a%2Fb", "https://acme.example/a%2Fb"),
    ],
)
def test_a_web_address_is_kept_without_its_fragment(text, expected):
    assert str(check_url(text)) in {expected, expected.replace("example/", "example:80/")}


@pytest.mark.parametrize(
    "text",
    [
        "/feed",
        "file:///etc/passwd",
        "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
        "javascript:alert(1)",
        "http://user:password@acme.example/",
        "http://acme.example\\@127.0.0.1/",
        "http://acme.example:0/",
        "http://[::1/",
        "http://[fe80::1%25eth0]/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1%00.acme.example/",
        "http://acme.example/\r\nX: y",
        "http://①②⑦.⓪.⓪.①/",
        "http://0177.0.0.1/",
        "http://acme.example/" + "x" * 2048,
        None,
    ],
)
def test_other_text_is_refused(text):
    with pytest.raises(AddressRefused):
        check_url(text)


@given(HOST, PATH)
def test_an_address_reads_the_same_twice(host, path):
    try:
        address = check_url(f"https://{host}{path}")
    except AddressRefused:
        return

    assert check_url(str(address)) == address


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("/moved", "/moved"),
        ("moved?a=b#c", "/news/moved?a=b"),
        ("//acme.example/there", "/there"),
        ("/a b", "/a%20b"),
    ],
)
def test_a_reference_leads_on_from_an_address(reference, target):
    address = check_url("https://acme.example/news/feed")

    assert str(join_url(address, reference)) == f"https://acme.example{target}"
