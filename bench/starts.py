"""Print the CPU of each command's help, how many modules it loads, and which large ones."""

import os
import subprocess
import sys

from common import ROOT

from service.command_line import COMMANDS

SHOW = """import atexit, sys; from service.cli import main; sys.argv[0] = "changewire"
large = "connexion", "docutils", "flask", "httpx2", "mcp", "pydantic", "schemathesis", "sqlalchemy"
loaded = lambda: [len(sys.modules), *(name for name in large if name in sys.modules)]
atexit.register(lambda: print(*loaded(), file=sys.stderr)); main()"""
for name in ("--version", "--help", *COMMANDS):
    before, command = os.times(), [sys.executable, "-c", SHOW, name, "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    print(f"{name:12}{sum(os.times()[2:4]) - sum(before[2:4]):6.2f} s  {done.stderr.strip()}")
