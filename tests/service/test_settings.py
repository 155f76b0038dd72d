"""Settings come from the environment and are explained (docs/operating.md)."""

import re
from ipaddress import ip_network
from pathlib import Path

import pytest
from pydantic_core import PydanticUndefined

from service.commands.variables import OTHERS, set_default, unknown
from service.settings import Settings, WrongSettings, load_settings

SETTINGS = Settings.model_fields
ROOT = Path(__file__).parents[2]
OPERATING = ROOT / "docs" / "operating.md"


@pytest.fixture(autouse=True)
def without_environment(monkeypatch, tmp_path):
    """Start from no variables and no .env file."""
    monkeypatch.chdir(tmp_path)
    for name in SETTINGS:
        monkeypatch.delenv(f"CHANGEWIRE_{name.upper()}", raising=False)


def described():
    """What the manual says of each variable: its default and its meaning, by name."""
    row = re.compile(r"^\| `CHANGEWIRE_(\w+)` \| (.*?) \| (.*) \|$", re.MULTILINE)
    lines = row.findall(OPERATING.read_text())
    return {name.lower(): (default, meaning) for name, default, meaning in lines}


def test_the_manual_has_a_line_for_every_setting_and_for_nothing_else():
    assert described().keys() == SETTINGS.keys() | {"api_keys"}


@pytest.mark.parametrize("name", SETTINGS)
def test_the_manual_says_the_default_of_every_setting(name):
    default = SETTINGS[name].default
    told, meaning = described()[name]

    assert meaning
    assert told.startswith(
        {None: "", PydanticUndefined: "", (): "none", False: "no"}.get(default, f"`{default}`")
    )


def test_what_is_shipped_sets_only_what_there_is():
    files = [ROOT / "compose.yaml", ROOT / "Dockerfile", ROOT / "changewire"]
    files += [each for each in (ROOT / "deploy").rglob("*") if each.is_file()]
    text = "\n".join(file.read_text() for file in files)
    named = {found.lower() for found in re.findall(r"CHANGEWIRE_(\w+)", text)}

    assert named - SETTINGS.keys() == {"called_as"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SITE_URL", "changewire.example", "must be an http or https address"),
        ("SITE_URL", "http://changewire.example:99999", "Port out of range"),
        ("FETCH_ALLOW", "10.0.0.0/8,nonsense", "'nonsense' does not appear to be"),
        ("DATABASE_MAY_LOSE_WRITES", "perhaps", "valid boolean"),
        ("SMTP_URL", "mail.example", "smtp://user:password@host:587"),
        ("LOG", "xml", "'console' or 'json'"),
        ("SECRET_KEY", "short", "at least 32"),
        ("CURRENCY", "dollars", "the three letters of a currency"),
        ("CHECKOUT_ALL", "javascript:alert(1)", "must be an http or https address"),
        ("TERMS_FILE", "/there/is/no/such/file.md", "the file cannot be read"),
    ],
)
def test_a_wrong_value_is_named_in_one_line(monkeypatch, name, value, message):
    monkeypatch.setenv(f"CHANGEWIRE_{name}", value)

    with pytest.raises(WrongSettings) as told:
        load_settings()

    assert str(told.value).startswith(f"CHANGEWIRE_{name}: ")
    assert message in str(told.value)
    assert "\n" not in str(told.value)


def test_networks_and_names_are_lists_with_commas(monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_FETCH_ALLOW", "127.0.0.0/8, ::1")
    monkeypatch.setenv("CHANGEWIRE_ALLOWED_HOSTS", "One.example, two.example")

    settings = load_settings()

    assert settings.fetch_allow == (ip_network("127.0.0.0/8"), ip_network("::1"))
    assert settings.allowed_hosts == ("one.example", "two.example")


@pytest.mark.parametrize(("text", "meant"), [("1", True), ("Yes", True), ("FALSE", False)])
def test_yes_and_no_have_many_words(monkeypatch, text, meant):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_MAY_LOSE_WRITES", text)

    assert load_settings().database_may_lose_writes is meant


def test_an_empty_variable_says_nothing(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("CHANGEWIRE_LOG=json\nCHANGEWIRE_MAIL_FROM=\n")
    monkeypatch.setenv("CHANGEWIRE_LOG", "")
    monkeypatch.setenv("changewire_log_level", "debug")

    settings = load_settings()

    assert (settings.log, settings.log_level) == ("json", "debug")
    assert settings.mail_from == Settings().mail_from


def test_the_environment_counts_more_than_the_file(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text("CHANGEWIRE_LOG=json\n")
    monkeypatch.setenv("CHANGEWIRE_LOG", "console")

    assert load_settings().log == "console"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("SMPT_URL", "SMTP_URL"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
    ],
)
def test_a_misspelled_variable_is_named_with_the_similar_setting(monkeypatch, name, near):
    monkeypatch.setenv(f"CHANGEWIRE_{name}", "x")

    assert unknown() == [
        f"CHANGEWIRE_{name} is unknown and ignored. Did you mean CHANGEWIRE_{near}?"
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in (*SETTINGS, *sorted(OTHERS))),
        *(("port", "tcp://10.0.0.1:8080"), ("db_port", "tcp://10.0.0.2:5432")),
        *((f"port_8080_tcp{end}", "x") for end in ("", "_addr", "_proto")),
        *((name, "x") for name in ("service_host", "service_port_http", "db_service_host")),
    ],
)
def test_settings_and_what_an_orchestrator_sets_are_known(monkeypatch, name, value):
    monkeypatch.setenv(f"CHANGEWIRE_{name.upper()}", value)

    assert unknown() == []


def test_an_address_that_nobody_has_set_is_the_one_that_is_listened_at(monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_SITE_URL", "")

    set_default("site_url", "http://127.0.0.1:8081")

    assert load_settings().site_url == "http://127.0.0.1:8081"


def test_an_address_in_the_file_is_not_overruled_by_the_one_that_is_listened_at(tmp_path):
    (tmp_path / ".env").write_text("CHANGEWIRE_SITE_URL=https://acme.example\n")

    set_default("site_url", "http://127.0.0.1:8081")

    assert load_settings().site_url == "https://acme.example"


def test_secrets_do_not_show(monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_GITHUB_TOKEN", "hush-hush")
    monkeypatch.setenv("CHANGEWIRE_SMTP_URL", "smtp://u:hush-hush@mail.example")

    assert "hush-hush" not in repr(load_settings())


@pytest.mark.parametrize(
    ("name", "value"),
    [("SECRET_KEY", "hush-hush"), ("SMTP_URL", "hush-hush"), ("METRICS_TOKEN", "hush-hush")],
)
def test_a_wrong_secret_does_not_show(monkeypatch, name, value):
    monkeypatch.setenv(f"CHANGEWIRE_{name}", value)

    with pytest.raises(WrongSettings) as error:
        load_settings()

    assert value not in str(error.value)
    assert error.value.__cause__ is None


def test_compose_passes_every_setting():
    compose = (Path(__file__).parents[2] / "compose.yaml").read_text()

    left_out = [
        name for name in Settings.model_fields if f" CHANGEWIRE_{name.upper()}: " not in compose
    ]

    assert left_out == []
