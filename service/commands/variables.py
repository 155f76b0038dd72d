"""The environment variables that give settings, and those that only look like one."""

import os
from difflib import get_close_matches
from typing import Final

from pydantic_settings import DotEnvSettingsSource, EnvSettingsSource

from service.settings import PREFIX, Settings

CONFORMANCE_KEYS: Final = "api_keys"  # an option of changewire conformance
SIMILARITY: Final = 0.65
"""How similar an unknown name must be to a setting's to be taken for a misspelling. Names that an
orchestrator adds are less similar: CHANGEWIRE_SERVICE_HOST, CHANGEWIRE_PORT_8080_TCP."""


def require_jail() -> None:
    """Require the jail of parsers in this process and its children, whatever the settings say."""
    os.environ[f"{PREFIX}REQUIRE_JAIL"] = "1"


def set_default(name: str, text: str) -> None:
    """Set a setting for this process and its children, unless the operator has set it."""
    if name not in _variables():
        os.environ[f"{PREFIX}{name.upper()}"] = text


def misspelled() -> list[str]:
    """Return a line for each variable that is no setting and whose name is similar to one."""
    return [
        f"There is no setting {PREFIX}{name.upper()}, so it changes nothing. "
        f"Did you mean {PREFIX}{similar.upper()}?"
        for name in sorted(_variables() - {*Settings.model_fields, CONFORMANCE_KEYS})
        for similar in get_close_matches(name, Settings.model_fields, n=1, cutoff=SIMILARITY)
    ]


def _variables() -> set[str]:
    """Return the names of our variables that are set, in lower case and without the prefix."""
    prefix = PREFIX.lower()
    return {
        name.removeprefix(prefix)
        for source in (EnvSettingsSource(Settings), DotEnvSettingsSource(Settings))
        for name in source.env_vars
        if name.startswith(prefix)
    }
