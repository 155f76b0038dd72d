"""A real nginx with the shipped configuration, on free ports of loopback."""

import contextlib
import os
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from specimen.serving import free_port

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx" / "changewire.conf"
HOST = "changelogs.example.org"
KEPT = "/var/lib/nginx/changewire"
PLACES = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


def make_certificate(openssl: str, folder: Path) -> None:
    """Write a certificate of HOST, and its key, into a folder."""
    subject = ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
    files = ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject, *files]
    subprocess.run([openssl, *request], check=True, capture_output=True, timeout=60)


@contextmanager
def running_nginx(nginx: str, folder: Path, server: int) -> Iterator[tuple[int, int]]:
    """Run it before a server until the block ends: gives its ports without and with TLS.

    ``folder`` has the certificate. Ports and folders are others than the shipped ones.
    """
    plain, secure = free_port(), free_port()
    configuration = folder / "nginx.conf"
    configuration.write_text(_configuration(folder, (plain, secure), server))
    command = [nginx, "-c", str(configuration), "-e", str(folder / "error.log")]
    tried = subprocess.run([*command, "-t"], capture_output=True, timeout=60)
    assert tried.returncode == 0, tried.stderr.decode()
    with subprocess.Popen(command) as running:
        try:
            _wait_for(plain, running)
            yield plain, secure
        finally:
            running.terminate()


def _configuration(folder: Path, ports: tuple[int, int], server: int) -> str:
    text = CONFIGURATION.read_text(encoding="utf-8")
    tried = {
        "127.0.0.1:8080": f"127.0.0.1:{server}",
        "127.0.0.1:8081": f"127.0.0.1:{server}",
        "listen 80;": f"listen 127.0.0.1:{ports[0]};",
        "listen 443 ": f"listen 127.0.0.1:{ports[1]} ",
        "/etc/ssl/changewire": str(folder),
        KEPT: str(folder / "cache"),
        "/var/log/nginx/access.log": str(folder / "access.log"),
    }
    for shipped, other in tried.items():
        assert shipped in text
        text = text.replace(shipped, other)
    text = re.sub(r"listen \[::\].*\n", "", text)
    places = "".join(f"{place}_temp_path {folder}/{place};\n" for place in PLACES)
    account = "user root; " if os.getuid() == 0 else ""  # the folder is for whoever runs tests
    main = f"{account}daemon off; worker_processes 1; pid {folder}/pid; events {{ }}\n"
    return f"{main}http {{\naccess_log off;\n{places}{text}}}\n"


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    """Return as soon as something listens on a port."""
    deadline = time.monotonic() + 30
    while server.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError("nginx does not listen")
