"""A request as code in four languages, and the tabs that show one of them without script. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from markupsafe import Markup, escape

LANGUAGES: Final = {"sh": "curl", "python": "Python", "javascript": "JavaScript", "go": "Go"}
"""The languages of samples as blocks of Markdown name them, and as readers do."""

_PYTHON: Final = """\
import json
from urllib.request import Request, urlopen

request = Request(
    %(url)s,
%(body)s%(header)s)
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
%(import)s)

func main() {
	request, err := http.NewRequest(%(method)s, %(url)s, %(body)s)
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
_INTO_A_FILE: Final = (
    ("sh", "curl ", "curl -o %(file)s "),
    ("python", "import json\n", ""),
    ("python", " as response:", ' as response, open("%(file)s", "wb") as file:'),
    ("python", "print(json.dumps(json.load(response), indent=2))", "file.write(response.read())"),
    ("javascript", "response.json()", "response.arrayBuffer()"),
    (
        *("javascript", "console.log(JSON.stringify(answer, null, 2))"),
        'require("fs").writeFileSync("%(file)s", Buffer.from(answer))',
    ),
    (
        *("go", "\tio.Copy(os.Stdout,"),
        '\tfile, err := os.Create("%(file)s")\n\tif err != nil {\n'
        "\t\tlog.Fatal(err)\n\t}\n\tio.Copy(file,",
    ),
)
"""What a sample has where a response is printed, and in its place where a file is written."""
_TABS: Final = Markup('<div class="samples" role="group" aria-label="{} {}">\n{}</div>\n')
_TAB: Final = Markup(
    '<input type="radio" class="unseen" name="{name}-language" id="{name}-{language}" '
    'data-language="{language}"{checked}><label for="{name}-{language}">{words}</label>\n'
    '<div class="code"><pre id="{name}-{language}-code" tabindex="0" role="region" '
    'aria-label="{label} in {words}"><code>{code}</code></pre>'
    '<button type="button" class="quiet slim" hidden data-copy="{name}-{language}-code">'
    'Copy<span class="unseen"> {label} in {words}</span></button></div>\n'
)
_TOKENS: Final = re.compile(
    r"""(?P<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|`[^`]*`)|(?P<comment>(?:^|(?<=\s))(?:\#|//).*$)"""
    r"|(?P<keyword>\b(?:as|const|defer|for|from|func|if|import|in|let|new|nil|package|with)\b)",
    re.MULTILINE,
)


def samples_of(
    url: str, key: str | None = None, body: Mapping[str, Any] | None = None, *, file: str = ""
) -> dict[str, str]:
    """Return the code that gets ``url``, or posts a body to it, with a key or without one.

    The response is JSON, which is printed, or else written to ``file``.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    samples = {
        "sh": _curl(url, headers, body),
        "python": _python(url, headers, body),
        "javascript": _javascript(url, headers, body),
        "go": _go(url, headers, body),
    }
    for language, printed, saved in _INTO_A_FILE if file else ():
        samples[language] = samples[language].replace(printed, saved % {"file": file})
    return samples


def tabs_of(name: str, label: str, samples: Mapping[str, str]) -> Markup:
    """Return samples as tabs; ``name`` is their own on the page, ``label`` says what they do."""
    tabs = (
        _TAB.format(
            name=name,
            label=label,
            language=language,
            words=LANGUAGES[language],
            code=highlighted(code),
            checked="" if number else Markup(" checked"),
        )
        for number, (language, code) in enumerate(samples.items())
    )
    return _TABS.format(label, "in several languages", Markup("").join(tabs))


def highlighted(code: str) -> Markup:
    """Return code as HTML with its strings, comments and keywords in colour."""
    written, reached = Markup(), 0
    for found in _TOKENS.finditer(code):
        token = Markup('<span class="{}">{}</span>').format(found.lastgroup, found[0])
        written += escape(code[reached : found.start()]) + token
        reached = found.end()
    return written + escape(code[reached:])


def _curl(url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None) -> str:
    lines = [f'-H "{name}: {value}"' for name, value in headers.items()]
    if body is not None:
        lines.append(f"-d '{_literal(body)}'")
    return f'curl {"" if not lines else " ".join([*lines, chr(92)]) + chr(10) + "  "}"{url}"\n'


def _python(url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None) -> str:
    data = "" if body is None else f"    data=json.dumps({_literal(body)}).encode(),\n"
    sent = f"    headers={_literal(headers)},\n" if headers else ""
    return _PYTHON % {"url": _literal(url), "body": data, "header": sent}


def _javascript(url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None) -> str:
    options = []
    if body is not None:
        options.append('  method: "POST",\n')
    if headers:
        sent = ", ".join(f"{_name(name)}: {_literal(value)}" for name, value in headers.items())
        options.append(f"  headers: {{ {sent} }},\n")
    if body is not None:
        options.append(f"  body: JSON.stringify({_literal(body)}),\n")
    said = f", {{\n{''.join(options)}}}" if options else ""
    return _JAVASCRIPT % {"url": _literal(url), "header": said}


def _name(header: str) -> str:
    return header if header.isalpha() else _literal(header)


def _go(url: str, headers: Mapping[str, str], body: Mapping[str, Any] | None) -> str:
    lines = (
        f"\trequest.Header.Set({_literal(name)}, {_literal(value)})\n"
        for name, value in headers.items()
    )
    return _GO % {
        "url": _literal(url),
        "method": _literal("GET" if body is None else "POST"),
        "import": "" if body is None else '\t"strings"\n',
        "body": "nil" if body is None else f"strings.NewReader(`{_literal(body)}`)",
        "header": "".join(lines),
    }


def _literal(value: str | Mapping[str, Any]) -> str:
    """Return a string, or names with strings, as a literal that is the same in all of them."""
    return json.dumps(value, ensure_ascii=False)
