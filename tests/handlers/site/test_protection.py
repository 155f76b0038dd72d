"""Every form is our own, every page is locked down: judged over the whole URL map."""

import hashlib
import io
import re
from dataclasses import replace
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from site_addresses import PLACEHOLDERS, paths

from handlers.site.app import create_site

UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}
OURS = "changewire.example"
CROSS_SITE = {"Sec-Fetch-Site": "cross-site"}


@pytest.fixture
def key_path(ada):
    """The sources page of a key of ada's."""
    return f"/app/api-keys/{ada.new_key().split('_')[1]}/sources"


def test_a_large_form_of_nobody_leads_to_the_sign_in_page_unread(browser, monkeypatch):
    monkeypatch.setattr("werkzeug.formparser.FormDataParser.parse", None)

    response = browser.client.post("/app/stack", base_url=browser.base, data={"part": "a" * 70_000})

    assert response.status_code == 303
    assert urlsplit(response.location).path == "/auth/login"


PART = '--b\r\nContent-Disposition: form-data; name="text"{}\r\n\r\nx\r\n'


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("application/x-www-form-urlencoded", "part=&" * 201_000),
        ("application/x-www-form-urlencoded", "part=" + "%41" * 201_000),
        ("multipart/form-data; boundary=b", PART.format("; x=y" * 20_000) + "--b--"),
        ("multipart/form-data; boundary=b", PART.format("\r\nX-Header: y" * 9_000)),
        ("multipart/form-data; boundary=b", PART.format("") * 2_000 + "--b--"),
    ],
    ids=["fields", "escapes", "long header", "many headers", "parts"],
)
def test_a_form_that_takes_long_to_read_is_refused_unread(ada, monkeypatch, content_type, body):
    monkeypatch.setattr("werkzeug.formparser.FormDataParser.parse", None)

    response = ada.client.post(
        "/app/stack", base_url=ada.base, data=body, content_type=content_type
    )

    assert response.status_code == 413


def test_a_large_file_in_a_form_is_read(ada):
    file = (io.BytesIO(b"requests==2.0.0\n" * 10_000), "requirements.txt")

    response = ada.post("/app/stack/proposals", page="/app/stack", file=file)

    assert response.status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", "of another browser"])
def test_every_route_that_changes_something_refuses_any_token_but_its_own(
    pages, ada, new_browser, token
):
    if token == "of another browser":
        token = re.search(r'csrf_token" value="([^"]+)', new_browser().get("/auth/login").text)[1]
    found = paths(pages, UNSAFE)

    refused = {
        path: ada.client.post(path, base_url=ada.base, data={"csrf_token": token}).status_code
        for path in found
    }

    assert len(found) >= 8
    # a digest ends by the secret of its link, and one that has ended stays so (RFC 8058)
    assert refused == dict.fromkeys(found, 400) | {"/unsubscribe": 200}


@pytest.mark.parametrize("headers", [CROSS_SITE, {"Origin": "https://evil.example"}])
def test_every_route_that_changes_something_refuses_other_sites(pages, ada, headers):
    for path in paths(pages, UNSAFE):
        response = ada.post(path, page="/app/account", headers=headers)

        assert (path, response.status_code) == (path, 403)
    assert ada.get("/app/account").status_code == 200


def test_the_token_of_before_signing_in_is_worth_nothing_after(browser):
    early = re.search(r'csrf_token" value="([^"]+)', browser.get("/auth/login").text)[1]
    browser.sign_in()

    data = {"csrf_token": early}
    response = browser.client.post("/auth/sign-out", base_url=browser.base, data=data)

    assert response.status_code == 400


def test_strangers_see_and_change_nothing_under_app(pages, browser):
    for path in paths(pages, {"GET"}):
        if path.startswith(("/app", "/auth/again")) or "/diffs" in path:
            answer = browser.get(path)
            assert (path, answer.status_code) == (path, 303)
            assert answer.location.startswith("/auth/login?next=/")
            if path.startswith(("/app", "/auth")):
                assert answer.headers["Cache-Control"] == "private, no-store"
    for path in paths(pages, {"POST"}):
        if path.startswith("/app"):
            answer = browser.post(path)
            assert (path, answer.status_code, answer.location) == (path, 303, "/auth/login")


