"""The ten recipes with a key of each plan, where the whole shipped catalog is loaded."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from specimen.serving import CHANGEWIRE

from client import Client
from storage.engine.database import open_database
from tests.client.conftest import Served, filled, serving
from tests.client.test_recipes import RECIPES

SHIPPED = 6_000
"""The shipped catalog has more sources than this."""
PLANS = ("free", "starter", "all", "diffs")
COMPLAINTS = {6: "End of life within 90 days", 8: "Diff API add-on"}
"""How a recipe may end with status 1, as it says itself."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stocked(empty_database_file, tmp_path_factory):
    """The service with the shipped catalog beside the sources of the recipes."""
    folder = tmp_path_factory.mktemp("stocked")
    file = folder / "changewire.db"
    shutil.copy(empty_database_file, file)
    database, now = open_database(f"sqlite:///{file}"), datetime.now(UTC).replace(microsecond=0)
    keys = filled(database, now)
    database.close()
    environment = {**os.environ, "CHANGEWIRE_DATABASE_URL": f"sqlite:///{file}"}
    subprocess.run(
        [*CHANGEWIRE, "catalog", "load"],
        check=True,
        capture_output=True,
        cwd=folder,
        env=environment,
    )
    with serving(file, folder) as url:
        yield Served(url, now, keys)


def test_the_catalog_is_whole(stocked):
    with Client(stocked.url, stocked.keys["all"]) as client:
        assert client.sources(limit=1).first()["total"] > SHIPPED


@pytest.mark.parametrize("plan", PLANS)
def test_every_recipe_runs_with_a_key_of_every_plan(stocked, scripted, tmp_path, plan):
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "CHANGEWIRE_API_URL": stocked.url,
        "CHANGEWIRE_API_KEY": stocked.keys[plan],
        "SLACK_WEBHOOK_URL": scripted((200, b"ok")).url,
    }
    failed = {}
    for number, code in sorted(RECIPES.items()):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code],
            capture_output=True,
            text=True,
            timeout=300,
            cwd=tmp_path,
            env=environment,
        )
        complaint = COMPLAINTS.get(number)
        if done.returncode and not (complaint and complaint in done.stderr):
            failed[number] = done.stderr[-500:]

    assert failed == {}
