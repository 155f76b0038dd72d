"""Repositories on GitHub, and the addresses that belong to them. Pure."""

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

_OWNER: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")  # GitHub's rule for accounts
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
_RESERVED: Final = """
    about apps blog changelog collections contact customer-stories customer-terms dashboard
    enterprise events explore features issues join login logout marketplace new notifications
    orgs organizations pricing pulls readme search security sessions settings signup site
    solutions sponsors stars team topics trending users watching resources premium-support
    codespaces
"""
_NOT_OWNERS: Final = frozenset(_RESERVED.split())
_PACKAGE: Final = re.compile(r"(?:packages|libs|crates|modules|plugins|apps)/(?P<name>[^/]+)/")


def repository_of(address: str) -> str | None:
    """Return the GitHub repository that an address belongs to as ``owner/name``, or None.

    Addresses of github.com with anything after the name, of the REST API, of raw files and of git
    itself are recognised.
    """
    remote = re.fullmatch(r"git@github\.com:([^/\s]+)/([^/\s]+)", address.strip())
    if remote:
        return _repository(remote[1], remote[2])
    try:
        parts = urlsplit(address.strip().removeprefix("git+"))
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    steps = [step for step in parts.path.split("/") if step]
    if host == "api.github.com" and steps[:1] == ["repos"]:
        steps = steps[1:]
    elif host not in ("github.com", "raw.githubusercontent.com"):
        return None
    return _repository(steps[0], steps[1]) if len(steps) >= 2 else None


def only_repository(addresses: Iterable[str | None]) -> str | None:
    """Return the repository that addresses name, if they name one only."""
    repositories = {
        repository.lower(): repository
        for address in addresses
        if address is not None and (repository := repository_of(address)) is not None
    }
    return next(iter(repositories.values())) if len(repositories) == 1 else None


def package_of(address: str) -> str | None:
    """Return the package of a repository that a file is about: that of ``packages/NAME/…``."""
    match = _PACKAGE.search(urlsplit(address).path)
    return match["name"] if match is not None and repository_of(address) is not None else None


def _repository(owner: str, name: str) -> str | None:
    name = name.removesuffix(".git")
    is_valid = _OWNER.fullmatch(owner) and _NAME.fullmatch(name)
    if not is_valid or owner.lower() in _NOT_OWNERS or name in ("", ".", ".."):
        return None
    return f"{owner}/{name}"
