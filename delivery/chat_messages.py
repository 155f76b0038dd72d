"""Messages for a webhook in the format of its reader: a program, Slack, Teams or Discord. Pure.

What vendors wrote stays text in a chat: it mentions nobody, and makes no link and no markup. The
limits are those that each chat documents (docs/decisions/0040).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from delivery.events import body_of, categories_of, linkable
from openapi.text import one_line, readable, shortened
from openapi.vocabulary import Json, WebhookFormat
from storage.catalog.stack_upgrades import PartUpgrade
from storage.delivery.deliveries import DueDelivery
from storage.models.webhooks import EventType

LONGEST_TITLE: Final = 120
LONGEST_SUMMARY: Final = 1000
LONGEST_TEXT: Final = 1800
LONGEST_VERSION: Final = 60
MOST_UPGRADES: Final = 5
LINK_WORDS: Final = "Open original"
RED, BLUE = 0xC0392B, 0x2B6CB0
_HEADING = re.compile(r"^## ", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")
_DISCORD_MARKUP = re.compile(r"([\\`*_~|\[\]()<>#@:-])")

_DISCORD_ADDRESS = re.compile(
    r"^(https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/)(?:v\d+/)?(webhooks/)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """The texts of a chat, plain and shortened. ``url`` is None where nothing may be linked."""

    title: str
    about: str
    text: str
    url: str | None
    at: str | None
    important: bool


def address_of(url: str) -> str:
    """Return the address to post to; Discord's with the version whose pauses are in seconds."""
    return _DISCORD_ADDRESS.sub(r"\1v10/\2", url)


def message_body(job: DueDelivery, upgrades: Sequence[PartUpgrade] = ()) -> bytes:
    """Return the body of a message, in the format of its webhook."""
    write = _WRITERS.get(job.format)
    if write is None:
        return body_of(job, upgrades)
    return orjson.dumps(write(chat_message(job, upgrades)))


def chat_message(job: DueDelivery, upgrades: Sequence[PartUpgrade]) -> ChatMessage:
    """Return what a chat shows of an event."""
    if job.document is None:
        text = f"Webhook {job.webhook} is set up correctly."
        return ChatMessage("Test from Changewire", "test", text, None, None, important=False)
    entry = orjson.loads(job.document)
    categories = categories_of(job.importance)
    about = [entry["source"], *categories]
    if job.event_type is EventType.EDITED:
        about.insert(1, "edited")
    lines = "\n".join(map(_upgrade_line, upgrades[:MOST_UPGRADES]))
    summary = _paragraphs(entry.get("summary") or "")
    return ChatMessage(
        title=shortened(one_line(entry["title"]) or entry["source"], LONGEST_TITLE),
        about=" · ".join(about),
        text=shortened("\n\n".join(filter(None, [lines, summary])), LONGEST_TEXT),
        url=linkable(entry.get("url")) or linkable(job.changelog_url),
        at=entry["published_at"],
        important=bool(categories),
    )


def _upgrade_line(upgrade: PartUpgrade) -> str:
    part, running, version = (
        shortened(one_line(text), LONGEST_VERSION)
        for text in (upgrade.part, upgrade.running, upgrade.version)
    )
    return (
        f"You run {part} {running}: {version} is out, {upgrade.breaking} of {upgrade.total} break."
    )


def _paragraphs(text: str) -> str:
    """Return a summary without its marks of headings and without what cannot be shown."""
    plain = _BLANK_LINES.sub("\n\n", _HEADING.sub("", readable(text))).strip()
    return shortened(plain, LONGEST_SUMMARY)


def slack_message(message: ChatMessage) -> Mapping[str, Json]:
    """Return the payload of an incoming webhook of Slack, with blocks of plain text."""
    context = _slack_text(message.about)
    if message.url is not None:
        context += f" · <{_slack_text(message.url.replace('|', '%7C'))}|{LINK_WORDS}>"
    blocks: list[Json] = [
        {"type": "header", "text": _slack_plain(message.title)},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": context}]},
    ]
    if message.text:
        blocks.insert(1, {"type": "section", "text": _slack_plain(message.text)})
    fallback = _slack_text(f"{message.title} ({message.about})")
    return {"text": fallback, "blocks": blocks, "unfurl_links": False, "unfurl_media": False}


def _slack_plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": False}


def _slack_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def teams_message(message: ChatMessage) -> Mapping[str, Json]:
    """Return an Adaptive Card as the Workflows of Teams take it; its runs are no Markdown."""
    body: list[Json] = [
        _teams_text(message.title, size="Large", weight="Bolder"),
        _teams_text(message.about, isSubtle=True),
    ]
    if message.text:
        body.append(_teams_text(message.text))
    card: dict[str, Json] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.2",
        "body": body,
    }
    if message.url is not None:
        card["actions"] = [{"type": "Action.OpenUrl", "title": LINK_WORDS, "url": message.url}]
    content_type = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": content_type, "content": card}]}


def _teams_text(text: str, **looks: Json) -> Json:
    return {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": text, **looks}]}


def discord_message(message: ChatMessage) -> Mapping[str, Json]:
    """Return the payload of a webhook of Discord: one embed that mentions nobody."""
    embed: dict[str, Json] = {
        "title": _discord_text(message.title),
        "description": _discord_text(message.text),
        "color": RED if message.important else BLUE,
        "footer": {"text": message.about},
    }
    if message.url is not None:
        embed["url"] = message.url
    if message.at is not None:
        embed["timestamp"] = message.at
    return {"embeds": [embed], "allowed_mentions": {"parse": []}}


def _discord_text(text: str) -> str:
    return _DISCORD_MARKUP.sub(r"\\\1", text)


_WRITERS: Final[Mapping[WebhookFormat, Callable[[ChatMessage], Mapping[str, Json]]]] = {
    WebhookFormat.SLACK: slack_message,
    WebhookFormat.TEAMS: teams_message,
    WebhookFormat.DISCORD: discord_message,
}
