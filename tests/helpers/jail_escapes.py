"""What code that a document has taken over would try in a parser's child.

Each attempt returns when it has escaped, and raises when the jail holds.
"""

import ctypes
import os
import pickle
import platform
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

CALLS: Final = {
    "x86_64": {"ptrace": 101, "mount": 165, "process_vm_readv": 310, "keyctl": 250, "bpf": 321},
    "aarch64": {"ptrace": 117, "mount": 40, "process_vm_readv": 270, "keyctl": 219, "bpf": 280},
}[platform.machine()]
"""Numbers of system calls that differ between machines."""
PIDFD_OPEN, PIDFD_GETFD, IO_URING_SETUP, USERFAULTFD = 434, 438, 425, 323
PTRACE_ATTACH, CLONE_NEWUSER = 16, 0x10000000
_LIBC: Final = ctypes.CDLL(None, use_errno=True)


def raw(number: int, *arguments: int) -> None:
    """Make a system call without the C library's help."""
    if _LIBC.syscall(number, *arguments) == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def parent() -> int:
    return os.getppid()


def _socket(family: int, address: object) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as connection:
        connection.settimeout(2)
        connection.connect(address)


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _thread() -> None:
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()


def _secrets() -> None:
    if not any("hidden" in text for text in os.environ.values()):
        raise PermissionError("nothing of the parent's")


def _inherited_files() -> None:
    for number in range(resource.getrlimit(resource.RLIMIT_NOFILE)[0]):
        try:
            mode = os.fstat(number).st_mode
        except OSError:
            continue
        if mode & 0o170000 == 0o100000:  # a regular file
            return
    raise PermissionError("pipes and /dev/null")


def _list_secrets(secret: str) -> None:
    next(Path(secret).parent.iterdir())


