"""The page of what an account runs: a file in, a table out, versions remembered if confirmed."""

import io
import json
import re
from datetime import timedelta

import pytest
from filling import important
from sqlalchemy import select

from openapi.vocabulary import Plan
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.models import Account, SourceRequest, StackPart
from storage.people.stacks import PARTS_PER_ACCOUNT, SavedPart, save_stack

PAGE = "/app/stack"
PROPOSALS = f"{PAGE}/proposals"
CHOOSE = "/app/sources"
GO_MOD = "module a.b/c\nrequire github.com/acme/tool v1.0.0"


def post(browser, path, **form):
    return browser.post(path, page=PAGE, **form)


def stored(database):
    with database.read() as session:
        return sorted((part.purl, part.version) for part in session.query(StackPart))


def test_a_pasted_file_is_a_table_and_what_is_not_covered_is_requested_at_once(ada, tool, database):
    post(ada, CHOOSE, slug="acme.tool", change="add")
    parts = {
        "x": "github:Acme/Tool",
        "<i>left-pad</i>": "1",
        "other": "1",
        "own": "git+ssh://a.b/c",
    }

    shown = post(ada, PROPOSALS, text=json.dumps({"dependencies": parts})).text
    table, _, missing = shown.partition("Not covered")
    asked = re.findall(r'name="part" value="([^"]+)"', missing)
    answer = post(ada, "/app/sources/request", part=asked).text

    assert '<a href="/sources/acme.tool">acme.tool</a>' in table
    assert "Follow selected" not in shown
    assert "&lt;i&gt;left-pad&lt;/i&gt;, other" in missing
    assert "<i>left" not in shown
    assert "2 sources requested" in answer
    with database.read() as session:
        assert session.query(SourceRequest).count() == len(asked) == 2


def test_what_a_file_or_a_pasted_text_proposes_can_be_followed(ada, tool):
    file = (io.BytesIO(GO_MOD.encode()), "go.mod")

    for form in ({"file": file}, {"text": GO_MOD}):
        assert 'name="slug" value="acme.tool" checked' in post(ada, PROPOSALS, **form).text


def test_what_is_not_read_is_listed_and_control_characters_are_not_shown(ada):
    parts = {"\x1b[31mred\x00": "1", "left-pad": "1"}
    text = post(ada, PROPOSALS, text=json.dumps({"dependencies": parts})).text
    lines = post(ada, PROPOSALS, text="flask==3.0.0\n-r <b>.txt\n").text

    assert "Skipped" in text
    assert "red" in text
    assert not {"\x1b", "\x00"} & set(text)
    assert "-r &lt;b&gt;.txt" in lines
    assert "line 2 · includes another file" in lines


@pytest.mark.parametrize("text", ["", "<!DOCTYPE x><project/>", "a b c <script>alert(1)</script>"])
def test_what_cannot_be_read_gets_one_line(ada, text):
    answer = post(ada, PROPOSALS, text=text)

    assert answer.status_code == 400
    assert answer.text.count('role="alert"') == 1
    assert "<script>alert" not in answer.text


def test_the_rest_of_a_long_list_is_counted(ada):
    shown = post(ada, PROPOSALS, text="".join(f"p{n}==1\n-r {n}.txt\n" for n in range(302))).text

    assert shown.count("and 2 more.") == shown.count("and 282 more.") == 1


def test_what_is_confirmed_is_remembered_and_nothing_else(ada, tool, database):
    shown = post(ada, PROPOSALS, text=f"{GO_MOD}\nrequire example.org/other v2.0.0").text
    offered = re.findall(r'name="part" value="([^"]+)"', shown.partition("Not covered")[0])

    assert offered == ["pkg:golang/github.com/acme/tool@v1.0.0"]
    assert stored(database) == []
    post(ada, PAGE, part=offered)
    assert stored(database) == [("pkg:golang/github.com/acme/tool", "v1.0.0")]
    page = ada.get(PAGE).text
    assert "github.com/acme/tool" in page
    assert "v1.0.0" in page
    assert "example.org" not in page


