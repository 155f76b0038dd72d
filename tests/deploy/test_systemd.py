"""The units, by systemd's own verification."""

import re
import shutil

import pytest

UNITS = (
    "changewire-api@.service",
    "changewire-worker@.service",
    "changewire-upgrade@.service",
    "changewire-backup.service",
)
PROGRAMS = re.compile(r"/opt/changewire/(?:current|%i)/bin/changewire|/usr/bin/curl")


def copy_of(unit, root, folder):
    """A unit whose commands exist: the installed program stands in for the operator's."""
    text = (root / "deploy" / "systemd" / unit).read_text()
    copy = folder / unit
    copy.write_text(PROGRAMS.sub(shutil.which("changewire"), text))
    return copy


@pytest.fixture(params=UNITS)
def unit(request, root, tmp_path):
    return copy_of(request.param, root, tmp_path)


def test_every_unit_is_tried(root):
    files = {file.name for file in (root / "deploy" / "systemd").iterdir()}

    assert files == {*UNITS, "changewire-backup.timer"}


def test_systemd_finds_no_fault_in_the_timer(root, tmp_path, program, run):
    copy_of("changewire-backup.service", root, tmp_path)
    timer = copy_of("changewire-backup.timer", root, tmp_path)

    assert run(program("systemd-analyze", "systemd"), "verify", timer) == (0, "")


def test_systemd_finds_no_fault(unit, program, run):
    status, told = run(program("systemd-analyze", "systemd"), "verify", unit)

    assert (status, told) == (0, "")


def test_systemd_calls_the_exposure_ok(unit, program, run):
    analyze = program("systemd-analyze", "systemd")
    _, told = run(analyze, "security", "--offline=yes", "--no-pager", unit)
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", told)

    assert exposure, told
    assert float(exposure[1]) < 3.0


def test_the_database_is_copied_before_it_is_changed_and_that_may_take_its_time(root):
    text = (root / "deploy" / "systemd" / "changewire-upgrade@.service").read_text()

    assert (
        "/opt/changewire/%i/bin/changewire db upgrade --backup /var/lib/changewire/backups" in text
    )
    assert "TimeoutStartSec=infinity" in text
    assert "[Install]" not in text  # nothing starts it but a person
