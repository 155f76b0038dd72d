"""What requests cost (docs/decisions/0199)."""

import pytest

from handlers.http.prices import OPERATIONS, price_of
from handlers.majors import shipped_major

BASES = ("/api/v1/",)


@pytest.mark.parametrize(
    ("method", "target", "price"),
    [
        ("GET", "/api/v1/entries", 1),
        ("HEAD", "/api/v1/entries", 1),
        ("GET", "/api/v1/entries?limit=100", 3),
        ("GET", "/api/v1/entries?offset=500", 2),
        ("GET", "/api/v1/entries?offset=9007199254740991", 41),
        ("GET", "/api/v1/latest?q=breaking&limit=50", 6),
        ("GET", "/api/v1/nowhere", 1),
        ("POST", "/api/v1/stacks", 20),
        ("GET", "/latest", 3),
        ("GET", "/latest?offset=nonsense&limit=-1&q=", 3),
        ("GET", "/feeds/acme.compute.atom", 3),
        ("GET", "/entries.csv?offset=2000", 9),
        ("POST", "/app/lists/import", 20),
        ("POST", "/auth/login", 5),
        ("GET", "/healthz", 0),
        ("GET", "/static/site.css?q=x", 0),
    ],
)
def test_a_request_costs_what_its_route_and_parameters_do(method, target, price):
    path, _, query = target.partition("?")

    scope = {"method": method, "path": path, "query_string": query.encode()}

    assert price_of(scope, BASES) == price


def test_every_price_is_of_an_operation_that_there_is():
    paths = shipped_major().contract["paths"]

    assert [
        (method, path) for method, path in OPERATIONS if method.lower() not in paths.get(path, {})
    ] == []
