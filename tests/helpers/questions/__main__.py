"""Put forty questions to scripted agents, with all tools and with the plain ones.

    python -m questions [--each] [--alone]

Prints how many calls and tokens the answers took; exits with 1 where all tools give a wrong one.
``--each`` prints every question. The installation is invented and its time is fixed, so that the
figures are the same at every run.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from questions import catalog, days, entries
from questions.agent import BYTES_PER_TOKEN, PLAIN, Agent, Question, Script
from questions.installation import NOW, Installation, installation
from service.tools.results import compact
from service.tools.server import ToolServer
from service.tools.tool_list import REQUESTING, TOOLS

QUESTIONS = (*catalog.QUESTIONS, *entries.QUESTIONS, *days.QUESTIONS)


@dataclass(frozen=True)
class Asked:
    """A question that was put to an agent with all tools, and to one with the plain ones."""

    question: Question
    tools: Agent
    plain: Agent
    wrong: Mapping[str, object]


def put(place: Installation) -> Iterator[Asked]:
    """Put every question, each to agents that know nothing yet."""
    server = ToolServer(place.client, now=lambda: NOW, nonce=lambda: "0" * 16, allow_requests=False)
    for question in QUESTIONS:
        tools, plain = Agent(server, place.cursor), Agent(server, place.cursor, PLAIN)
        answers = {
            "all tools": answer_of(question.tools, tools),
            "plain tools": answer_of(question.plain, plain),
        }
        wrong = {name: answer for name, answer in answers.items() if answer != question.answer}
        yield Asked(question, tools, plain, wrong)


def answer_of(script: Script, agent: Agent) -> object:
    """Return an answer; what a script stumbles over is a wrong one."""
    try:
        return script(agent)
    except (AssertionError, LookupError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    """Print what the answers cost."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", action="store_true", help="Print every question.")
    parser.add_argument("--alone", action="store_true", help="Only the vendors of the demo.")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        installation(Path(folder), alone=options.alone) as place,
    ):
        asked = list(put(place))
    for one in asked:
        if options.each:
            print(f"{figures_of([one.tools])}  {figures_of([one.plain])}  {one.question.text}")
        for name, answer in one.wrong.items():
            print(f"Wrong with {name}: {one.question.text} {answer}, not {one.question.answer}")
    reading = [tool for name, tool in TOOLS.items() if name != REQUESTING]
    for name in ("all tools", "plain tools"):
        agents = [one.tools if name == "all tools" else one.plain for one in asked]
        right = sum(name not in one.wrong for one in asked)
        listed = sum(len(compact(_wire(tool))) for tool in reading if offers(name, tool.name))
        print(
            f"{name:12} {right} of {len(asked)} right, {figures_of(agents)} tokens, "
            f"and {listed // BYTES_PER_TOKEN:,} for the list of tools"
        )
    sys.exit(any("all tools" in one.wrong for one in asked))


def figures_of(agents: Sequence[Agent]) -> str:
    """Return how many calls and tokens agents needed."""
    calls, tokens = sum(one.calls for one in agents), sum(one.tokens for one in agents)
    return f"{calls:4} calls {tokens:10,}"


def offers(name: str, tool: str) -> bool:
    """Tell whether a tool is among all of them, or among the plain ones."""
    return name == "all tools" or tool in PLAIN


def _wire(tool: object) -> dict:
    return tool.model_dump(by_alias=True, exclude_none=True, mode="json")


if __name__ == "__main__":
    main()
