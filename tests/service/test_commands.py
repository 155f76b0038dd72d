"""Commands: what they print, how they fail (docs/operating.md)."""

import json
import re
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import typer
from sqlalchemy import make_url, text

from service.command_line import app, load_command
from storage.engine.database import open_database
from storage.engine.sqlite import driver

MANUAL = Path(__file__).parents[2] / "docs" / "operating.md"
HEADER = "slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags"
GOOD = (
    "acme.mail,acme,Acme Mail,changelog,,https://acme.example/log,rss,https://acme.example/feed,api"
)


@pytest.fixture
def catalog(tmp_path, run):
    """A catalog file with one source, loaded."""
    file = tmp_path / "catalog.csv"
    file.write_text(f"{HEADER}\n{GOOD}\n")
    assert run("catalog", "load", str(file))[0] == 0
    return file


def commands(group=None, path=()):
    group = group or typer.main.get_command(app)
    for name in group.list_commands(None):
        command = group.get_command(None, name) if path else load_command(name)
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


ALL = list(commands())
assert len(ALL) > 40  # an empty list would be a test that cannot fail


@pytest.mark.parametrize(("path", "command"), ALL)
def test_every_command_has_an_example_and_a_line_in_the_manual(path, command):
    assert f"changewire {' '.join(path)}" in command.help
    assert f"{path[0]}" in MANUAL.read_text()


NOWHERE = ("--url", "http://127.0.0.1:1", "--api-key", "any")
HEAVY = "alembic connexion docutils flask granian mcp openapi_spec_validator pytest sqlalchemy"


