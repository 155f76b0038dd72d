"""Laws for every text: verbatim evidence, no exception, one answer."""

import os
import subprocess
import sys
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.importance import classify
from changelog_reader.importance.mask import mask
from changelog_reader.importance.statements import statements

PIECES = (
    *("## Breaking changes\n", "## Security\n", "## Fixed\n", "- ", "\n", "\n\n", "`", '"', "“"),
    *(". "),
    *("The API", "has been removed", "is deprecated", "will be removed on", "no longer"),
    *("CVE-2031-1234"),
    *("1 March 2027", "Q3 2026", "in 2027", "end of life", "not", "fixed", "a vulnerability"),
    *("İ", "ß", "。"),
    *(
        "削除しました",
        "2027年3月1日",
        "已弃用",
        "wurde entfernt",
        "obsolète",
        "https://a.example/x",
        "\x00",
    ),
)
TEXTS = st.one_of(
    st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
)
WHEN = st.none() | st.datetimes(timezones=st.just(UTC))


@given(title=TEXTS, summary=TEXTS, published_at=WHEN)
def test_every_quotation_is_verbatim_and_every_category_has_one_to_three(
    title, summary, published_at
):
    found = classify(title, summary, published_at=published_at)

    fields = {"title": title, "summary": summary}
    for each in [*found.evidence, *(deadline.evidence for deadline in found.deadlines)]:
        assert each.text == fields[each.field][each.start : each.end]
        assert 0 < len(each.text) <= 300
    assert all(deadline.from_ <= deadline.to for deadline in found.deadlines)
    counts = [
        sum(passage.category is one for passage in found.evidence) for one in found.categories
    ]
    assert all(1 <= count <= 3 for count in counts)
    assert sum(counts) == len(found.evidence)


@given(title=TEXTS, summary=TEXTS)
def test_statements_stand_where_they_say(title, summary):
    masked = {"title": mask(title), "summary": mask(summary)}

    for each in statements(title, summary):
        assert masked[each.field][each.start : each.start + len(each.masked)] == each.masked


def test_another_seed_of_hashes_gives_the_same_answer():
    """Evidence stands in the order of the text, never in that of a set."""
    program = (
        "from changelog_reader.importance import classify\n"
        "said = 'The old parser is deprecated. Node 6 is gone; it has been removed. Fixes an XSS'\n"
        "print(classify('Release 7', said, types=('Breaking Change', 'Deprecation')))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }

    assert len(answers) == 1


@pytest.mark.parametrize(
    "unit",
    [
        *("a", " ", "`", '"', "“", "#", "# ", "- ", "\n", "\n\n", ".", ". ", "1 ", "20", "2027 "),
        *("İ"),
        *("will be ", "removed ", "is deprecated ", "no longer ", "must ", "a-", "a.", "CVE-"),
        *("(", "「"),
        *("1 March ", "March 1, ", "Q3 2026 ", "support for ", "default ", "の", "将", "2027年"),
        *("：", "\x00"),
        *("will be removed on 1 March 2027 ", "- x\n", "**a** ", "users should have to ", "x: "),
        "no longer removed in 2027--",
    ],
)
def test_a_hundred_thousand_characters_of_anything_are_read(unit):
    text = unit * (100_000 // len(unit))

    found = classify(text, text, published_at=datetime(2026, 1, 1, tzinfo=UTC))

    assert all(len(passage.text) <= 300 for passage in found.evidence)
