"""Parsing in child processes that may be killed.

A page of a few kilobytes can keep a parser busy for minutes or make it take all memory, and
no timeout inside the process can stop it. So adapters run in children with a limit of processor
time and of memory.

Nearly every document is parsed in hundredths of a second. One that takes longer has to leave the
children that all share: it is parsed from the beginning in the one child for slow documents, which
gives way to all others. So a hostile document costs the others a moment.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from typing import Final, TypeVar

from changelog_reader.adapters.base import BlockedDocument, ParsedDocument, UnreadableDocument
from ingest.fetching.outcomes import Fetched
from ingest.sandbox.documents import read_document
from ingest.sandbox.parsing import ParserCrash, ParserTimeout
from ingest.sandbox.process_pool import ProcessDied, ProcessPool
from ingest.sandbox.wire import BrokenFrame
from openapi.vocabulary import AdapterType

ResultT = TypeVar("ResultT")
DEADLINE: Final = timedelta(seconds=3)
"""Processor time of a document."""
CLOCK_FACTOR: Final = 10
"""How many times the deadline may pass by the clock before the child counts as stuck."""
SHARED_LIMIT: Final = timedelta(milliseconds=300)
"""Processor time of a document in a shared child; the slowest ordinary ones need half."""
NICENESS: Final = 10
"""How much the child for slow documents gives way: a tenth of the share of the others."""
MEMORY_LIMIT_BYTES: Final = 1024 * 1024 * 1024
"""Bytes of address space of a child; a feed of 10 MiB needs about a quarter of it."""
FREE_CHILD_TIMEOUT: Final = timedelta(minutes=2)
"""How long to wait for a free child before the pool itself is at fault."""
_RAISES: Final = (UnreadableDocument, BlockedDocument, ParserCrash)


class ParserPool(AbstractContextManager["ParserPool"]):
    """Children that parse, shared by the threads of a process. Close it, or use it in a with."""

    def __init__(
        self,
        *,
        workers: int = 2,
        deadline: timedelta = DEADLINE,
        memory_limit: int = MEMORY_LIMIT_BYTES,
        modules: Sequence[str] = (),
    ) -> None:
        """Take ``workers`` children of ``memory_limit`` bytes each, and one for what is slow.

        ``modules`` as in ProcessPool.
        """
        self._shared_limit = min(SHARED_LIMIT, deadline / 2)
        self._deadline = deadline
        self._shared = ProcessPool(
            workers, memory_limit=memory_limit, raises=_RAISES, modules=modules
        )
        self._slow = ProcessPool(
            1, memory_limit=memory_limit, niceness=NICENESS, raises=_RAISES, modules=modules
        )

    def parse(
        self, adapter_type: AdapterType, fetched: Fetched, *, is_suspect: bool = False
    ) -> ParsedDocument:
        """Parse a document in a child; raises what ``run`` raises."""
        document = (fetched.body, fetched.address, fetched.content_type)
        return self.run(read_document, adapter_type, *document, is_suspect=is_suspect)

    def run(
        self, function: Callable[..., ResultT], *arguments: object, is_suspect: bool = False
    ) -> ResultT:
        """Return what a function returns in a child; waits for a free one, then for the deadline.

        ``is_suspect``: the slow child takes it at once, so that it costs the others nothing.
        The function fails with UnreadableDocument only (see ``contained``). Raises that,
        ParserTimeout and ParserCrash when the document harms the parser, PoolStopped when
        the pool is closed meanwhile.
        """
        seconds = self._deadline.total_seconds()
        call = partial(
            ProcessPool.call,
            seconds=CLOCK_FACTOR * seconds,
            patience=FREE_CHILD_TIMEOUT.total_seconds(),
        )
        shared = self._shared_limit.total_seconds()
        try:
            if not is_suspect:
                try:
                    return call(self._shared, function, *arguments, cpu_seconds=shared)
                except ProcessDied as death:
                    if not death.used_up_its_time:
                        raise
            return call(self._slow, function, *arguments, cpu_seconds=seconds - shared)
        except ProcessDied as death:
            if not death.used_up_its_time:
                raise ParserCrash("The parser died while it parsed the document.") from None
        except BrokenFrame:
            raise ParserCrash("The parser gave no answer that can be read.") from None
        except TimeoutError:
            pass
        raise ParserTimeout(f"Parsing the document took more than {seconds:g} s.")

    def close(self) -> None:
        """Stop the children; callers that wait for a document get PoolStopped."""
        self._shared.stop()
        self._slow.stop()

    def __exit__(self, *_: object) -> None:
        self.close()
