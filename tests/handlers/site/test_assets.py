"""Static files: a name from a request is looked up among the shipped files, and nowhere else."""

import hashlib
from pathlib import Path

import pytest

UNSHIPPED = [
    *("/static/", "/static/missing.css", "/static/site.css/", "/static/site.css%00"),
    *("/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static/..%5capp.py"),
    *("/static/%252e%252e/app.py", "/static//etc/passwd", f"/static/{'a' * 5000}"),
]


@pytest.fixture
def send(browser):
    """Send a request to a static file: ``send("GET", path)``."""

    def send(method, path):
        return browser.client.open(
            path, method=method, base_url=browser.base, follow_redirects=True, buffered=True
        )

    return send


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_a_file_that_is_not_shipped_is_not_found(send, method):
    statuses = {path: send(method, path).status_code for path in UNSHIPPED}

    assert statuses == dict.fromkeys(UNSHIPPED, 404)


def test_options_of_a_shipped_file_lists_its_methods(send):
    answer = send("OPTIONS", "/static/site.css")

    assert (answer.status_code, set(answer.headers["Allow"].split(", "))) == (
        200,
        {"GET", "HEAD", "OPTIONS"},
    )


def test_options_reveals_nothing_about_the_content_of_other_files(send):
    version = hashlib.blake2b(Path("/etc/passwd").read_bytes(), digest_size=6).hexdigest()
    path = "/static/../../../../../../../etc/passwd"

    right, wrong = (send("OPTIONS", f"{path}?v={guess}") for guess in (version, "0" * 12))

    assert right.headers["Cache-Control"] == wrong.headers["Cache-Control"]
