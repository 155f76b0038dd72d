"""What keys had selected becomes what their accounts follow."""

import pytest
from old_database import make_old
from sqlalchemy import text

from storage.engine.database import open_database, upgrade

NOW = "2026-11-01 00:00:00"
KEYS = {  # of an account on a plan: what its keys select, and whether they end up narrowed
    ("free", 1): ([1, 2], False),
    ("free", 2): ([1], True),
    ("all", 3): ([1, 2], False),
    ("all", 4): ([3], False),
}


@pytest.fixture
def before(new_database_url):
    """A database at revision 1005 with keys that select sources."""
    empty = open_database(new_database_url(empty=True))
    make_old(empty, "1005")
    with empty.engine.begin() as connection:

        def add(table, **values):
            names = ", ".join(values)
            marks = ", ".join(f":{name}" for name in values)
            connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({marks})"), values)

        for number, plan in enumerate(("free", "all"), 1):
            add("accounts", id=number, email=plan, plan=plan, diffs_addon=False, created_at=NOW)
        for number in (1, 2, 3):
            add(
                "sources",
                id=number,
                slug=f"a.{number}",
                vendor="a",
                name="A",
                kind="changelog",
                changelog_url="https://a.example/",
                adapter_type="html",
                prominence=0,
                health="healthy",
                entry_count=0,
                important_count=0,
            )
        for (plan, number), (sources, _) in KEYS.items():
            add(
                "api_keys",
                id=number,
                account_id=1 if plan == "free" else 2,
                public_id=str(number),
                digest=str(number),
                name="k",
                created_at=NOW,
            )
            for source in sources:
                add("selections", key_id=number, source_id=source)
    yield empty
    empty.close()


def test_selections_of_keys_become_follows_and_smaller_ones_narrow_but_not_on_all(before):
    upgrade(before)

    with before.read() as session:
        follows = session.execute(text("SELECT account_id, source_id FROM follows")).all()
        narrowed = dict(session.execute(text("SELECT id, narrowed FROM api_keys")).all())
        left = session.execute(text("SELECT key_id, source_id FROM selections")).all()
        followers = session.scalars(text("SELECT id FROM accounts WHERE has_followed")).all()
    assert set(map(tuple, follows)) == {(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)}
    assert {key: bool(is_narrow) for key, is_narrow in narrowed.items()} == {
        number: is_narrow for (_, number), (_, is_narrow) in KEYS.items()
    }
    assert list(map(tuple, left)) == [(2, 1)]
    assert set(followers) == {1, 2}
