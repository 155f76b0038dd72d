"""The order of generated versions, against each ecosystem's own tool.

    python bench/version_orders.py [--pairs 1500] [--semver FOLDER] [--maven JAR]

dpkg, rpm, ruby and go are used where they are installed; ``--semver`` is the folder of npm's
package of that name, ``--maven`` the archive maven-artifact. Each compares the same pairs as
versions/ordering.py; those that we do not compare are counted apart. Calendar versions are compared
as numbers. PEP 440 needs no check: PyPA's packaging is what orders them.
"""

import json
import random
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from command_line import parser_of

from versions.ordering import Ecosystem, parse_version

Pair: TypeAlias = tuple[str, str]
_WORDS: Final = ("alpha", "beta", "rc", "dev", "pre", "a", "b", "m", "sp", "snapshot", "final", "x")
_FORM: Final = re.compile(r".*[^\W_]")
_FORMS: Final = {
    Ecosystem.GEM: re.compile(r"\d+(?:\.[a-z\d]+)*"),
    Ecosystem.GOLANG: re.compile(r"v\d.*\w"),
    Ecosystem.RPM: re.compile(r"(?:\d:)?[^:-]*\w-\w[^:-]*"),
}
"""What is a version of an ecosystem, where its tool takes nothing else."""
NONE: Final = 9
"""What a tool says of pairs with something that it takes for no version."""
_RUBY: Final = "ARGF.each_line{|l| a,b=l.split; puts(Gem::Version.new(a)<=>Gem::Version.new(b))}"
_NODE: Final = """
const semver = require(process.argv[1]);
for (const [a, b] of JSON.parse(require('fs').readFileSync(0)))
  console.log(semver.valid(a) && semver.valid(b) ? semver.compare(a, b) : 9);
"""
_GO: Final = """package main
import ("bufio"; "fmt"; "os"; "strings")
func main() {
  lines := bufio.NewScanner(os.Stdin)
  for lines.Scan() {
    it := strings.Fields(lines.Text())
    sign := 9
    if IsValid(it[0]) && IsValid(it[1]) { sign = Compare(it[0], it[1]) }
    fmt.Println(sign)
  }
}
"""


def main() -> None:
    """Print a line for each ecosystem whose tool is here."""
    reader = parser_of(__doc__, pairs=1500)
    reader.add_argument("--semver", type=Path)
    reader.add_argument("--maven", type=Path)
    arguments = reader.parse_args()
    draw = random.Random(23)
    tools: dict[Ecosystem, tuple[Callable[[], str], Callable[[Sequence[Pair]], list[int]]]] = {
        Ecosystem.GENERIC: (lambda: _calendar(draw), _by_numbers)
    }
    if shutil.which("dpkg"):
        tools[Ecosystem.DEB] = (lambda: _debian(draw), _by_dpkg)
    if shutil.which("rpm"):
        tools[Ecosystem.RPM] = (lambda: _rpm(draw), _by_rpm)
    if shutil.which("ruby"):
        tools[Ecosystem.GEM] = (lambda: _gem(draw), _by_ruby)
    if shutil.which("go"):
        tools[Ecosystem.GOLANG] = (lambda: f"v{_semantic(draw)}", _by_go)
    if folder := arguments.semver:
        tools[Ecosystem.NPM] = (lambda: _semantic(draw), lambda pairs: _by_semver(pairs, folder))
    if jar := arguments.maven:
        tools[Ecosystem.MAVEN] = (lambda: _maven(draw), lambda pairs: _by_maven(pairs, jar))
    for ecosystem, (version, compared) in tools.items():
        pairs = [_pair(draw, version, _FORMS.get(ecosystem, _FORM)) for _ in range(arguments.pairs)]
        print(_line(ecosystem, pairs, compared(pairs)))


def _pair(draw: random.Random, version: Callable[[], str], form: re.Pattern[str]) -> Pair:
    """Return two versions, often with the same beginning."""
    one, other = version(), version()
    if draw.random() < 0.5:
        return one, other
    place = draw.randrange(1, len(one) + 1)
    mixed = one[:place] + other[place:]
    return (one, mixed) if form.fullmatch(mixed) else (one, other)


def _line(ecosystem: Ecosystem, pairs: Sequence[Pair], expected: Sequence[int]) -> str:
    compared, wrong = 0, []
    for (one, other), sign in zip(pairs, expected, strict=True):
        first, second = parse_version(one, ecosystem), parse_version(other, ecosystem)
        if first is not None and second is not None and sign != NONE:
            compared += 1
            if (second < first) - (first < second) != sign:
                wrong.append(f"{one} and {other}: {sign}")
    return f"{ecosystem}: {compared:,} of {len(pairs):,} compared, {len(wrong)} wrong {wrong[:5]}"


def _numbers(draw: random.Random, most: int = 4) -> str:
    return ".".join(
        str(draw.choice((0, 1, 2, 9, 10, 11, 100))) for _ in range(draw.randint(1, most))
    )


