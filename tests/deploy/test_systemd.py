"""The units, by systemd's own verification."""

import re
import shutil

import pytest

UNITS = ("changewire-api.service", "changewire-worker.service")


@pytest.fixture(params=UNITS)
def unit(request, root, tmp_path):
    """A unit whose commands exist: the installed program stands in for the operator's."""
    text = (root / "deploy" / "systemd" / request.param).read_text()
    program = shutil.which("changewire")
    copy = tmp_path / request.param
    copy.write_text(text.replace("/opt/changewire/bin/changewire", program))
    return copy


def test_systemd_finds_no_fault(unit, program, run):
    status, told = run(program("systemd-analyze", "systemd"), "verify", unit)

    assert (status, told) == (0, "")


def test_systemd_calls_the_exposure_ok(unit, program, run):
    analyze = program("systemd-analyze", "systemd")
    _, told = run(analyze, "security", "--offline=yes", "--no-pager", unit)
    exposure = re.search(r"Overall exposure level for .*: ([0-9.]+)", told)

    assert exposure, told
    assert float(exposure[1]) < 3.0


def test_a_stop_is_given_more_time_than_the_service_takes(unit):
    assert "TimeoutStopSec=15" in unit.read_text()


def test_an_upgrade_before_the_start_may_take_its_time(unit):
    assert "TimeoutStartSec=infinity" in unit.read_text()


def test_a_database_that_is_away_at_the_start_is_waited_for(unit):
    assert "StartLimitIntervalSec=0" in unit.read_text()
