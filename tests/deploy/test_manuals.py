"""docs/operating.md and docs/scaling.md, word for word, on two Debian machines that are new.

From nothing to two servers, two workers, nginx, Prometheus, pgbouncer, a copy put back elsewhere,
a second machine with a standby, an upgrade, and the loss of the first machine. The machines run
systemd and the shipped units. Containers are not run: test_containers.py checks their files.
"""

import json
import shutil
import tarfile
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from debian_machine import DebianMachine, copy_root, new_root
from manual_blocks import Block, blocks_of
from specimen.site import fill_site, the_time

SITE = "changelogs.example.org"
SERVERS = ("changewire-api@8080", "changewire-api@8081")
WORKERS = ("changewire-worker@9464", "changewire-worker@9465")
SETTINGS_BLOCK = 'su postgres -c "createuser changewire"'
COMMAND_BLOCK = "cat > /usr/local/bin/as-changewire"
STATE = Path("var", "lib", "changewire")
SETTINGS = Path("etc", "changewire", "environment")


class Operator:
    """Somebody who goes through the manuals; the blocks that are left are those not done yet."""

    def __init__(self, blocks: list[Block]) -> None:
        self.left = blocks

    def does(self, machine: DebianMachine, first_line: str, **options) -> str:
        """Run the one block that begins so, and again with ``again=True``."""
        again = options.pop("again", False)
        (block,) = [each for each in self.left if each.text.startswith(first_line)]
        if not again:
            self.left.remove(block)
        script = block.text
        if block.language == "sql":
            (machine.root / "root" / "block.sql").write_text(script)
            script = "su postgres -c 'psql --set ON_ERROR_STOP=1' < /root/block.sql"
        online = any(f"{program} install" in script for program in ("apt-get", "pip"))
        return tells(machine, script, online=online, **options)


def tells(machine, script, **options):
    """What a script says that has to succeed."""
    status, told = machine.run(script, **options)
    journal = machine.run("journalctl --no-pager --lines 30 --priority notice")[1] if status else ""
    assert status == 0, f"{script}\n{told[-3000:]}\n{journal}"
    return told


def version_at(machine, port):
    """The version of the contract that a server has."""
    contract = tells(machine, f"curl -fsS http://127.0.0.1:{port}/openapi.json")
    return json.loads(contract)["info"]["version"]


