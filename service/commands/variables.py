"""The environment variables that give settings, and those that nothing reads."""

import os
import re
from difflib import get_close_matches
from typing import Final

from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from service.settings import PREFIX, Settings

OTHERS: Final = frozenset({"api_keys", "called_as"})
"""Variables that are read elsewhere: by changewire conformance, and by the script of a checkout."""
ORCHESTRATED: Final = re.compile(r"(\w+_)?(service_host|service_port(_\w+)?|port_\d+_\w+)")
"""Variables that Kubernetes sets for a service of our name."""


def set_default(name: str, text: str) -> None:
    """Set a setting for this process and its children, unless the operator has set it."""
    if name not in _variables():
        os.environ[f"{PREFIX}{name.upper()}"] = text


def unknown() -> list[str]:
    """Return a line for each variable that no part of the program reads."""
    return [
        f"{PREFIX}{name.upper()} is unknown and ignored.{_suggestion(name)}"
        for name, value in sorted(_variables().items())
        if name not in OTHERS and name not in Settings.model_fields
        if not ORCHESTRATED.fullmatch(name) and not (value or "").startswith(("tcp://", "udp://"))
    ]


def _suggestion(name: str) -> str:
    near = get_close_matches(name, Settings.model_fields, n=1, cutoff=0.65)
    return f" Did you mean {PREFIX}{near[0].upper()}?" if near else ""


def _variables() -> dict[str, str | None]:
    """Return our variables that are set, by their names in lower case without the prefix."""
    prefix = PREFIX.lower()
    return {
        name.removeprefix(prefix): value
        for source in (EnvSettingsSource(Settings), DotEnvSettingsSource(Settings))
        for name, value in source.env_vars.items()
        if name.startswith(prefix)
    }
