"""Compare two small contracts."""

from contract_diff import as_text, compare, parse_contract

OLD = """
openapi: 3.0.3
info: {title: Acme, version: 1.0.0}
paths:
  /things:
    get:
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 100}}
      responses: {"200": {description: Things}}
"""


def main() -> None:
    """Print what a lower limit breaks."""
    new = OLD.replace("maximum: 100", "maximum: 50").replace("1.0.0", "1.1.0")
    print(as_text(compare(parse_contract(OLD), parse_contract(new))))


if __name__ == "__main__":
    main()