def unpacked(releases, version, machine):
    """The folder of an unpacked sdist on a machine."""
    (sdist,) = releases.folder(version).glob("changewire-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(machine.root / "root")
    return f"/root/changewire-{version}"


@pytest.fixture
def machine(tmp_path):
    """Make a machine by its name: new, or with what another has that is off."""
    with ExitStack() as stack:

        def make(name, *, of=None, kept=None):
            root = tmp_path / name
            if of is None:
                new_root(root, kept)
            else:
                copy_root(of.root, root)
            stack.callback(shutil.rmtree, root)
            made = DebianMachine(root, name)
            stack.callback(made.stop)
            made.boot()
            return made

        yield make


def copy_of_sqlite(operator, machine, address):
    """The section about SQLite: a service that ran on it goes on with PostgreSQL."""
    shutil.copy(address.removeprefix("sqlite:///"), machine.root / STATE / "changewire.db")
    tells(machine, f"chown changewire: /{STATE}/changewire.db")
    told = operator.does(machine, "as-changewire db copy")
    assert "equal" in told, told


def restored_elsewhere(operator, first, second):
    """The section about copies: what the first machine has stands in the second."""
    tells(second, f'ls /{STATE}/backups && test -z "$(ls /{STATE}/backups)"')
    for file in (first.root / STATE / "backups").iterdir():
        shutil.copy(file, second.root / STATE / "backups")
    operator.does(second, "chown changewire")
    assert "you@example.org" in tells(second, "as-changewire account list")


def seen_from_outside(first):
    """nginx answers with what the servers say, and every unit is active."""
    name = f"--resolve {SITE}:443:127.0.0.1 https://{SITE}"
    answer = tells(first, f"curl -fsS --insecure {name}/api/v1/sources")
    assert json.loads(answer)["total"] > 5000
    tells(first, f"systemctl is-active {' '.join((*SERVERS, *WORKERS))} changewire-backup.timer")


def watched(machine):
    """Prometheus gets an answer of every server and worker."""
    query = "http://127.0.0.1:9090/api/v1/query?query=sum(up)"
    until = time.monotonic() + 240  # a minute between scrapes; one may come before a restart ends
    while time.monotonic() < until:
        result = json.loads(tells(machine, f"curl -fsS '{query}'"))["data"]["result"]
        if result and result[0]["value"][1] == "4":
            return
        time.sleep(1)
    raise AssertionError(tells(machine, "curl -fsS http://127.0.0.1:9090/api/v1/targets"))


def until_same(machine, address):
    """What was stored at the first machine stands in the standby of another."""
    statement = f"SELECT count(*) FROM accounts WHERE email = '{address}'"
    tells(
        machine,
        f"""for attempt in $(seq 100); do
            su postgres -c "psql -At -c \\"{statement}\\" changewire" | grep -qx 1 && exit 0
            sleep 0.1
        done; exit 1""",
    )


def set_up(operator, first):
    """From a machine with the programs to one that serves, with pgbouncer, and is copied."""
    operator.does(first, SETTINGS_BLOCK, again=True)
    operator.does(first, "changewire deploy write")
    operator.does(first, COMMAND_BLOCK, again=True)
    operator.does(first, "as-changewire db upgrade")
    operator.does(first, "install -d -m 700 /etc/ssl/changewire")
    operator.does(first, "systemctl daemon-reload")
    seen_from_outside(first)
    operator.does(first, "apt-get install --yes pgbouncer")
    seen_from_outside(first)
    operator.does(first, "systemctl start changewire-backup")


def join_second(operator, first, second):
    """The second machine becomes the standby of the first, with a server and a worker."""
    operator.does(first, "cat > /etc/postgresql")
    operator.does(second, "systemctl stop postgresql@15-main")
    shutil.copy(first.root / SETTINGS, second.root / SETTINGS)
    operator.does(second, "password=$(sed")
    tells(first, "as-changewire account create ada@acme.example")
    until_same(second, "ada@acme.example")


def upgrade_first(operator, first, second, folder):
    """The first goes to the next version; the second stays, on the newer database."""
    old = version_at(second, 8080)
    operator.does(first, "python3 -m venv /opt/changewire/1.1.0", folder=folder)
    operator.does(first, "systemctl start changewire-upgrade@1.1.0")
    operator.does(first, "ln -sfn 1.1.0")
    assert version_at(first, 8080) == version_at(first, 8081) != old == version_at(second, 8080)
    seen_from_outside(first)
    watched(first)


def lose_first(operator, first, second):
    """The database of the first is gone; the second takes writes."""
    tells(first, "systemctl stop postgresql@15-main")
    operator.does(second, "pg_ctlcluster 15 main promote")
    ready = "http://127.0.0.1:8080/readyz"
    tells(second, f"curl -fsS --retry 60 --retry-delay 1 --retry-all-errors {ready}")
    tells(second, "as-changewire account create grace@acme.example")


@pytest.mark.slow
def test_the_manuals_lead_from_nothing_to_two_machines_and_over_the_loss_of_one(
    root, releases, machine, tmp_path, request
):
    operator = Operator(blocks_of(root / "docs"))
    new = machine("new", kept=request.config.cache.mkdir("debian") / "root.tar")
    operator.does(new, "apt-get update", folder=unpacked(releases, releases.first, new))
    tells(new, "systemctl stop postgresql nginx prometheus")
    new.stop()
    first, second = machine("first", of=new), machine("second", of=new)
    first.join(second, "10.0.0.1", "10.0.0.2")

    set_up(operator, first)
    operator.does(second, SETTINGS_BLOCK)
    operator.does(second, COMMAND_BLOCK)
    site = f"sqlite:///{tmp_path}/site.db"
    fill_site(site, now=the_time())
    copy_of_sqlite(operator, second, site)
    restored_elsewhere(operator, first, second)
    join_second(operator, first, second)
    upgrade_first(operator, first, second, unpacked(releases, releases.second, first))
    operator.does(first, "CREATE ROLE changewire_b")
    operator.does(first, "ALTER ROLE changewire NOLOGIN")
    tells(first, "su postgres -c \"psql -c 'ALTER ROLE changewire LOGIN'\"")
    lose_first(operator, first, second)
    assert operator.left == []
