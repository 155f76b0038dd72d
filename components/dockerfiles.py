"""Dockerfiles: the images that they begin from and copy from, by the versions in their tags."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from components.component import LONGEST_NAME, Component, Named, short_version, unread
from components.lines import joined_lines

_FROM: Final = re.compile(
    r"FROM\s+(?:--\S+\s+)*(?P<image>\S+)(?:\s+AS\s+(?P<stage>\S+))?", re.IGNORECASE
)
_COPY: Final = re.compile(r"(?:COPY|ADD)\s.*?--from=(?P<image>\S+)", re.IGNORECASE)
_ARG: Final = re.compile(r"ARG\s+(?P<values>\S.*)", re.IGNORECASE)
_ASSIGNED: Final = re.compile(r"\b(?P<name>\w+)=(?:\"(?P<a>[^\"]*)\"|'(?P<b>[^']*)'|(?P<c>\S*))")
_VARIABLE: Final = re.compile(
    r"\$(?:\{(?P<name>\w+)(?::?(?P<sign>[-+])(?P<other>[^}]*))?\}|(?P<plain>\w+))", re.ASCII
)
_IMAGE: Final = re.compile(
    r"(?:(?P<registry>[\w-]+(?:\.[\w-]+)+(?::\d+)?|localhost(?::\d+)?)/)?"
    r"(?P<name>[a-z0-9][\w./-]*)(?::(?P<tag>[\w][\w.-]{0,127}))?(?:@\w+:[0-9a-f]+)?",
    re.ASCII,
)
_DOCKER_HUB: Final = ("docker.io", "index.docker.io", "registry-1.docker.io")
_TAG: Final = re.compile(
    r"(?P<version>v?\d+(?:\.\d+)*"
    r"(?:[.-]?(?:alpha|beta|rc|preview|pre|dev|m|a|b)[.-]?\d*(?=$|[-_]))?(?:\.\d+)*)"
    r"(?:[-_](?P<variant>.+))?",
    re.ASCII | re.IGNORECASE,
)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_UNSET: Final = "$"


def is_dockerfile(text: str) -> bool:
    """Tell whether a text is a Dockerfile: its first instructions are ARG and FROM."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return bool(_FROM.match(first)) or (
        bool(_ARG.match(first))
        and re.search(r"^[ \t]*FROM\s", text, re.IGNORECASE | re.MULTILINE) is not None
    )


def read_dockerfile(text: str) -> Iterator[Named]:
    """Yield the images that a Dockerfile begins from or copies from, stages left out.

    Only an ARG before the first FROM has a value in a FROM.
    """
    values: dict[str, str] = {}
    stages = {"scratch"}
    has_begun = False
    for number, line in joined_lines(text, is_comment=lambda raw: raw.lstrip().startswith("#")):
        argument = None if has_begun else _ARG.match(line)
        if argument is not None:
            values |= _assigned(argument["values"])
        instruction = _FROM.match(line) or _COPY.match(line)
        if instruction is None:
            continue
        has_begun = True
        image = _VARIABLE.sub(partial(_value, values), instruction["image"])
        if image.lower() not in stages and not image.isdecimal():
            yield _image(image, instruction["image"], number)
        if stage := instruction.groupdict().get("stage"):
            stages.add(stage.lower())


def _assigned(text: str) -> dict[str, str]:
    assignments = _ASSIGNED.finditer(text)
    return {it["name"]: it["a"] or it["b"] or it["c"] or "" for it in assignments}


def _value(values: dict[str, str], variable: re.Match[str]) -> str:
    """Return the value of a variable; a sign for one without a value."""
    value, other = values.get(variable["name"] or variable["plain"]), variable["other"] or ""
    if variable["sign"] == "+":
        return other if value else ""
    return value or (other if variable["sign"] else _UNSET)


def _image(reference: str, text: str, line: int) -> Named:
    if _UNSET in reference:
        return unread(text, "an image that depends on an ARG without a value", line=line)
    parts = _IMAGE.fullmatch(reference[:500])
    if parts is None:
        return unread(text, "no image that can be read", line=line)
    registry = parts["registry"]
    if registry in _DOCKER_HUB:
        registry = None
    name = parts["name"] if registry else parts["name"].removeprefix("library/")
    version = short_version(version_of_tag(parts["tag"] or ""))
    return Component("docker", name[:LONGEST_NAME], None, None, version, registry, line)


def version_of_tag(tag: str) -> str | None:
    """Return the version in a tag without the variant of the image: 3.12 of 3.12-slim-bookworm.

    A tag that has a number but does not begin with it is a version as a whole: RELEASE.2026-01-16.
    """
    if not any(map(str.isdecimal, tag)):
        return None
    match = None if _DAY.match(tag) else _TAG.fullmatch(tag)
    return match["version"] if match else tag
