"""From a release to the next, as docs/operating.md tells it, while the servers before answer."""

import os
import subprocess
import sys

import httpx2
import pytest
from specimen.rows import SLUGS
from specimen.serving import free_port, listening
from specimen.site import fill_site, the_time

PATHS = (
    f"/api/v1/entries?limit=5&sources={SLUGS[0]}",
    "/api/v1/changes?limit=10",
    "/api/v1/latest",
    "/rss/updates.xml",
)


@pytest.fixture(scope="module")
def postgresql(new_server):
    server = new_server()
    server.start(max_connections="120")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def programs(releases, environment, tmp_path_factory, run):
    """The commands of both releases, each in an environment of its own."""
    folder = tmp_path_factory.mktemp("opt")
    libraries = next((environment / "lib").glob("python*/site-packages"))
    for version in (releases.first, releases.second):
        assert run(sys.executable, "-m", "venv", "--without-pip", folder / version)[0] == 0
        own = next((folder / version / "lib").glob("python*/site-packages"))
        (own / "libraries.pth").write_text(f"{libraries}\n")  # after its own, so its own win
        into = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
        (wheel,) = releases.folder(version).glob("changewire-*.whl")
        status, told = run(*into, "--python", folder / version, wheel)
        assert status == 0, told
    return [folder / each / "bin" / "changewire" for each in (releases.first, releases.second)]


@pytest.mark.slow
def test_servers_of_both_releases_answer_over_an_upgrade(programs, postgresql, tmp_path):
    address = postgresql.address(postgresql.create())
    settings = {
        "PATH": f"{postgresql.programs}:{os.environ['PATH']}",
        "PYTHONPATH": "",
        "CHANGEWIRE_DATABASE_URL": address,
        "CHANGEWIRE_SITE_URL": "http://127.0.0.1:8080",
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }

    def command(program, *arguments):
        environment = os.environ | settings
        return subprocess.run(
            [program, *arguments], env=environment, cwd=tmp_path, capture_output=True, timeout=120
        )

    def serving(program):
        port, log = free_port(), tmp_path / f"{program.parents[1].name}.log"
        return listening([program, "serve", "--port", str(port)], port, "/readyz", log, settings)

    old, new = programs
    (tmp_path / "backups").mkdir()
    assert command(old, "db", "upgrade").returncode == 0
    key = fill_site(address, now=the_time()).keys["all"]
    with httpx2.Client(headers={"X-Api-Key": key}, timeout=30) as client, serving(old) as here:
        refused = command(new, "serve", "--port", str(free_port()))
        upgraded = command(new, "db", "upgrade", "--backup", "backups")
        with serving(new) as there:
            urls = [f"{site}{path}" for site in (here, there) for path in PATHS]
            statuses = {url: client.get(url).status_code for url in urls}
            contracts = [client.get(f"{site}/openapi.json").json() for site in (here, there)]

    assert (refused.returncode, b"run: changewire db upgrade" in refused.stderr) == (1, True)
    assert upgraded.returncode == 0, upgraded.stderr
    assert len(list((tmp_path / "backups").iterdir())) == 1
    assert set(statuses.values()) == {200}, statuses
    assert len({contract["info"]["version"] for contract in contracts}) == 2
