"""Important entries, and entries that only sound important."""

import re
import tomllib
from pathlib import Path

import pytest

from changelog_reader.importance import classify
from changelog_reader.vocabulary import Category

B, D, S = Category.BREAKING, Category.DEPRECATION, Category.SECURITY

SENTENCES = tomllib.loads((Path(__file__).parent / "sentences.toml").read_text("utf-8"))


@pytest.mark.parametrize(
    ("sentence", "category"),
    [(text, category) for category in Category for text in SENTENCES[category]],
)
def test_an_important_sentence_is_found_as_title_and_as_summary(sentence, category):
    assert category in classify(sentence, "").categories
    assert category in classify("Release 7", sentence).categories


@pytest.mark.parametrize("sentence", SENTENCES["harmless"])
def test_a_harmless_sentence_is_not_important(sentence):
    assert classify(sentence, "").categories == ()
    assert classify("Release 7", sentence).categories == ()


@pytest.mark.parametrize("sentence", SENTENCES["other_senses"])
def test_words_in_another_sense_are_nothing(sentence):
    assert classify(sentence, "").categories == ()
    assert classify("Release 7", f"- {sentence}").categories == ()
    assert classify("Release 7", f"## Bug fixes\n\n- {sentence}").categories == ()


@pytest.mark.parametrize("sentence", SENTENCES["security_fixes"])
def test_security_fixes_are_found_however_they_are_told(sentence):
    assert S in classify(sentence, "").categories
    assert S in classify("Release 7", f"- {sentence}").categories
    assert S in classify("Release 7", f"## Bug fixes\n\n- {sentence}").categories


@pytest.mark.parametrize("sentence", SENTENCES["upkeep"])
def test_upkeep_of_the_vendor_is_of_no_importance(sentence):
    assert classify("v1.2.3", f"- {sentence}").categories == ()


def test_what_was_deprecated_and_is_gone_is_breaking_and_no_deprecation():
    found = classify("", "The flags that were previously deprecated have been removed.")

    assert found.categories == (B,)
    assert classify("", "Dropping support for end-of-life versions.").categories == (B,)


def test_what_is_deprecated_and_will_go_is_a_deprecation_and_not_yet_breaking():
    said = "The parser is deprecated and will be removed in the next major release."
    assert classify("", said).categories == (D,)


@pytest.mark.parametrize(
    ("heading", "category"),
    [
        ("Breaking changes", B),
        ("⚠ BREAKING CHANGES", B),
        ("Breaking change in component tests", B),
        ("Removed", B),
        ("Removal/refactoring of old parts", B),
        ("Deprecated", D),
        ("Security", S),
        ("Security fixes", S),
        ("Security improvements", S),
        ("Entfernt", B),
        ("非推奨", D),
    ],
)
def test_an_item_is_what_its_heading_says(heading, category):
    told = "Lines end with the first comma"
    summary = f"## Added\n\n- A wizard\n\n## {heading}\n\n- {told}\n- The old parser"

    found = classify("3.0.0", summary)

    assert found.categories == (category,)
    assert [it.text for it in found.evidence] == [f"{heading}\n\n- {told}\n- The old parser"]


@pytest.mark.parametrize("nothing", SENTENCES["nothing"])
@pytest.mark.parametrize("heading", ["Breaking changes", "Deprecated", "Security fixes"])
def test_an_empty_section_says_nothing_and_ends(heading, nothing):
    summary = f"## {heading}\n\n{nothing}\n\n- Faster dashboards for teams"

    assert classify("3.0.0", summary).categories == ()


@pytest.mark.parametrize("thing", SENTENCES["not_nothing"])
def test_a_section_is_not_empty_where_its_item_only_sounds_so(thing):
    assert classify("3.0.0", f"## Breaking changes\n\n- {thing}").categories == (B,)


def test_a_sentence_is_no_heading_of_what_follows_it():
    assert classify("3.0.0", "Bug fixes.\n\n- The old parser was removed").categories == (B,)


def test_a_heading_ends_at_the_next_one():
    summary = "## Removed\n\n- The old parser\n\n## Added\n\n- A wizard"

    texts = [passage.text for passage in classify("3.0.0", summary).evidence]

    assert texts == ["Removed\n\n- The old parser"]


