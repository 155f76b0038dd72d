"""Check the parameters and the body of a request against the contract."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from jsonschema_rs import Draft202012Validator, ValidationError

from openapi.contract import Operation, Parameter, resolve
from openapi.parsing import Unreadable, normal_time, parse_integer, parse_json
from openapi.schemas import compiled
from openapi.violations import MOST, Violation, printable, unknown_name, violations_of

_CHARSETS = frozenset({"utf-8", "utf8", "us-ascii"})  # RFC 8259 §8.1: JSON is UTF-8
_SPACE_FOR_PLUS = re.compile(r"[0-9] [0-9]{2}:?[0-9]{2}$", re.ASCII)
_BROKEN_PERCENT = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_BODY = "the body"
QUERY = "One or more query parameters are invalid."
HEADERS = "One or more headers are invalid."
BODY = "The request body is invalid."
_EXPLAINED_BYTES = 8 * 1024
"""Bytes of a body of which every fault is collected; of a larger one the first is enough."""


class InvalidRequest(Exception):
    """A request that the contract refuses: ``sentence`` names the part of it."""

    def __init__(self, sentence: str, violations: tuple[Violation, ...]) -> None:
        super().__init__(" ".join(violation.sentence for violation in violations))
        self.sentence = sentence
        self.violations = violations


class RequestCheck:
    """Checks requests of one operation."""

    def __init__(self, operation: Operation, contract: Mapping[str, Any]) -> None:
        """Compile what ``operation`` asks of its requests."""
        query = [parameter for parameter in operation.parameters if parameter.location == "query"]
        self._parameters = {parameter.name: parameter for parameter in query}
        self._lists = frozenset(parameter.name for parameter in query if parameter.type == "array")
        self._parameter_examples = {
            it.name: it.example.partition(",")[0] for it in query if it.example
        }
        self._defaults = {it.name: it.schema["default"] for it in query if "default" in it.schema}
        self._query = compiled(_query_schema(query), contract)
        self._headers = {
            parameter.name: compiled(parameter.schema, contract)
            for parameter in operation.parameters
            if parameter.location == "header"
        }
        self._body_required = operation.body_required
        self._bodies = {
            media_type: compiled(schema, contract) for media_type, schema in operation.body.items()
        }
        self._fields: dict[str, Any] = {}
        for schema in operation.body.values():
            self._fields |= resolve(contract, schema).get("properties", {})
        self._field_examples = {
            name: value[0] if isinstance(value, list) else value
            for name, field in self._fields.items()
            if (value := field.get("example"))
        }

    def parameters(self, raw_query: bytes) -> dict[str, Any]:
        """Return the query's values by name. Raises InvalidRequest."""
        sent, wrong = parse_query(raw_query, self._lists)
        violations = list(wrong)
        values: dict[str, Any] = {}
        for name, text in sent.items():
            try:
                if name in self._parameters:
                    values[name] = _typed(self._parameters[name], text)
                else:
                    kind = "parameter of this operation"
                    violations.append(unknown_name(name, self._parameters, kind=kind))
            except Unreadable as error:
                violations.append(Violation(name, f"{name} {error}.", _hint(text)))
            if len(violations) >= MOST:
                break
        if not self._query.is_valid(values):
            violations += self._broken_rules(values, sent, {fault.where for fault in violations})
        if violations:
            raise InvalidRequest(QUERY, tuple(violations[:MOST]))
        return self._defaults | values

    def headers(self, sent: Mapping[bytes, bytes]) -> dict[str, str]:
        """Return the headers that the operation names; ``sent`` has lower-case names.

        Raises InvalidRequest.
        """
        raw = {name: sent.get(name.lower().encode()) for name in self._headers}
        values = {name: text.decode("latin-1") for name, text in raw.items() if text is not None}
        wrong: list[Violation] = []
        for name, value in values.items():
            errors = self._headers[name].iter_errors(value)
            wrong += violations_of(errors, root_name=f"the header {name}")
        if wrong:
            raise InvalidRequest(HEADERS, tuple(wrong[:MOST]))
        return values

    def _broken_rules(
        self, values: Mapping[str, Any], sent: Mapping[str, str], named: Collection[str]
    ) -> list[Violation]:
        """Return what is wrong with values, but for those that a violation has named."""
        errors = self._query.iter_errors(values)
        faults = violations_of(errors, root_name="the query", examples=self._parameter_examples)
        return [
            Violation(fault.where, fault.sentence, _hint(sent.get(fault.where, "")))
            for fault in faults
            if fault.where not in named
        ]

    def body(self, body: bytes, content_type: str | None) -> Any:
        """Return the value of a body of a type that is read. Raises InvalidRequest."""
        if not body and not self._body_required:
            return None
        try:
            value = _decoded_body(body, content_type)
        except Unreadable as error:
            raise InvalidRequest(BODY, (Violation("", f"The body {error}."),)) from None
        media_type = next(iter(self._bodies)) if content_type is None else _media_type(content_type)
        schema = self._bodies[media_type]
        if schema.is_valid(value):
            return value
        is_small = len(body) <= _EXPLAINED_BYTES
        errors = schema.iter_errors(value) if is_small else _first_error(schema, value)
        raise InvalidRequest(
            BODY,
            violations_of(
                errors, root_name=_BODY, names=self._fields, examples=self._field_examples
            ),
        )


