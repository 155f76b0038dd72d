"""The commands of README, docs/guide and manuals, run as a reader would, on a real server."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest
from connexion_passages import observed_servers
from specimen.programs import needed
from specimen.rows import DIFFS, ENTRIES, SLUGS, diff, entry, source
from specimen.serving import free_port, listening
from sqlalchemy import delete

from handlers.site.pages.reference import FILES, sample_of
from handlers.site.samples import samples_of
from ingest.catalog import shipped_catalog
from openapi.contract import load_operations
from openapi.vocabulary import Plan, Scope
from service.commands.catalog import rows_of
from storage.bulk.writer import write_snapshot
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources
from storage.delivery.webhooks import add_webhook
from storage.engine.database import open_database
from storage.entries.diffs import add_diff
from storage.entries.entry_writes import save_entries
from storage.models import Webhook
from storage.people.accounts import add_account, find_account
from storage.people.follows import follow_sources
from storage.people.keys import add_key
from storage.people.stacks import SavedPart, save_stack

pytestmark = pytest.mark.slow

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
MANUALS = ("bulk", "client", "conformance", "following", "versions", "webhooks")
README = GUIDE.parents[1] / "README.md"
PAGES = [*sorted(GUIDE.glob("*.md")), *(GUIDE.parent / f"{name}.md" for name in MANUALS), README]
OTHERS = ("npx ", "./tests/run")
"""What tests/contract/test_typescript_program.py runs, and what runs this."""
STACK = GUIDE / "stack.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^ +- (?:run: )?(changewire .*\n)", re.MULTILINE)
LOCK = '{"lockfileVersion": 3, "packages": {"node_modules/left-pad": {"version": "1.3.0"}}}'
FILES_OF_STACK = {"before.txt": "flask==2.0.0\n", "package-lock.json": LOCK}
EXAMPLE_SITE = "https://changewire.example"
FIRST_SITE = "http://127.0.0.1:8080"
FOLLOWED = "kubernetes.kubernetes"
LANGUAGES = {
    "python": ("py", [sys.executable], "python3"),
    "javascript": ("js", ["node"], "nodejs"),
    "go": ("go", ["go", "run"], "golang-go"),
}
"""How a program of the guide is stored and run, and the package that runs it, by language."""
PROGRAM = "import sys; from service.cli import main; sys.argv[0] = 'changewire'; main()"


@dataclass(frozen=True)
class Example:
    """A block of commands, and what the page shows as its answer, if it shows any."""

    page: str
    number: int
    commands: str
    kind: str
    answer: str


def examples_of(page):
    """Return the examples of a page in order."""
    found, blocks = [], BLOCK.findall(page.read_text(encoding="utf-8"))
    blocks = [(kind, text) for kind, text in blocks if kind not in LANGUAGES]
    for (kind, text), (next_kind, next_text) in pairwise([*blocks, ("", "")]):
        if kind == "yaml":
            found.append(Example(page.stem, len(found), "".join(STEP.findall(text)), "", ""))
        elif kind == "sh" and not any(words in text for words in OTHERS):
            shown = ("", "") if next_kind in ("sh", "yaml") else (next_kind, next_text)
            found.append(Example(page.stem, len(found), text, *shown))
    return found


def programs_of(page):
    """Return the programs of a page, each with what the page shows as its answer."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    for number, (kind, text) in enumerate(blocks):
        if kind in LANGUAGES:
            answers = (block[1] for block in blocks[number:] if block[0] not in LANGUAGES)
            yield pytest.param(kind, text, next(answers, ""), id=f"{page.stem}-{number}-{kind}")


EXAMPLES = [example for page in PAGES for example in examples_of(page)]
ANSWERED = [pytest.param(each, id=f"{each.page}-{each.number}") for each in EXAMPLES if each.kind]


@dataclass(frozen=True)
class Served:
    """The running service, with a key of the Free plan."""

    url: str
    database_url: str
    free_key: str
    full_key: str


