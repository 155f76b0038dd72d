"""The examples of the contract's parameters name what the shipped catalog and the demo have."""

from importlib.resources import files

import pytest

from ingest.catalog.csv_reader import read_catalog
from ingest.catalog.packages import read_packages
from openapi.contract import load_contract
from service.demo.vendors import read_products

SHIPPED = files("ingest.catalog")
CATALOG, _ = read_catalog(SHIPPED.joinpath("sources.csv").read_text("utf-8"))
PACKAGES, _ = read_packages(SHIPPED.joinpath("packages.csv").read_text("utf-8"))
DEMO = read_products()
PARAMETERS = load_contract()["components"]["parameters"]
NAMING = {
    "vendor": lambda rows: {row.vendor for row in rows},
    "sources": lambda rows: {row.slug for row in rows},
    "source": lambda rows: {row.slug for row in rows},
    "tag": lambda rows: {tag for row in rows for tag in row.tags},
    "kind": lambda rows: {row.kind.value for row in rows},
}
REPOSITORIES = {  # each is a package of its source, without being in the file
    f"pkg:github/{row.changelog_url.removeprefix('https://github.com/').removesuffix('/releases')}"
    for row in CATALOG
}
PURLS = {
    "catalog": {row.purl for row in PACKAGES} | REPOSITORIES,
    "demo": {product.purl for product in DEMO},
}


def examples_of(node, place):
    value = node["examples"][place]["value"] if "examples" in node else node["example"]
    return set(value if isinstance(value, list) else [value])


@pytest.mark.parametrize(("place", "rows"), [("catalog", CATALOG), ("demo", DEMO)])
def test_each_example_is_there(place, rows):
    known = {name: values(rows) for name, values in NAMING.items()} | {"purl": PURLS[place]}
    missing = {
        component: examples_of(node, place) - known[node["name"]]
        for component, node in PARAMETERS.items()
        if node["name"] in known
    }

    assert {component: names for component, names in missing.items() if names} == {}
