"""The jail of a child that reads strangers' bytes: what the kernel lets it do, once and for good.

Landlock leaves it the files of Python and of this program, to be read, and no others; no TCP
connection, and no signal to a process outside. seccomp leaves it the system calls that reading a
document takes. Both hold in every thread, cannot be taken back, and need no rights
(docs/decisions/0021).
"""

import os
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from landlockpy import AccessFS, LandlockError, Ruleset, Scope, abi_version
from seccompy import ArgCmp, CmpOp, Filter, FilterFlag, SeccompError, supported
from seccompy.syscalls import syscall_nr

LANDLOCK: Final = "Landlock"
SECCOMP: Final = "seccomp"

MOST_FILES: Final = 64
"""Descriptors that a child may have open: its pipes, and the modules that it imports."""
_PACKAGES: Final = (
    *("ingest", "openapi", "outbound", "storage"),
    *("changelog_reader", "contract_diff", "package_versions"),
)
"""Folders of this program that a child may read. The folder above them holds settings."""
_SYSTEM: Final = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib")
_DATA: Final = ("/usr/share/zoneinfo", "/etc/ld.so.cache", "/dev/null", "/dev/urandom")
_CALLS: Final = (
    *("read", "readv", "pread64", "write", "writev", "lseek", "dup", "dup2", "dup3", "close"),
    *("fstat", "newfstatat", "stat", "lstat", "statx", "getdents64", "getcwd"),
    *("access", "faccessat", "faccessat2", "readlink", "readlinkat"),
    *("mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "membarrier"),
    *("futex", "rseq", "set_robust_list", "get_robust_list", "sched_yield", "restart_syscall"),
    *("poll", "ppoll", "select", "pselect6", "nanosleep", "clock_nanosleep"),
    *("clock_gettime", "clock_getres", "gettimeofday", "time", "times", "getrusage"),
    *("setitimer", "getitimer", "rt_sigaction", "rt_sigreturn", "rt_sigprocmask", "sigaltstack"),
    *("getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getpgrp"),
    *("getrandom", "uname", "sysinfo", "sched_getaffinity", "getcpu", "getpriority"),
    *("exit", "exit_group"),
)
_READ_ONLY: Final = {"open": 1, "openat": 2}
"""Where the flags of a call stand."""
_FCNTL: Final = (1, 2, 3, 1030)
"""F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC."""
_EPERM: Final = 1
_ERRNO: Final = 0x00050000


def missing_protections() -> tuple[str, ...]:
    """Return what this kernel, or the container around this process, does not offer of the jail."""
    missing = [LANDLOCK, SECCOMP]
    with suppress(LandlockError, OSError):
        if abi_version() > 0:
            missing.remove(LANDLOCK)
    with suppress(SeccompError, OSError):
        if supported():
            missing.remove(SECCOMP)
    return tuple(missing)


def close_files() -> None:
    """Let this thread and those that it starts read Python and this program, and no other file."""
    scoped = Scope.SIGNAL | Scope.ABSTRACT_UNIX_SOCKET
    with Ruleset(scoped=scoped) as rules:
        for path in _readable():
            access = AccessFS.READ_FILE
            rules.allow_path(path, access | AccessFS.READ_DIR if path.is_dir() else access)
        rules.restrict()
    _prove(LANDLOCK, lambda: next(os.scandir("/")))


def close_calls() -> None:
    """Leave all threads of this process the system calls that reading takes; others fail."""
    calls = Filter(default=_ERRNO | _EPERM, flags=FilterFlag.TSYNC)
    for name in filter(_is_known, _CALLS):
        calls.allow(name)
    for name, position in _READ_ONLY.items():
        if _is_known(name):
            is_read = ArgCmp(position, CmpOp.MASKED_EQ, os.O_RDONLY, mask=os.O_ACCMODE | os.O_CREAT)
            calls.allow(name, args=[is_read])
    for command in _FCNTL:
        calls.allow("fcntl", args={1: command})
    calls.allow("prlimit64", args={0: 0, 2: 0})  # to read its own limits
    calls.load()
    _prove(SECCOMP, lambda: os.getsid(0))


def _prove(name: str, forbidden: Callable[[], object]) -> None:
    """Try what must fail from now on: a jail that does not hold is worse than none."""
    try:
        forbidden()
    except PermissionError:
        return
    raise RuntimeError(f"{name} does not hold.")


def limit_resources() -> None:
    """Take from this process core dumps, files of any size, and many descriptors."""
    for limit, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, MOST_FILES),
    ):
        resource.setrlimit(limit, (most, most))


def _readable() -> list[Path]:
    """Return the files and folders that a child needs to import modules and to read time zones."""
    libraries = {str(Path(prefix, "lib")) for prefix in (sys.prefix, sys.base_prefix)}
    own = (find_spec(name) for name in _PACKAGES)
    folders = {place for spec in own if spec for place in spec.submodule_search_locations or ()}
    return [path for path in map(Path, {*_SYSTEM, *_DATA, *libraries, *folders}) if path.exists()]


def _is_known(name: str) -> bool:
    """Return True if this machine has a system call of that name; ARM lacks the oldest ones."""
    try:
        syscall_nr(name)
    except (KeyError, ValueError):
        return False
    return True