def test_a_newer_version_takes_the_place_of_a_part_that_is_then_forgotten_and_then_all(
    ada, database
):
    post(ada, PAGE, part=["pkg:npm/a@0.9", "pkg:npm/b@1.0+x", "pkg:npm/c@1.0"])
    post(ada, PAGE, part=["pkg:npm/a@1.0"])

    post(ada, f"{PAGE}/remove", part="pkg:npm/b@1.0%2Bx")
    assert stored(database) == [("pkg:npm/a", "1.0"), ("pkg:npm/c", "1.0")]
    post(ada, f"{PAGE}/delete")
    assert stored(database) == []


def test_a_stack_that_ci_saved_has_a_page_and_no_stack_is_another_accounts(
    ada, new_browser, database
):
    post(ada, PAGE, part=["pkg:npm/secret@1.0"])
    with database.write() as session:
        (account,) = session.scalars(select(Account.id))
        save_stack(session, account, Plan.FREE, "web", [SavedPart("pkg:npm/a", "2.0")])
    eve = new_browser()
    eve.sign_in("eve@acme.example")

    assert f'href="{PAGE}?stack=web"' in ada.get(PAGE).text
    assert "<code>2.0</code>" in ada.get(f"{PAGE}?stack=web").text
    assert "secret" not in eve.get(PAGE).text
    assert eve.get(f"{PAGE}?stack=web").status_code == 404
    post(eve, f"{PAGE}/remove", part="pkg:npm/secret@1.0")
    post(eve, f"{PAGE}/delete", stack="web")
    assert len(stored(database)) == 2
    post(ada, f"{PAGE}/delete", stack="web")
    assert stored(database) == [("pkg:npm/secret", "1.0")]


def test_the_page_says_what_broke_since(ada, database, catalog, publish):
    breaking = important("breaking", text="<b>")
    publish("acme.mail", important=breaking, **{"2.0.0": timedelta(days=2)})
    publish("acme.mail", told="Fixes CVE-2026-1234. ", **{"2.1.0": timedelta(days=1)})
    with database.write() as session:
        save_packages(session, [SeenPackage("acme.mail", "pkg:npm/mail", "here")])
    post(ada, PAGE, part=["pkg:npm/mail@1.0.0", "pkg:npm/nobody@1.0.0"])

    shown = ada.get(PAGE).text

    cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", shown, re.DOTALL)
    words = [" ".join(re.sub("<[^>]+>", " ", cell).split()) for cell in cells]
    assert words[6:10] == ["mail npm", "1.0.0 → 2.1.0", "1 Review", "CVE-2026-1234"]
    assert words[11] == "acme.mail"
    assert "No source in the catalog covers this package." in words[-2]
    assert shown.count('class="headline"') == 2
    assert "<b>" not in shown


def test_an_account_turns_off_that_its_packages_are_looked_up(pages_with):
    ada = pages_with(looks_up=True)
    ada.sign_in("ada@acme.example")
    post(ada, PAGE, part=["pkg:npm/left-pad@1.0"])

    post(ada, f"{PAGE}/lookups", lookups="off")
    off = ada.get(PAGE).text
    post(ada, f"{PAGE}/lookups", lookups="on")
    on = ada.get(PAGE).text

    assert "No source in the catalog" in off
    assert "being looked up" in on
    assert on.count("Turn off lookups") == off.count("Turn on lookups") == 1


def test_a_stack_is_bounded_and_a_refusal_changes_nothing(ada, database):
    post(ada, PAGE, part=["pkg:npm/kept@1.0"])

    answer = post(ada, PAGE, part=[f"pkg:npm/p{n}@1" for n in range(PARTS_PER_ACCOUNT)])

    assert answer.status_code == 400
    assert "at most 2,000 parts" in answer.text
    assert stored(database) == [("pkg:npm/kept", "1.0")]
