"""House rules for the contract, beyond what OpenAPI asks of any document.

Each rule is a generator of sentences; a contract that follows all of them gives none.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from itertools import chain
from typing import Any, TypeAlias

from contract_diff.document_format import document_errors
from contract_diff.parse import METHODS
from contract_diff.values import EXTENSIBLE_ENUM
from openapi import vocabulary
from openapi.contract import examples_in, resolve
from openapi.schemas import READ, compiled
from openapi.strictness import choices, strict

Contract: TypeAlias = Mapping[str, Any]
Rule: TypeAlias = Callable[[Contract], Iterator[str]]

ERROR = "#/components/schemas/Error"
_DESCRIBED = (
    "parameters", "headers", "responses", "requestBodies", "securitySchemes", "schemas",
)  # fmt: skip
_PROSE = frozenset({"title", "description", "default", "example", "deprecated", "externalDocs"})
_OPERATION_ID = re.compile(r"[a-z]+(_[a-z]+)*")


def check(contract: Contract) -> list[str]:
    """Return all violations of the house rules in a contract.

    The house rules are tried only on a document that OpenAPI 3.0 accepts, and that only on one
    whose names are text and whose references lead somewhere.
    """
    return document_errors(contract) or list(violations(contract))


def violations(contract: Contract) -> Iterator[str]:
    """Yield a sentence for each place where ``contract`` breaks a house rule."""
    for rule in RULES:
        yield from rule(contract)


def operations_say_what_they_are(contract: Contract) -> Iterator[str]:
    """An operation has an id, a summary, a description and a tag."""
    for where, operation in _operations(contract):
        for field in ("operationId", "summary", "description", "tags"):
            if not operation.get(field):
                yield f"{where}: no {field}"


def operation_ids_are_names_of_functions(contract: Contract) -> Iterator[str]:
    """An operationId is in snake_case and unique."""
    names = [operation.get("operationId", "") for _, operation in _operations(contract)]
    for name, times in Counter(filter(None, names)).items():
        if not _OPERATION_ID.fullmatch(name):
            yield f"{name}: an operationId is in snake_case"
        if times > 1:
            yield f"{name}: {times} operations have this operationId"


def paths_are_fixed(contract: Contract) -> Iterator[str]:
    """Require that parameters are in the query, where one reader checks all of them."""
    for path in contract["paths"]:
        if "{" in path:
            yield f"{path}: a path has no parameters; ask for it in the query"


def operations_use_components(contract: Contract) -> Iterator[str]:
    """Require names for the bodies of an operation; components spell them out."""
    for where, operation in _operations(contract):
        named = {
            **{
                f"parameter {number}": node
                for number, node in enumerate(operation.get("parameters", []))
            },
            **{f"response {status}": node for status, node in operation["responses"].items()},
            **{field: operation[field] for field in ("requestBody",) if field in operation},
        }
        for what, node in named.items():
            if "$ref" not in node:
                yield f"{where}: {what} is not under components"


def operations_say_what_they_cost(contract: Contract) -> Iterator[str]:
    """An operation says what a request costs and how large its body may be."""
    for where, operation in _operations(contract):
        needed = ["x-cost", *(["x-body-limit"] if "requestBody" in operation else [])]
        for field in needed:
            value = operation.get(field)
            if type(value) is not int or value < 1:
                yield f"{where}: {field} is not a number from 1 on"


def operations_list_their_responses(contract: Contract) -> Iterator[str]:
    """There is no default response; each operation lists every status it can have."""
    for where, operation in _operations(contract):
        answers = operation["responses"]
        if "default" in answers:
            yield f"{where}: a default response says nothing"
        expected = ["400", "500", "503"]
        if operation.get("security"):
            expected.append("401")
        if where.startswith("GET "):
            expected.append("304")
        if "requestBody" in operation:
            expected += ["413", "415"]
        for status in sorted(set(expected) - answers.keys()):
            yield f"{where}: never answers {status}"


def errors_are_the_error_object(contract: Contract) -> Iterator[str]:
    """Every error response has the Error object, and an example in which error equals message."""
    for where, operation in _operations(contract):
        for status, node in operation["responses"].items():
            if status[:1] not in "45":
                continue
            answer = resolve(contract, node)
            body = answer.get("content", {}).get("application/json", {})
            if body.get("schema") != {"$ref": ERROR}:
                yield f"{where}: {status} is not the Error object"
            if not body.get("examples"):
                yield f"{where}: {status} has no example"
            for name, example in body.get("examples", {}).items():
                value = resolve(contract, example).get("value")
                if isinstance(value, Mapping) and value.get("error") != value.get("message"):
                    yield f"{where}: in the example {name} of {status}, error is not message"


def everything_is_described(contract: Contract) -> Iterator[str]:
    """Parameters, headers, answers, schemas and properties say in words what they are."""
    for group in _DESCRIBED:
        for where, node in _named(contract, group):
            if not node.get("description"):
                yield f"{where}: no description"
    for where, schema in _schemas(contract):
        for name, node in schema.get("properties", {}).items():
            if not resolve(contract, node).get("description"):
                yield f"{where}/{name}: no description"


def bodies_are_closed(contract: Contract) -> Iterator[str]:
    """An object in a request refuses properties it does not name: a misspelled one is no wish."""
    for where, schema in _reachable(contract, "requestBodies"):
        is_object = schema.get("type") == "object" or "properties" in schema
        if is_object and schema.get("additionalProperties", True) is not False:
            yield f"{where}: an object in a request says additionalProperties: false"


def responses_are_open(contract: Contract) -> Iterator[str]:
    """A response may grow within a major version; strictness.py closes it for this service."""
    for where, schema in _reachable(contract, "responses"):
        if schema.get("additionalProperties") is False:
            yield f"{where}: is closed, so that no later version could add a property"
        if "allOf" in schema:
            yield f"{where}: allOf cannot be closed part by part; write the object out"


def growing_lists_are_in_responses(contract: Contract) -> Iterator[str]:
    """A list of values that may grow is one of texts in responses; a request has enum."""
    for group in ("requestBodies", "parameters"):
        for where, schema in _reachable(contract, group):
            if EXTENSIBLE_ENUM in schema:
                yield f"{where}: a request has enum, not {EXTENSIBLE_ENUM}"
    for where, schema in chain(_schemas(contract), _inputs(contract)):
        values = schema.get(EXTENSIBLE_ENUM)
        if values is None:
            continue
        if schema.get("type") != "string" or "enum" in schema:
            yield f"{where}: {EXTENSIBLE_ENUM} stands at a text, and without enum"
        if not isinstance(values, list) or not values or len(set(map(str, values))) < len(values):
            yield f"{where}: {EXTENSIBLE_ENUM} lists different values"


def enumerations_are_the_vocabulary(contract: Contract) -> Iterator[str]:
    """An enumeration has the values of its namesake in ``openapi.vocabulary``."""
    schemas = dict(_named(contract, "schemas"))
    for name, words in _vocabulary():
        where = f"schemas/{name}"
        if where in schemas and choices(schemas[where]) != words:
            yield f"{where}: the vocabulary has {', '.join(words)}"


def lists_can_be_told_apart(contract: Contract) -> Iterator[str]:
    """A list is repeated or separated by commas, and its items refuse one: two could be one."""
    for where, parameter in _parameters(contract):
        schema = resolve(contract, parameter.get("schema", {}))
        if schema.get("type") != "array":
            continue
        if parameter.get("style", "form") != "form" or parameter.get("explode") is False:
            yield f"{where}: a list is written with style: form and explode: true"
        joined = [",".join(map(str, example * 2)) for example in examples_in(parameter)]
        for text in filter(compiled(schema["items"], contract).is_valid, joined):
            yield f"{where}: {text} would be one item"


def patterns_begin_with_the_text(contract: Contract) -> Iterator[str]:
    """A pattern begins with ^: some validators search in a text, some match from its beginning."""
    for where, schema in chain(_schemas(contract), _inputs(contract)):
        if not schema.get("pattern", "^").startswith("^"):
            yield f"{where}: the pattern does not begin with ^"


def parameters_are_bounded(contract: Contract) -> Iterator[str]:
    """A number has both bounds, text a length, a list a count: nothing is endless."""
    bounds = {
        "integer": ("minimum", "maximum"),
        "string": ("maxLength",),
        "array": ("minItems", "maxItems"),
    }
    for where, parameter in _parameters(contract):
        schema = resolve(contract, parameter.get("schema", {}))
        for bound in () if "enum" in schema else bounds.get(str(schema.get("type")), ()):
            if bound not in schema:
                yield f"{where}: no {bound}"
        if not examples_in(parameter):
            yield f"{where}: no example"


def keywords_are_checked(contract: Contract) -> Iterator[str]:
    """A schema demands only what the compiled validators look at, and holds else only prose."""
    for where, schema in chain(_schemas(contract), _inputs(contract)):
        for keyword in sorted(schema.keys() - READ - _PROSE):
            if not keyword.startswith("x-"):
                yield f"{where}: nothing checks {keyword}"


def examples_are_valid(contract: Contract) -> Iterator[str]:
    """An example follows the schema it is an example of, as strictly as this service does."""
    contract = strict(contract)
    for where, schema, value in examples_of(contract):
        for error in compiled(schema, contract).iter_errors(value):
            yield f"{where}: the example is not valid: {error.message}"


RULES: tuple[Rule, ...] = (
    operations_say_what_they_are,
    operation_ids_are_names_of_functions,
    paths_are_fixed,
    operations_use_components,
    operations_say_what_they_cost,
    operations_list_their_responses,
    errors_are_the_error_object,
    everything_is_described,
    bodies_are_closed,
    responses_are_open,
    growing_lists_are_in_responses,
    enumerations_are_the_vocabulary,
    lists_can_be_told_apart,
    patterns_begin_with_the_text,
    parameters_are_bounded,
    keywords_are_checked,
    examples_are_valid,
)


def _operations(contract: Contract) -> Iterator[tuple[str, Any]]:
    for path, item in contract["paths"].items():
        for method in METHODS:
            if method in item:
                yield f"{method.upper()} {path}", item[method]


def _parameters(contract: Contract) -> Iterator[tuple[str, Any]]:
    for where, operation in _operations(contract):
        for node in operation.get("parameters", []):
            parameter = resolve(contract, node)
            yield f"{where}: parameter {parameter['name']}", parameter


def _named(contract: Contract, group: str) -> Iterator[tuple[str, Any]]:
    """Yield the components of a group, each with its place."""
    for name, node in contract.get("components", {}).get(group, {}).items():
        yield f"{group}/{name}", node


def _schemas(contract: Contract) -> Iterator[tuple[str, Any]]:
    """Yield every schema of the components and every one inside it, with its place."""
    for where, schema in _named(contract, "schemas"):
        yield from _inside(where, schema)
    for where, media in _media_types(contract):
        yield from _inside(where, media.get("schema", {}))


def _inputs(contract: Contract) -> Iterator[tuple[str, Any]]:
    """Yield every schema of the parameters and the headers, with its place."""
    for group in ("parameters", "headers"):
        for where, node in _named(contract, group):
            yield from _inside(where, node.get("schema", {}))


def _reachable(contract: Contract, group: str) -> Iterator[tuple[str, Any]]:
    """Yield every schema that the components of a group use, references followed, once each."""
    waiting = [(where, media.get("schema", {})) for where, media in _media_types(contract, group)]
    if group == "parameters":
        waiting = [(where, node.get("schema", {})) for where, node in _named(contract, group)]
    visited = set()
    while waiting:
        for where, schema in _inside(*waiting.pop()):
            yield where, schema
            reference = schema.get("$ref")
            if reference is not None and reference not in visited:
                visited.add(reference)
                place = reference.removeprefix("#/components/")
                waiting.append((place, resolve(contract, schema)))


def _inside(where: str, schema: Any) -> Iterator[tuple[str, Any]]:
    yield where, schema
    for name, node in schema.get("properties", {}).items():
        yield from _inside(f"{where}/{name}", node)
    for keyword in ("items", "not", "additionalProperties"):
        if isinstance(schema.get(keyword), Mapping):
            yield from _inside(f"{where}/{keyword}", schema[keyword])
    for keyword in ("allOf", "anyOf", "oneOf"):
        for number, node in enumerate(schema.get(keyword, [])):
            yield from _inside(f"{where}/{keyword}/{number}", node)


def _media_types(contract: Contract, *groups: str) -> Iterator[tuple[str, Any]]:
    for group in groups or ("responses", "requestBodies"):
        for where, node in _named(contract, group):
            for media_type, media in node.get("content", {}).items():
                yield f"{where}/{media_type}", media


def examples_of(contract: Contract) -> Iterator[tuple[str, Any, Any]]:
    """Yield every example with its place and the schema it has to follow."""
    for where, media in _media_types(contract):
        for name, node in media.get("examples", {}).items():
            example = resolve(contract, node)
            if "value" in example:
                yield f"{where}/{name}", media.get("schema", {}), example["value"]
    for group in ("parameters", "headers"):
        for where, node in _named(contract, group):
            for value in examples_in(node) if "schema" in node else ():
                yield where, node["schema"], value
    for where, schema in _schemas(contract):
        if "example" in schema:
            yield where, schema, schema["example"]


def _vocabulary() -> Iterator[tuple[str, list[str]]]:
    for name, words in vars(vocabulary).items():
        if isinstance(words, type) and issubclass(words, StrEnum) and words is not StrEnum:
            yield name, [word.value for word in words]