def fill(database, now):
    """Store sources, entries and diffs; return a key, and one that may everything."""
    with database.write() as session:
        save_sources(session, [source(slug) for slug in (*SLUGS, FOLLOWED, "stripe.changelog")])
        save_packages(session, [SeenPackage(FOLLOWED, "pkg:github/acme/compute", "its name")])
        ids = ids_of(session, [SLUGS[0], FOLLOWED])
        for slug, source_id in ids.items():
            new = [entry(slug, number, now) for number in range(ENTRIES)]
            save_entries(session, source_id, new=new, edited=[], now=now)
        for number in range(DIFFS):
            at = now - timedelta(days=DIFFS - number)
            add_diff(session, ids[FOLLOWED], document=diff(number, at), now=at)
        account = add_account(session, "ada@acme.example", now=now)
        _, text = add_key(session, account, name="a", scopes=list(Scope), now=now)
        follow_sources(session, account.id, [ids[SLUGS[0]]], now=now)
        full = add_account(session, "bo@acme.example", now=now, plan=Plan.ALL, diffs_addon=True)
        _, full_text = add_key(session, full, name="b", scopes=list(Scope), now=now)
        return text, full_text


@pytest.fixture(scope="module")
def served(empty_database_file, tmp_path_factory):
    folder = tmp_path_factory.mktemp("guide")
    shutil.copy(empty_database_file, folder / "changewire.db")
    database_url = f"sqlite:///{folder}/changewire.db"
    database = open_database(database_url)
    now = datetime.now(UTC).replace(microsecond=0)
    keys = fill(database, now)
    write_snapshot(database, folder, now=now)
    database.close()
    port = free_port()
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", str(port)]
    settings = {
        "CHANGEWIRE_DATABASE_URL": database_url,
        "CHANGEWIRE_SITE_URL": f"http://127.0.0.1:{port}",
        "CHANGEWIRE_LOG_LEVEL": "warning",
        "CHANGEWIRE_BULK_FOLDER": str(folder),
        "CHANGEWIRE_PACKAGE_INDEX_URL": "off",
    }
    with (
        observed_servers(folder) as observed,
        listening(command, port, "/readyz", folder / "service.log", settings | observed) as url,
    ):
        yield Served(url, database_url, *keys)


@pytest.fixture(scope="module")
def outputs(served, tmp_path_factory):
    """What each example printed, by page and number; every page is one shell."""
    for name in ("curl", "zstd"):
        needed(name, name)
    programs = tmp_path_factory.mktemp("bin")
    (programs / "changewire").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{PROGRAM}" "$@"\n')
    (programs / "changewire").chmod(0o755)
    known = {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "CHANGEWIRE_DATABASE_URL": served.database_url,
        "API": f"{served.url}/api/v1",
        "CHANGEWIRE_API_URL": served.url,
    }
    found = {}
    for page in PAGES:
        place = tmp_path_factory.mktemp(page.stem)
        key = served.free_key if page.parent == GUIDE else served.full_key
        (place / "changewire").symlink_to(programs / "changewire")
        for name, text in FILES_OF_STACK.items() if page == STACK else ():
            (place / name).write_text(text)
        keys = {"KEY": key, "CHANGEWIRE_API_KEY": key}
        run_page(page, place, served.url, os.environ | known | keys)
        for each in examples_of(page):
            found[each.page, each.number] = (place / f"{each.number}.out").read_text()
    return found


def run_page(page, place, url, environment):
    """Run the commands of a page in one shell, which stops at the first that fails."""
    script = "".join(
        f"{{\n{each.commands.replace(EXAMPLE_SITE, url)}}} > {each.number}.out\n"
        for each in examples_of(page)
    )
    script = script.replace(FIRST_SITE, url).replace(" ingest ", " source show ")  # no network
    done = subprocess.run(
        ["sh", "-euc", script], cwd=place, env=environment, capture_output=True, timeout=300
    )
    assert done.returncode == 0, (page.stem, done.stderr.decode())


def misfits(shown, real, place="$"):
    """Yield how an answer differs from what the page shows in shape."""
    if shown is None or real is None:
        return
    if type(shown) is not type(real):
        yield f"{place}: {type(shown).__name__} is shown, {type(real).__name__} came"
    elif isinstance(shown, dict):
        for name, value in shown.items():
            if name in real:
                yield from misfits(value, real[name], f"{place}.{name}")
            else:
                yield f"{place}.{name} is shown and did not come"
    elif isinstance(shown, list) and shown:
        yield from misfits(shown[0], real[0], f"{place}[0]") if real else [f"{place} is empty"]
    elif isinstance(shown, str) and "…" in shown and not fits(shown, real):
        yield f"{place}: {real}"


def fits(shown, real):
    """Whether a text is the one shown, where … stands for anything and digits for digits."""
    pattern = re.escape(re.sub(r"\d+", "0", shown)).replace("…", ".*")
    return re.fullmatch(pattern, re.sub(r"\d+", "0", real)) is not None


