"""Markdown as pages: anchors, links, code."""

from handlers.site.guide.guide_pages import anchor_of, page_of

TEXT = """# Widgets

How to `turn` them: *slowly*.

## Left & right

See [the other page](other.md) or [a lost one](lost.md).

```sh
turn --left "<all>"
```

```json
{"turned": true}
```

| a | b |
|---|---|
| <b>1</b> | 2 |

### rate_limited

Wait.
"""


def page(text=TEXT):
    return page_of("widgets", text, {"other.md": "/guide/other", "#x": "#x"}.get)


def test_a_page_has_its_title_its_beginning_and_its_sections():
    made = page()

    assert (made.title, made.summary) == ("Widgets", "How to turn them: slowly.")
    assert [(section.level, section.title, section.anchor) for section in made.sections] == [
        (1, "Widgets", "widgets"),
        (2, "Left & right", "left--right"),
        (3, "rate_limited", "rate_limited"),
    ]


def test_sections_hold_what_is_read_and_what_is_run_but_no_answers():
    _, section, _ = page().sections

    assert section.text == ('See the other page or a lost one. turn --left "<all>" a b <b>1</b> 2')


def test_headings_lead_to_themselves():
    assert '<h2 id="left--right"><a class="anchor" href="#left--right">' in page().html
    assert "<h1>Widgets</h1>" in page().html


def test_a_link_that_leads_nowhere_is_its_text():
    assert '<a href="/guide/other">the other page</a> or a lost one.' in page().html


def test_what_is_html_in_the_text_stays_text():
    assert "&lt;b&gt;1&lt;/b&gt;" in page().html
    assert "&lt;all&gt;" in page().html


def test_blocks_of_code_are_named_and_commands_can_be_copied():
    html = page().html

    assert '<pre id="code-1" tabindex="0" role="region" aria-label="Commands 1">' in html
    assert html.count("data-copy=") == 1
    assert 'data-copy="code-1"' in html


def test_blocks_of_code_that_follow_each_other_are_tabs():
    html = page("# A\n\nB.\n\n```sh\na\n```\n\n```go\nb\n```\n\n```json\n1\n```\n").html

    assert html.count('<div class="samples"') == 1
    assert [html.count(f"<code>{code}\n</code>") for code in "ab1"] == [1, 1, 1]
    assert 'aria-label="JSON 2"' in html


def test_anchors_are_those_of_code_hosts():
    assert anchor_of("1. Look around, without a key") == "1-look-around-without-a-key"
