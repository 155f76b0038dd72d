"""changewire mcp as a process: what it writes where, and how it ends."""

import json
import os
import subprocess

import pytest
from specimen.serving import CHANGEWIRE

from tests.client.tools.conftest import HELLO

pytestmark = pytest.mark.slow


def test_stdout_is_the_protocols_alone_and_the_end_of_stdin_ends_it(served, tmp_path):
    known = {"CHANGEWIRE_API_URL": served.url, "CHANGEWIRE_API_KEY": served.keys["all"]}
    known["CHANGEWIRE_LOG_LEVEL"] = "debug"
    options = {"capture_output": True, "text": True, "timeout": 60, "cwd": tmp_path}
    text = json.dumps(HELLO) + "\nnot a message\n"
    done = subprocess.run([*CHANGEWIRE, "mcp"], input=text, env=os.environ | known, **options)

    messages = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert messages[0]["result"]["serverInfo"]["name"] == "changewire"
    assert all(message["jsonrpc"] == "2.0" for message in messages)
    assert f"they read {served.url}, with a key." in done.stderr
    assert served.keys["all"] not in done.stdout + done.stderr
