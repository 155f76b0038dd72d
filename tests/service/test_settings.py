"""Settings come from the environment and are explained (docs/operating.md)."""

import os
import re
import tempfile
from ipaddress import ip_network
from pathlib import Path

import pytest
from pydantic import SecretStr
from pydantic_core import PydanticUndefined

from service.commands.run import metrics_folder
from service.settings import OTHERS, Settings, WrongSettings, load_settings, set_default, unknown

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


def test_what_is_shipped_sets_only_what_there_is_and_compose_passes_all():
    files = [ROOT / "compose.yaml", ROOT / "Dockerfile", ROOT / "changewire"]
    files += [each for each in (ROOT / "deploy").rglob("*") if each.is_file()]
    text = "\n".join(file.read_text() for file in files)
    named = {found.lower() for found in re.findall(r"CHANGEWIRE_(\w+)", text)}

    assert named - SETTINGS.keys() == {"called_as"}
    compose = (ROOT / "compose.yaml").read_text()
    assert [name for name in SETTINGS if f" CHANGEWIRE_{name.upper()}: " not in compose] == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SITE_URL", "changewire.example", "must be an address such as https://"),
        ("SITE_URL", "http://changewire.example:99999", "must be an address such as https://"),
        ("SITE_URL", "https://acme.example/changes", "must have no path"),
        ("SITE_URL", "https://acme\r\n.example", "control character"),
        ("GITHUB_TOKEN", "gh\udcffp", "not UTF-8"),
        ("GITHUB_TOKEN", "schlüssel", "must be ASCII"),
        ("ALLOWED_HOSTS", "a.example,b:80", "'b:80' is not a host name such as example.org"),
        ("MAIL_FROM", "Changewire", "one mail address"),
        ("MAIL_FROM", "grüße@acme.example", "one mail address"),
        ("OUTBOX", "a\x7fb", "control character"),
        ("FETCH_ALLOW", "10.0.0.0/8,nonsense", "'nonsense' is not a network such as"),
        ("DATABASE_MAY_LOSE_WRITES", "perhaps", "must be 1 or 0, not 'perhaps'"),
        ("DATABASE_CONNECTIONS", "many", "must be a whole number from 4 to 200, not 'many'"),
        ("REQUESTS_A_DAY", "49", "must be a number from 1 to 48, not '49'"),
        ("KEEP_HISTORY", "7.5", "must be a whole number of at least 30, not '7.5'"),
        ("LOG", "xml", "must be 'console' or 'json', not 'xml'"),
        ("SMTP_URL", "mail.example", "smtp://user:password@host:587"),
        ("SECRET_KEY", "short", "at least 32"),
        ("CURRENCY", "dollars", "the three letters of a currency"),
        ("CHECKOUT_ALL", "javascript:alert(1)", "must be an address such as https://"),
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


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("site_url", " https://acme.example\r\n", "https://acme.example"),
        ("site_url", "https://bücher.example:8443", "https://xn--bcher-kva.example:8443"),
        ("allowed_hosts", "One.example, two.example", ("one.example", "two.example")),
        ("allowed_hosts", "MÜNCHEN.example,::1", ("xn--mnchen-3ya.example", "[::1]")),
        ("mail_from", "Bücher <post@bücher.example>", "Bücher <post@xn--bcher-kva.example>"),
        ("fetch_allow", "127.0.0.0/8, ::1", (ip_network("127.0.0.0/8"), ip_network("::1"))),
        ("database_url", "sqlite:////data/a.db\r", "sqlite:////data/a.db"),
        ("metrics_token", f"{'t' * 20}\n", SecretStr("t" * 20)),
        ("requests_a_day", " \t", SETTINGS["requests_a_day"].default),
    ],
)
def test_a_value_is_read_without_white_space_and_in_one_form(monkeypatch, name, text, value):
    monkeypatch.setenv(f"CHANGEWIRE_{name.upper()}", text)

    assert getattr(load_settings(), name) == value