def test_the_vendors_own_heading_is_quoted_before_plain_words():
    said = "".join(f"The v{number} API has been removed.\n\n" for number in (1, 2, 3))

    texts = [passage.text for passage in classify("", f"{said}## Removed\n\n- XML").evidence]

    assert "Removed\n\n- XML" in texts


def test_a_weak_word_under_bug_fixes_is_not_enough():
    said = "- `save` no longer adds a blank line\n- Bump default git plugin"
    assert classify("", f"## Bug fixes\n\n{said}").categories == ()


@pytest.mark.parametrize(("heading", "found"), [("Features", (B,)), ("Chores", ())])
def test_what_adds_nothing_counts_below_additions(heading, found):
    said = "- reject servers without a region"

    assert classify("", f"## {heading}\n\n{said}").categories == found


def test_what_tidies_breaks_nothing_below_removed():
    assert classify("", "## Removed\n\n- request dependency and its imports").categories == ()
    assert classify("", "## Removed\n\n- The parser of dates").categories == (B,)


def test_a_vulnerability_with_a_number_counts_under_any_heading():
    assert classify("", "## Bug fixes\n\n- Fix CVE-2031-12345").categories == (S,)


def test_evidence_of_a_long_sentence_is_its_first_clauses_with_the_clue_in_them():
    said = f"The old API (REST, SOAP) has been removed; {'see the guide, ' * 30}and write to us."

    (only,) = classify("News", said).evidence

    assert len(only.text) <= 300
    assert only.text.startswith("The old API (REST, SOAP) has been removed; see the guide")
    assert only.text.endswith("see the guide")


@pytest.mark.parametrize(("title", "text"), SENTENCES["quoted"])
def test_evidence_can_stand_alone(title, text):
    found = classify(re.sub("[⟦⟧]", "", title), re.sub("[⟦⟧]", "", text))

    assert [it.text for it in found.evidence] == re.findall("(?s)⟦(.*?)⟧", title + text)


def test_what_only_points_or_thanks_is_no_evidence_under_a_heading():
    summary = (
        "## Breaking changes\n\n- Pull request #261\n- These parts went:\n- The parser"
        "\n- See the guide.\n- Big thanks to Ada!"
    )

    found = classify("News", summary)

    assert [passage.text for passage in found.evidence] == [summary[3:].partition("\n- See")[0]]


def test_a_heading_is_quoted_with_what_is_below_it_and_one_line_of_many_alone():
    told = "## Removed the parser from\n\nAll clients of the shop."
    lines = "Update hosts\nfix(deps): take cobra 1.8\nThe lexer is gone\nBump 2.0\nBump 3.0"

    assert [it.text for it in classify("News", told).evidence] == [told[3:]]
    assert [it.text for it in classify("News", lines).evidence] == ["The lexer is gone"]


def test_evidence_in_a_table_is_the_header_and_the_row():
    header, *rows = "Model | Status", "a-1 | is deprecated", "b-2 | new"

    found = classify("News", "\n".join((header, *rows)))

    assert [passage.text for passage in found.evidence] == [f"{header}\n{rows[0]}"]


def test_an_end_of_security_updates_is_a_deprecation_and_no_security_fix():
    said = "Devices on this edition will no longer receive monthly security updates."

    assert classify("", said).categories == (D,)


@pytest.mark.parametrize(
    ("title", "category"),
    [
        ("Deprecated: the XML export", D),
        ("[Deprecated] The XML export", D),
        ("Breaking: tokens in the query", B),
        ("Removed: the XML export", B),
        ("Security: tokens in the log", S),
    ],
)
def test_the_type_in_front_of_a_title_settles_its_category(title, category):
    found = classify(title, "See the documentation.")

    assert found.categories == (category,)
    assert [passage.text for passage in found.evidence] == [title]


@pytest.mark.parametrize("type_", ["Feature", "Fixed", "Improvement", "New"])
def test_the_type_in_front_of_a_title_holds_for_what_is_told_below(type_):
    below = "The old colours were removed."

    assert classify("The new editor", below).categories == (B,)
    assert classify(f"{type_}: the new editor", below).categories == ()


