"""Whether an end is about the version of a part that runs."""

import pytest

from package_versions.affected import is_affected

KUBERNETES = "pkg:github/kubernetes/kubernetes"


@pytest.mark.parametrize(
    ("versions", "running", "expected"),
    [
        ("1.30", "1.30", True),
        ("1.30", "v1.30.9", True),
        ("1.30.x", "1.30.9", True),
        ("1.30", "1.3.0", False),
        ("1.30", "1.28.1", False),
        ("1.30", "1.33", False),
        ("1.30", "1", None),
        ("1.30", "main", None),
        ("1.30", None, None),
        ("1.29|1.30", "1.29.4", True),
        ("1.29|1.30", "1.31", False),
        ("<1.30", "1.30.0-rc.1", True),
        ("<1.30", "1.30.0", False),
        ("<=1.30", "1.30.4", True),
        ("<=1.30", "1.31", False),
        (">1.30", "1.30.4", False),
        (">=1.29|<=1.30", "1.30.2", True),
        (">=1.29|<=1.30", "1.28", False),
        (">=1.29|<=1.30", "1.31", False),
        (">=1.29|<=1.30", "1", None),
        ("jammy", "Jammy", True),
        ("jammy", "22.04", None),
        (None, "1.30", None),
    ],
)
def test_the_version_that_runs_is_among_those_that_end_or_not(versions, running, expected):
    assert is_affected("Kubernetes 1.30", versions, KUBERNETES, running) is expected


@pytest.mark.parametrize(
    ("part", "subject", "is_told"),
    [
        (KUBERNETES, "Kubernetes version 1.30", True),
        (KUBERNETES, "versions 1.29, 1.30 and older", True),
        (KUBERNETES, "v1.30", True),
        (KUBERNETES, "Kubernetes Dashboard 1.30", False),
        (KUBERNETES, "the API v1", False),
        (KUBERNETES, None, True),
        ("pkg:npm/%40angular/core", "Angular 1.30", True),
        ("pkg:npm/react", "React Native 1.30", False),
        ("pkg:gem/rails", "Ruby on Rails 1.30", True),
        ("pkg:docker/node", "Node.js 1.30 LTS", True),
        ("pkg:pypi/python-dateutil", "Python 1.30", False),
        ("pkg:pypi/apache-airflow", "Airflow 1.30.x", True),
    ],
)
def test_only_versions_of_the_part_itself_tell(part, subject, is_told):
    assert is_affected(subject, "1.30", part, "1.33") is (False if is_told else None)