class Links(HTMLParser):
    """Collects what a page loads, links to and runs."""

    def __init__(self):
        super().__init__()
        self.loaded, self.linked, self.inline, self.ids = [], [], [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "script" and "src" not in found:
            self.inline.append(tag)
        if tag == "style" or "style" in found or any(name.startswith("on") for name in found):
            self.inline.append(tag)
        self.loaded += [found[name] for name in ("src", "action") if found.get(name)]
        if tag == "link" and found["rel"] != "canonical":  # only named, never loaded
            self.loaded.append(found["href"])
        if tag == "a":
            self.linked.append((found["href"], found.get("rel")))


@pytest.fixture
def every_page(pages, ada, key_path, publish):
    """The path and the answer of every page there is, seen by somebody signed in."""
    publish("acme.compute", news=timedelta(hours=1))
    shown = [
        path.replace(PLACEHOLDERS["public_id"], key_path.split("/")[3])
        for path in paths(pages, {"GET"})
    ]
    answers = [(path, ada.get(path, follow_redirects=True)) for path in shown]
    return [(path, each) for path, each in answers if each.mimetype == "text/html"]


def test_no_page_has_scripts_or_styles_of_its_own_or_loads_from_elsewhere(every_page):
    assert len(every_page) >= 12
    for path, answer in every_page:
        page = Links()
        page.feed(answer.text)

        assert (path, page.inline) == (path, [])
        assert (path, [each for each in page.loaded if urlsplit(each).netloc]) == (path, [])
        assert (path, len(page.ids)) == (path, len(set(page.ids)))


def test_links_to_vendors_give_them_nothing(every_page):
    foreign = [
        (path, link, rel)
        for path, answer in every_page
        for link, rel in links_of(answer)
        if urlsplit(link).netloc not in {"", OURS}
    ]

    assert foreign
    assert [each for each in foreign if each[2] != "nofollow noopener"] == []


def links_of(answer):
    page = Links()
    page.feed(answer.text)
    return page.linked


def test_every_link_within_the_site_leads_somewhere(every_page, ada):
    wanted = {
        urlsplit(link).path
        for _, answer in every_page
        for link, _ in links_of(answer)
        if not urlsplit(link).netloc and urlsplit(link).path
    }

    missing = {
        path
        for path in wanted
        if not path.startswith("/api/v1/") and ada.get(path).status_code not in (200, 303)
    }
    assert missing == set()


def test_no_page_shows_the_address_that_a_source_is_read_from(every_page):
    assert [path for path, answer in every_page if "feeds.acme.example" in answer.text] == []


def test_every_page_carries_the_headers_that_browsers_obey(every_page):
    for path, answer in every_page:
        policy = answer.headers["Content-Security-Policy"]

        assert (path, "default-src 'none'" in policy) == (path, True)
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert "http" not in policy
        assert answer.headers["Referrer-Policy"] == "same-origin"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
        assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
        assert (path, answer.headers["Cache-Control"]) == (path, "private, no-store")


def test_public_pages_may_be_kept_for_a_minute_and_asked_for_again(browser):
    for path in ("/", "/docs", "/plans", "/status", "/changelog", "/.well-known/api-catalog"):
        first = browser.get(path)
        again = browser.get(path, headers={"If-None-Match": first.headers["ETag"]})

        assert (path, first.headers["Cache-Control"]) == (path, "public, max-age=60")
        assert (path, again.status_code, again.data) == (path, 304, b"")
        assert "Set-Cookie" not in first.headers
        assert path.startswith("/.well-known") or "Cookie" in first.vary


def test_static_files_have_addresses_that_change_with_them(browser):
    page = browser.get("/").text
    address = re.search(r'href="(/static/site\.css\?v=[0-9a-f]+)"', page)[1]

    assert browser.get(address).headers["Cache-Control"] == "public, max-age=31536000, immutable"
    for other in ("/static/site.css", "/static/site.css?v=0123456789ab"):
        assert browser.get(other).headers["Cache-Control"] == "public, max-age=60"


def test_over_http_nothing_forces_https(services):
    site = create_site(replace(services, site_url="http://127.0.0.1:8080"), secret_key="s")

    assert "Strict-Transport-Security" not in site.test_client().get("/plans").headers


UNSHIPPED = [
    *("/static/", "/static/missing.css", "/static/site.css/", "/static/site.css%00"),
    *("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/..%5capp.py"),
    *("/static/%252e%252e/app.py", "/static//etc/passwd", f"/static/{'a' * 5000}"),
]


def send(browser, method, path):
    """Send a request to a static file."""
    return browser.client.open(
        path, method=method, base_url=browser.base, follow_redirects=True, buffered=True
    )


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_file_that_is_not_shipped_is_not_found(browser, method):
    statuses = {path: send(browser, method, path).status_code for path in UNSHIPPED}

    assert statuses == dict.fromkeys(UNSHIPPED, 404)


def test_options_reveals_nothing_about_the_content_of_other_files(browser):
    version = hashlib.blake2b(Path("/etc/passwd").read_bytes(), digest_size=6).hexdigest()
    path = "/static/../../../../../../../etc/passwd"

    right, wrong = (send(browser, "OPTIONS", f"{path}?v={it}") for it in (version, "0" * 12))

    assert right.headers["Cache-Control"] == wrong.headers["Cache-Control"]
