"""The compiled validators say what the reference implementation says.

Three known differences are kept out of the generated values, for there the reference is more
lenient than the standard: it lets a line feed follow the end of a pattern, takes anything with
an @ for an email address, and its date-times may not name a leap second.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from openapi.contract import load_operations
from openapi.rules import examples_of
from openapi.schemas import compiled, self_contained
from openapi.strictness import strict_contract

CONTRACT = strict_contract()
SCHEMAS = CONTRACT["components"]["schemas"]
VALIDATORS = {
    name: (
        compiled(schema, CONTRACT),
        Draft202012Validator(
            self_contained(schema, CONTRACT), format_checker=Draft202012Validator.FORMAT_CHECKER
        ),
    )
    for name, schema in SCHEMAS.items()
}

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), max_size=20)
GOOD = {
    "uri": ["https://acme.example/", "http://acme.example:8080/a?b=%20#c", "http://a"],
    "date-time": ["2026-11-20T09:30:00Z", "2026-11-20T09:30:00.123456Z"],
    "date": ["2026-11-20", "2028-02-29"],
    "email": ["ada@acme.example", "a+b@acme.example"],
    r"^pkg:[^\x00]*$": ["pkg:npm/left-pad@1.3.0", "pkg:github/acme/compute@v1"],
    r"^[0-9a-f]{64}$": ["0123456789abcdef" * 4],
    r"^[0-9A-Za-z]+$": ["0A1b2C3d4E5f", "a"],
    r"^[a-z_]+$": ["owner", "nothing_left"],
    r"^[a-z.]+$": ["entry.published", "webhook.test"],
    r"^[0-9]+$": ["0", "17"],
    r"^whsec_": ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    r"^[0-7][0-9a-f]{15}$": ["7fffffffffffffff", "0000000000000000"],
}
SLUGS = ["acme.compute", "a.b", "globex.whats-new", "a.1_b-c", "a." + "b" * 118]
WRONG = [
    *("https://acme.example/\u00fc", "https://acme.example/a b", "/relative", "http://a/%zz"),
    *("2026-02-30T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20 09:30:00Z", "2026-11-20T09:30"),
    *("2026-11-20T09:30:00+05:30", "2026-02-30", "20261120", "ada", "acme", "Acme.compute"),
    *("a.b,c.d", "a" * 119 + ".b", "0123456789ABCDEF" * 4, "\u00e9" * 501, "\x00", 0, -1, 101, 5.0),
]
ANYTHING = st.none() | st.booleans() | st.integers() | TEXTS | st.sampled_from(WRONG)


@cache
def values_of_component(name: str) -> st.SearchStrategy[Any]:
    """Return values that follow the component schema ``name``."""
    return values_of(SCHEMAS[name])


def values_of(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Return values that follow ``schema``."""
    if "$ref" in schema:
        return values_of_component(schema["$ref"].rpartition("/")[2])
    values = _values_of_type(schema)
    return values | st.none() if schema.get("nullable") else values


def _values_of_type(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "oneOf" in schema:
        return st.one_of(map(values_of, schema["oneOf"]))
    match schema.get("type"):
        case "object" if "properties" in schema:
            fields = {name: values_of(field) for name, field in schema["properties"].items()}
            required = {name: fields.pop(name) for name in schema.get("required", ())}
            return st.fixed_dictionaries(required, optional=fields)
        case "object":
            return st.dictionaries(TEXTS, ANYTHING, max_size=3)
        case "array":
            unique = schema.get("uniqueItems", False)
            least = schema.get("minItems", 0)
            return st.lists(values_of(schema["items"]), min_size=least, max_size=3, unique=unique)
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "boolean":
            return st.booleans()
        case "string":
            return _texts(schema)
    return ANYTHING


def _texts(schema: dict[str, Any]) -> st.SearchStrategy[str]:
    known = GOOD.get(schema.get("format", "")) or GOOD.get(schema.get("pattern", ""))
    if known:
        return st.sampled_from(known)
    if "a-z" in schema.get("pattern", ""):
        return st.sampled_from(SLUGS)
    return st.text("ab \u00e9\U0001f600", min_size=schema.get("minLength", 0), max_size=20)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container in ``value`` with each of its keys or positions."""
    if not isinstance(value, dict | list):
        return
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        yield from places(value[key])


def spoil(value: Any, data: st.DataObject) -> Any:
    """Return ``value`` with something put in, taken out or added at some place in it."""
    occurrences = list(places(value))
    if not occurrences:
        return data.draw(ANYTHING)
    container, key = data.draw(st.sampled_from(occurrences))
    what = data.draw(st.sampled_from(["put in", "take out", "add"]))
    if what == "put in":
        container[key] = data.draw(ANYTHING)
    elif what == "take out":
        del container[key]
    elif isinstance(container, dict):
        container["feedUrl"] = "https://acme.example/feed"
    else:
        container.extend(container * 100)
    return value


SHAPES = [name for name, schema in SCHEMAS.items() if schema.get("type") == "object"]
GENEROUS = settings(deadline=None, max_examples=min(60, settings().max_examples))


@pytest.mark.parametrize("name", SCHEMAS)
@GENEROUS
@given(data=st.data())
def test_both_validators_accept_what_follows_the_contract(name, data):
    ours, reference = VALIDATORS[name]
    value = data.draw(values_of_component(name))

    assert ours.is_valid(value)
    assert reference.is_valid(value)


@pytest.mark.parametrize("name", SHAPES)
@GENEROUS
@given(data=st.data())
def test_both_validators_agree_on_what_was_spoiled(name, data):
    ours, reference = VALIDATORS[name]
    value = spoil(data.draw(values_of_component(name)), data)

    assert ours.is_valid(value) == reference.is_valid(value)


def test_both_validators_accept_every_example():
    examples = list(examples_of(CONTRACT))
    for _, schema, value in examples:
        assert compiled(schema, CONTRACT).is_valid(value)
        assert Draft202012Validator(self_contained(schema, CONTRACT)).is_valid(value)
    assert len(examples) > 40


@pytest.mark.parametrize(
    "operation", load_operations(), ids=lambda operation: operation.operation_id
)
def test_what_is_compiled_covers_every_keyword_of_the_contract(operation):
    known = {
        *("type", "enum", "format", "pattern", "minLength", "maxLength", "minimum", "maximum"),
        *("minItems", "maxItems", "uniqueItems", "required", "properties", "items", "oneOf"),
        *("additionalProperties", "not", "x-extensible-enum", "nullable", "description"),
        *("default", "example", "$ref"),
    }

    for parameter in operation.parameters:
        assert set(parameter.schema) <= known
    for schema in SCHEMAS.values():
        assert set(schema) <= known
