"""Whether this machine can jail the processes that read strangers' documents."""

import structlog

from ingest.sandbox.jail import missing_protections
from service.settings import Settings, WrongSettings

log = structlog.get_logger(__name__)


def check_jail(settings: Settings) -> None:
    """Warn of a jail with holes; raise WrongSettings where the operator requires a whole one."""
    missing = " and ".join(missing_protections())
    if not missing:
        return
    if settings.require_jail:
        raise WrongSettings(
            f"CHANGEWIRE_REQUIRE_JAIL: this kernel or container does not offer {missing}; "
            "documents are not read without."
        )
    log.warning(
        "PARSERS RUN WITHOUT A WHOLE JAIL: a hostile document that takes over its parser could "
        "read files of this user; see docs/security.md",
        missing=missing,
    )
