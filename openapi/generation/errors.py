"""Why nothing can be generated."""


class GeneratorMissing(Exception):
    """The generator, or the formatter it needs, is not installed. The message names it."""


class GeneratorFailed(Exception):
    """The contract has something that cannot be generated. The message says what."""
