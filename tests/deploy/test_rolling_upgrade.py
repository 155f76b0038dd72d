"""From a release to the next and back, as docs/operating.md tells it, while people read."""

import asyncio
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import httpx2
import pytest
import yaml
from nginx_front import HOST, make_certificate, running_nginx
from specimen.rows import SLUGS
from specimen.serving import free_port
from specimen.site import fill_site, the_time

RATE = 50
"""Requests a second, evenly, whether or not others are answered."""
PATHS = (
    f"/api/v1/entries?limit=5&sources={SLUGS[0]}",
    "/api/v1/sources?limit=10",
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
def installed(releases, environment, tmp_path_factory, run):
    """The folder /opt/changewire: both releases, each in an environment of its own."""
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
    return folder


class Machine:
    """What systemd does with the units: programs of the release that is current."""

    def __init__(self, opt: Path, folder: Path, environment: dict[str, str]) -> None:
        self.opt, self.folder, self.environment = opt, folder, environment
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    def switch(self, version: str) -> None:
        """ln -sfn VERSION /opt/changewire/current."""
        (self.opt / "next").symlink_to(version)
        (self.opt / "next").replace(self.opt / "current")

    def command(self, version: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run a command of a version to its end."""
        program = self.opt / version / "bin" / "changewire"
        return subprocess.run(
            [program, *arguments],
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def restart(self, name: str, *arguments: str, ready: str | None = None) -> None:
        """Stop a unit and start it with the current programs; return once it is ready."""
        self.stop(name)
        program = self.opt / "current" / "bin" / "changewire"
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [program, *arguments], env=self.environment, cwd=self.folder, stdout=log, stderr=log
            )
        if ready:
            self._wait_for(ready, name)

    def stop(self, name: str) -> None:
        if name in self.running:
            program = self.running.pop(name)
            program.terminate()
            # TimeoutStopSec; a program that has just begun dies of the signal
            assert program.wait(15) in (0, -signal.SIGTERM)

    def _wait_for(self, url: str, name: str) -> None:
        until = time.monotonic() + 90  # TimeoutStartSec
        while self.running[name].poll() is None and time.monotonic() < until:
            try:
                urlopen(url, timeout=5).close()
            except (URLError, OSError):
                time.sleep(0.2)
            else:
                return
        raise AssertionError((self.folder / f"{name}.log").read_text()[-3000:])


async def read_on(port: int, folder: Path, key: str, stop: threading.Event) -> Counter[str]:
    """Send RATE requests a second until told to stop; gives what became of them."""
    trusted = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
    headers = {"Host": HOST, "X-Api-Key": key}
    outcomes: Counter[str] = Counter()

    async def once(number: int) -> None:
        url = f"https://127.0.0.1:{port}{PATHS[number % len(PATHS)]}"
        try:
            answer = await client.get(url, extensions={"sni_hostname": HOST})
        except httpx2.HTTPError as error:
            outcomes[repr(error)] += 1
        else:
            outcomes[str(answer.status_code)] += 1

    limits = httpx2.Limits(max_connections=90)
    async with httpx2.AsyncClient(
        verify=trusted, headers=headers, timeout=30, limits=limits
    ) as client:
        begun, sent = time.monotonic(), set()
        for number in range(10**6):
            await asyncio.sleep(max(0, begun + number / RATE - time.monotonic()))
            if stop.is_set():
                break
            sent.add(asyncio.create_task(once(number)))
        await asyncio.gather(*sent)
    return outcomes


@contextmanager
def readers(port, folder, key):
    """People who read while the block runs; gives what became of their requests, afterwards."""
    stop, outcomes = threading.Event(), Counter()
    reading = threading.Thread(
        target=lambda: outcomes.update(asyncio.run(read_on(port, folder, key, stop)))
    )
    reading.start()
    try:
        yield outcomes
    finally:
        stop.set()
        reading.join(60)


def version_at(port):
    """The version of the contract that a server has."""
    with urlopen(f"http://127.0.0.1:{port}/openapi.json", timeout=10) as answer:
        return yaml.safe_load(answer.read())["info"]["version"]


@pytest.mark.slow
def test_nobody_notices_an_upgrade_or_the_way_back(
    releases, installed, postgresql, program, tmp_path
):
    address = postgresql.address(postgresql.create())
    ports = (free_port(), free_port())
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        "PATH": f"{postgresql.programs}:{os.environ['PATH']}",
        "CHANGEWIRE_DATABASE_URL": address,
        "CHANGEWIRE_SITE_URL": f"https://{HOST}",
        "CHANGEWIRE_SECRET_KEY": "x" * 32,
        "CHANGEWIRE_TRUSTED_PROXIES": "127.0.0.1/32",
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }
    machine = Machine(installed, tmp_path, environment)
    (tmp_path / "backups").mkdir()
    old, new = releases.first, releases.second
    assert machine.command(old, "db", "upgrade").returncode == 0
    site = fill_site(address, now=the_time())

    def roll(version):
        machine.switch(version)
        for port in ports:
            ready = f"http://127.0.0.1:{port}/readyz"
            machine.restart(f"api-{port}", "serve", "--port", str(port), ready=ready)
        machine.restart("worker", "worker")
        return [version_at(port) for port in ports]

    make_certificate(program("openssl", "openssl"), tmp_path)
    nginx = program("nginx", "nginx-light")
    # all readers of this test have one address, and send what they missed on a busy machine at once
    quickly = {"rate=20r/s": "rate=1000r/s", "burst=40": "burst=400"}
    with ExitStack() as stack:
        for name in (*(f"api-{port}" for port in ports), "worker"):
            stack.callback(machine.stop, name)
        before = roll(old)
        _, secure = stack.enter_context(running_nginx(nginx, tmp_path, ports, quickly))
        begun = time.monotonic()
        with readers(secure, tmp_path, site.keys["all"]) as outcomes:
            refused = machine.command(new, "serve", "--port", str(free_port()))
            upgraded = machine.command(new, "db", "upgrade", "--backup", "backups")
            after, back = roll(new), roll(old)
        seconds = time.monotonic() - begun

    assert (refused.returncode, "run: changewire db upgrade" in refused.stderr) == (1, True)
    assert upgraded.returncode == 0, upgraded.stderr
    assert len(list((tmp_path / "backups").iterdir())) == 1
    assert before == back != after
    assert set(outcomes) == {"200"}, outcomes
    assert outcomes.total() > 0.95 * RATE * seconds
