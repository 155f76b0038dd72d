"""Files after public reports, and generated ones: each entry is a part or told as left out."""

import json
from pathlib import Path

import pytest
from component_files import FILES
from hypothesis import given, settings
from hypothesis import strategies as st

from package_versions.component import Unreadable
from package_versions.package_index import index_name_of
from package_versions.package_urls import PackageUrl
from package_versions.read import read_components

CASES = Path(__file__).parent / "lockfiles"
EXPECTED = json.loads((CASES / "expected.json").read_text("utf-8"))
FORMATS = json.loads((FILES / "generated.json").read_text("utf-8"))
"""Of each format the beginning, ways to write an entry (the first is a package), and the end."""
PACKAGES = st.tuples(
    st.from_regex(r"[a-z]{4,9}", fullmatch=True), st.integers(0, 99).map("1.2.{}".format)
)


@pytest.mark.parametrize("file", EXPECTED)
def test_a_file_is_read_right_or_refused(file):
    expected, document = EXPECTED[file], (CASES / file).read_bytes()
    if "refused" in expected:
        with pytest.raises(Unreadable, match=expected["refused"]):
            read_components(document)
        return
    read = read_components(document)

    assert sorted(part.purl for part in read.components) == sorted(expected["parts"])
    assert len(read.unread) == len(expected["told"])
    for text in expected["told"]:
        assert any(text in each.sentence for each in read.unread), text


@pytest.mark.parametrize("form", FORMATS)
@settings(deadline=None)
@given(data=st.data())
def test_of_each_format_every_entry_is_a_part_or_told(form, data):
    ways = FORMATS[form]["entries"]
    packages = data.draw(st.lists(PACKAGES, min_size=1, max_size=8, unique_by=lambda it: it[0]))
    drawn = data.draw(st.lists(st.sampled_from(ways), min_size=len(packages), max_size=8))
    chosen = [ways[0], *drawn[1:]]
    entries = [
        way.replace("%n", name).replace("%v", version)
        for way, (name, version) in zip(chosen, packages, strict=False)
    ]
    text = FORMATS[form]["head"] + FORMATS[form]["join"].join(entries) + FORMATS[form]["tail"]
    end = data.draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))

    read = read_components(text.replace("\n", end).encode(encoding))

    told = " ".join(each.text for each in read.unread)
    found = {
        part.name.rpartition("/")[2]: (part.version or "").strip("v") for part in read.components
    }
    for way, (name, version) in zip(chosen, packages, strict=False):
        assert name in found or name in told
        assert way != ways[0] or found[name] == version


REGISTRIES = json.loads((CASES.parent / "registries.json").read_text("utf-8"))


@pytest.mark.parametrize("case", REGISTRIES, ids=[case["why"] for case in REGISTRIES])
def test_names_from_git_addresses_and_registries_of_their_own_stay_unasked(case):
    placed = [part.placed_purl for part in read_components(case["file"].encode()).components]
    names = [index_name_of(PackageUrl.parse(purl)) for purl in placed]

    assert sorted(name.name for name in names if name) == case["asked"]
    assert "acme.example" not in " ".join(placed)


@pytest.mark.parametrize("place", ["", "?repository_url=ghcr.io"])
def test_an_image_is_from_the_repository_that_its_label_names(place):
    label = {"name": "syft:image:labels:org.opencontainers.image.source"}
    image = {"purl": f"pkg:docker/acme/web@2.0{place}", "version": "2.0"}
    image["properties"] = [label | {"value": "https://github.com/Acme/Web"}, {"name": "other"}]
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [image]}

    (part,) = read_components(json.dumps(bill).encode()).components

    assert PackageUrl.parse(part.placed_purl).repository == "pkg:github/acme/web"
