"""Coverage-guided fuzzing with atheris of every function that reads foreign bytes
(`tests/properties/fuzz/targets.py`).

    scripts/fuzz                          every target for a minute
    scripts/fuzz fold entry --seconds 600
    scripts/fuzz fold --reproduce FILE    run one input without the fuzzer; show the exception

Interesting inputs stay in .fuzz/corpus, where the next run begins; findings are in .fuzz/findings.
Exit code: 0 nothing found, 1 something found, 2 wrong arguments.
"""

import argparse
import re
import subprocess
import sys
from hashlib import sha1
from pathlib import Path

from protocol.codes import Code
from protocol.match.fold import MATCH_ENTRY_SHAPES
from protocol.messages.table import MESSAGES
from tests.properties.fuzz.targets import TARGETS
from tests.support.docs import ROOT

WORK = ROOT / ".fuzz"
LONGEST = 16_384  # bytes of an input: all formats repeat themselves well below this
SLOWEST = 10  # seconds that one input may take
MEMORY = 1024  # MiB, in total
STATUS = re.compile(
    r"cov: (?P<cover>\d+) ft: (?P<features>\d+) corp: (?P<corpus>\d+).*?exec/s: (?P<rate>\d+)"
)
TOTAL = re.compile(r"stat::number_of_executed_units:\s+(\d+)")


def main(argv: list[str]) -> int:
    """Run the command line and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="scripts/fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"one of: {', '.join(TARGETS)} (default: all)"
    )
    parser.add_argument("--seconds", type=int, default=60, help="for each target (default: 60)")
    parser.add_argument(
        "--reproduce", type=Path, metavar="FILE", help="run this input through the one target named"
    )
    options = parser.parse_args(argv)
    if unknown := [name for name in options.targets if name not in TARGETS]:
        parser.error(f"no such target: {', '.join(unknown)}")
    if options.reproduce is not None:
        if len(options.targets) != 1 or not options.reproduce.is_file():
            parser.error("--reproduce needs one target and a file")
        return _reproduce(options.targets[0], options.reproduce)
    found = [path for name in options.targets or TARGETS for path in _fuzz(name, options.seconds)]
    return 1 if found else 0


def _reproduce(name: str, path: Path) -> int:
    target = TARGETS[name]
    try:
        target.run(path.read_bytes())
    except target.errors as error:
        print(f"{name}: {error!r}, which it may raise")
    else:
        print(f"{name}: taken")
    return 0


def _fuzz(name: str, seconds: int) -> list[Path]:
    """Run one target, print a line about it, and return the new files with findings."""
    corpus, findings = WORK / "corpus" / name, WORK / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    for seed in TARGETS[name].seeds():
        (corpus / sha1(seed, usedforsecurity=False).hexdigest()).write_bytes(seed)
    before = set(findings.iterdir())
    flags = (
        *(
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST}",
            f"-timeout={SLOWEST}",
            f"-rss_limit_mb={MEMORY}",
        ),
        *(
            f"-dict={_dictionary()}",
            f"-artifact_prefix={findings / name}-",
            "-print_final_stats=1",
            str(corpus),
        ),
    )
    command = [sys.executable, "-m", "tests.properties.fuzz.guided", name, *flags]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace")
    _report(name, run.stderr)
    found = sorted(set(findings.iterdir()) - before)
    for path in found:
        print(f"  found: {path}\n  again: scripts/fuzz {name} --reproduce {path}")
    if run.returncode and not found:  # the run failed before fuzzing began
        print(run.stdout + run.stderr)
        found = [corpus]
    return found


def _report(name: str, output: str) -> None:
    *_, last = [None, *STATUS.finditer(output)]
    total = TOTAL.search(output)
    ran = f"{int(total[1]):,} inputs" if total else "stopped"
    print(
        f"{name}: {ran}, {last['rate']} a second, {last['cover']} edges, corpus {last['corpus']}"
        if last
        else name
    )
    sys.stdout.flush()


def _dictionary() -> Path:
    """Write the keywords of the formats for libFuzzer to insert."""
    words = [
        *MESSAGES,
        *MATCH_ENTRY_SHAPES,
        *Code,
        "leavers",
        "threshold",
        "turn",
        "step",
        "extensions",
        "hand",
        "target",
        "play",
    ]
    lines = [f'"{word}"' for word in words] + [
        f'"\\x{head:02x}"' for head in (0x90, 0xC0, 0xC4, 0xC5, 0xCF, 0xDC, 0xDD)
    ]
    path = WORK / "words.dict"
    path.write_text("\n".join(lines) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
