"""Signals that stop: heard whichever thread they interrupt, and only while somebody listens."""

import subprocess
import sys

import pytest

HEARD = """
import os, signal, threading
from service.signals import ignore_stop_signals, stop_on_signals

before = signal.getsignal(signal.SIGTERM)
with stop_on_signals() as stop:
    {}
assert signal.getsignal(signal.SIGTERM) is before
assert [each.name for each in threading.enumerate()] == ["MainThread"]
"""


def ends_well(scene: str, *under: str) -> bool:
    """Run a scene in the main thread of a process of its own, under another program."""
    program = HEARD.format(scene.strip().replace("\n", "\n    "))
    command = [*under, sys.executable, "-c", program]
    return subprocess.run(command, check=False, timeout=60).returncode == 0


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_sets_the_event(name):
    assert ends_well(f"""
os.kill(os.getpid(), signal.{name})
assert stop.wait(30)
""")


def test_a_closed_terminal_does_not_end_what_nohup_started():
    assert ends_well("os.kill(os.getpid(), signal.SIGHUP)\nassert not stop.wait(0.2)", "nohup")


def test_a_signal_that_another_thread_takes_is_heard_while_the_main_thread_waits_for_a_lock():
    assert ends_well("""
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
sending = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGTERM))
sending.start()
stop.wait()  # without a limit: no handler in Python would ever run
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
sending.join()
""")
