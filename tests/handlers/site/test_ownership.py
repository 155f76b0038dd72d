"""What belongs to an account is there for its owner alone: judged over the whole URL map."""

import re
from types import SimpleNamespace

import pytest
from sqlalchemy import select

from storage.models import ApiKey, Delivery, PrivateFeed, SavedFilter, Selection, Webhook

OWNED = (ApiKey, Delivery, PrivateFeed, SavedFilter, Selection, Webhook)
HOOK = {"name": "Mine now", "url": "https://hooks.acme.example/x", "events": "all"}
FORM = HOOK | {"slug": "acme.mail", "change": "add", "hour": "6"}


@pytest.fixture
def theirs(ada):
    """One of everything that Ada can create; what their addresses are made of."""
    key = ada.new_key().split("_")[1]
    ada.post("/app/filters", page="/app/filters", name="Only Ada's", vendor="acme")
    filter_ = re.search(r"/app/filters/(\w+)/delete", ada.get("/app/filters").text)[1]
    ada.post("/app/filters/feeds", page="/app/filters", filter=filter_)
    feed = re.search(r"feeds/(\d+)/revoke", ada.get("/app/filters").text)[1]
    made = ada.post("/app/webhooks", page="/app/webhooks", **HOOK, selection="account").text
    hook = re.search(r'href="/app/webhooks/(\w{12})"', made)[1]
    ada.post(f"/app/webhooks/{hook}/test", page="/app/webhooks")
    delivery = re.search(r"/deliveries/(\d+)", ada.get(f"/app/webhooks/{hook}").text)[1]
    return SimpleNamespace(key=key, filter=filter_, feed=feed, hook=hook, delivery=delivery)


@pytest.fixture
def bob(new_browser):
    bob = new_browser()
    bob.sign_in("bob@acme.example")
    return bob


@pytest.fixture
def owned(database):
    """Return the rows of everything that belongs to anybody."""

    def owned():
        with database.read() as session:
            return [session.execute(select(*model.__table__.columns)).fetchall() for model in OWNED]

    return owned


def addresses(site, theirs):
    """Yield the method and the address of every route that names something of Ada's."""
    names = {"webhook_id": theirs.hook, "delivery_id": theirs.delivery, "id_": theirs.feed}
    for rule in site.url_map.iter_rules():
        if rule.rule.startswith("/app/") and rule.arguments - {"digest"}:
            names["public_id"] = theirs.filter if "/filters/" in rule.rule else theirs.key
            path = re.sub(r"<(?:[^<>:]+:)?(\w+)>", lambda found: names[found[1]], rule.rule)
            yield from ((method, path) for method in sorted(rule.methods & {"GET", "POST"}))


def test_nobody_reads_or_changes_what_belongs_to_somebody_else(pages, ada, bob, theirs, owned):
    before, answers, read = owned(), {}, {}

    for method, path in addresses(pages, theirs):
        if method == "GET":
            read[path] = ada.get(path).status_code
            answers[method, path] = bob.get(path).status_code
        else:
            answers[method, path] = bob.post(path, page="/app/account", **FORM).status_code

    assert len(answers) >= 17
    assert answers == dict.fromkeys(answers, 404)
    assert read == dict.fromkeys(read, 200)
    assert owned() == before


@pytest.mark.parametrize(
    ("path", "field", "what", "status"),
    [
        ("/app/webhooks", "selection", "key", 400),
        ("/app/webhooks", "filter", "filter", 400),
        ("/app/digest", "filter", "filter", 400),
        ("/app/filters/feeds", "filter", "filter", 404),
    ],
)
def test_a_form_that_names_something_of_somebody_else_is_refused(
    bob, theirs, owned, path, field, what, status
):
    form = FORM | {"text": "flask==1", "frequency": "daily"}
    before = owned()

    refused = bob.post(path, page="/app/account", **form | {field: getattr(theirs, what)})

    assert refused.status_code == status
    assert owned() == before


def test_a_list_has_what_is_ones_own_alone(ada, bob, theirs):
    for path in ("/app/api-keys", "/app/filters", "/app/webhooks", "/following"):
        shown = bob.get(path).text
        assert [each for each in (theirs.key, theirs.filter, theirs.hook) if each in shown] == []
    assert theirs.key in ada.get("/app/api-keys").text
