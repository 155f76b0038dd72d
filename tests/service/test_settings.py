"""Settings come from the environment and are explained (docs/operating.md)."""

import stat
from ipaddress import ip_network
from pathlib import Path

import pytest

from service.settings import Settings, WrongSettings, load_settings, secret_key

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"


@pytest.fixture(autouse=True)
def without_environment(monkeypatch, tmp_path):
    """Start from no variables and no .env file."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"CHANGEWIRE_{name.upper()}", raising=False)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_has_its_line_in_the_manual(name):
    assert f"| `CHANGEWIRE_{name.upper()}` |" in OPERATING.read_text()


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SITE_URL", "changewire.example", "must be an http or https address"),
        ("API_URL", "changewire.example", "must be an http or https address"),
        ("FETCH_ALLOW", "10.0.0.0/8,nonsense", "'nonsense' does not appear to be"),
        ("LOG", "xml", "'console' or 'json'"),
        ("LOG_LEVEL", "loud", "'debug', 'info', 'warning' or 'error'"),
        ("SECRET_KEY", "short", "at least 32"),
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


def test_the_environment_can_be_a_file(tmp_path):
    (tmp_path / ".env").write_text("CHANGEWIRE_SITE_URL=https://acme.example/\n")

    assert load_settings().site_url == "https://acme.example"


def test_secrets_do_not_show(monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_GITHUB_TOKEN", "hush-hush")
    monkeypatch.setenv("CHANGEWIRE_SMTP_URL", "smtp://u:hush-hush@mail.example")

    assert "hush-hush" not in repr(load_settings())


def test_a_secret_key_is_made_once_and_readable_by_its_owner_only(monkeypatch, tmp_path):
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/data/x.db")

    first = secret_key(load_settings())

    assert secret_key(load_settings()) == first
    assert stat.S_IMODE((tmp_path / "data" / "x.secret").stat().st_mode) == 0o600
