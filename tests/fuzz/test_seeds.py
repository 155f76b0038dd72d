"""What the fuzzer begins with, and what it once found, is read without a fault."""

import subprocess
import sys
from pathlib import Path

FUZZ = Path(__file__).with_name("fuzz.py")


def test_every_seed_is_read_as_it_has_to_be():
    replayed = subprocess.run(
        [sys.executable, FUZZ, "--replay"], capture_output=True, text=True, timeout=120
    )

    assert (replayed.stdout, replayed.stderr, replayed.returncode) == ("", "", 0)


def test_a_fault_in_what_comes_out_is_told(tmp_path):
    program = tmp_path / "check.py"
    program.write_text(
        f"import sys; sys.path.insert(0, {str(FUZZ.parent)!r})\n"
        "from datetime import datetime\n"
        "from invariants import ADDRESS, Broken, check_document\n"
        "from changelog_reader.adapters.base import ParsedDocument, ParsedEntry\n"
        "sound = dict(vendor_id='1', title='One', url=None, published_at=None,\n"
        "             date_source='none', summary=None)\n"
        "for wrong in ({}, {'title': 'On\\x08e'}, {'url': 'ftp://x/'},\n"
        "              {'html': '<script>x</script>'}, {'html': '<img src=\"data:x\">'},\n"
        "              {'html': '<p onclick=x>y</p>'}, {'raw': {'guid': ADDRESS}},\n"
        "              {'published_at': datetime(2026, 1, 1)}):\n"
        "    try:\n"
        "        entry = ParsedEntry(**sound | wrong)\n"
        "        check_document(ParsedDocument((entry,)), hides_address=True)\n"
        "    except Broken:\n"
        "        print(*wrong)\n"
    )

    told = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=60)

    names = ["title", "url", "html", "html", "html", "raw", "published_at"]
    assert told.stdout.split() == names, told.stderr
