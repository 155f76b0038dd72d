"""Tables of what ends: each row is an entry, with its deadlines in its text."""

from html import escape
from pathlib import Path

import pytest

from changelog_reader.adapters.html import parse_page
from changelog_reader.importance import classify

TEXT = (Path(__file__).parent / "data" / "end_tables.txt").read_text("utf-8")
PAGES = dict(page.split("\n", 1) for page in TEXT.split("== ")[1:])


def page_of(title, lines):
    """Write a page: headings, paragraphs, and tables in which "^" continues the cell above."""
    body, table = [f"<h1>{title}</h1>"], []

    def close():
        rows = ["" for _ in table]
        for column in range(len(table[0]) if table else 0):
            for place, row in enumerate(table):
                span = 1
                while (
                    row[column] != "^"
                    and table[place + span : place + span + 1]
                    and (table[place + span][column] == "^")
                ):
                    span += 1
                if row[column] != "^":
                    rows[place] += f"<td rowspan={span}>{escape(row[column])}</td>"
        body.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>" if rows else "")
        table.clear()

    for line in lines:
        if " | " in line:
            table.append(line.split(" | "))
            continue
        close()
        written = f"<h2>{line[3:]}</h2>" if line.startswith("## ") else f"<p>{line}</p>"
        body.append(line if line.startswith("<") else written)
    close()
    return f"<html><head><title>{title}</title></head><body>{''.join(body)}</body></html>"


def entries_of(page):
    return parse_page(
        page.encode(), address="https://a.example/x", content_type="text/html"
    ).entries


def ends_of(entry):
    found = classify(entry.title, entry.summary, published_at=entry.published_at)
    return {(it.subject, it.kind.value, str(it.to), it.successor or "") for it in found.deadlines}


@pytest.mark.parametrize("half", [0, 1])
def test_rows_are_found_and_none_invented_in_both_halves_of_the_forms(half):
    found, wanted = set(), set()
    for title in list(PAGES)[half::2]:
        lines = PAGES[title].strip().split("\n")
        page = page_of(title, [line for line in lines if line[0] != ">"])
        ends = set().union(*map(ends_of, entries_of(page)))
        found |= {(title, *end) for end in ends}
        wanted |= {
            (title, *(part.strip() for part in line[1:].split(";")))
            for line in lines
            if line[0] == ">"
        }

    assert len(found & wanted) >= 0.95 * len(wanted)
    assert len(found & wanted) >= 0.98 * len(found)


def entries_of_table(*rows, title="Model deprecations"):
    return entries_of(page_of(title, rows))


def test_another_day_is_an_edit_of_the_row_and_another_name_is_another_entry():
    header = "Announced | Model | Retired on"
    (before,) = entries_of_table(header, "2026-05-03 | lyra-1 | 2027-06-01")
    after, new = entries_of_table(
        header, "2026-05-03 | lyra-1 | 2027-09-01", "TBD | lyra-2 | 2027-10-01"
    )

    assert before.vendor_id == after.vendor_id != new.vendor_id
    assert before.summary != after.summary
    assert (str(after.published_at.date()), new.published_at) == ("2026-05-03", None)


def test_the_ends_of_versions_are_told_and_make_nothing_important():
    (entry,) = entries_of_table(
        "Version | Released | End of support", "3.1 | 2026-05-03 | 2027-06-01"
    )

    said = classify("Acme 3.1", entry.summary, published_at=entry.published_at)

    assert [(end.subject, end.versions) for end in said.deadlines] == [("Acme 3.1", "3.1")]
    assert said.categories == ()


def test_the_row_of_a_model_is_important_and_is_its_evidence():
    (entry,) = entries_of_table("Model | Shutdown date", "lyra-1 | 2027-06-01")

    (evidence,) = classify(entry.title, entry.summary).evidence

    assert (evidence.category, evidence.text) == ("deprecation", "lyra-1 | 2027-06-01")


def test_the_period_of_an_offer_is_no_end():
    header = "Plan | Start date | End date | Price"

    assert entries_of_table(header, "Promo | 2027-01-01 | 2027-03-01 | 5", title="Plans") == ()


def test_each_item_of_a_page_that_only_lists_what_ends_is_an_entry():
    page = "<h1>Plans</h1><ul><li>Acme 1 will be removed on 1 March 2027. Use Acme 2.</li>{}</ul>"
    ends = [ends_of(it) for it in entries_of(page.format("<li>Old UI: retired on 4 May 2027</li>"))]

    assert ends == [
        {("Acme 1", "removal", "2027-03-01", "Acme 2")},
        {("Old UI", "end_of_life", "2027-05-04", "")},
    ]
    assert entries_of(page.format("<li>We like lists</li>")) == ()


def test_entries_beside_the_tables_of_a_page_of_ends_stay():
    table = ["## Models", "Model | Shutdown date", "lyra-1 | 2027-06-01", "lyra-2 | 2027-06-01"]
    news = [
        f"## 2026-0{month}-03: News {month}\nTeams can share {month}0 boards with guests now."
        for month in (5, 4, 3)
    ]
    lines = [line for one in news for line in one.split("\n")]

    titles = [entry.title for entry in entries_of_table(*lines, *table)]

    assert titles[:2] == ["lyra-1", "lyra-2"]
    assert len(titles) == 5


def test_a_changelog_with_a_table_of_versions_lists_its_changes():
    table = ["Version | End of support", "3.1 | 2027-06-01", "3.0 | 2026-06-01"]
    news = [
        f"## 2026-0{month}-03: News {month}\nTeams can share {month}0 boards with guests now."
        for month in (5, 4, 3)
    ]
    lines = [line for one in news for line in one.split("\n")]

    assert len(entries_of_table(*table, *lines, title="Changelog")) == 3
