"""A request as code in four languages, and the tabs that show one of them without script. Pure."""

import json
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup

LANGUAGES: Final = {"sh": "curl", "python": "Python", "javascript": "JavaScript", "go": "Go"}
"""The languages of samples as blocks of Markdown name them, and as readers do."""

_PYTHON: Final = """\
import json
from urllib.request import Request, urlopen

request = Request(
    %(url)s,
%(header)s)
with urlopen(request) as response:
    print(json.dumps(json.load(response), indent=2))
"""
_JAVASCRIPT: Final = """\
fetch(%(url)s%(header)s)
  .then((response) => response.json())
  .then((answer) => console.log(JSON.stringify(answer, null, 2)));
"""
_GO: Final = """\
package main

import (
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	request, err := http.NewRequest("GET", %(url)s, nil)
	if err != nil {
		log.Fatal(err)
	}
%(header)s	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	io.Copy(os.Stdout, response.Body)
}
"""
_TABS: Final = Markup('<div class="samples" role="group" aria-label="{} {}">\n{}</div>\n')
_TAB: Final = Markup(
    '<input type="radio" class="unseen" name="{name}-language" id="{name}-{language}" '
    'data-language="{language}"{checked}><label for="{name}-{language}">{words}</label>\n'
    '<div class="code"><pre id="{name}-{language}-code" tabindex="0" role="region" '
    'aria-label="{label} in {words}"><code>{code}</code></pre>'
    '<button type="button" class="quiet slim" hidden data-copy="{name}-{language}-code">'
    'Copy<span class="unseen"> {label} in {words}</span></button></div>\n'
)


def samples_of(url: str, key: str | None = None) -> dict[str, str]:
    """Return the code that gets ``url``, with a key or without one, by language."""
    bearer = key and f"Bearer {key}"
    return {
        "sh": _curl(url, bearer),
        "python": _PYTHON % _filled(url, bearer, '    headers={"Authorization": %s},\n'),
        "javascript": _JAVASCRIPT
        % _filled(url, bearer, ", {\n  headers: { Authorization: %s },\n}"),
        "go": _GO % _filled(url, bearer, '\trequest.Header.Set("Authorization", %s)\n'),
    }


def tabs_of(name: str, label: str, samples: Mapping[str, str]) -> Markup:
    """Return samples as tabs; ``name`` is their own on the page, ``label`` says what they do."""
    tabs = (
        _TAB.format(
            name=name,
            label=label,
            language=language,
            words=LANGUAGES[language],
            code=code,
            checked="" if number else Markup(" checked"),
        )
        for number, (language, code) in enumerate(samples.items())
    )
    return _TABS.format(label, "in several languages", Markup("").join(tabs))


def _curl(url: str, bearer: str | None) -> str:
    header = f'-H "Authorization: {bearer}" \\\n  ' if bearer else ""
    return f'curl {header}"{url}"\n'


def _filled(url: str, bearer: str | None, header: str) -> dict[str, str]:
    """Return the address and the header as literals, which are the same in all three languages."""
    return {"url": _literal(url), "header": header % _literal(bearer) if bearer else ""}


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