def test_helps_and_commands_over_the_api_load_no_database_and_no_server(tmp_path):
    (tmp_path / "requirements.txt").write_text("flask==3.0.0\n")
    helps = [["--help"], *sorted([path[0], "--help"] for path, _ in ALL)]
    asked = [["sources", "mail", *NOWHERE], ["entries", "acme.mail", *NOWHERE]]
    asked.append(["stack", "requirements.txt", *NOWHERE])
    code = (
        "import contextlib, json, sys\n"
        "from service.command_line import main\n"
        "for sys.argv[1:] in json.loads(sys.argv[1]):\n"
        "    with contextlib.suppress(SystemExit): main()\n"
        f"sys.exit(' '.join({{*sys.modules}} & {{*{HEAVY.split()}}}) or None)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(helps + asked)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stderr.count("cannot be reached") == len(asked), done.stderr
    assert done.returncode == 0, done.stderr
    assert "<bool>" not in done.stdout


def test_a_catalog_is_loaded_all_rows_or_none(run, tmp_path, catalog):
    bad = tmp_path / "bad.csv"
    bad.write_text(f"{HEADER}\n{GOOD.replace('mail', 'new')}\nWrong,,,,,,,,\n")

    status, out, err = run("catalog", "load", str(bad))

    assert (status, out) == (1, "")
    assert "line 3" in err
    assert "nothing was changed" in err
    assert "acme.new" not in run("catalog", "export")[1]


def test_a_key_is_alone_on_stdout_and_opens_what_was_selected(run, catalog):
    run("account", "create", "Ada@Acme.example", "--plan", "starter")

    status, out, _ = run(
        "key", "create", "ada@acme.example", "--name", "ci", "--source", "acme.mail"
    )

    assert status == 0
    assert re.fullmatch(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}\n", out)
    (listed,) = json.loads(run("key", "list", "ada@acme.example", "--json")[1])
    assert (listed["id"], listed["sources"], listed["state"]) == (out[3:15], ["acme.mail"], "live")


@pytest.fixture
def key(run, catalog):
    """A key with a source."""
    run("account", "create", "ada@acme.example")
    made = run("key", "create", "ada@acme.example", "--name", "ci", "--source", "acme.mail")
    return made[1].strip()


def listed_keys(run):
    return json.loads(run("key", "list", "ada@acme.example", "--json")[1])


@pytest.mark.parametrize("shown", [slice(3, 15), slice(None)])
def test_a_key_is_named_as_the_page_shows_it_and_as_it_is_written(run, key, shown):
    status, out, err = run("key", "revoke", key[shown])

    assert (status, out) == (0, "")
    assert err == f"The key {key[3:15]} is revoked.\n"
    assert [each["state"] for each in listed_keys(run)] == ["dead"]


def test_a_rotated_key_hands_its_sources_to_a_successor_alone_on_stdout(run, key):
    status, out, err = run("key", "rotate", key[:15])

    assert status == 0
    assert re.fullmatch(r"cw_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}\n", out)
    assert "works for 24 hours more" in err
    new, old = listed_keys(run)
    assert (new["id"], old["id"]) == (out[3:15], key[3:15])
    assert (new["sources"], new["state"], new["expires_at"]) == (["acme.mail"], "live", None)
    assert old["state"] == "live"
    assert old["expires_at"] is not None


def test_a_key_may_expire(run, key):
    run("key", "create", "ada@acme.example", "--name", "short", "--expires-in", "30")

    ends = {each["name"]: each["expires_at"] for each in listed_keys(run)}
    assert [ends.pop("short") is None, *(end is None for end in ends.values())] == [False, True]


def test_an_account_gets_the_role_of_an_operator_loses_it_and_is_deleted(run):
    run("account", "create", "ada@acme.example")

    for option, expected in (("--operator", True), ("--no-operator", False)):
        assert run("account", "set", "ada@acme.example", option)[0] == 0
        (account,) = json.loads(run("account", "list", "--json")[1])
        assert account["operator"] is expected
    assert run("account", "delete", "Ada@acme.example")[0] == 0
    assert json.loads(run("account", "list", "--json")[1]) == []


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["account", "create", "nonsense"], 1, "is not an email address"),
        (["account", "set", "nobody@acme.example", "--plan", "all"], 1, "There is no account"),
        (["key", "revoke", "nothing"], 1, "There is no key"),
        (["source", "show", "acme.mial"], 1, "Did you mean acme.mail?"),
        (["ingest", "zzz"], 1, 'no source "zzz". Search: changewire source list --q WORDS'),
        (["webhook", "show", "nothing"], 1, "There is no webhook nothing"),
        (["catalog", "load", "missing.csv"], 1, "cannot be read"),
        (["db", "backup", "missing/x.db"], 1, "does not exist"),
        (["account", "create", "a@b.example", "--plan", "huge"], 2, "'huge'"),
        (["nonsense"], 2, "No such command"),
        (["up", "--port", "99999"], 2, "65535"),
        (["source", "show", "\udcff"], 2, "An argument is not UTF-8 text."),
        (["catalog", "check", "--mend"], 2, "--mend go with --live."),
        (["db", "restore", "copy.db"], 2, "--keep FILE copies it first, --discard does not"),
        (["db", "restore", "x.db", "--keep", "y.db", "--discard"], 2, "give one of them."),
    ],
)
def test_what_cannot_be_done_is_said_on_stderr(run, catalog, arguments, status, message):
    found, out, err = run(*arguments)

    assert (found, out) == (status, "")
    assert message in err


