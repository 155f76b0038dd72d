"""Laws for any two contracts."""

import copy

from hypothesis import given
from hypothesis import strategies as st

from contract_diff import Severity, as_json, as_markdown, as_text, compare

NAMES = st.sampled_from(["a", "b", "c"])
NUMBERS = st.integers(0, 3)
REFERENCES = st.sampled_from(["Leaf", "Tree"]).map(
    lambda name: {"$ref": f"#/components/schemas/{name}"}
)
COMPONENTS = {
    "Leaf": {"type": "string", "minLength": 1},
    "Tree": {
        "properties": {"a": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}},
        "oneOf": [{"required": ["a"]}, {"allOf": [{"$ref": "#/components/schemas/Tree"}]}],
    },
}


def optional(**keywords):
    return st.fixed_dictionaries({}, optional=keywords)


LEAVES = st.one_of(
    REFERENCES,
    optional(
        type=st.sampled_from(["string", "integer", "number", "object"]),
        nullable=st.booleans(),
        enum=st.lists(st.sampled_from([1, True, "a", None]), max_size=3),
        minimum=NUMBERS,
        exclusiveMinimum=st.booleans(),
        maxLength=NUMBERS,
        multipleOf=st.sampled_from([0.5, 1, 2, 3]),
        pattern=st.sampled_from(["a", "b"]),
        format=st.sampled_from(["int32", "int64", "uri"]),
        default=st.sampled_from([1, None, "a"]),
        uniqueItems=st.booleans(),
        deprecated=st.booleans(),
        discriminator=optional(propertyName=NAMES, mapping=st.dictionaries(NAMES, NAMES)),
    ),
)


def composed(schemas):
    several = st.lists(schemas, min_size=1, max_size=3)
    return optional(
        properties=st.dictionaries(NAMES, schemas, max_size=3),
        required=st.lists(NAMES, unique=True),
        items=schemas,
        additionalProperties=st.one_of(st.booleans(), schemas),
        allOf=several,
        anyOf=several,
        oneOf=several,
        readOnly=st.booleans(),
        **{"not": schemas},
    )


SCHEMAS = st.recursive(LEAVES, composed, max_leaves=8)


def document(schema):
    """A contract that holds the schema in a request and in a response."""
    media = {"application/json": {"schema": schema}}
    operation = {
        "parameters": [{"in": "query", "name": "q", "schema": schema}],
        "requestBody": {"content": media},
        "responses": {"200": {"description": "", "content": media}},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Acme", "version": "1"},
        "paths": {"/": {"post": operation}},
        "components": {"schemas": copy.deepcopy(COMPONENTS)},
    }


def moved_to_components(node, components):
    """The same schema with every schema of a property or a variant behind a reference."""
    node = dict(node)
    if "properties" in node:
        node["properties"] = {
            name: reference_to(value, components) for name, value in node["properties"].items()
        }
    for keyword in ("allOf", "anyOf", "oneOf"):
        if keyword in node:
            node[keyword] = [reference_to(value, components) for value in node[keyword]]
    for keyword in ("items", "additionalProperties", "not"):
        if isinstance(node.get(keyword), dict):
            node[keyword] = reference_to(node[keyword], components)
    return node


def reference_to(node, components):
    name = f"Moved{len(components)}"
    components[name] = None
    components[name] = moved_to_components(node, components)
    return {"$ref": f"#/components/schemas/{name}"}


def part(change):
    """The operation and which of its parts; further below, variants are called by the new names."""
    return change.place.split("[")[0].split(" › ")[:2][-1]


@given(SCHEMAS)
def test_a_contract_does_not_differ_from_itself(schema):
    assert compare(document(schema), document(schema)) == []


@given(SCHEMAS, SCHEMAS)
def test_what_breaks_one_way_is_told_the_other_way(one, other):
    there = compare(document(one), document(other))
    back = compare(document(other), document(one))

    assert {part(change) for change in there if change.severity is Severity.BREAKING} <= {
        part(change) for change in back
    }


@given(SCHEMAS)
def test_moving_schemas_into_components_is_no_change(schema):
    moved = document(schema)
    components = moved["components"]["schemas"]
    media = {"application/json": {"schema": reference_to(schema, components)}}
    operation = moved["paths"]["/"]["post"]
    operation["requestBody"] = {"content": media}
    operation["responses"] = {"200": {"description": "", "content": media}}

    assert compare(document(schema), moved) == []
    assert compare(moved, document(schema)) == []


@given(SCHEMAS, SCHEMAS)
def test_every_change_can_be_written_down(one, other):
    changes = compare(document(one), document(other))

    for write in (as_text, as_json, as_markdown):
        assert write(changes).strip()
    assert changes == compare(document(one), document(other))