def _semantic(draw: random.Random) -> str:
    core = ".".join(str(draw.choice((0, 1, 2, 10, 21))) for _ in range(3))
    stages = [draw.choice((*_WORDS, "0", "1", "2", "10", "rc1", "x-y")) for _ in range(3)]
    before = f"-{'.'.join(stages[: draw.randint(1, 3)])}" if draw.random() < 0.6 else ""
    return core + before + ("+build.5" if draw.random() < 0.1 else "")


def _gem(draw: random.Random) -> str:
    words = "".join(
        f".{draw.choice((*_WORDS, '1', '10', 'rc2'))}" for _ in range(draw.randint(0, 3))
    )
    return _numbers(draw) + words


def _debian(draw: random.Random) -> str:
    epoch = draw.choice(("", "", "1:", "2:"))
    tail = "".join(
        draw.choice("~+.-") + draw.choice((*_WORDS, "1", "10", "bpo12")) for _ in range(2)
    )
    return f"{epoch}{_numbers(draw)}{tail if draw.random() < 0.7 else ''}-{_numbers(draw, 2)}"


def _rpm(draw: random.Random) -> str:
    epoch = draw.choice(("", "", "1:"))
    tail = draw.choice("~^.") + draw.choice((*_WORDS, "1", "10", "git2"))
    version = _numbers(draw) + (tail if draw.random() < 0.5 else "")
    return f"{epoch}{version}-{draw.choice(('1', '2', '10'))}.el{draw.choice('89')}"


def _maven(draw: random.Random) -> str:
    parts = (*_WORDS, "ga", "release", "cr1", "rc2", "jre", "1", "0", "10")
    return _numbers(draw) + "".join(
        draw.choice("-.") + draw.choice(parts) for _ in range(draw.randint(0, 3))
    )


def _calendar(draw: random.Random) -> str:
    year, month, day = draw.choice((2019, 2024, 2026)), draw.randint(1, 12), draw.randint(1, 28)
    forms = (f"{year}.{month}.{day}", f"{year}.{month:02}", f"{year}.{month:02}.{day:02}.1")
    return draw.choice(forms)


def _by_numbers(pairs: Sequence[Pair]) -> list[int]:
    def numbers(text: str) -> list[int]:
        found = [int(part) for part in re.findall(r"\d+", text)]
        while found[-1] == 0:
            found.pop()
        return found

    return [(numbers(a) > numbers(b)) - (numbers(a) < numbers(b)) for a, b in pairs]


def _by_dpkg(pairs: Sequence[Pair]) -> list[int]:
    def holds(one: str, sign: str, other: str) -> bool:
        command = ["dpkg", "--compare-versions", one, sign, other]
        return subprocess.run(command, check=False, capture_output=True).returncode == 0

    return [holds(a, "gt", b) - holds(a, "lt", b) for a, b in pairs]


def _by_rpm(pairs: Sequence[Pair]) -> list[int]:
    lines = "".join(f'print(rpm.vercmp("{a}","{b}").." ") ' for a, b in pairs)
    return [int(sign) for sign in _printed(["rpm", "--eval", "%{lua:" + lines + "}"], "").split()]


def _by_ruby(pairs: Sequence[Pair]) -> list[int]:
    return list(map(int, _printed(["ruby", "-e", _RUBY], _lines(pairs)).split()))


def _by_semver(pairs: Sequence[Pair], folder: Path) -> list[int]:
    return list(map(int, _printed(["node", "-e", _NODE, str(folder)], json.dumps(pairs)).split()))


def _by_go(pairs: Sequence[Pair]) -> list[int]:
    """Compare by the file of Go's own sources that its command uses."""
    root = Path(_printed(["go", "env", "GOROOT"], "").strip())
    source = root / "src/cmd/vendor/golang.org/x/mod/semver/semver.go"
    text = source.read_text(encoding="utf-8").replace("package semver", "package main", 1)
    with tempfile.TemporaryDirectory() as folder:
        files = {"semver.go": text, "main.go": _GO}
        for name, content in files.items():
            (Path(folder) / name).write_text(content, encoding="utf-8")
        paths = [str(Path(folder) / name) for name in files]
        return list(map(int, _printed(["go", "run", *paths], _lines(pairs)).split()))


def _by_maven(pairs: Sequence[Pair], jar: Path) -> list[int]:
    """Compare by ComparableVersion, which prints each version beside the one before."""
    kind = "org.apache.maven.artifact.versioning.ComparableVersion"
    named = [version for pair in pairs for version in pair]
    printed = _printed(["java", "-cp", str(jar), kind, *named], "")
    signs = re.findall(r"^ +\S+ (<|==|>) ", printed, re.MULTILINE)
    return [{"<": -1, "==": 0, ">": 1}[sign] for sign in signs[::2]]


def _lines(pairs: Sequence[Pair]) -> str:
    return "".join(f"{one} {other}\n" for one, other in pairs)


def _printed(command: list[str], given: str) -> str:
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
