"""Commands run in this process, on a database of their own."""

import socket
import sys

import pytest
from connexion_passages import passages  # noqa: F401 - a fixture for every test here

from service.cli import main


@pytest.fixture
def database_url(new_database_url):
    """The address of the commands' database."""
    return new_database_url()


@pytest.fixture
def run(monkeypatch, tmp_path, database_url, capfd):
    """Run a command: ``run("db", "check")`` returns exit status, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", database_url)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["changewire", *arguments])
        status = 0
        try:
            main()
        except SystemExit as ended:
            status = ended.code or 0
        out, err = capfd.readouterr()
        return status, out, err

    return run


@pytest.fixture
def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
