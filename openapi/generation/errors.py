"""Errors of the generation."""


class GeneratorMissing(Exception):
    """The generator, or the formatter it needs, is not installed. The message names it."""


class GeneratorFailed(Exception):
    """The contract has a part that cannot be generated. The message names it."""