def test_a_taken_port_is_named(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        status, _, err = run("up", "--port", str(port))

    assert (status, f"Port {port}" in err, "--port" in err) == (1, True, True)


@pytest.mark.only_on("sqlite")
def test_a_locked_database_is_named(run, database_url, monkeypatch):
    monkeypatch.setattr("storage.engine.sqlite.BUSY_TIMEOUT_MS", 50)
    connection = driver.connect(make_url(database_url).database, isolation_level=None)
    connection.execute("BEGIN EXCLUSIVE")

    status, _, err = run("account", "create", "ada@acme.example")

    connection.close()
    assert (status, "is locked by another program" in err) == (1, True)
    assert err.count("\n") == 1


def test_a_newer_database_is_left_alone(run, database_url):
    with closing(open_database(database_url)) as database, database.write() as session:
        session.execute(text("UPDATE alembic_version SET version_num = 'from-2030'"))

    status, _, err = run("account", "list")

    assert (status, "a newer Changewire made" in err) == (1, True)


@pytest.mark.only_on("sqlite")
def test_a_backup_is_a_whole_database(run, tmp_path, monkeypatch):
    run("account", "create", "ada@acme.example")
    run("db", "backup", str(tmp_path / "copy.db"))
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/copy.db")

    assert run("db", "check")[0] == 0
    assert "ada@acme.example" in run("account", "list")[1]


@pytest.fixture
def no_database(monkeypatch, tmp_path):
    """The path of a SQLite database that is not there."""
    file = tmp_path / "typo" / "changewire.db"
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{file}")
    return file


@pytest.mark.parametrize(
    "command",
    [
        *("ingest", "worker", "catalog load", "source probe http://a.example"),
        *("account create ada@acme.example", "db backup copy.db"),
    ],
)
def test_a_mistyped_database_is_told_and_not_made(run, no_database, command):
    no_database.parent.mkdir()
    status, out, err = run(*command.split())
    assert (status, out) == (1, "")
    assert f"There is no database {no_database}. Create it with: changewire db upgrade" in err
    assert not no_database.exists()


def test_a_database_that_is_made_is_named_and_its_folder_is_not_made(run, no_database):
    status, out, err = run("db", "upgrade")
    assert (status, out) == (2, "")
    assert f"There is no folder {no_database.parent}" in err
    no_database.parent.mkdir()
    assert run("db", "upgrade")[2].startswith(f"Created {no_database} (revision ")


def test_a_backup_is_restored_where_there_is_no_database(run, no_database):
    no_database.parent.mkdir()
    run("db", "upgrade")
    run("db", "backup", backup := str(no_database.parent / "backup.db"))
    no_database.unlink()
    assert run("db", "restore", backup, "--discard")[0] == 0
    assert run("db", "check")[0] == 0


def test_the_contract_is_checked_and_compared_by_command(run, tmp_path):
    assert run("contract", "check")[0] == 0
    start = "openapi: 3.0.3\ninfo: {title: A, version: '1'}\npaths: "
    path = "{/a: {get: {responses: {'200': {description: ok}}}}}"
    (tmp_path / "old.yaml").write_text(start + path)
    (tmp_path / "new.yaml").write_text(start + "{}")

    status, out, _ = run("contract", "diff", "old.yaml", "new.yaml")

    assert status == 1
    assert "/a" in out
    assert run("contract", "diff", "old.yaml", "old.yaml")[0] == 0


def test_a_source_is_taken_out_of_the_catalog(run, catalog):
    status, out, err = run("catalog", "remove", "acme.mail")

    assert (status, out) == (0, "")
    assert err == "1 source removed, with 0 entries.\n"
    assert run("catalog", "export")[1].splitlines() == [f"{HEADER},tier,aliases,basis,status"]


def test_sources_are_taken_out_all_or_none(run, catalog):
    status, _, err = run("catalog", "remove", "acme.mail", "acme.mial")

    assert status == 1
    assert err == 'changewire: The catalog has no source "acme.mial". Did you mean acme.mail?\n'
    assert "acme.mail" in run("catalog", "export")[1]


def test_a_shell_completes_commands_and_their_options(monkeypatch, capsys):
    monkeypatch.setenv("_CHANGEWIRE_COMPLETE", "complete_bash")
    for line, found in (("changewire do", "doctor"), ("changewire doctor --j", "--json")):
        monkeypatch.setenv("COMP_WORDS", line)
        monkeypatch.setenv("COMP_CWORD", str(line.count(" ")))
        with pytest.raises(SystemExit):
            app(prog_name="changewire")
        assert found in capsys.readouterr().out.split()
