"""What chats get follows what each of them documents, and what vendors wrote stays text there.

The schemas beside this file are written from the public documents of each chat.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from delivery.chat_messages import address_of, message_body
from openapi.vocabulary import WebhookFormat
from storage.catalog.stack_upgrades import PartUpgrade
from storage.delivery.deliveries import DueDelivery
from storage.models.webhooks import EventType

CHATS = [WebhookFormat.SLACK, WebhookFormat.TEAMS, WebhookFormat.DISCORD]
SCHEMAS = {
    chat: json.loads((Path(__file__).parent / "chats" / f"{chat}.json").read_text())
    for chat in CHATS
}
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ENTRY = {
    "id": "v2",
    "source": "acme.mail",
    "vendor": "acme",
    "published_at": "2026-11-21T11:30:00Z",
    "title": "Version 2 is removed",
    "url": "https://acme.example/v2",
    "summary": "## What to do\n\nUse version 3.",
    "raw": {},
    "tags": [],
}
IMPORTANCE = json.dumps({"categories": ["breaking"], "evidence": [], "deadlines": []}).encode()
MOST_OF_TEAMS = 28 * 1024
MOST_OF_AN_EMBED = 6000
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=3000)
LINES = st.text(st.characters(exclude_categories=["Cs"]), max_size=500)


def job(chat, entry=ENTRY, event_type=EventType.PUBLISHED, importance=IMPORTANCE, page=None):
    return DueDelivery(
        1, "0A1b2C3d4E5f", "", (), "evt_1", event_type, NOW, NOW, 0, 0, None,
        document=None if entry is None else json.dumps(entry).encode(),
        format=chat,
        importance=importance,
        changelog_url=page,
    )  # fmt: skip


def payload(chat, *arguments, upgrades=(), **more):
    return json.loads(message_body(job(chat, *arguments, **more), upgrades))


def check(chat, sent):
    jsonschema.validate(sent, SCHEMAS[chat], format_checker=jsonschema.FormatChecker())
    assert len(json.dumps(sent, ensure_ascii=False).encode()) <= MOST_OF_TEAMS
    for embed in sent.get("embeds", ()):
        texts = (embed.get("title", ""), embed.get("description", ""), embed["footer"]["text"])
        assert sum(map(len, texts)) <= MOST_OF_AN_EMBED


@pytest.mark.slow
@pytest.mark.parametrize("chat", CHATS)
@given(title=LINES, summary=st.none() | TEXTS, url=st.none() | LINES, part=LINES)
def test_whatever_a_vendor_writes_a_chat_takes_it(chat, title, summary, url, part):
    upgrades = [PartUpgrade(part, part, part, 5, 2)] * 9
    entry = {**ENTRY, "title": title, "summary": summary, "url": url}

    check(chat, payload(chat, entry, upgrades=upgrades))


def test_slack_gets_blocks_of_plain_text_and_one_link():
    sent = payload(WebhookFormat.SLACK)

    title, text, context = sent["blocks"]
    assert (title["text"]["type"], title["text"]["text"]) == ("plain_text", "Version 2 is removed")
    assert (text["text"]["type"], text["text"]["text"]) == (
        "plain_text",
        "What to do\n\nUse version 3.",
    )
    (about,) = context["elements"]
    link = "<https://acme.example/v2|Open original>"
    assert about["text"] == f"acme.mail · breaking · {link}"
    assert (sent["unfurl_links"], sent["unfurl_media"]) == (False, False)


def test_slack_mentions_nobody():
    sent = payload(WebhookFormat.SLACK, {**ENTRY, "title": "<!channel> & <@U1>"})

    assert sent["text"] == "&lt;!channel&gt; &amp; &lt;@U1&gt; (acme.mail · breaking)"


def test_teams_gets_a_card_with_runs_of_text():
    card = payload(WebhookFormat.TEAMS)["attachments"][0]["content"]

    shown = [block["inlines"][0]["text"] for block in card["body"]]
    assert shown == ["Version 2 is removed", "acme.mail · breaking", "What to do\n\nUse version 3."]
    assert card["actions"][0]["url"] == "https://acme.example/v2"


def test_discord_gets_an_embed_whose_markup_is_none():
    entry = {**ENTRY, "title": "**bold** [here](https://x.example)", "summary": "@everyone"}
    sent = payload(WebhookFormat.DISCORD, entry)

    (embed,) = sent["embeds"]
    assert embed["title"] == r"\*\*bold\*\* \[here\]\(https\://x.example\)"
    assert embed["description"] == r"\@everyone"
    assert sent["allowed_mentions"] == {"parse": []}


@pytest.mark.parametrize("chat", CHATS)
@pytest.mark.parametrize("url", ["javascript:alert(1)", "https://a.example/ x", None])
def test_no_other_address_becomes_a_link(chat, url):
    sent = json.dumps(payload(chat, {**ENTRY, "url": url}))

    assert "javascript" not in sent
    assert "Open original" not in sent


@pytest.mark.parametrize("chat", CHATS)
def test_the_changelog_is_linked_where_the_link_of_an_entry_is_too_long(chat):
    entry = {**ENTRY, "url": f"https://a.example/{'x' * 5000}"}

    sent = payload(chat, entry, page="https://a.example/log")

    assert "https://a.example/log" in json.dumps(sent)


@pytest.mark.parametrize(
    ("given", "posted"),
    [
        ("https://discord.com/api/webhooks/1/a", "https://discord.com/api/v10/webhooks/1/a"),
        (
            "https://discordapp.com/api/v6/webhooks/1/a",
            "https://discordapp.com/api/v10/webhooks/1/a",
        ),
        ("https://acme.example/api/webhooks/1/a", "https://acme.example/api/webhooks/1/a"),
    ],
)
def test_discord_is_posted_to_in_the_version_whose_pauses_are_in_seconds(given, posted):
    assert address_of(given) == posted


def test_joiners_of_emoji_and_of_persian_stay_in_a_chat():
    sent = payload(WebhookFormat.SLACK, {**ENTRY, "title": "🧑\u200d💻 می\u200cشود"})

    assert sent["blocks"][0]["text"]["text"] == "🧑\u200d💻 می\u200cشود"
