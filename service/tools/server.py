"""The tool server: answers tool calls with calls of the API's client."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import jsonschema_rs
import mcp_types as protocol
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate

from client import ChangewireError, Client, PlanLimitExceeded, Unauthorized
from client.transport import BASE_PATH
from openapi.vocabulary import Plan
from service.terminal_escape import plain
from service.tools.advice import code_of, error_message, next_step
from service.tools.calls import CALLS, find_entry
from service.tools.fence import fenced, sendable
from service.tools.membership import KnownMembership, Membership, SmallerPlan
from service.tools.size_limit import MOST, STEPS, WHOLE, bounded, cut_to
from service.tools.suggestions import faults_of
from service.tools.tool_list import READING, REQUESTING

SOURCE, ENTRY = "changewire://sources/{slug}", "changewire://entries/{source}/{id}"
TEMPLATES = [
    protocol.ResourceTemplate(
        name="source", uri_template=SOURCE, description="A source.", mime_type="text/plain"
    ),
    protocol.ResourceTemplate(
        name="entry",
        uri_template=ENTRY,
        description="An entry with its whole text and raw data; the id percent-encoded.",
        mime_type="text/plain",
    ),
]

SCHEMAS = {tool.name: tool.input_schema for tool in (*READING, REQUESTING)}
VALIDATORS = {name: jsonschema_rs.validator_for(schema) for name, schema in SCHEMAS.items()}
CORRECT = "Correct the arguments and call again."


class ToolServer:
    """Answers tool calls and resource reads. Tools run in threads, several at a time."""

    def __init__(
        self,
        client: Client,
        *,
        now: Callable[[], datetime],
        nonce: Callable[[], str],
        allow_requests: bool,
        membership: Membership | KnownMembership | None = None,
    ) -> None:
        """``membership``: asked of the API without it."""
        self.tools = [*READING, *([REQUESTING] if allow_requests else [])]
        self._client = client
        self._now, self._nonce = now, nonce
        self._site = client.base_url.removesuffix(BASE_PATH)
        self._membership = membership or Membership(client)

    def call(self, name: str, arguments: dict[str, Any]) -> protocol.CallToolResult:
        """Run a tool; an error becomes a result that says what to do next."""
        try:
            self._membership.require()
            if faults := self._faults(name, arguments):
                return _refused(plain(" ".join(faults)), "invalid_request", CORRECT)
            page = CALLS[name](self._client, arguments, self._now())
            if page.facts.get("plan", Plan.ALL) != Plan.ALL:
                self._membership.forget()
        except ValueError as error:
            return _refused(str(error), "invalid_request", CORRECT)
        except (ChangewireError, SmallerPlan) as error:
            return self._error_result(error)
        fit = bounded(sendable(page.items), steps=WHOLE if page.whole else STEPS)
        next_offset = page.offset + len(fit.items)
        facts = {
            **page.facts,
            "total": page.total,
            "truncated": fit.truncated,
            "next_offset": next_offset if fit.items and next_offset < page.total else None,
        }
        text = f"{json.dumps(facts)}\n{fenced(fit.items, self._nonce)}"
        return protocol.CallToolResult(
            content=[protocol.TextContent(text=text)],
            structured_content={**facts, "items": fit.items},
        )

    def read(self, uri: str) -> str:
        """Return a resource; raise MCPError with a message that says what to do next."""
        source, entry = UriTemplate.parse(SOURCE).match(uri), UriTemplate.parse(ENTRY).match(uri)
        try:
            self._membership.require()
            if source is not None:
                page = CALLS["get_source"](self._client, source, self._now())
            elif entry is not None:
                page = find_entry(self._client, str(entry["source"]), str(entry["id"]))
            else:
                raise MCPError(protocol.INVALID_PARAMS, f"There is no resource {plain(uri)}.")
        except (ChangewireError, SmallerPlan) as error:
            advice = next_step(error, site=self._site)
            raise MCPError(
                protocol.INVALID_PARAMS, f"{plain(error_message(error))} Next: {advice}"
            ) from error
        item, truncated = cut_to(sendable(page.items[0]), 2 * MOST, WHOLE)
        return f"{json.dumps({'truncated': truncated})}\n{fenced([item], self._nonce)}"

    def _faults(self, name: str, arguments: dict[str, Any]) -> list[str]:
        return faults_of(VALIDATORS[name], SCHEMAS[name], arguments, self._client)

    def _error_result(self, error: ChangewireError | SmallerPlan) -> protocol.CallToolResult:
        if isinstance(error, (Unauthorized, PlanLimitExceeded)):
            self._membership.forget()
        return _refused(
            plain(error_message(error)), code_of(error), next_step(error, site=self._site)
        )


def _refused(message: str, code: str, advice: str) -> protocol.CallToolResult:
    """Return an error result in the shape of every result, as some agents validate errors too."""
    empty = {"total": 0, "items": [], "truncated": False, "next_offset": None}
    return protocol.CallToolResult(
        content=[protocol.TextContent(text=f"{message}\nNext: {advice}")],
        structured_content={**empty, "error": {"code": code, "message": message, "next": advice}},
        is_error=True,
    )
