"""Where a sign-in may redirect to: pages of this site that need it, nothing else."""

import re
from typing import Final
from urllib.parse import unquote

HOME: Final = "/following"
FIRST: Final = "/app/sources"  # where a sign-in leads before anything is selected
LONGEST: Final = 512
# The characters of RFC 3986 section 3.3 and 3.4; none that a browser would strip or turn round.
_LOCAL: Final = re.compile(r"/(?:app|following|sources|e)(?:[/?][A-Za-z0-9._~!$'()*+,;=:@%/?&-]*)?")


def local_path(url: str | None) -> str:
    """Return an address if it is a path of a page that needs a sign-in, else /following.

    It is checked as written and after decoding it twice: no empty or dotted segment, no backslash,
    no control character.
    """
    if url is None or len(url) > LONGEST or not _LOCAL.fullmatch(url):
        return HOME
    path = url.partition("?")[0]
    decoded = unquote(unquote(path))
    segments = decoded.split("/")[1:]
    clean = decoded.isprintable() and not set(decoded) & set("\\%?#")
    return url if clean and not {"", ".", ".."} & set(segments) else HOME
