"""Static files under addresses that change with their content, so that they are kept for long."""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

from flask import request, url_for

STATIC: Final = Path(__file__).with_name("static")


def asset(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    return url_for("static", filename=name, v=_version(name))


def is_current_asset() -> bool:
    """Tell whether the address of this request names what the static file has in it now.

    During an upgrade a page of one version may ask a process of another.
    """
    name = (request.view_args or {}).get("filename", "")
    return request.args.get("v") == _version(name)


@cache
def _version(name: str) -> str:
    return hashlib.blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
