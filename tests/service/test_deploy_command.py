"""The files of a deployment, out of the program."""

import pytest


def test_every_file_is_listed_and_shown_by_its_path_its_name_or_its_folder(run):
    listed = run("deploy", "list")[1].split()
    _, conf, _ = run("deploy", "show", "nginx/changewire.conf")

    assert {"docs/scaling.md", "grafana/changewire.json", "pgbouncer/pgbouncer.ini"} <= set(listed)
    assert "proxy_pass" in conf
    assert (
        run("deploy", "show", "nginx") == run("deploy", "show", "changewire.conf") == (0, conf, "")
    )


def test_files_are_written_and_a_changed_one_is_replaced_only_when_told(run, tmp_path):
    write = ["deploy", "write", "systemd", str(tmp_path)]
    assert run(*write)[0] == run(*write)[0] == 0
    unit = tmp_path / "changewire-worker@.service"
    unit.write_text("mine")

    status, _, err = run(*write)

    assert (status, unit.read_text()) == (1, "mine")
    assert f"{unit} is there and differs" in err
    assert run(*write, "--force")[0] == 0
    assert "changewire worker" in unit.read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(["show", "apache"], "There is no apache"), (["write", "nginx", "/nowhere"], "no folder")],
)
def test_what_is_not_there_is_told(run, arguments, said):
    status, out, err = run("deploy", *arguments)

    assert (status, out) == (2, "")
    assert said in err