@pytest.mark.parametrize(
    ("types", "categories"),
    [
        (["Breaking Change"], (B,)),
        (["Coming Soon", "Action Required"], (B,)),
        (["Breaking Change", "Deprecation"], (B, D)),
        (["Deprecations", "API"], (D,)),
        (["Security advisory"], (S,)),
        (["Security"], ()),
        (["New feature"], ()),
        (["API", "Payments"], ()),
    ],
)
def test_what_the_vendor_sorted_an_entry_under_settles_its_categories(types, categories):
    found = classify("Orders of the second kind", "Read more in the guide.", types=types)

    assert found.categories == categories
    assert {passage.text for passage in found.evidence} <= {"Orders of the second kind"}


def test_what_the_text_says_is_quoted_rather_than_the_title():
    found = classify("Orders", "The field has been removed.", types=["Breaking Change"])

    assert [passage.text for passage in found.evidence] == ["The field has been removed."]


def test_a_plain_word_counts_whatever_the_vendor_sorted_the_entry_under():
    said = "Drops support for Python 3.8."
    assert classify("Editor", said, types=["Bug fix"]).categories == (B,)


def test_an_item_type_is_nearer_than_its_heading():
    summary = "## Other changes\n\n- Added: a page that was removed\n- Deprecated: the old parser"

    assert classify("3.0.0", summary).categories == (D,)


def test_the_type_of_an_item_does_not_unsettle_its_heading():
    summary = "## Security\n\n- fix(links): resolve one level less\n"

    assert classify("3.0.0", summary).categories == (S,)


def test_what_is_gone_under_a_deprecation_is_breaking_too():
    summary = "## Deprecated\n\n- Apps can no longer create guilds."

    assert classify("3.0.0", summary).categories == (B, D)


def test_a_repair_is_no_breaking_change_of_its_own():
    assert classify("3.0.1", "- Fixed: the help was removed from the menu").categories == ()
    assert classify("3.0.1", "- Fixed a crash when a plugin is deprecated").categories == ()


@pytest.mark.parametrize(
    ("summary", "categories"),
    [
        ("- security fixes\n- Fix race in confirmation\n- enhancements\n- Add a mailer", (S,)),
        ("- 1 deprecation removal:\n- Delete capistrano.rb\n- 2 bug fixes:\n- Speed up", (B,)),
        ("- Deprecations\n- `foo`, use `bar`\n- Fixes\n- Drop the lock earlier", (D,)),
        ("- 3 bug fixes:\n- Remove toplevel interception, load it on demand", ()),
        ("- Bug fixes\n- Removed the `colour` option", (B,)),  # a list of one level
        ("- Various fixes\n- Security fixes\n- Bug fixes", (S,)),
        ("- Breaking changes\n- None", ()),
        ("- Improve deprecation warnings (#7)\n- Read stdin", ()),
        ("- Upgrade instructions\n- Watch the release recap", ()),
    ],
)
def test_an_item_may_be_the_heading_of_those_below_it(summary, categories):
    assert classify("v1.2.3", summary).categories == categories


def test_a_removal_told_behind_an_addition_is_a_breaking_change():
    summary = "- Added `Credentials.from_signing` and removed service.to_jwt_credentials."
    assert classify("v0.9.0", summary).categories == (B,)


@pytest.mark.parametrize(
    "heading", ["Internal / Testing Changes", "Library - Chore", "Bug Fixes, Minor Improvements"]
)
def test_what_stands_under_a_heading_of_upkeep_is_of_no_importance(heading):
    assert classify("v1", f"## {heading}\n\n- Rename `one.py` to `two.py`").categories == ()


@pytest.mark.parametrize(
    ("summary", "categories"),
    [
        ("Model A will be retired on 2031-06-29, 6 months after being deprecated.", (D,)),
        ("Version 4 is supported until 2031-06-29.", ()),
        ("| 4.1 | Retirement: 2031-06-29 |", ()),
    ],
)
def test_an_end_in_deadlines_is_important_unless_it_is_a_window_of_support(summary, categories):
    found = classify("News", summary)

    assert found.deadlines
    assert found.categories == categories
