"""The suite's pytest plugin: `pytest --pyargs conformance --site https://changewire.example`."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the suite; without --site they do nothing."""
    group = parser.getgroup("conformance", "checks of a deployment of the changelog API")
    group.addoption("--site", help="The address of the site to check.")
    group.addoption("--api-key", action="append", default=[], help="A key to check with.")
    group.addoption("--dead-key", action="append", default=[], help="A revoked or expired key.")
    group.addoption("--limited-key", action="append", default=[], help="KEY=/diffs:402.")
    group.addoption("--session", default="", help="The cookie of a session: NAME=VALUE.")
    group.addoption("--contract", help="A file with the contract to hold responses against.")
    group.addoption("--feed-address", action="append", default=[], help="It must not be shown.")
    group.addoption("--max-examples", type=int, default=50, help="Random requests an operation.")
    group.addoption("--rate", type=float, help="Maximum requests per second.")
    group.addoption("--allow-writes", action="store_true", help="Also store source requests.")
    group.addoption("--only-specification", action="store_true", help="No decisions of its own.")
    group.addoption("--no-unnamed", action="store_true", help="No fields without a name.")


def pytest_configure(config: pytest.Config) -> None:
    """Open the site, once for each process of the run."""
    for marker in (
        "origin(document): the document with the sentence that a check names",
        "once: a single failure counts, because the fault does not show every time",
    ):
        config.addinivalue_line("markers", marker)
    if config.getoption("--site"):
        config.pluginmanager.import_plugin("conformance.hooks")
