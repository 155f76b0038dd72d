"""Files of lines: requirements.txt, go.mod, Gemfile.lock, Dockerfile."""

import re
from collections.abc import Iterator
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from components.component import (
    LONGEST_NAME,
    Component,
    Unreadable,
    repository_in,
    short_version,
)

_GO: Final = re.compile(
    r"(?:(?P<verb>\w+)\s+)?(?P<module>[\w.~/-]+)\s+(?P<version>v\d[\w.+-]*)(?:\s*//.*)?", re.ASCII
)
_GO_BLOCK: Final = re.compile(r"(?P<verb>\w+)\s*\(", re.ASCII)
_GEM: Final = re.compile(r" {4}(?P<name>[\w.-]+) \((?P<version>[^)-]*)[^)]*\)", re.ASCII)
_REMOTE: Final = re.compile(r"  remote: (?P<address>\S+)")
_HASH: Final = re.compile(r"(?:\s+#.*|\s+--\S.*|\s*\\)$")
_FROM: Final = re.compile(
    r"FROM\s+(?:--\S+\s+)*(?P<image>\S+)(?:\s+AS\s+(?P<stage>\S+))?", re.IGNORECASE
)
_COPY: Final = re.compile(r"(?:COPY|ADD)\s.*?--from=(?P<image>\S+)", re.IGNORECASE)
_ARG: Final = re.compile(r"ARG\s+(?P<name>\w+)=[\"']?(?P<value>[^\"'\s]*)", re.IGNORECASE)
_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)(?::?-([^}]*))?\}|(\w+))", re.ASCII)
_IMAGE: Final = re.compile(
    r"(?:(?P<registry>[\w-]+(?:\.[\w-]+)+(?::\d+)?|localhost(?::\d+)?)/)?"
    r"(?P<name>[a-z0-9][\w./-]*)(?::(?P<tag>[\w][\w.-]{0,127}))?(?:@sha256:[0-9a-f]+)?",
    re.ASCII,
)
_DOCKER_HUB: Final = ("docker.io", "index.docker.io", "registry-1.docker.io")


def read_requirements(text: str) -> Iterator[Component]:
    """Yield the projects of a requirements.txt, by their names of PEP 508."""
    for number, raw in enumerate(text.splitlines(), 1):
        line = _HASH.sub("", raw).strip()
        if not line or line.startswith(("#", "-")):
            continue
        try:
            needed = Requirement(line)
        except InvalidRequirement:
            raise Unreadable(f"Line {number} is no requirement that can be read.") from None
        repository = repository_in(needed.url) if needed.url else None
        name = str(canonicalize_name(needed.name))[:LONGEST_NAME]
        yield Component("pypi", name, repository, version=_pinned(needed), line=number)


def _pinned(needed: Requirement) -> str | None:
    """Return the version that a requirement settles on."""
    pins = [
        each.version
        for each in needed.specifier
        if each.operator in ("==", "===") and not each.version.endswith(".*")
    ]
    return short_version(pins[0]) if len(pins) == 1 else None


def is_go_mod(text: str) -> bool:
    """Tell whether a text is a go.mod."""
    return re.search(r"^module\s+\S+\s*(?://.*)?$", text, re.MULTILINE) is not None


def read_go_mod(text: str) -> Iterator[Component]:
    """Yield what a go.mod requires; a path on github.com names its repository."""
    block = ""
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if opened := _GO_BLOCK.match(line):
            block = opened["verb"]
        elif line.startswith(")"):
            block = ""
        elif (found := _GO.fullmatch(line)) and (found["verb"] or block) == "require":
            module = found["module"][:LONGEST_NAME]
            repository = repository_in(module) if module.startswith("github.com/") else None
            version = short_version(found["version"])
            yield Component("golang", module, repository, version=version, line=number)


def is_gemfile_lock(text: str) -> bool:
    """Tell whether a text is a Gemfile.lock."""
    return re.search(r"^(?:GEM|GIT|PATH)$", text, re.MULTILINE) is not None


def read_gemfile_lock(text: str) -> Iterator[Component]:
    """Yield the gems of a Gemfile.lock; those of a git section have its repository."""
    section, repository = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith(" "):
            section, repository = line.strip(), None
        elif remote := _REMOTE.fullmatch(line):
            repository = repository_in(remote["address"]) if section == "GIT" else None
        elif section != "PATH" and (gem := _GEM.fullmatch(line)):
            version = short_version(gem["version"])
            yield Component(
                "gem", gem["name"][:LONGEST_NAME], repository, version=version, line=number
            )


def is_dockerfile(text: str) -> bool:
    """Tell whether a text is a Dockerfile: its first instructions are ARG and FROM."""
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return bool(_FROM.match(first)) or (
        bool(_ARG.match(first) or re.match(r"ARG\s+\w+\s*$", first, re.IGNORECASE))
        and re.search(r"^\s*FROM\s", text, re.IGNORECASE | re.MULTILINE) is not None
    )


def read_dockerfile(text: str) -> Iterator[Component]:
    """Yield the images that a Dockerfile begins from or copies from, stages left out."""
    values: dict[str, str] = {}
    stages = {"scratch"}
    for number, line in enumerate(map(str.strip, text.splitlines()), 1):
        if argument := _ARG.match(line):
            values[argument["name"]] = argument["value"]
        found = _FROM.match(line) or _COPY.match(line)
        if found is None:
            continue
        image = _VARIABLE.sub(lambda name: _value(name, values), found["image"])
        if image.lower() not in stages and not image.isdecimal():
            yield from _image(image, number)
        if stage := found.groupdict().get("stage"):
            stages.add(stage.lower())


def _value(found: re.Match[str], values: dict[str, str]) -> str:
    return values.get(found[1] or found[3], found[2] or "$")


def _image(reference: str, line: int) -> Iterator[Component]:
    found = _IMAGE.fullmatch(reference[:500])
    if found is None:
        return
    registry = found["registry"]
    if registry in _DOCKER_HUB:
        registry = None
    name = found["name"] if registry else found["name"].removeprefix("library/")
    tag = found["tag"] or ""
    version = short_version(tag) if any(map(str.isdecimal, tag)) else None
    yield Component("docker", name[:LONGEST_NAME], None, None, version, registry, line)
