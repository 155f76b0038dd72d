"""Commands run in this process, on a database of their own."""

import pytest
from commands import commands
from connexion_passages import passages  # noqa: F401 - a fixture for every test here
from specimen.listener import Handler, Listener
from specimen.serving import free_port


@pytest.fixture
def database_url(new_database_url):
    """The address of the commands' database."""
    return new_database_url()


@pytest.fixture
def run(monkeypatch, tmp_path, database_url, capfd):
    """Run a command: ``run("db", "check")`` returns exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", database_url)
    return commands(monkeypatch, capfd)


@pytest.fixture
def unused_port():
    return free_port()


@pytest.fixture
def vendors(monkeypatch):
    """Servers of many vendors, each at a loopback address of its own.

    ``vendors.pages`` maps a path to a body, a status, or a place that it moved to for good.
    """
    monkeypatch.setenv("CHANGEWIRE_FETCH_ALLOW", "127.0.0.0/8")

    class Vendors:
        def __init__(self):
            self.pages, self.asked = {}, []

        def url(self, path, number=1):
            return f"http://127.0.0.{number}:{listener.server_port}{path}"

    class Answering(Handler):
        def do_GET(self):
            vendors.asked.append(self.path)
            response = vendors.pages.get(self.path, 404)
            body = response if isinstance(response, bytes) else b""
            status = (
                301 if isinstance(response, str) else response if isinstance(response, int) else 200
            )
            self.respond(status, body, {"Location": response} if status == 301 else None)

    vendors = Vendors()
    listener = Listener(Answering, host="0.0.0.0")
    yield vendors
    listener.close()
