"""changewire key export, import: selections as OPML."""

import pytest

HEADER = "slug,vendor,name,kind,homepage,changelog_url,adapter_type,feed_url,tags"
ROW = "acme.{0},acme,Acme {0},changelog,,https://acme.example/{0},rss,https://acme.example/feeds/{0},api"
EMAIL = "ada@acme.example"


@pytest.fixture
def key_id(run, tmp_path):
    """The id of a key without sources, beside a catalog of five."""
    rows = "\n".join(ROW.format(name) for name in ("mail", "storage", "compute", "chat", "maps"))
    (tmp_path / "catalog.csv").write_text(f"{HEADER}\n{rows}\n")
    assert run("catalog", "load", "catalog.csv")[0] == 0
    assert run("account", "create", EMAIL)[0] == 0
    return run("key", "create", EMAIL, "--name", "test")[1].split("_")[1]


@pytest.fixture
def bring(run, tmp_path, key_id):
    def bring(*lines):
        outlines = "\n".join(f'<outline text="{each}"/>' for each in lines)
        document = f'<opml version="2.0"><body>\n{outlines}\n</body></opml>'
        (tmp_path / "list.opml").write_text(document)
        return run("key", "import", key_id, "list.opml")

    return bring


def test_what_is_exported_can_be_imported(run, bring, key_id, tmp_path):
    assert bring("acme.mail", "acme.maps") == (0, "", f"The key {key_id} reads 2 sources.\n")

    status, out, _ = run("key", "export", key_id)

    assert (status, out.count("<outline")) == (0, 2)
    assert 'xmlUrl="http://127.0.0.1:8080/feeds/acme.mail.atom"' in out
    assert "acme.example/feeds" not in out
    (tmp_path / "mine.opml").write_text(out)
    assert "reads 2 sources" in run("key", "import", key_id, "mine.opml")[2]


def test_lines_that_mean_nothing_are_named(bring):
    status, _, err = bring("acme.mail", "Nobody")

    assert status == 0
    assert "Not found: line 3 (Nobody): is not in the catalog." in err


def test_a_file_that_is_no_list_is_one_clear_line(run, tmp_path, key_id):
    (tmp_path / "bad.opml").write_text("hello")

    status, out, err = run("key", "import", key_id, "bad.opml")

    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "This is not OPML" in err
