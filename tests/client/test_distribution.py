"""The client's own distribution: the same package, without the service."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from runpy import run_path

import pytest

from openapi import vocabulary

CHECKOUT = Path(__file__).parents[2]
PROGRAM = """
import os, pathlib, sys
import client
from client import Client
with Client(os.environ["URL"], os.environ["KEY"]) as changewire:
    print(*[entry["source"] for entry in changewire.entries(["acme.storage"], limit=2)])
rooms = {name.partition(".")[0] for name in sys.modules}
others = rooms & {"service", "handlers", "storage", "yaml"}
print(pathlib.Path(client.__file__).parents[1], sorted(others))
"""


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The wheel of clients/python, unpacked: nothing is installed."""
    pytest.importorskip("hatchling", reason="hatchling builds it; it is not among what tests need")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=CHECKOUT / "clients" / "python",
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_it_has_the_packages_that_the_product_has(unpacked):
    files = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*.py")}
    own = {f"client/{path.name}" for path in (CHECKOUT / "client").glob("*.py")}

    assert own < files
    assert {path.partition("/")[0] for path in files} == {"client", "openapi"}
    copied = files - {"openapi/vocabulary.py"}
    assert all((unpacked / name).read_bytes() == (CHECKOUT / name).read_bytes() for name in copied)
    assert (unpacked / "client" / "py.typed").exists()


def test_its_enumerations_are_those_of_the_product():
    path = CHECKOUT / "clients" / "python" / "vocabulary.py"
    own = run_path(str(path), run_name="vocabulary")
    enumerations = {
        name: value for name, value in own.items() if isinstance(value, type) and name != "StrEnum"
    }

    assert len(enumerations) == 4
    assert {name: list(map(str, value)) for name, value in enumerations.items()} == {
        name: list(map(str, getattr(vocabulary, name))) for name in enumerations
    }


def test_it_reads_the_service_and_imports_nothing_of_it(unpacked, served, tmp_path):
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": str(unpacked),
            "URL": served.url,
            "KEY": served.keys["all"],
        },
    )

    assert done.stdout.splitlines() == ["acme.storage acme.storage", f"{unpacked} []"], done.stderr
