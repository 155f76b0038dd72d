"""The specimen: a small whole service in process, and broken copies of it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import pytest
from connexion_passages import passages  # noqa: F401 - a fixture for every test here
from faults.fault import Fault
from specimen.site import Site, copied, fill_site, open_service, the_time
from starlette.types import ASGIApp


@pytest.fixture(scope="session")
def started_at() -> datetime:
    """When the tests began; entries are as old as they were then."""
    return the_time()


@pytest.fixture(scope="session")
def site(new_database_url: Callable[..., str], started_at: datetime) -> Site:
    """The database of the specimen and the keys to it; every service gets a copy."""
    return fill_site(new_database_url(), now=started_at)


@dataclass(frozen=True)
class Running:
    """The service and keys to it."""

    app: ASGIApp
    keys: Mapping[str, str] = field(repr=False)


@pytest.fixture(scope="session")
def running(site: Site) -> Iterator[Running]:
    """The service as it is."""
    with copied(site) as url, open_service(url) as app:
        yield Running(app, site.keys)


@pytest.fixture
def broken(running: Running) -> Callable[..., ASGIApp]:
    """Make a service with one fault: of what it is asked, or of what it answers."""
    return lambda **fault: Fault(**fault).around(running.app)
