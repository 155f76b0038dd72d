"""@changewire/client as it is packed: in Node.js, Deno, a page and a worker, while servers die."""

import json
import os
import re
import shutil
import subprocess
from functools import partial
from http.server import SimpleHTTPRequestHandler
from pathlib import Path

import pytest
from mortal_service import MortalService
from specimen.listener import Handler, Listener
from specimen.node import OFFLINE, node_programs
from specimen.programs import missing

from openapi.contract import load_contract

HERE = Path(__file__).parent
CLIENT = HERE.parents[1] / "clients" / "typescript"
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
DOCS = HERE.parents[1] / "docs"
PROGRAM = re.compile(r"^```ts\n(.*?)^```", re.MULTILINE | re.DOTALL)
PARTS = ("src", "test", "package.json", "package-lock.json", "tsconfig.json", ".npmrc", "README.md")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
LONGEST = 120
"""Seconds that a program may take."""


@pytest.fixture(scope="module")
def built(tools, tmp_path_factory):
    """A copy of the client's folder, installed by its lock file and built; the tools need Node."""
    folder = tmp_path_factory.mktemp("client")
    for name in PARTS:
        copy = shutil.copytree if (CLIENT / name).is_dir() else shutil.copy
        copy(CLIENT / name, folder / name)
    done = npm("ci", "--ignore-scripts", "--no-audit", "--no-fund", at=folder)
    if done.returncode and any(word in done.stderr for word in OFFLINE) and "CI" not in os.environ:
        pytest.skip("npm cannot reach its registry")
    assert done.returncode == 0, done.stderr
    done = npm("run", "build", at=folder)
    assert done.returncode == 0, done.stdout
    return folder


@pytest.fixture(scope="module")
def project(built, tmp_path_factory):
    """A folder with programs that use the packed client; it has nothing else installed."""
    folder = tmp_path_factory.mktemp("user") / "project"
    shutil.copytree(HERE / "changewire_client", folder)
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    done = npm("pack", "--ignore-scripts", "--pack-destination", str(folder), at=built)
    assert done.returncode == 0, done.stderr
    (packed,) = folder.glob("*.tgz")
    done = npm("install", "--offline", "--no-audit", "--no-fund", f"./{packed.name}", at=folder)
    assert done.returncode == 0, done.stderr
    calls = (folder / "calls.js").read_text()
    address = "./node_modules/@changewire/client/dist/index.js"
    (folder / "calls_of_worker.js").write_text(calls.replace("@changewire/client", address))
    return folder


def npm(*arguments, at):
    """Run npm in a folder."""
    return subprocess.run(
        ["npm", *arguments], cwd=at, timeout=LONGEST, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def run(project, tools_folder):
    """The command line of a program: ``run("node", "read", url)``."""

    def run(platform, *arguments):
        command = ["node"]
        if platform == "deno":
            programs = node_programs(
                HERE / "changewire_client" / "package.json", tools_folder / "deno"
            )
            command = [str(programs / "deno"), "run", "--no-remote", "--allow-net", "--allow-read"]
        return [*command, "program.js", *arguments]

    return run


@pytest.fixture(scope="module")
def chromium():
    """A headless Chromium; tests are skipped without one, except in CI."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright opens the pages")
    installed = shutil.which("chromium") or shutil.which("chromium-browser")
    if installed is None:
        missing("Chromium is not installed.")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=installed, args=FLAGS)
        yield browser
        browser.close()


class Files(Handler, SimpleHTTPRequestHandler):
    """The files of a folder."""


@pytest.fixture
def page(chromium, project):
    """A page of another origin than the service's, with the client in it."""
    files = Listener(partial(Files, directory=str(project)))
    page = chromium.new_page()
    page.goto(f"{files.url}/page.html")
    page.wait_for_function("window.calls")
    yield page
    page.close()
    files.close()


@pytest.fixture(scope="module")
def mortal(tmp_path_factory):
    mortal = MortalService(tmp_path_factory.mktemp("mortal"))
    yield mortal
    mortal.close()


def test_its_own_tests_pass(built):
    done = npm("test", at=built)

    assert done.returncode == 0, done.stdout
    assert int(re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE)[1]) > 50


