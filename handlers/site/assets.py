"""Static files under addresses that change with their content, so that they are kept for long."""

import hashlib
from pathlib import Path
from typing import Final

from flask import abort, request, url_for

_STATIC: Final = Path(__file__).with_name("static")
_VERSIONS: Final = {
    file.relative_to(_STATIC).as_posix(): hashlib.blake2b(
        file.read_bytes(), digest_size=6
    ).hexdigest()
    for file in _STATIC.rglob("*")
    if file.is_file()
}
"""The version of each shipped file. A name from a request is only ever looked up here."""


def asset(name: str) -> str:
    """Return the address of a static file, which changes with its content."""
    return url_for("static", filename=name, v=_VERSIONS[name])


def refuse_unknown_asset() -> None:
    """Answer 404 for a static file that is not shipped, whatever the method."""
    if request.endpoint == "static" and _requested_asset() not in _VERSIONS:
        abort(404)


def is_current_asset() -> bool:
    """Tell whether the address of this request names what the static file has in it now.

    During an upgrade a page of one version may ask a process of another.
    """
    return request.args.get("v") == _VERSIONS[_requested_asset()]


def _requested_asset() -> str:
    name: str = (request.view_args or {})["filename"]
    return name
