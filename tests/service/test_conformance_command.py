"""changewire conformance, where nothing can be checked: it says why, in its exit code too."""

import pytest

SITE = ("conformance", "--url", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("conformance", "--url", "127.0.0.1:8080"), "no address such as"),
        ((*SITE, "--check", "since-is-stric"), "since-is-strict"),
        ((*SITE, "--check", "x"), "docs/conformance.md"),
        ((*SITE, "--limited-key", "cw_secret"), "KEY=/diffs:402"),
        ((*SITE, "--limited-key", "cw_secret=/sources:402"), "KEY=/diffs:402"),
        ((*SITE, "--rate", "0"), "--rate"),
    ],
)
def test_wrong_usage_exits_2_and_shows_no_key(run, arguments, said):
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    assert said in err
    assert "secret" not in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (SITE, "http://127.0.0.1:1/openapi.json was not answered"),
        (("conformance", "--url", "http://127.0.0.1:1/api/v1/"), "127.0.0.1:1/openapi.json"),
        ((*SITE, "--contract", "missing.yaml"), "missing.yaml cannot be read"),
    ],
)
def test_what_cannot_be_reached_or_read_is_told_in_one_line(run, arguments, said):
    status, out, err = run(*arguments)

    assert (status, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1