def test_the_package_has_what_is_needed_and_needs_nothing(project):
    package = project / "node_modules" / "@changewire" / "client"
    files = {path.relative_to(package).as_posix() for path in package.rglob("*") if path.is_file()}
    described = json.loads((package / "package.json").read_text())

    modules = {file.stem for file in (CLIENT / "src").glob("*.ts")}
    made = {f"dist/{name}{ending}" for name in modules for ending in (".js", ".d.ts")}
    assert files == made | {"README.md", "package.json"}
    assert not described.get("dependencies")
    assert described["private"]
    code = "".join((package / name).read_text() for name in files if name.endswith(".js"))
    assert not re.findall(r"""from ["'](?!\./)|require\(|\bimport\(|node:""", code)


def test_no_host_is_named_by_the_lock_file():
    assert "omit-lockfile-registry-resolved=true" in (CLIENT / ".npmrc").read_text()
    assert "://" not in (CLIENT / "package-lock.json").read_text()


def test_its_types_are_those_of_openapi_typescript_and_the_manual_compiles(project, call):
    outcome = call("openapi-typescript", CONTRACT, "--output", "contract.d.ts", folder=project)
    assert outcome.status == 0, outcome
    names = load_contract()["components"]["schemas"]
    (project / "schemas.ts").write_text(
        'import type * as ours from "@changewire/client";\n'
        'import type { components } from "./contract.js";\n'
        'import { same, type Same } from "./held.js";\n'
        + "".join(f'same<Same<ours.{n}, components["schemas"]["{n}"]>>();\n' for n in names)
    )
    programs = PROGRAM.findall((DOCS / "typescript.md").read_text())
    for number, program in enumerate(programs):
        (project / f"manual_{number}.ts").write_text(program)

    compiled = call("tsc", "--project", "tsconfig.json", folder=project)

    assert compiled.status == 0, compiled.out
    assert len(programs) > 3


@pytest.mark.parametrize("platform", ["node", "deno"])
def test_it_reads_the_service(run, project, live, seen, platform):
    arguments = ("read", live.url, live.keys["all"], live.keys["diffs"])
    done = subprocess.run(
        run(platform, *arguments),
        cwd=project,
        timeout=LONGEST,
        capture_output=True,
        text=True,
        env={**os.environ, "DENO_NO_UPDATE_CHECK": "1"},
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == seen


@pytest.mark.parametrize("where", ["page", "worker"])
def test_it_reads_the_service_in_a_browser_from_another_origin(page, live, seen, where):
    arguments = [live.url, live.keys["all"], live.keys["diffs"]]
    script = {
        "page": "sent => calls.read(...sent)",
        "worker": """sent => new Promise((resolve, reject) => {
            const worker = new Worker("worker.js", { type: "module" });
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = ({ message }) => reject(new Error(message));
            worker.postMessage(sent);
        })""",
    }

    assert page.evaluate(script[where], arguments) == seen


def test_nothing_is_lost_or_comes_twice_while_servers_and_programs_are_killed(run, project, mortal):
    seen, pages, cursor = [], 0, None
    for pages_of_program in (4, None):  # the first program is killed, the second goes on from there
        command = run("node", "follow", mortal.url, mortal.key, *filter(None, [cursor]))
        with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as program:
            for line in program.stdout:
                ids, cursor = json.loads(line)
                seen += ids
                pages += 1
                if pages == 6:
                    mortal.killed_and_started()
                if pages == pages_of_program:
                    program.kill()
                    break

    assert program.returncode == 0
    assert len(seen) == len(set(seen))
    assert set(seen) == mortal.ids


def test_nothing_is_lost_or_comes_twice_in_a_page_either(page, mortal):
    seen, pages = [], []

    def report(ids, cursor):
        seen.extend(ids)
        pages.append(cursor)
        if len(pages) == 3:
            mortal.killed_and_started()

    page.expose_function("report", report)
    page.evaluate(
        "([url, key]) => calls.follow(url, key, undefined, window.report)", [mortal.url, mortal.key]
    )

    assert len(seen) == len(set(seen))
    assert set(seen) == mortal.ids
