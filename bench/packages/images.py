"""Evidence about container images: that their tags are the versions of a repository's releases.

Four kinds of documents say it: what GoReleaser is told to push, with the release's tag or version;
the Makefiles of Prometheus and its exporters; the Dockerfile of one of Docker's official images
that installs the releases of one repository; and the table of sources that Renovate keeps.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from ingest.content.repositories import repository_of
from packages.evidence import Evidence, evidence, resemble
from packages.repositories import git

_RELEASER: Final = re.compile(r"\.?goreleaser\.ya?ml")
_IMAGE: Final = re.compile(
    r"(?:(?P<registry>[\w-]+(?:\.[\w-]+)+)/)?(?P<name>[a-z0-9][\w.-]*(?:/[\w.-]+)+)", re.ASCII
)
_OF_RELEASE: Final = re.compile(r"v?\{\{ *\.(?:Tag|Version) *\}\}")
_VARIABLE: Final = re.compile(r"^(DOCKER_\w+)\s*\?=\s*(\S+)\s*$", re.MULTILINE)
_FIELD: Final = re.compile(r"^(Tags|SharedTags|GitRepo|Directory): *(.+)$", re.MULTILINE)
_RELEASES: Final = re.compile(
    r"https://github\.com/[\w.-]+/[\w.-]+(?=/(?:releases/download|archive)/[^\s\"']*\$)"
)
_NUMBERS: Final = re.compile(r"v?\d+(?:\.\d+)+")


def from_images(folder: Path) -> Iterator[Evidence]:
    """Yield the evidence of the repositories in a folder."""
    for home in sorted(folder.glob("*+*/repo")):
        slug = home.parent.name.replace("+", "/", 1)
        top = git(home, "ls-tree", "--name-only", "HEAD").splitlines()
        for path in filter(_RELEASER.fullmatch, top):
            for image in sorted(set(released_images(git(home, "show", f"HEAD:{path}")))):
                yield from _evidence(image, slug, f"{slug}: {path}")
        if {"Makefile", "Makefile.common"} <= set(top):
            texts = [git(home, "show", f"HEAD:{it}") for it in ("Makefile.common", "Makefile")]
            values = dict(pair for text in texts for pair in _VARIABLE.findall(text))
            image = f"{values.get('DOCKER_REPO')}/{values.get('DOCKER_IMAGE_NAME')}"
            if "None" not in image and "$" not in image:
                yield from _evidence(image, slug, f"{slug}: Makefile, Makefile.common")


def released_images(text: str) -> Iterator[str]:
    """Yield the images that a configuration of GoReleaser pushes with the version of a release."""
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError:
        return
    if not isinstance(document, dict):
        return
    for section in _dicts(document.get("dockers")):
        yield from _tagged(section.get("image_templates"))
    for section in _dicts(document.get("docker_manifests")):
        yield from _tagged([section.get("name_template")])
    for section in (*_dicts(document.get("dockers_v2")), *_dicts(document.get("kos"))):
        if any(_OF_RELEASE.fullmatch(str(tag)) for tag in section.get("tags") or ()):
            images = section.get("images") or section.get("repositories") or ()
            yield from (str(image) for image in images)


def from_official(home: Path, folder: Path) -> Iterator[Evidence]:
    """Yield the evidence of Docker's list of official images; ``folder`` has their repositories."""
    for path in git(home, "ls-tree", "--name-only", "HEAD", "library/").splitlines():
        name = path.removeprefix("library/")
        fields = dict(reversed(_FIELD.findall(git(home, "show", f"HEAD:{path}"))))
        tags = f"{fields.get('Tags', '')}, {fields.get('SharedTags', '')}".split(", ")
        slug = fields.get("GitRepo", "").removeprefix("https://github.com/").removesuffix(".git")
        dockerfiles = folder / slug.replace("/", "+") / "repo"
        if not any(map(_NUMBERS.match, tags)) or not dockerfiles.is_dir():
            continue
        file = f"{fields.get('Directory', '.')}/Dockerfile".removeprefix("./")
        addresses = set(_RELEASES.findall(git(dockerfiles, "show", f"HEAD:{file}")))
        meant = {it for it in addresses if (at := repository_of(it)) and resemble(name, at)}
        if len(meant) == 1:
            seen_in = f"{slug}: {file}, official image {name}"
            yield from evidence("docker", name, meant.pop(), seen_in, must_resemble=True)


def from_renovate(file: Path) -> Iterator[Evidence]:
    """Yield the evidence of Renovate's lib/data/source-urls.json."""
    for image, address in json.loads(file.read_text(encoding="utf-8"))["docker"].items():
        slug = address.removeprefix("https://github.com/")
        yield from _evidence(image, slug, "renovatebot/renovate: lib/data/source-urls.json")


def _evidence(image: str, slug: str, seen_in: str) -> Iterator[Evidence]:
    found = _IMAGE.fullmatch(image)
    name, registry = (found["name"], found["registry"]) if found else (image, None)
    if found or re.fullmatch(r"[a-z]+", image):
        address = f"https://github.com/{slug}"
        yield from evidence("docker", name, address, seen_in, must_resemble=False, place=registry)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [it for it in value or () if isinstance(it, dict)] if isinstance(value, list) else []


def _tagged(templates: Any) -> Iterator[str]:
    for template in templates or ():
        image, _, tag = str(template).rpartition(":")
        if "{{" not in image and _OF_RELEASE.match(tag):
            yield image
