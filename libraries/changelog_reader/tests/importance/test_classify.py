"""What makes an entry important, and what only sounds as if it did."""

import pytest

from changelog_reader.importance import classify
from changelog_reader.vocabulary import Category

B, D, S = Category.BREAKING, Category.DEPRECATION, Category.SECURITY

SENTENCES = [
    ("The v1 search endpoint has been removed.", B),
    ("acme-cli no longer supports the old configuration file.", B),
    ("feat!: answer with JSON only", B),
    ("refactor(client)!: rename Session to Connection", B),
    ("Requires PHP 8.2 or later.", B),
    ("Drop support for Python 3.8", B),
    ("Crash reports are now opt-in.", B),
    ("Renamed the option `colour` to `color`.", B),
    ("Metric `jobs` renamed to `tasks`", B),
    ("The minimum supported Node.js version is now 20", B),
    ("Requires Node.js 18 or newer", B),
    ("The previously deprecated login form has been removed.", B),
    ("The default value of `retries` has been changed from 3 to 5.", B),
    ("Introduced a breaking change to the reports API.", B),
    ("Breaking: requests without a version header are rejected.", B),
    ("This change makes the client incompatible with servers before 3.1.", B),
    ("Customers must rotate their keys by 1 May 2027.", B),
    ("Sign-in with SSO is no longer available on the Free plan.", B),
    ("Exports are now limited to 10,000 rows.", B),
    ("Requests must now carry a version header.", B),
    ("From 1 May, clients of the first generation are turned away.", B),
    ("The v1 search endpoint is deprecated.", D),
    ("Add deprecation warning for node 6", D),
    ("The v1 search endpoint will be removed in a future release.", D),
    ("Globex Mail reaches end of life next summer.", D),
    ("We are sunsetting the classic dashboard.", D),
    ("The free tier is ending on 31 March.", D),
    ("Announcing the retirement of classic alerts.", D),
    ("Retirement notice: the desktop client", D),
    ("The XML endpoint is going away next year.", D),
    ("We plan to remove support for SOAP in version 9.", D),
    ("Fixes CVE-2031-12345.", S),
    ("Fix SSRF in the webhook tester.", S),
    ("Fixes a denial of service when parsing malformed headers.", S),
    ("Fix timing attack in token comparison.", S),
    ("Fixed an issue that let members read the private notes of other customers.", S),
    ("Upgrade now, see GHSA-abcd-ef12-3456.", S),
    ("Fixed a cross-site scripting vulnerability in the editor.", S),
    ("An attacker could read arbitrary files of the server.", S),
    ("Die alte Schnittstelle wurde entfernt.", B),
    ("Das Modul gilt ab sofort als veraltet.", D),
    ("Behebt eine Sicherheitslücke in der Anmeldung.", S),
    ("L'ancienne interface a été supprimée.", B),
    ("Cette option est obsolète.", D),
    ("Corrige une faille de sécurité dans l'éditeur.", S),
    ("Se ha eliminado la interfaz antigua.", B),
    ("El módulo está obsoleto.", D),
    ("Corrige una vulnerabilidad del editor.", S),
    ("旧APIを削除しました。", B),
    ("この機能は非推奨になりました。", D),
    ("ログイン画面の脆弱性を修正しました。", S),
    ("已移除旧版接口。", B),
    ("该接口已弃用。", D),
    ("修复了编辑器的安全漏洞。", S),
]

HARMLESS = [
    "No breaking changes.",
    "This is a non-breaking change.",
    "Fixed a deprecation warning.",
    "Removed a stale comment.",
    "Breaking news: our conference is back!",
    "Parser [3.2.6] - 2026-02-07",
    "Security Center release notes",
    "This release contains no security fixes.",
    "Deprecated fields are now highlighted in the explorer.",
    "Say goodbye to slow builds.",
    "Requests that were wrongly rejected are now accepted.",
    "The firewall now detects SQL injection in JSON bodies.",
    "The search field no longer returns duplicates.",
    "The `region` parameter is now optional.",
    "Replaced deprecated calls of the runtime.",
    "Security groups can now be tagged.",
    "The default theme is now dark.",
    "Fixed the message “this API is deprecated and will be removed” in the German texts.",
    "The help of `acme deprecate` is easier to read.",
    "You can now delete several files at once.",
    "The export is no longer limited to 1,000 rows.",
    "Added a page about our deprecation policy.",
    "A new region is available.",
    "Fully backwards compatible with 2.x.",
    "You do not need to apply any earlier update before this one.",
    "Code execution with small agents: what we built and why.",
    "How our models find exploits in old programs.",
    "Keine inkompatiblen Änderungen in dieser Version.",
    "Aucun changement incompatible.",
    "Sin cambios incompatibles.",
    "破壊的変更はありません。",
    "没有破坏性变更。",
]


