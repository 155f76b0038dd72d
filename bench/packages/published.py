"""All that the files of a repository say is published, mapped or not.

A manifest does not say whether its package really is; those of examples, tests, websites and what
is copied from elsewhere are left out.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import yaml

from packages.images import released_images
from packages.repositories import git, read_manifest
from versions.package_urls import PackageUrl

_MANIFEST: Final = re.compile(
    r"(?:.*/)?(?:package\.json|Cargo\.toml|pyproject\.toml|setup\.cfg|setup\.py|[^/]+\.gemspec|pom\.xml)"
)
_ASIDE: Final = re.compile(
    r"(?:^|/)(?:(?:tests?|specs?|testdata|fixtures?|examples?|samples?|demos?|docs?|website|site|e2e"
    r"|bench\w*|playground|templates?|vendor|node_modules|third_party)(?:/|-|_)|(?:hack|tools|ci)/)"
    r"|/src/(?:it|test)/",
    re.IGNORECASE,
)
_MODULE: Final = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def published_packages(home: Path) -> set[str]:
    """Return what a repository publishes, as package URLs without qualifiers."""
    found: set[tuple[str, str]] = set()
    for path in git(home, "ls-tree", "-r", "--name-only", "HEAD").splitlines():
        if not _ASIDE.search(path):
            found |= set(_of_file(home, path))
    purls = (PackageUrl.parse(f"pkg:{type_}/{name}") for type_, name in found)
    return {without_place(purl.part) for purl in purls if purl is not None}


def without_place(purl: str) -> str:
    """Return a package URL without its qualifiers."""
    return purl.partition("?")[0]


def _of_file(home: Path, path: str) -> Iterator[tuple[str, str]]:
    if _MANIFEST.fullmatch(path):
        yield from ((it.type, it.name) for it in read_manifest(home, path))
    name = path.rpartition("/")[2]
    if name not in ("go.mod", "Chart.yaml") and "goreleaser.y" not in name:
        return
    text = git(home, "show", f"HEAD:{path}")
    if name == "go.mod":
        yield from (("golang", module) for module in _MODULE.findall(text)[:1])
    elif name == "Chart.yaml":
        yield from (("helm", chart) for chart in _chart(text))
    else:
        yield from (("docker", _without_registry(image)) for image in released_images(text))


def _without_registry(image: str) -> str:
    first, _, rest = image.partition("/")
    return rest if rest and "." in first else image


def _chart(text: str) -> Iterator[str]:
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:
        return
    if isinstance(document, dict) and document.get("name") and document.get("type") != "library":
        yield str(document["name"])
