"""Functions that tests call in children of a pool; their annotations say what passes."""

import os
import time


def process_id() -> int:
    return os.getpid()


def process_group() -> int:
    return os.getpgrp()


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, 0)


def total(below: int) -> int:
    return sum(range(below))


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def absolute(number: int) -> int:
    return abs(number)


def number_of(text: str) -> int:
    return int(text)


def say(text: str) -> None:
    print(text)  # what a library prints is what the test is about