@pytest.mark.parametrize(("sentence", "category"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_an_important_sentence_is_found_as_title_and_as_summary(sentence, category):
    assert category in classify(sentence, "").categories
    assert category in classify("Release 7", sentence).categories


@pytest.mark.parametrize("sentence", HARMLESS)
def test_a_harmless_sentence_is_not_important(sentence):
    assert classify(sentence, "").categories == ()
    assert classify("Release 7", sentence).categories == ()


def test_what_was_deprecated_and_is_gone_is_breaking_and_no_deprecation():
    found = classify("", "The flags that were previously deprecated have been removed.")

    assert found.categories == (B,)


def test_what_is_deprecated_and_will_go_is_a_deprecation_and_not_yet_breaking():
    found = classify("", "The parser is deprecated and will be removed in the next major release.")

    assert found.categories == (D,)


@pytest.mark.parametrize(
    ("heading", "category"),
    [
        ("Breaking changes", B),
        ("⚠ BREAKING CHANGES", B),
        ("Removed", B),
        ("Deprecated", D),
        ("Security", S),
        ("Security fixes", S),
        ("Entfernt", B),
        ("非推奨", D),
    ],
)
def test_an_item_is_what_its_heading_says(heading, category):
    summary = f"## Added\n\n- A wizard\n\n## {heading}\n\n- The parser of the second kind"

    found = classify("3.0.0", summary)

    assert found.categories == (category,)
    assert found.evidence[0].text == heading
    assert found.evidence[-1].text == "The parser of the second kind"


@pytest.mark.parametrize("nothing", ["None", "- None.", "- n/a", "No breaking changes", "- なし"])
def test_a_heading_over_nothing_says_nothing(nothing):
    assert classify("3.0.0", f"## Breaking changes\n\n{nothing}").categories == ()


def test_a_sentence_is_no_heading_of_what_follows_it():
    assert classify("3.0.0", "Bug fixes.\n\n- The old parser was removed").categories == (B,)


def test_a_heading_ends_at_the_next_one():
    summary = "## Removed\n\n- The old parser\n\n## Added\n\n- A wizard"

    texts = [passage.text for passage in classify("3.0.0", summary).evidence]

    assert texts == ["Removed", "The old parser"]


def test_a_weak_word_under_bug_fixes_is_not_enough():
    said = "- The unused cache was dropped from the build"

    assert classify("", f"## Bug fixes\n\n{said}").categories == ()


def test_a_vulnerability_with_a_number_counts_under_any_heading():
    assert classify("", "## Bug fixes\n\n- Fix CVE-2031-12345").categories == (S,)


def test_evidence_is_the_clause_and_not_the_paragraph():
    summary = "We changed colours. The old API has been removed, please use the new one. Have fun."

    (only,) = classify("News", summary).evidence

    assert only.text == "The old API has been removed"
    assert summary[only.start : only.end] == only.text


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        (
            "Starting in April, partners will be required to send a label. More is in the guide.",
            "Starting in April, partners will be required to send a label.",
        ),
        (
            "If you use the old client, you must upgrade it before the summer, or it stops.",
            "If you use the old client, you must upgrade it before the summer",
        ),
        (
            "The old API reaches its end of life on October 14, 2031. Have fun.",
            "The old API reaches its end of life on October 14, 2031.",
        ),
        (
            "The old API (REST, SOAP and others) will reach its end of life in May; see the guide.",
            "The old API (REST, SOAP and others) will reach its end of life in May",
        ),
    ],
)
def test_evidence_goes_on_where_the_clause_alone_says_nothing(said, quoted):
    evidence = classify("", said).evidence

    assert {passage.text for passage in evidence} == {quoted}


def test_words_of_security_where_nothing_is_mended_are_no_security_fix():
    for said in (
        "Hackers can see their open reports in the inbox, ordered by severity.",
        "Our labs asked what a language model knows of critical infrastructure and its defence.",
        "Vulnerability types can be chosen from a list when a report is written.",
    ):
        assert S not in classify(said, "").categories


