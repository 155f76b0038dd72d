"""Requests that were made to do harm, to the whole application as a server process builds it."""

import builtins
import http.cookies
import io
import os
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from filling import NewKeys
from flask import Flask
from pydantic import SecretStr
from starlette.testclient import TestClient

from handlers.site.app import BLUEPRINTS
from openapi.contract import load_operations
from service.app import create_app
from service.settings import Settings

PATHS = {
    "/": 200,
    "/api/v1/sources": 200,
    "/app/": 303,
    "/auth/login": 200,
    "/api/v1/entries.csv": 401,
    "/bulk": 308,
    "/healthz": 200,
    "/mcp": 401,
}


def client_of(database, site="http://localhost", **other):
    """Return a client of the whole application that keeps no cookies."""
    url = database.engine.url.render_as_string(hide_password=False)
    settings = Settings(database_url=url, site_url=site, secret_key=SecretStr("x" * 32), **other)
    return TestClient(create_app(settings, database), base_url=site, follow_redirects=False)


@pytest.fixture
def anonymous(database):
    with client_of(database) as client:
        yield client


@pytest.mark.parametrize("site", ["http://localhost", "https://acme.example"])
def test_where_mails_are_is_told_to_this_machine_alone(database, tmp_path, site):
    page = client_of(database, site, outbox=tmp_path).get("/auth/sent").text

    assert [str(tmp_path) in page, "spam" not in page] == [site == "http://localhost"] * 2


def test_a_cookie_of_backslashes_is_never_unquoted(anonymous, monkeypatch):
    monkeypatch.setattr(http.cookies, "_unquote", None)  # quadratic before 3.11.10 (CVE-2024-7592)
    cookie = {"Cookie": 'session="' + "\\" * 15_500 + '"'}

    statuses = {path: anonymous.get(path, headers=cookie).status_code for path in PATHS}

    assert statuses == PATHS


@pytest.fixture
def one_site_thread(monkeypatch):
    monkeypatch.setattr("service.app.SITE_THREADS", 1)


def test_a_probe_waits_for_no_page(one_site_thread, anonymous, monkeypatch):
    entered, leave = Event(), Event()
    held = "handlers.site.account.sign_in.render_template"
    monkeypatch.setattr(held, lambda *_, **__: str((entered.set(), leave.wait(20))))
    with ThreadPoolExecutor(1) as pool:
        page = pool.submit(anonymous.get, "/auth/login")
        assert entered.wait(60)

        statuses = [anonymous.get(path).status_code for path in ("/readyz", "/healthz")]

        assert (statuses, page.done()) == ([200, 200], False)
        leave.set()


def every_path(name="1"):
    """Return the path of every rule of the site with a name in it, of operations and tools."""
    site = Flask("handlers.site")
    for blueprint in BLUEPRINTS:
        site.register_blueprint(blueprint)
    rules = {
        re.sub(r"<[^>]+>", name, re.sub(r"<int[^>]+>", "1", rule.rule))
        for rule in site.url_map.iter_rules()
    }
    operations = {f"/api/v1{operation.path}" for operation in load_operations()}
    return sorted(rules | operations | {"/mcp"})


@pytest.mark.parametrize("body", [b"[" * 1100, b'{"a":' * 1100, b"[" * 1100 + b"]" * 1100])
def test_deep_json_is_an_error_of_the_client_everywhere(anonymous, database, now, body):
    key = NewKeys(database, now)()["X-Api-Key"]
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}

    statuses = {
        path: anonymous.post(path, content=body, headers=headers).status_code
        for path in every_path()
    }

    assert len(statuses) > 80
    assert {path: status for path, status in statuses.items() if status >= 500} == {}


@pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST"])
def test_no_name_in_a_request_reaches_the_file_system(anonymous, monkeypatch, method):
    touched = []
    watch(monkeypatch, touched.append)

    for path in every_path(name := "named-by-a-request"):
        anonymous.request(method, f"{path}?v={name}", data={"name": name})

    assert not [path for path in touched if name in str(path)]


def watch(monkeypatch, note):
    """Call ``note`` with every path that is opened or looked up."""
    for module, name in [(builtins, "open"), (io, "open"), (os, "open"), (os, "stat")]:
        original = getattr(module, name)

        def noting(path, *arguments, original=original, **options):
            note(path)
            return original(path, *arguments, **options)

        monkeypatch.setattr(module, name, noting)