def parse_query(
    raw: bytes, lists: Collection[str] = ()
) -> tuple[dict[str, str], tuple[Violation, ...]]:
    """Return the parameters of a query string by name, and its errors.

    Those that are ``lists`` may be repeated; their values are joined by commas. Another one may
    not: one proxy takes the first, another the last. Names that are wrong are left out, so that
    each gives one violation only.
    """
    values: dict[str, str] = {}
    wrong: dict[str, Violation] = {}
    names: Counter[str] = Counter()
    for piece in filter(None, raw.split(b"&")):
        raw_name, _, raw_value = piece.partition(b"=")
        try:
            name = _decoded(raw_name)
        except Unreadable as error:
            wrong.setdefault("", Violation("", f"The name of a parameter {error}."))
            continue
        names[name] += 1
        try:
            value = _decoded(raw_value)
            values[name] = f"{values[name]},{value}" if name in values else value
        except Unreadable as error:
            wrong.setdefault(name, Violation(name, f"{printable(name)} {error}."))
    for name, times in names.items():
        if times > 1 and name not in lists:
            sentence = f"{printable(name)} must not be sent more than once."
            wrong[name] = Violation(name, sentence)
    for name in wrong:
        values.pop(name, None)
    return values, tuple(wrong.values())


def _decoded(raw: bytes) -> str:
    """Return the text of a percent-encoded name or value; ``+`` is a space."""
    if not raw.isascii():
        raise Unreadable("must be percent-encoded")
    if _BROKEN_PERCENT.search(raw):
        raise Unreadable("has a % that two hexadecimal digits do not follow")
    octets = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), raw.replace(b"+", b" "))
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        raise Unreadable("must be UTF-8") from None
    if "\x00" in text:
        raise Unreadable("must not contain a NUL character")
    return text


def _first_error(schema: Draft202012Validator, value: Any) -> Iterator[ValidationError]:
    try:
        schema.validate(value)
    except ValidationError as error:
        yield error


def _query_schema(parameters: list[Parameter]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
    }


def _typed(parameter: Parameter, text: str) -> Any:
    """Return the value of ``text``. Raises Unreadable when it is not of the parameter's type."""
    if not text:
        raise Unreadable("must not be empty")
    if parameter.type == "integer":
        return parse_integer(text)
    if parameter.type == "array":
        items = text.split(",")
        if "" in items:
            raise Unreadable("has an empty item: write one comma between two items")
        return items
    return normal_time(text) if parameter.schema.get("format") == "date-time" else text


def _hint(text: str) -> str | None:
    hint = "A + in an address stands for a space: send %2B instead."
    return hint if _SPACE_FOR_PLUS.search(text) else None


def _decoded_body(body: bytes, content_type: str | None) -> Any:
    if _charset(content_type) not in _CHARSETS:
        raise Unreadable("must be UTF-8")
    if not body:
        raise Unreadable("is missing")
    return parse_json(body)


def _media_type(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _charset(content_type: str | None) -> str:
    for piece in (content_type or "").split(";")[1:]:
        name, _, value = piece.partition("=")
        if name.strip().lower() == "charset":
            return value.strip().strip('"').lower()
    return "utf-8"
