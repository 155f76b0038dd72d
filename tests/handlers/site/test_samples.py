"""Samples of requests in several languages, and their tabs."""

import re
import subprocess
import sys
from html import unescape
from urllib.parse import urlsplit

import pytest
from specimen.programs import needed

from handlers.site.pages.reference import sample_of
from handlers.site.samples import samples_of, tabs_of
from openapi.contract import load_operations
from openapi.validation import contract_validator

URL = "https://changewire.example/api/v1/entries?sources=acme.compute&limit=2"
BODY = {"url": 'https://hooli.example/"changelog"', "note": "Ours <b>"}
SAMPLES = [samples_of(URL), samples_of(URL, "cw_…"), samples_of(URL, "cw_…", BODY)]
NAMES = ["without a key", "with a key", "with a body"]


@pytest.mark.parametrize("samples", SAMPLES, ids=NAMES)
@pytest.mark.parametrize(
    ("language", "command", "package"),
    [
        ("javascript", ["node", "--check"], "nodejs"),
        ("go", ["go", "vet"], "golang-go"),
        ("python", [sys.executable, "-m", "py_compile"], "python3"),
    ],
)
def test_a_sample_passes_the_check_of_its_language(samples, language, command, package, tmp_path):
    needed(command[0], package)
    file = (
        tmp_path / {"javascript": "sample.js", "go": "sample.go", "python": "sample.py"}[language]
    )
    file.write_text(samples[language], encoding="utf-8")

    done = subprocess.run([*command, file], capture_output=True, text=True, timeout=300)

    assert (done.returncode, done.stderr) == (0, "")


def test_the_first_tab_is_open_and_each_has_its_label():
    html = tabs_of("try", "A request", {"sh": 'curl "<b>"', "go": "package main"})

    assert html.count(" checked>") == 1
    assert 'id="try-sh" data-language="sh" checked><label for="try-sh">curl</label>' in html
    assert 'curl <span class="string">&#34;&lt;b&gt;&#34;</span>' in html
    assert 'data-copy="try-go-code"' in html


@pytest.mark.parametrize("operation", load_operations(), ids=lambda each: each.operation_id)
def test_a_sample_sends_what_its_operation_takes(operation):
    html = str(sample_of(operation, "https://changewire.example/api/v1"))
    code = html.partition("<code>")[2].partition("</code>")[0]
    curl = unescape(re.sub(r"</?span[^>]*>", "", code))
    sent = re.search(r"-d '(.*)'", curl)
    query = urlsplit(re.search(r'"(https://[^"]*)"', curl)[1]).query
    check = contract_validator()

    assert (operation.method == "POST") is (sent is not None)
    assert check.parameters(operation.operation_id, query.encode()) is not None
    assert ("purl=" in query) is (operation.operation_id == "list_upgrades")
    if sent:
        assert check.body(operation.operation_id, sent[1].encode(), "application/json")
