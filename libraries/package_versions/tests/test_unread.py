"""The parts of a file, and its unread lines with their reasons."""

import json

import pytest
from component_files import FILES, FORMS

from package_versions.read import MOST_UNREAD, read_components


def read(text):
    document = text if isinstance(text, bytes) else text.encode()
    return read_components(document)


def named(text):
    return [(it.type, it.name, it.version, it.line) for it in read(text).components]


def told(text):
    return [it.sentence for it in read(text).unread]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("requirements.txt", ["Line 5: -r more.txt: includes another file; upload it separately."]),
        ("go.mod", ["Line 15: k8s.io/api v0.31.0: replaced by the local path ../api."]),
        (
            "cyclonedx.json",
            [
                "Line 26: nonsense: it has no package URL.",
                "Line 29: without: it has no package URL.",
            ],
        ),
        ("spdx.json", []),
    ],
)
def test_of_each_format_what_is_not_read_is_told(form, expected):
    assert told(FORMS[form][0]) == expected


LINES = (FILES / "odd-requirements.txt").read_bytes()


def test_a_requirements_txt_is_read_line_by_line():
    assert named(LINES) == [
        ("pypi", "acme-data", "3.1", 15),
        ("pypi", "acme-tool", None, 6),
        ("github", "acme/other", "1.4.0", 7),
        ("pypi", "flask", "3.0.0", 1),
        ("pypi", "ours", "1.0", 9),
        ("pypi", "requests", "2.32.3", 8),
        ("pypi", "six", "1.16.0", 13),
    ]
    assert told(LINES) == [
        "Line 2: this is no requirement: not a valid requirement.",
        "Line 3: -r base.txt: includes another file; upload it separately.",
        "Line 4: -c constraints.txt: includes another file; upload it separately.",
        "Line 5: -e ./ours: a local path without a project name.",
        "Line 10: ./ours: a local path without a project name.",
        "Line 11: https://example.org/: an address without a project name.",
    ]


GO_MOD = (FILES / "replaced-go.mod").read_bytes()


def test_in_a_go_mod_what_stands_in_a_modules_place_counts():
    assert named(GO_MOD) == [
        ("golang", "example.org/bad", None, 8),
        ("golang", "example.org/other", "v1.1.0", 6),
        ("golang", "example.org/pinned", "v1.0.9", 13),
        ("golang", "github.com/acme/fork", "v1.0.1", 12),
        ("golang", "github.com/acme/tool", "v1.2.0", 3),
    ]
    assert told(GO_MOD) == [
        "Line 15: example.org/local v0.1.0: replaced by the local path ./local."
    ]


SPDX_3 = (FILES / "spdx-3.json").read_bytes()


def test_a_bill_of_spdx_3_is_read():
    found = [(type_, name, version) for type_, name, version, _ in named(SPDX_3)]
    assert found == [("pypi", "flask", "3.0.0"), ("npm", "react", "19.0.0")]
    assert [it.split(": ", 1)[1] for it in told(SPDX_3)] == ["zlib 1.3: it has no package URL."]


SPDX_2 = (FILES / "spdx-described.json").read_bytes()


def test_a_component_without_a_package_url_is_told_and_the_product_itself_is_not():
    (component,) = read(SPDX_2).components
    (unnamed,) = read(SPDX_2).unread

    assert (component.name, unnamed.text, unnamed.is_unnamed) == ("a", "zlib 1.3", True)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"dependencies": {"a": "1.0.0", "\x1b[31mred\x00": "1.0.0"}}),
        json.dumps(
            {
                "bomFormat": "CycloneDX",
                "components": [{"purl": "pkg:npm/a@1.0.0"}, {"name": "\x1b[31mred\x00"}],
            }
        ),
        "a==1.0.0\n\x1b[31mred\x07\n",
    ],
)
def test_control_characters_are_in_no_name(text):
    parts = read(text)

    assert [it.name for it in parts.components] == ["a"]
    (other,) = parts.unread
    assert "red" in other.text
    assert other.sentence.isprintable()


def test_a_list_of_what_is_not_read_has_a_bound_that_is_told():
    lines = [f"-r file{n}.txt" for n in range(MOST_UNREAD + 5)]

    unread = read("\n".join(["a==1", *lines])).unread

    assert len(unread) == MOST_UNREAD + 1
    assert unread[-1].sentence == "5 more: not listed one by one."