@pytest.mark.parametrize("content", ["CHANGEWIRE_LOG=json".encode("utf-16-le"), b"\xff\xfe", None])
def test_a_file_of_settings_that_cannot_be_read_is_named(tmp_path, content):
    file = tmp_path / ".env"
    file.mkdir() if content is None else file.write_bytes(content)

    for read in (load_settings, unknown):
        with pytest.raises(WrongSettings, match=re.escape(f"{file}: the file ")):
            read()


def test_temporary_files_go_beside_the_data_where_no_usual_folder_can_be_written(
    monkeypatch, tmp_path
):
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(tempfile, "_candidate_tempdir_list", lambda: [os.environ["TMPDIR"]])
    monkeypatch.setenv("TMPDIR", "/proc/none")
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "kept")
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/data/a.db")

    with metrics_folder():
        assert [file.parent for file in (tmp_path / "data").iterdir()] == [tmp_path / "data"]


def test_an_empty_variable_says_nothing_and_others_more_than_the_file(monkeypatch, tmp_path):
    (tmp_path / ".env").write_text(
        "CHANGEWIRE_LOG=json\nCHANGEWIRE_MAIL_FROM=\nCHANGEWIRE_LOG_LEVEL=error\n"
    )
    monkeypatch.setenv("CHANGEWIRE_LOG", "")
    monkeypatch.setenv("changewire_log_level", "debug")

    settings = load_settings()

    assert (settings.log, settings.log_level) == ("json", "debug")
    assert settings.mail_from == Settings().mail_from


def test_a_misspelled_variable_is_named_with_the_similar_setting(monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_SMPT_URL", "x")

    assert unknown() == [
        "CHANGEWIRE_SMPT_URL is unknown and ignored. Did you mean CHANGEWIRE_SMTP_URL?"
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in (*SETTINGS, *sorted(OTHERS))),
        *(("port", "tcp://10.0.0.1:8080"), ("db_port", "tcp://10.0.0.2:5432")),
        *((name, "x") for name in ("port_8080_tcp_addr", "db_service_host")),
    ],
)
def test_settings_and_what_an_orchestrator_sets_are_known(monkeypatch, name, value):
    monkeypatch.setenv(f"CHANGEWIRE_{name.upper()}", value)

    assert unknown() == []


@pytest.mark.parametrize(
    ("file", "expected"),
    [("", "http://127.0.0.1:8081"), ("https://acme.example", "https://acme.example")],
)
def test_an_address_that_nobody_has_set_is_the_one_that_is_listened_at(
    monkeypatch, tmp_path, file, expected
):
    (tmp_path / ".env").write_text(f"CHANGEWIRE_SITE_URL={file}\n")
    monkeypatch.setenv("CHANGEWIRE_SITE_URL", "")

    set_default("site_url", "http://127.0.0.1:8081")

    assert load_settings().site_url == expected


def test_secrets_do_not_show(monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_GITHUB_TOKEN", "hush-hush")
    monkeypatch.setenv("CHANGEWIRE_SMTP_URL", "smtp://u:hush-hush@mail.example")
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", "postgresql+psycopg://u:hush-hush@host/x")

    assert "hush-hush" not in repr(load_settings())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "hush-hush") for name in ("SECRET_KEY", "WEBHOOK_KEYS")),
        ("SMTP_URL", "hush-hush"),
        *(
            (name, f"{scheme}://user:hush-hush{character}hush-hush@127.0.0.1")
            for name, scheme in (("SMTP_URL", "smtp"), ("FETCH_PROXY", "http"))
            for character in "/#?["
        ),
    ],
)
def test_a_wrong_secret_does_not_show(monkeypatch, name, value):
    monkeypatch.setenv(f"CHANGEWIRE_{name}", value)

    with pytest.raises(WrongSettings) as error:
        load_settings()

    assert "hush-hush" not in str(error.value)
    assert error.value.__cause__ is None
