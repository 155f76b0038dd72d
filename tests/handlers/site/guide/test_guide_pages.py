"""Markdown as pages: anchors, links, code."""

from handlers.site.guide.guide_pages import page_of

TEXT = """# Widgets

How to `turn` them: *slowly*.

## Left & right

See [the other page](other.md) or [a lost one](lost.md).

```sh
turn --left "<all>"
```

```go
package turn
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
PAGE = page_of("widgets", TEXT, {"other.md": "/guide/other"}.get)


def test_a_page_has_its_title_its_beginning_and_its_sections():
    assert (PAGE.title, PAGE.summary) == ("Widgets", "How to turn them: slowly.")
    assert [(section.level, section.title, section.url) for section in PAGE.sections] == [
        (1, "Widgets", "/guide/widgets"),
        (2, "Left & right", "/guide/widgets#left--right"),
        (3, "rate_limited", "/guide/widgets#rate_limited"),
    ]


def test_sections_hold_what_is_read_and_what_is_run_but_no_answers():
    assert PAGE.sections[1].text == (
        'See the other page or a lost one. turn --left "<all>" package turn a b <b>1</b> 2'
    )


def test_headings_lead_to_themselves_and_links_that_lead_nowhere_are_text():
    assert '<h2 id="left--right"><a class="anchor" href="#left--right">' in PAGE.html
    assert '<a href="/guide/other">the other page</a> or a lost one.' in PAGE.html


def test_what_is_html_in_the_text_stays_text():
    assert "&lt;b&gt;1&lt;/b&gt;" in PAGE.html
    assert "<all>" not in PAGE.html


def test_blocks_of_code_that_follow_each_other_are_tabs_and_answers_stand_alone():
    assert PAGE.html.count('<div class="samples"') == 1
    assert PAGE.html.count("data-copy=") == 2
    assert '<pre id="code-2" tabindex="0" role="region" aria-label="JSON 2">' in PAGE.html
