"""Web addresses by their text."""

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outbound.addresses import WebAddress, check_url
from outbound.guard import AddressRefused

LABEL = st.from_regex(r"[a-zA-Z0-9-]{1,8}", fullmatch=True)
HOST = st.lists(LABEL, min_size=1, max_size=4).map(".".join)
PORT = st.sampled_from(["", ":80", ":443", ":8080", ":0", ":080", ":65536", ":"])
TEXT = st.text(st.characters(codec="ascii", exclude_categories=["Cc"]), max_size=30)
PATH = st.one_of(st.just(""), TEXT.map("/{}".format), st.sampled_from(["/../a", "/a/./b", "/%2f"]))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("https://acme.example/feed", "https://acme.example/feed"),
        ("HTTPS://ACME.Example/Feed?a=b#c", "https://acme.example/Feed?a=b"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("http://acme.example:80/", "http://acme.example/"),
        ("https://acme.example/a%2Fb", "https://acme.example/a%2Fb"),
    ],
)
def test_a_web_address_is_kept_without_its_fragment(text, kept):
    assert str(check_url(text)) in {kept, kept.replace("example/", "example:80/")}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "acme.example",
        "/feed",
        "//acme.example/feed",
        "http:",
        "http://",
        "http:///feed",
        "http:/acme.example",
        "file:///etc/passwd",
        "ftp://acme.example/",
        "unix:///var/run/docker.sock",
        "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
        "gopher://acme.example/",
        "data:text/plain,x",
        "javascript:alert(1)",
        "http://user@acme.example/",
        "http://user:password@acme.example/",
        "http://acme.example\\@127.0.0.1/",
        "http://127.0.0.1\\@acme.example/",
        "http://a@b@127.0.0.1/",
        "http://:@acme.example/",
        "http://acme.example:0/",
        "http://acme.example:-1/",
        "http://acme.example:65536/",
        "http://acme.example:99999/",
        "http://acme.example:80:80/",
        "http://[::1/",
        "http://[::1]x/",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://%31%32%37.0.0.1/",
        "http://127.0.0.1%00.acme.example/",
        "http://acme.example%2f@127.0.0.1/",
        "http://acme .example/",
        "http://acme\t.example/",
        "http://acme\n.example/",
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


@given(st.sampled_from(["http", "https", "HTTP"]), HOST, PORT, PATH)
def test_an_address_is_what_httpx2_reads(scheme, host, port, path):
    """However it is read here, quickly or not, nothing else comes of it than of a whole parser."""
    text = f"{scheme}://{host}{port}{path}"
    try:
        address = check_url(text)
    except AddressRefused:
        return
    url = httpx2.URL(text).copy_with(fragment=None)

    assert (address.scheme, address.host, address.port) == (url.scheme, url.host, url.port)
    assert address.request_target == url.raw_path.decode()
    assert address.authority == url.netloc.decode()
    assert str(address) == str(url)


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
        ("../x", "/x"),
        ("?page=2", "/news/feed?page=2"),
        ("//acme.example/there", "/there"),
        ("/a b", "/a%20b"),
    ],
)
def test_a_reference_leads_on_from_an_address(reference, target):
    address = check_url("https://acme.example/news/feed")

    assert address.joined(reference) == WebAddress("https", "acme.example", None, target)


def test_an_origin_names_the_port_that_is_connected_to():
    assert check_url("https://acme.example/").origin == ("https", "acme.example", 443)
    assert check_url("http://acme.example:8080/").origin == ("http", "acme.example", 8080)


def test_a_version_6_address_has_brackets_in_text_only():
    address = check_url("http://[2606:4700::1111]:8080/feed")

    assert address.host == "2606:4700::1111"
    assert str(address) == "http://[2606:4700::1111]:8080/feed"
    assert address.authority == "[2606:4700::1111]:8080"
