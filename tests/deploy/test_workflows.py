"""The workflows of a public forge: by their published schema, and by what they run."""

import re

import pytest
import yaml

NAMES = ("tests.yml", "release.yml")


@pytest.fixture(params=NAMES)
def workflow(request, root):
    return root / ".github" / "workflows" / request.param


def steps_of(workflow):
    document = yaml.safe_load(workflow.read_text())
    return [step for job in document["jobs"].values() for step in job["steps"]]


def test_it_is_one(workflow, run):
    status, told = run("check-jsonschema", "--builtin-schema", "vendor.github-workflows", workflow)

    assert (status, told.strip()) == (0, "ok -- validation done")


@pytest.mark.parametrize(("number", "forge"), [(0, "github-workflows"), (1, "gitlab-ci")])
def test_so_is_each_pipeline_of_the_guide(number, forge, root, run, tmp_path):
    guide = (root / "docs" / "guide" / "stack.md").read_text()
    (tmp_path / "stack.yaml").write_text(re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)[number])
    command = ("check-jsonschema", "--builtin-schema", f"vendor.{forge}", tmp_path / "stack.yaml")

    assert run(*command)[0] == 0


def test_an_action_of_others_is_pinned_by_the_digest_of_its_commit(workflow):
    used = [step["uses"] for step in steps_of(workflow) if "uses" in step]

    assert used
    assert [name for name in used if not re.search(r"@[0-9a-f]{40}$", name)] == []


def test_it_may_read_and_only_who_publishes_may_write(workflow):
    document = yaml.safe_load(workflow.read_text())
    writes = [
        name for name, job in document["jobs"].items() if "write" in str(job.get("permissions"))
    ]

    assert document["permissions"] == {"contents": "read"}
    assert writes == (["build"] if workflow.name == "release.yml" else [])


def test_no_text_of_a_stranger_is_part_of_a_script(workflow):
    assert [step["run"] for step in steps_of(workflow) if "${{" in step.get("run", "")] == []


def test_scripts_are_ones_that_a_shell_reads(workflow, run):
    for step in steps_of(workflow):
        assert run("bash", "-n", "-c", step.get("run", "")) == (0, "")
