"""Fuzz what reads vendors' documents, guided by coverage.

    python tests/fuzz/fuzz.py [TARGET ...] [--seconds 60] [--keep FOLDER]
    python tests/fuzz/fuzz.py [TARGET ...] --replay

Every target gets its seconds, beginning with the seeds (those of the target, and the recorded
documents of the adapters' tests). Any exception is a fault; what led to it is printed and left
in the folder. ``--replay`` only reads the seeds, without atheris: what was once found and mended
is a seed. Exits 1 when there is a fault.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
RECORDED: Final = HERE.parent / "ingest" / "adapters"
LONGEST: Final = 8192  # bytes of a document
INSTRUMENTED: Final = ["ingest", "feedparser", "markdown_it"]


def seeds_of(target: str) -> Iterator[Path]:
    """Yield the documents that a target begins with."""
    folders = [HERE / "seeds" / target, RECORDED / "data" / target]
    if target == "html":
        folders.append(RECORDED / "html" / "data")
    for folder in folders:
        if folder.exists():
            yield from sorted(each for each in folder.iterdir() if ".expected" not in each.name)


def replay(target: str) -> bool:
    """Read every seed of a target; tell whether all went well."""
    from targets import TARGETS

    well = True
    for seed in seeds_of(target):
        try:
            TARGETS[target](seed.read_bytes())
        except Exception as fault:  # noqa: BLE001 - any is a finding
            print(f"{target}: {seed.name}: {type(fault).__name__}: {fault}")
            well = False
    return well


def fuzz(target: str, arguments: list[str]) -> None:
    """Fuzz one target in this process, as libFuzzer's arguments say; does not return."""
    import atheris

    with atheris.instrument_imports(include=INSTRUMENTED):
        from targets import TARGETS

    atheris.Setup([f"fuzz {target}", *arguments], TARGETS[target])
    atheris.Fuzz()


def fuzzed(target: str, *, seconds: int, keep: Path) -> bool:
    """Fuzz a target in a process of its own; tell whether nothing was found."""
    corpus = keep / target
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds_of(target)):
        (corpus / f"seed{number}").write_bytes(seed.read_bytes()[:LONGEST])
    dictionary = HERE / "markup.dict"
    print(f"--- {target}: {seconds} s", flush=True)
    ended = subprocess.run(
        [
            *(sys.executable, __file__, "--in-process", target, "--"),
            *(f"-max_total_time={seconds}", f"-max_len={LONGEST}", "-timeout=30"),
            *(f"-dict={dictionary}", f"-artifact_prefix={keep}/{target}-", "-verbosity=0"),
            *("-print_final_stats=1", str(corpus)),
        ],
        check=False,
    )
    return ended.returncode == 0


def has_atheris() -> bool:
    """Tell whether there is a fuzzer for this Python."""
    try:
        import atheris  # noqa: F401 - is it there?
    except ImportError:
        return False
    return True


def main() -> int:
    """Fuzz or replay as the command line says; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--keep", type=Path, help="where inputs and findings stay")
    parser.add_argument("--replay", action="store_true")
    parser.add_argument("--in-process", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.in_process:
        fuzz(asked.in_process, asked.targets)
    if not asked.replay and not has_atheris():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        print(f"Skipped: there is no atheris for Python {version} here; --replay needs none.")
        return 0
    from targets import TARGETS

    targets = asked.targets or list(TARGETS)
    unknown = [target for target in targets if target not in TARGETS]
    if unknown:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    if asked.replay:
        return 1 if [target for target in targets if not replay(target)] else 0
    keep = asked.keep or Path(tempfile.mkdtemp(prefix="changewire-fuzz-"))
    failed = [target for target in targets if not fuzzed(target, seconds=asked.seconds, keep=keep)]
    print(f"Found faults in {', '.join(failed)}; see {keep}" if failed else "Found nothing.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
