"""The ports that servers listen on."""

import errno
import socket


class PortTaken(Exception):
    """Another program listens on the port."""


def require_free_port(host: str, port: int) -> None:
    """Raise PortTaken when the address cannot be bound."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            advice = "stop what listens there, or choose another --port" if taken else "see --host"
            raise PortTaken(
                f"Port {port} on {host} cannot be used ({error.strerror}); {advice}."
            ) from error
