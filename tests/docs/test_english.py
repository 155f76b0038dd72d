"""What users read is written as a product would write it."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = (
    *("handlers/site/**/*.html", "handlers/site/**/*.py", "delivery/**/*.txt"),
    *("delivery/**/*.html", "service/commands/*.py", "service/stack/*.py"),
    *("docs/*.md", "docs/guide/*.md", "README.md", "CHANGELOG.md"),
)
PHRASES = (
    *("who is signed in", "for nothing", "there is: ", "are yours on the day"),
    *("tool on your machine", "called by its name", "and when i go back", "told as moved"),
    *("that came out", "what came out", "what is selected and known", "source certain"),
    *("the chosen ones", "elsewhere, or bring", "slot that you have used", "hear of new entries"),
    *(">it comes<", ">it tells of<", ">it may<", "make the key", "make the webhook"),
    *("make the private feed", "none: all of", "with all others", "hold together"),
    *("what waits for you", "nobody waits", "done lately", "check it next"),
    *("does not know the name", "as the vendor dates", "turned up here", "read it at the vendor"),
    *("changed afterwards", "times, newest first", "taken away.", "followed at all"),
    *("entries kept", "before it leaves", "counts the worst reading", "never given up"),
    *("begins anew", "reads what you selected", "only its fingerprint"),
    *("counts from the next request", "sets plans", "each language brings"),
    *("promised between releases", "certain versions of certain", "belong to their vendors"),
    *("without a word",),
)


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_text_has_a_phrase_that_no_product_would_use(phrase):
    files = (file for pattern in TEXTS for file in ROOT.glob(pattern))
    found = [file.name for file in files if phrase in file.read_text(encoding="utf-8").lower()]

    assert found == []