ATTEMPTS: Final[dict[str, Callable[[str], object]]] = {
    "read the database": lambda secret: Path(secret).read_bytes(),
    "list the folder of the database": _list_secrets,
    "append to the database": lambda secret: os.open(secret, os.O_WRONLY | os.O_APPEND),
    "open the database for both": lambda secret: os.open(secret, os.O_RDWR),
    "truncate the database": lambda secret: os.truncate(secret, 0),
    "delete the database": os.unlink,
    "rename the database": lambda secret: Path(secret).rename(secret + "2"),
    "link to the database": lambda secret: Path(secret + "3").hardlink_to(secret),
    "make a symbolic link": lambda secret: Path(secret + "4").symlink_to(secret),
    "change the rights of the database": lambda secret: Path(secret).chmod(0o777),
    "change the owner of the database": lambda secret: os.chown(secret, 0, 0),
    "set the times of the database": os.utime,
    "write a file": lambda secret: Path(secret + "5").write_text("x"),
    "make a folder": lambda secret: Path(secret + "6").mkdir(),
    "make a pipe with a name": lambda secret: os.mkfifo(secret + "7"),
    "read the accounts of the machine": lambda _: Path("/etc/passwd").read_bytes(),
    "read the environment of the parent": lambda _: Path(f"/proc/{parent()}/environ").read_bytes(),
    "read the memory of the parent": lambda _: os.open(f"/proc/{parent()}/mem", os.O_RDONLY),
    "list the processes": lambda _: next(Path("/proc").iterdir()),
    "change a module": lambda _: os.open(os.__file__, os.O_RDWR),
    "write a module's bytecode": lambda _: Path(os.__file__ + "c").write_bytes(b""),
    "change the folder": lambda _: os.chdir("/"),
    "change the root": lambda _: os.chroot("/"),
    "mount": lambda _: raw(CALLS["mount"], 0, 0, 0, 0, 0),
    "find secrets in the environment": lambda _: _secrets(),
    "use an inherited file": lambda _: _inherited_files(),
    "connect to this machine": lambda _: _socket(socket.AF_INET, ("127.0.0.1", 9)),
    "connect by IPv6": lambda _: _socket(socket.AF_INET6, ("::1", 9)),
    "connect to a socket file": lambda secret: _socket(socket.AF_UNIX, secret),
    "connect to an abstract socket": lambda _: _socket(socket.AF_UNIX, "\0somebody"),
    "send a datagram": lambda _: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "listen": lambda _: socket.create_server(("127.0.0.1", 0)),
    "ask for a name": lambda _: socket.getaddrinfo("changewire.example", 80),
    "make a pair of sockets": lambda _: socket.socketpair(),
    "fork": lambda _: _fork(),
    "start a program": lambda _: os.posix_spawn(sys.executable, [sys.executable, "-V"], {}),
    "become another program": lambda _: os.execv(sys.executable, [sys.executable, "-V"]),
    "start a thread": lambda _: _thread(),
    "trace the parent": lambda _: raw(CALLS["ptrace"], PTRACE_ATTACH, parent(), 0, 0),
    "read the parent's memory": lambda _: raw(CALLS["process_vm_readv"], parent(), 0, 0, 0, 0, 0),
    "signal the parent": lambda _: os.kill(parent(), signal.SIGCONT),
    "hold the parent": lambda _: raw(PIDFD_OPEN, parent(), 0),
    "take the parent's files": lambda _: raw(PIDFD_GETFD, 0, 0, 0),
    "limit the parent": lambda _: resource.prlimit(parent(), resource.RLIMIT_CPU, (1, 1)),
    "raise its own limits": lambda _: resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9)),
    "slow the parent down": lambda _: os.setpriority(os.PRIO_PROCESS, parent(), 19),
    "become another user": lambda _: os.setuid(12345),
    "make a namespace": lambda _: raw(272 if "x86" in platform.machine() else 97, CLONE_NEWUSER),
    "load a program into the kernel": lambda _: raw(CALLS["bpf"], 0, 0, 0),
    "use io_uring": lambda _: raw(IO_URING_SETUP, 1, 0),
    "use the keys of the kernel": lambda _: raw(CALLS["keyctl"], 0, -3, 0),
    "handle page faults": lambda _: raw(USERFAULTFD if "x86" in platform.machine() else 282, 1),
    "run a file of memory": lambda _: os.memfd_create("code"),
    "name the machine": lambda _: socket.sethostname("owned"),
}


def attempt(name: str, secret: str) -> str:
    """Try to escape; return what held, or "escaped"."""
    try:
        ATTEMPTS[name](secret)
    except (OSError, RuntimeError, ValueError) as error:
        return type(error).__name__
    return "escaped"


def results() -> int:
    """Return the descriptor that replies go out by: a pipe that can be written to."""
    for number in range(3, 64):
        try:
            os.write(number, b"")
        except OSError:
            continue
        return number
    raise OSError("no pipe")


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(4) + payload


class _Code:
    def __reduce__(self) -> tuple[object, ...]:
        return (eval, ("__import__('os').abort()",))


LIES: Final = {
    "a pickle that runs code": frame(pickle.dumps((True, _Code()))),
    "another type": frame(b'["text",null]'),
    "no JSON": frame(b"\xff\xfe"),
    "nothing at all": frame(b""),
    "a list a million deep": frame(b"[" + b"[" * 1_000_000 + b"]" * 1_000_000 + b"]"),
    "a frame of four gigabytes": b"\xff\xff\xff\xff" + b"x" * 100,
    "an answer and another one": frame(b"[1,null]") + frame(b"[2,null]"),
    "half a frame": frame(b"[1,null]")[:-1],
    "the length alone": frame(b"[1,null]")[:2],
}


def lie(name: str) -> int:
    """Write an answer past the program, and never come back."""
    os.write(results(), LIES[name])
    while True:
        time.sleep(1)


def misname(name: str) -> int:
    """Raise something that the parent does not expect."""
    raise type(name, (Exception,), {})("line\nline\x1b[31m" + "x" * 10_000)
