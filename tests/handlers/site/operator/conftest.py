"""An operator with a browser, and what they find."""

from dataclasses import replace

import pytest

from handlers.context import OperatorServices
from service.operator_services import explain
from service.source_requests import accept_request
from storage.catalog.requests import add_request
from storage.people.accounts import add_account


@pytest.fixture
def checked():
    """The ids of the requests whose check was begun."""
    return []


@pytest.fixture
def services(services, checked):
    """The services with what the commands do; a check begins nothing but is noted."""
    return replace(
        services,
        operator_services=OperatorServices(
            accept=accept_request, check=checked.append, explain=explain
        ),
    )


@pytest.fixture
def op(new_browser, database, now):
    """A browser in which an operator is signed in."""
    with database.write() as session:
        add_account(session, "op@acme.example", now=now, operator=True)
    browser = new_browser()
    browser.sign_in("op@acme.example")
    return browser


@pytest.fixture
def wish(database, now):
    """Store a request for a source; returns its id."""

    def wish(url="https://hooli.example/changelog", note=None):
        with database.write() as session:
            return add_request(session, url=url, note=note, now=now).id

    return wish
