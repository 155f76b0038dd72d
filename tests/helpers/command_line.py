"""The command lines of the programs of this folder."""

import argparse


def parser_of(doc: str | None, **numbers: float) -> argparse.ArgumentParser:
    """Return a parser with an option for each number; its default says of which type it is."""
    parser = argparse.ArgumentParser(description=(doc or "").partition("\n")[0])
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    return parser