@pytest.mark.parametrize("example", ANSWERED)
def test_an_answer_is_as_the_page_shows_it(example, outputs):
    real = outputs[example.page, example.number]

    if example.kind == "json":
        shown = json.loads(re.sub(r",\s*…", "", example.answer))  # with the rest left out
        came = json.loads(real)
        assert list(misfits(shown, came)) == []
        if "code" in shown:
            assert all(fits(shown[name], came[name]) for name in shown)
    else:
        lines = real.splitlines()
        for line in example.answer.splitlines():
            assert any(fits(line, each) for each in lines), line


def run_program(kind, text, served, folder):
    """Return what a program of the guide prints."""
    suffix, command, package = LANGUAGES.get(kind, ("sh", ["sh", "-e"], "curl"))
    needed(command[0], package)
    file = folder / f"program.{suffix}"
    here = text.replace(EXAMPLE_SITE, served.url).replace(FOLLOWED, SLUGS[0])  # what the key has
    file.write_text(here, encoding="utf-8")
    environment = os.environ | {"KEY": served.free_key, "GOCACHE": str(folder.parent / "cache")}
    environment |= {"CHANGEWIRE_API_URL": served.url, "CHANGEWIRE_API_KEY": served.free_key}
    done = subprocess.run(
        [*command, file], env=environment, check=True, timeout=300, capture_output=True, text=True
    )
    return done.stdout


@pytest.mark.parametrize(("kind", "text", "answer"), [*programs_of(GUIDE / "getting-started.md")])
def test_a_program_gets_what_the_page_shows(kind, text, answer, served, tmp_path):
    printed = run_program(kind, text, served, tmp_path)

    assert list(misfits(json.loads(answer), json.loads(printed))) == []


@pytest.mark.parametrize(
    ("kind", "text", "_answer"), [*programs_of(GUIDE / "pagination.md"), *programs_of(STACK)]
)
def test_a_program_that_lists_something_lists_all_of_it(kind, text, _answer, served, tmp_path):
    printed = run_program(kind, text, served, tmp_path)

    of_a_stack = "check_stack" in text  # whose packages have no source here
    assert printed.split() == ([] if of_a_stack else ["acme.compute", "acme.mail", "acme.storage"])


@pytest.fixture
def examples_of_others(served):
    """The webhook and the stack that the contract's examples name."""
    database = open_database(served.database_url)
    with database.write() as session:
        account = find_account(session, "bo@acme.example")
        session.execute(delete(Webhook))
        ours = Webhook(name="ours", url="https://acme.example/hook")
        add_webhook(session, account.id, ours, now=datetime.now(UTC)).public_id = "0A1b2C3d4E5f"
        save_stack(session, account.id, Plan.ALL, "web", [SavedPart("pkg:npm/left-pad", "1.0.0")])
    database.close()


@pytest.mark.parametrize("kind", ["sh", *LANGUAGES])
@pytest.mark.usefixtures("examples_of_others")
def test_each_sample_of_the_reference_runs_as_it_is_shown(kind, served, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    deleting_last = sorted(load_operations(), key=lambda each: each.operation_id[:6] == "delete")
    for operation in deleting_last:
        html = str(sample_of(operation, f"{served.url}/api/v1"))
        shown = re.search(rf'-{kind}-code".*?<code>(.*?)</code>', html, re.DOTALL)[1]
        code = unescape(re.sub("</?span[^>]*>", "", shown)).replace("cw_…", served.full_key)

        printed = run_program(kind, code, served, tmp_path)

        if operation.operation_id not in FILES:
            code = json.loads(printed).get("code")  # requests for sources: few a minute
            assert code in (None, "rate_limited"), (operation.path, printed)
        else:
            assert (printed, Path(FILES[operation.operation_id]).stat().st_size > 100) == ("", True)


@pytest.mark.parametrize("kind", LANGUAGES)
def test_a_sample_of_the_pages_gets_its_answer(kind, served, tmp_path):
    sample = samples_of(f"{served.url}/api/v1/entries?sources=acme.compute", served.free_key)

    assert json.loads(run_program(kind, sample[kind], served, tmp_path))["plan"] == "free"


def test_the_source_of_the_guide_is_in_the_shipped_catalog():
    assert FOLLOWED in {each.slug for each in rows_of(shipped_catalog())}
