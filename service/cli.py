"""The entry point of the command: ``changewire COMMAND``."""

import gc


def main() -> None:
    """Run a command.

    The command line is imported here because every process that is spawned imports this module
    again, as the main one, and runs no command (docs/decisions/0076).
    """
    gc.set_threshold(50_000, 20, 20)  # importing makes no garbage (docs/decisions/0076)
    from service import command_line

    command_line.main()


if __name__ == "__main__":
    main()