def test_an_end_of_security_updates_is_a_deprecation_and_no_security_fix():
    said = "Devices on this edition will no longer receive monthly security updates."

    assert classify("", said).categories == (D,)


SENSES = [
    "Drag and Drop image support",
    "Drag-and-drop support for boards",
    "Dropdown menus support icons",
    "Answers from Stack Overflow are shown in the search",
    "- remove TODOS.md",
    "There are no new releases.",
    "For details see runtime support schedule",
    "Token pricing display",
    "Secure code execution",
    "Secure code execution for agents is available.",
    "This update does not include any API or behavior changes.",
    "It takes 7 to 14 days to become available.",
    "It takes 7 to 14 days for a report to become unavailable.",
    "Breaking news from our conference",
    "The sunset theme has new colours",
    "Vulnerability reports can be exported",
    "Supports path traversal in the graph API",
    "Fixed a regression where pods which are deprecated were shown twice",
]


@pytest.mark.parametrize("said", SENSES)
def test_words_in_another_sense_are_nothing(said):
    assert classify(said, "").categories == ()
    assert classify("Release 7", f"- {said}").categories == ()
    assert classify("Release 7", f"## Bug fixes\n\n- {said}").categories == ()


@pytest.mark.parametrize(
    "said",
    [
        "Various security and CVE fixes",
        "Fix resource exhaustion, CVE-2021-3583",
        "fix parsing of headers (CVE-2021-3583)",
        "A release incorporating security fixes",
        "Incorporating security fixes from the stable branch",
        "Fix a stack overflow vulnerability in the parser",
    ],
)
def test_security_fixes_are_found_however_they_are_told(said):
    assert S in classify(said, "").categories
    assert S in classify("Release 7", f"- {said}").categories
    assert S in classify("Release 7", f"## Bug fixes\n\n- {said}").categories


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
    found = classify("Editor", "Drops support for Python 3.8.", types=["Bug fix"])

    assert found.categories == (B,)


def test_an_item_type_is_nearer_than_its_heading():
    summary = "## Other changes\n\n- Added: a page that was removed\n- Deprecated: the old parser"

    assert classify("3.0.0", summary).categories == (D,)


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
    ],
)
def test_an_item_may_be_the_heading_of_those_below_it(summary, categories):
    assert classify("v1.2.3", summary).categories == categories


@pytest.mark.parametrize(
    "sentence",
    [
        "Removed the upper bound of the parser dependency",
        "Changed the http client version pin to concern old Pythons only",
        "Removed deprecated getfoo() calls in the contrib module",
        "Removed use of deprecated configuration properties",
        "Drop linter that was not being used",
        "DELETE /api/v3/order",
        "You must add the profiler to your Gemfile for it to work",
        "For information about migrating to the new client, see the migration guide.",
        "Fixes issues, including a feature breaking bug",
        "Prevent a crash with the platform's security provider",
        "Reverses an upgrade that raised the minimum engine requirement",
        "The caption style was no longer getting applied.",
        "Add testing support for Python 3.14; remove testing support for Python 3.4",
        "Remove the badge from package.json",
        "Remove validation range of the delay parameter",
        "1c6364c20 fix(python): properly remove generated classes",
        "Remove an agent",
        "The element has been moved from beta to general availability.",
        "ITEM_DELETE: An item was removed from a collection",
        "The client supports new signatures",
        "Updated sample format in UPGRADING.md",
        "This release should have no significant changes in behavior for this provider.",
        "productId is no longer a required field",
        "The new option sameSite is set to None by default",
    ],
)
def test_upkeep_of_the_vendor_is_of_no_importance(sentence):
    assert classify("v1.2.3", f"- {sentence}").categories == ()


def test_a_removal_told_behind_an_addition_is_a_breaking_change():
    summary = "- Added `Credentials.from_signing` and removed service.to_jwt_credentials."
    assert classify("v0.9.0", summary).categories == (B,)


@pytest.mark.parametrize("heading", ["Internal / Testing Changes", "Library - Chore"])
def test_what_stands_under_a_heading_of_upkeep_is_of_no_importance(heading):
    assert classify("v1", f"## {heading}\n\n- Rename `one.py` to `two.py`").categories == ()
