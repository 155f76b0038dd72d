"""Under which keys the secrets of webhooks are sealed."""

import pytest

from service.secret_key import secret_box, use_secret_box
from service.settings import Settings
from storage.people.secret_box import BOX, SecretBox

KEY, OTHER = "k" * 40, "o" * 40
POSTGRESQL = "postgresql+psycopg://nobody@localhost/none"


@pytest.mark.parametrize(
    ("chosen", "key"),
    [
        ({"webhook_keys": f"{KEY},{OTHER}", "secret_key": "s" * 40}, KEY),
        ({"secret_key": KEY}, KEY),
        ({"secret_key": KEY, "database_url": POSTGRESQL}, KEY),
        ({"database_url": POSTGRESQL}, None),
    ],
)
def test_the_key_is_the_first_that_is_set(chosen, key):
    box = secret_box(Settings(**chosen))

    sealed = SecretBox([KEY]).seal(b"x", "hook")
    assert (None if box is None else box.is_current(sealed, "hook")) is (
        None if key is None else True
    )


def test_on_sqlite_the_file_beside_the_database_is_the_key(tmp_path, database):
    settings = Settings(database_url=f"sqlite:///{tmp_path}/x.db")
    use_secret_box(settings, database)

    sealed = database.info[BOX].seal(b"x", "hook")

    assert SecretBox([(tmp_path / "x.secret").read_text()]).open(sealed, "hook") == b"x"


def test_what_the_secret_key_before_sealed_is_opened_while_it_is_named():
    box = secret_box(Settings(secret_key=KEY, secret_key_before=OTHER))

    assert box.open(SecretBox([OTHER]).seal(b"x", "hook"), "hook") == b"x"
    assert SecretBox([KEY]).open(box.seal(b"x", "hook"), "hook") == b"x"
